"""Context for each chunk: where it stands in its document, from structure or by a chat model.

More than 300 lines: both ways lay their contexts around the same chunks, under the same cap.
"""

from __future__ import annotations

import copy
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage
from langchain_core.runnables.config import run_in_executor

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.ladder import word_place
from langchain_chunkers.llm.calls import Caller, Failure
from langchain_chunkers.llm.estimate import Estimate
from langchain_chunkers.llm.prompts import context_question
from langchain_chunkers.metadata import token_measure
from langchain_chunkers.outline import Outline
from langchain_chunkers.packing import Chunk
from langchain_chunkers.plain import read_plain
from langchain_chunkers.semantic.reading import AheadSplitter, ModelReader
from langchain_chunkers.sentences import sentence_places
from langchain_chunkers.settings import check_choice
from langchain_chunkers.strategies.llm import check_calls, check_llm, send_whole
from langchain_chunkers.wrappers.headings import HeadingPaths

__all__ = ["ContextualSplitter", "embedded_text", "with_context"]

_OWN = frozenset({"add_start_index", "add_metadata", "metadata_function", "show_progress"})
_PARTS = ("title", "headings", "previous", "next")
_GAP = "\n\n"
_SENTENCE = 300  # characters of a neighbour's first sentence
_ANSWER = 80  # tokens of a context that a model writes


class ContextualSplitter(AheadSplitter):
    """Gives each chunk of a splitter the context that it lacks on its own.

    The context is from structure (``parts``), or written by a chat model from the whole document
    (``llm``). It is kept apart from the source: offsets are those of the source, and
    ``metadata["context"]`` has it alone. Context and chunk together keep to the cap of the splitter:
    room is kept free, and a context that is too long is cut at a word.

    Args:
        inner: Any splitter of this package whose chunks are slices. Its cap holds for context and
            chunk together.
        llm: A chat model that writes the context, in one or two sentences; ``None`` for ``parts``.
        parts: What goes into the context, in this order: ``"title"`` (of the document's metadata),
            ``"headings"`` (the path above the chunk), ``"previous"`` and ``"next"`` (the first
            sentence of the neighbours).
        content: ``"context"``: the text of a chunk is context, a blank line and source; the
            context is declared as its prefix. ``"source"``: the text is the source alone, and
            `embedded_text` gives both, for the index.
        context_size: Room that is kept free for the context, in units of the splitter; ``None`` for
            a fifth of the cap.
        title_key: Key of the title in the document's metadata.
        instructions: Added to what the model is told.
        document_size: Most characters of a document that the model is shown; a longer one is shown
            in parts, each chunk with its own.
        cache_control: Mark the document for Anthropic's prompt cache. Others need no mark: the
            document is the beginning of each prompt, and the first one is sent alone.
        max_concurrency: Most calls at a time.
        max_retries: How often a chunk is asked about again.
        retry_wait: Seconds before asking again after an error; doubled each time.
        **options: ``add_start_index``, ``add_metadata``, ``metadata_function``, ``show_progress``;
            the rest is for the splitter.

    Where the model fails, the chunk has the context of ``parts``, ``metadata["context_fallback"]``
    has the reason, and there is a warning.

    Guarantees: sliced (apart from the declared prefix), lossless, capped, whole characters, own
    metadata, bounded, portable.

    Cost: with a model, one call a chunk, the whole document each time: see `estimate`.

    Source: Anthropic, Contextual Retrieval, 2024.

    Example:
        >>> from langchain_chunkers import RecursiveSplitter
        >>> splitter = ContextualSplitter(RecursiveSplitter(60))
        >>> text = (
        ...     "# Pump\\n\\n## Seal\\n\\nReplace the seal each year.\\n\\nUse grease on the ring."
        ... )
        >>> for chunk in splitter.split_text(text):
        ...     print(repr(chunk))
        '# Pump\\n\\n## Seal\\n\\nReplace the seal each year.'
        'Pump › Seal\\n\\nUse grease on the ring.'
    """

    name = "contextual"

    def __init__(
        self,
        inner: BaseSplitter,
        *,
        llm: BaseChatModel | None = None,
        parts: Sequence[str] = ("title", "headings"),
        content: Literal["context", "source"] = "context",
        context_size: int | None = None,
        title_key: str = "title",
        instructions: str = "",
        document_size: int = 400_000,
        cache_control: bool = False,
        max_concurrency: int = 8,
        max_retries: int = 2,
        retry_wait: float = 1.0,
        **options: Any,
    ) -> None:
        splitter = check_splitter(inner)
        size = splitter._limits.size
        options.setdefault("chunk_size", int(size) if size < 2**62 else None)
        options.setdefault("chunk_overlap", splitter._chunk_overlap)
        options.setdefault("length_function", splitter._measure)
        options.setdefault("strip_whitespace", splitter._strip_whitespace)
        options.setdefault("min_chunk_size", 0)
        options.setdefault("on_oversize", splitter._limits.oversize)
        options.setdefault("add_metadata", splitter._facts)
        options.setdefault("metadata_function", splitter._metadata_function)
        super().__init__(**options)
        self._parts = _checked_parts(parts)
        check_choice("content", content, ("context", "source"))
        check_calls(max_concurrency, max_retries, retry_wait)
        self._llm = None if llm is None else check_llm(llm)
        self._context, self._instructions = content, instructions
        self._title_key, self._title = title_key, ""
        self._document_size, self._cache_control = document_size, cache_control
        self._calls: dict[str, Any] = {
            "concurrency": max_concurrency,
            "retries": max_retries,
            "wait": retry_wait,
        }
        self._splitter = splitter
        self._room = self._room_of(context_size)
        if self._room and size < 2**62:
            least = min(int(splitter._limits.least), int(size) - self._room)
            narrow = {"chunk_size": int(size) - self._room, "min_chunk_size": least}
            narrow["chunk_overlap"] = min(splitter._chunk_overlap, int(size) - self._room - 1)
            self._narrow = splitter._with(narrow)
        else:
            self._narrow = splitter

    _asked_ahead: tuple[str, str, list[Chunk]] | None = None  # text, source and chunks

    def _room_of(self, given: Any) -> int:
        """Give the units that are kept free for contexts."""
        size = self._limits.size
        if given is None:
            return int(size) // 5 if size < 2**62 else 0
        fits = size >= 2**62 or (isinstance(given, int) and given < size)
        if isinstance(given, bool) or not isinstance(given, int) or given < 0 or not fits:
            msg = (
                f"context_size must be an integer of {self.unit}, zero or more and below the cap "
                f"of {size:g}: got {given!r}."
            )
            raise SettingError(msg)
        return given

    # ------------------------------------------------------------------ chunks with contexts

    def _packed(self, text: str) -> tuple[str, Iterator[Chunk]]:
        """Split, ask for contexts, and lay them around the chunks."""
        if self._asked_ahead is not None and self._asked_ahead[0] == text:
            return self._asked_ahead[1], iter(self._asked_ahead[2])
        source, found = self._narrow._split(text)
        chunks = list(found)
        answers: list[Any] = []
        if self._llm is not None and chunks:
            first, rest = self._questions(source, chunks)
            caller = self._caller()
            answers = caller.run(first, show=self._show_progress)
            answers += caller.run(rest, show=self._show_progress)
        return source, iter(self._laid(source, chunks, answers))

    async def _ahead(self, text: str, metadata: Mapping[str, Any] | None = None) -> Self:
        """Split and ask; the models of both are awaited."""
        ready = self._titled(metadata or {})
        inner = self._narrow
        if isinstance(inner, AheadSplitter):
            inner = await inner._ahead(text, metadata)
        source, chunks = await run_in_executor(None, _listed, inner, text)
        answers: list[Any] = []
        if self._llm is not None and chunks:
            first, rest = self._questions(source, chunks)
            caller = self._caller()
            answers = await caller.arun(first, show=self._show_progress)
            answers += await caller.arun(rest, show=self._show_progress)
        ready._asked_ahead = (text, source, ready._laid(source, chunks, answers))
        return ready

    def _titled(self, metadata: Mapping[str, Any]) -> Self:
        """Make a copy that knows the title of the document."""
        ready = copy.copy(self)
        title = metadata.get(self._title_key)
        ready._title = title.strip() if isinstance(title, str) else ""
        return ready

    def _documents(self, text: str, metadata: Mapping[str, Any]) -> list[Document]:
        return super(ContextualSplitter, self._titled(metadata))._documents(text, metadata)

    def _laid(self, source: str, chunks: list[Chunk], answers: Sequence[Any]) -> list[Chunk]:
        """Lay contexts around chunks, as far as they fit."""
        made = self._from_parts(source, chunks) if self._parts else [""] * len(chunks)
        failed = [answer for answer in answers if isinstance(answer, Failure)]
        if failed:
            warnings.warn(
                f"The chat model gave no context for {len(failed)} of {len(chunks)} chunks; they have "
                f"that of their place. The reason of the first: {failed[0].reason}",
                stacklevel=3,
            )
        laid = []
        for number, chunk in enumerate(chunks):
            context = made[number]
            more: dict[str, Any] = {}
            if answers:
                answer = answers[number]
                if isinstance(answer, Failure):
                    more["context_fallback"] = answer.reason
                else:
                    context = answer
            fitting = self._fitting(source, chunk, context)
            if fitting:
                more["context"] = fitting
            elif context:
                more["context_omitted"] = True
            prefix = chunk.prefix
            if fitting and self._context == "context":
                prefix = fitting + _GAP + prefix
            laid.append(chunk._replace(prefix=prefix, metadata={**chunk.metadata, **more}))
        return laid

    def _fitting(self, source: str, chunk: Chunk, context: str) -> str:
        """Cut a context at a word, so that it fits the cap with its chunk; "" where none fits."""
        rest = _GAP + self._emitted(source, chunk)
        size = self._limits.size
        if not context or self._measure(context + rest) <= size:
            return context

        def fits(length: int) -> bool:
            return self._measure(context[:length].rstrip() + rest) <= size

        low, high = 0, min(16, len(context))
        while high < len(context) and fits(high):
            low, high = high, min(2 * high, len(context))
        while high - low > 1:  # the longest beginning that fits
            middle = (low + high) // 2
            low, high = (middle, high) if fits(middle) else (low, middle)
        while low > 0:
            at = word_place(context, 0, low, low) or 0
            cut = context[:at].rstrip(" \t\n›…")
            if not cut or self._measure(cut + rest) <= size:
                return cut
            low = min(low, at) - 1  # the place may lie behind white space, beyond where we were
        return ""

    # ------------------------------------------------------------------ from structure

    def _from_parts(self, source: str, chunks: Sequence[Chunk]) -> list[str]:
        """Make contexts of what the text itself says."""
        paths = HeadingPaths(self._headings_of(source)) if "headings" in self._parts else None
        firsts = (
            [_first_sentence(source, chunk) for chunk in chunks]
            if {"previous", "next"} & set(self._parts)
            else []
        )
        contexts = []
        for number, chunk in enumerate(chunks):
            where = [self._title] if "title" in self._parts and self._title else []
            if paths is not None:
                where += [name for name in _path(chunk, paths) if name not in where]
            lines = [" › ".join(where)]
            if "previous" in self._parts and number:
                lines.append(f"… {firsts[number - 1]}")
            if "next" in self._parts and number + 1 < len(chunks):
                lines.append(f"{firsts[number + 1]} …")
            contexts.append("\n".join(line for line in lines if line.strip(" …")))
        return contexts

    def _headings_of(self, source: str) -> Outline:
        """Read the structure: as the splitter does, as plain text where it reads no headings."""
        inner = self._narrow
        # a reader that asks a model is not asked twice
        asks = isinstance(inner, AheadSplitter)
        outline = inner._structure_of(source) if isinstance(inner, ModelReader) else None
        if outline is None and not asks:
            outline = inner.read(source)
        known = outline is not None and any(r.kind == "heading" for r in outline.regions)
        return outline if known and outline is not None else read_plain(source)

    # ------------------------------------------------------------------ by a model

    def _caller(self) -> Caller[str]:
        assert self._llm is not None
        return Caller(self._llm, _plain, **self._calls)

    def _questions(
        self, source: str, chunks: Sequence[Chunk]
    ) -> tuple[list[list[BaseMessage]], list[list[BaseMessage]]]:
        """Make the questions: the first one, which fills the provider's cache, and the others."""
        questions = []
        size = self._document_size
        for chunk in chunks:
            # parts begin at multiples of half their size, so that neighbours share one
            low = 0
            if len(source) > size:
                low = (
                    max(0, (chunk.start + chunk.end - size) // 2) // (size // 2 or 1) * (size // 2)
                )
            part = send_whole(source[low : low + size])
            content = send_whole(self._emitted(source, chunk))
            messages = context_question(part, content, self._instructions)
            if self._cache_control:
                text = messages[0].text
                cached = {"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}
                messages[0] = type(messages[0])(content=[cached])
            questions.append(messages)
        return questions[:1], questions[1:]

    def estimate(self, texts: str | Iterable[str]) -> Estimate:
        """Say how many calls and tokens splitting will take with the model; nothing is asked.

        Tokens of prompts are all counted in full: providers that cache prompts charge a tenth to a
        half for all but the first of a document.

        Args:
            texts: A text, or several.
        """
        count = token_measure(self._measure)
        total = Estimate(0, 0, 0)
        for text in [texts] if isinstance(texts, str) else texts:
            if self._llm is None:
                continue
            source, chunks = _listed(self._narrow, text)
            whole = count(send_whole(source[: self._document_size])) + 120
            parts = sum(count(send_whole(self._emitted(source, chunk))) for chunk in chunks)
            tokens = whole * len(chunks) + parts
            total += Estimate(len(chunks), tokens, _ANSWER * len(chunks))
        return total

    def _with(self, overrides: Mapping[str, Any]) -> Self:
        """Hand the settings that are not its own to the splitter."""
        if not overrides:
            return self
        mine = _OWN | _NAMES
        kept = {k: v for k, v in self._settings.items() if k in mine}
        kept.update({k: v for k, v in overrides.items() if k in mine})
        inner = self._splitter._with({k: v for k, v in overrides.items() if k not in mine})
        return type(self)(inner, **kept)


_NAMES = frozenset(
    {"llm", "parts", "content", "context_size", "title_key", "instructions", "document_size"}
    | {"cache_control", "max_concurrency", "max_retries", "retry_wait"}
)


def with_context(splitter: BaseSplitter, **options: Any) -> ContextualSplitter:
    """Give each chunk of a splitter its context; see `ContextualSplitter`.

    Args:
        splitter: Any splitter of this package whose chunks are slices.
        **options: Settings of `ContextualSplitter`.
    """
    return ContextualSplitter(splitter, **options)


def embedded_text(document: Document) -> str:
    """Give what to embed and to index of a chunk: its context, a blank line, its text.

    The same for ``content="context"`` and ``content="source"``, and the text alone where a document
    has no context.

    Example:
        >>> embedded_text(Document(page_content="It leaks.", metadata={"context": "Pump"}))
        'Pump\\n\\nIt leaks.'
    """
    context = document.metadata.get("context", "")
    prefix = document.metadata.get("prefix", "")
    if not context or prefix.startswith(context + _GAP):
        return document.page_content
    return f"{context}{_GAP}{document.page_content}"


def _listed(splitter: BaseSplitter, text: str) -> tuple[str, list[Chunk]]:
    source, chunks = splitter._split(text)
    return source, list(chunks)


def _plain(number: int, answer: Any) -> str:  # noqa: ARG001
    """Take a context as it was written, in one line of at most 2,000 characters."""
    return " ".join(str(answer).split())[:2000].encode("utf-8", "replace").decode("utf-8")


def _path(chunk: Chunk, paths: HeadingPaths) -> Sequence[str]:
    """Give the headings above a chunk: those of its metadata, else those that were read."""
    named = [chunk.metadata.get(f"Header {level}") for level in range(1, 7)]
    if any(named):
        return [name for name in named if isinstance(name, str) and name]
    return paths.above(chunk.start)


def _first_sentence(source: str, chunk: Chunk) -> str:
    text = source[chunk.fresh : chunk.end][: 4 * _SENTENCE]
    places = sentence_places(text, 0, len(text))
    return " ".join(text[: places[0] if places else len(text)].split())[:_SENTENCE]


def _checked_parts(parts: Any) -> tuple[str, ...]:
    names = (parts,) if isinstance(parts, str) else tuple(parts)
    for name in names:
        check_choice("parts", name, _PARTS)
    return names


def check_splitter(splitter: Any) -> BaseSplitter:
    """Refuse what is no splitter of this package."""
    if not isinstance(splitter, BaseSplitter):
        msg = f"splitter must be a splitter of this package: got {type(splitter).__name__}."
        raise InputError(msg)
    kind = type(splitter)
    if kind._content is not BaseSplitter._content or kind._emitted is not BaseSplitter._emitted:
        msg = f"splitter must give slices of the text: {kind.__name__} renders another text."
        raise InputError(msg)
    return splitter
