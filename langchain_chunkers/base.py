"""`BaseSplitter`: the only class that knows LangChain.

It reads, packs and presents: a strategy gives `read`, the engine chooses spans, and this class
hands LangChain documents. One class in one file of more than 300 lines: what LangChain's callers ask
of a splitter, with its async twin, stands side by side, and half of the lines are docstrings.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import (
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from contextlib import closing
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, Self, overload

from langchain_core.documents import Document
from langchain_core.runnables.config import run_in_executor
from langchain_text_splitters import TextSplitter

from langchain_chunkers import metadata as facts
from langchain_chunkers import settings
from langchain_chunkers.errors import InputError
from langchain_chunkers.ladder import LADDERS, Rung, content_end, content_start
from langchain_chunkers.length import CharacterMeasure, LengthMeasure, Scale, measure_for
from langchain_chunkers.outline import Outline, Part, Regions, Span, Strength
from langchain_chunkers.overlapping import join_small, overlap_start
from langchain_chunkers.packing import Chunk, Limits, Packer, Piece
from langchain_chunkers.stable import StablePacker
from langchain_chunkers.structure import StructurePacker
from langchain_chunkers.workers import split_each

__all__ = ["BaseSplitter", "registry"]

_REGISTRY: dict[str, type[BaseSplitter]] = {}


def registry() -> dict[str, type[BaseSplitter]]:
    """Give all splitters by short name, such as ``"recursive"``: those of this package and your own."""
    import langchain_chunkers

    for name in langchain_chunkers.__all__:
        getattr(langchain_chunkers, name)  # imports what was not used yet
    return dict(sorted(_REGISTRY.items()))


def _pair(value: Any) -> tuple[str, Mapping[str, Any] | None]:
    """Take a pair of a text and metadata apart, or say what was wanted."""
    if isinstance(value, tuple | list) and len(value) == 2:
        text, metadata = value
        if hasattr(metadata, "value") and not isinstance(metadata, Mapping):
            metadata = metadata.value  # Pathway's Json
        if isinstance(text, str) and (metadata is None or isinstance(metadata, Mapping)):
            return text, metadata
    msg = f"A splitter is called with a text or a pair of a text and metadata: got {value!r:.80}."
    raise InputError(msg)


def _no_text(value: object) -> InputError:
    return InputError(f"text must be a str: got {type(value).__name__}.")


class BaseSplitter(TextSplitter):
    """A LangChain ``TextSplitter`` on the engine of this package.

    A strategy subclasses it, gives `read`, and has every guarantee.

    Args:
        chunk_size: The cap, in units of ``length_function``; ``None`` for no cap, where structure
            alone decides.
        chunk_overlap: Units that a chunk may repeat of what came before; below ``chunk_size``.
        length_function: What is counted: ``len``, a measure, a tokenizer, or a callable
            ``text -> int``.
        keep_separator: LangChain's; only `RecursiveSplitter` has separators.
        add_start_index: Put ``start_index`` and ``end_index`` into the metadata of each document.
        strip_whitespace: Leave out white space at the edges of chunks. ``False`` keeps every
            character: without overlap the chunks joined are the text.
        min_chunk_size: Chunks below this many units join a neighbour where both fit; 0 for never.
        on_oversize: What becomes of one grapheme cluster larger than the cap: ``"split"`` (by code
            point), ``"keep"`` or ``"raise"``.
        stable: Let the text around each cut decide it, so that an edit changes the chunks near it and
            few others; chunks are some three quarters full. For documents that are indexed again.
        add_metadata: Names of facts to put into the metadata; see `langchain_chunkers.metadata`.
        metadata_function: Called with each finished document; the mapping that it returns is added
            to the document's metadata.
        show_progress: Show a progress bar over documents (needs the extra ``progress``).

    Raises:
        SettingError: A setting cannot be used.
    """

    name: ClassVar[str] = ""
    needs_size: ClassVar[bool] = False
    trims: ClassVar[str] = "all"
    aliases: ClassVar[tuple[tuple[str, ...], ...]] = ()  # names of settings that mean the same
    plain: ClassVar[bool] = False  # what it reads puts nothing into text or metadata

    def __init_subclass__(cls, **kwargs: Any) -> None:
        """Enter a splitter that has a short name of its own into the registry."""
        super().__init_subclass__(**kwargs)
        if (
            "plain" not in cls.__dict__
            and {"read", "_chunks", "_content", "describe"} & cls.__dict__.keys()
        ):
            cls.plain = False
        if cls.__dict__.get("name"):
            _REGISTRY[cls.name] = cls

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Note the settings as given: for `to_config`, and for overrides in a call."""
        known = settings.setting_names(cls)
        unknown = kwargs.keys() - known
        if unknown:
            raise settings.unknown_settings(cls.__name__, unknown, known)
        self = super().__new__(cls)
        names = list(inspect.signature(cls.__init__).parameters)[1:]
        self._settings = {**dict(zip(names, args, strict=False)), **kwargs}
        return self

    _settings: dict[str, Any]

    def __getstate__(self) -> dict[str, Any]:
        """Give what was set, without what was worked out of it."""
        kind = type(self)
        return {
            name: value
            for name, value in self.__dict__.items()
            if not isinstance(getattr(kind, name, None), cached_property)
        }

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        length_function: Any = len,
        keep_separator: bool | Literal["start", "end"] = False,
        add_start_index: bool = False,
        strip_whitespace: bool = True,
        *,
        min_chunk_size: int = 0,
        on_oversize: Literal["split", "keep", "raise"] = "split",
        stable: bool = False,
        add_metadata: Sequence[str] = (),
        metadata_function: Callable[[Document], Mapping[str, Any]] | None = None,
        show_progress: bool = False,
    ) -> None:
        measure = measure_for(length_function)
        if "length_function" in self._settings:
            self._settings["length_function"] = measure  # a tokenizer is copied once, not per call
        settings.check_sizes(
            type(self).__name__, chunk_size, chunk_overlap, measure.unit, self.needs_size
        )
        settings.check_count("min_chunk_size", min_chunk_size, chunk_size, measure.unit)
        settings.check_choice("on_oversize", on_oversize, ("split", "keep", "raise"))
        settings.check_choice("keep_separator", keep_separator, (True, False, "start", "end"))
        settings.check_choice("stable", stable, (True, False))
        super().__init__(
            # LangChain knows no "no cap", and none of its code that reads this runs here
            chunk_size=2**63 - 1 if chunk_size is None else chunk_size,
            chunk_overlap=chunk_overlap,
            length_function=measure,
            keep_separator=keep_separator,
            add_start_index=add_start_index,
            strip_whitespace=strip_whitespace,
        )
        self._measure: LengthMeasure = measure
        self._facts = facts.check_names(add_metadata, add_start_index=add_start_index)
        self._metadata_function = metadata_function
        self._show_progress = show_progress
        facts.with_progress((), show=show_progress)  # a missing extra is said now
        self._limits = Limits(
            size=math.inf if chunk_size is None else chunk_size,
            overlap=chunk_overlap,
            least=min_chunk_size,
            trim=self.trims if strip_whitespace else "none",
            oversize=on_oversize,
            stable=stable,
        )

    # ------------------------------------------------------------------ what a strategy gives

    def read(self, text: str) -> Outline:
        """Say where ``text`` may be divided. Total over all strings, and pure."""
        return Outline(text)

    def ladder(self, kind: str) -> Sequence[Rung]:
        """Give the rungs for a kind of text, strongest first."""
        return LADDERS[kind]

    def _scale(self, outline: Outline) -> Scale:
        """Lay the measure along the text; strategies whose chunks are no slices give their own."""
        return self._measure.scale(outline.text)

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        """Choose chunks by structure; strategies that fill to the cap override this."""
        packer = self._packer(outline)
        return self._finished(packer, packer.pack())

    def _packer(self, outline: Outline) -> StructurePacker:
        """Make the packer of an outline."""
        kind = StablePacker if self._limits.stable else StructurePacker
        return kind(outline, self._scale(outline), self._limits, self.ladder)

    def _finished(self, packer: StructurePacker, pieces: list[Piece]) -> Iterator[Chunk]:
        """Make chunks of neighbouring pieces: small ones joined, overlap in front, what is repeated around."""
        if self._limits.least:
            pieces = join_small(packer, pieces)
        before = at = -1
        for piece in pieces:
            fresh, end = packer.content(piece.start, piece.end)
            if fresh >= end:
                continue
            start = fresh
            if self._limits.overlap and at >= 0:
                start = overlap_start(packer, before, at, fresh, end)
            prefix, suffix = packer.prefix_at(start), packer.suffix_at(end)
            known = self._known(packer, start, fresh, end)
            yield Chunk(start, end, fresh, piece.strength, prefix, suffix, known)
            before, at = start, end

    def describe(
        self,
        outline: Outline,  # noqa: ARG002
        regions: Regions,  # noqa: ARG002
        start: int,  # noqa: ARG002
        end: int,  # noqa: ARG002
    ) -> Mapping[str, Any]:
        """Give metadata of the chunk ``outline.text[start:end]``, beside that of its first region."""
        return {}

    def _known(self, packer: Packer, start: int, fresh: int, end: int) -> Mapping[str, Any]:
        """Give what structure knows of a chunk."""
        region = packer.regions.at(fresh)
        known = region.metadata if region else {}
        more = self.describe(packer.outline, packer.regions, start, end)
        if packer.omits(start, end):
            more = {**more, "prefix_omitted": True}
        return {**known, **more} if more else known

    def _split(self, text: str) -> tuple[str, Iterator[Chunk]]:
        """Give the text that offsets refer to, and the chunks."""
        parts = self._quick(text)
        if parts is not None:
            return text, (Chunk(start, end, start, kind) for start, end, kind in parts)
        return self._packed(text)

    def _packed(self, text: str) -> tuple[str, Iterator[Chunk]]:
        """Read and pack a text: the long way."""
        outline = self.read(text)
        return outline.text, self._chunks(outline)

    def _quick(self, text: str) -> Sequence[Part] | None:
        """Give the chunks of the most frequent kinds of text a short way; ``None`` for the engine.

        Here: text that fits for certain, which is one chunk, white space at its edges aside.
        """
        if type(text) is not str and not isinstance(text, str):
            raise _no_text(text)
        if len(text) > self._glance:
            return None
        start, end = 0, len(text)
        if self._limits.trim != "none" and (not end or text[0].isspace() or text[-1].isspace()):
            end = content_end(text, 0, end)
            start = content_start(text, 0, end, keep_indent=self._limits.trim == "lines")
        return [(start, end, Strength.DOCUMENT)] if start < end else []

    @cached_property
    def _glance(self) -> float:
        """Characters up to which a text is one chunk whatever it says; -1 where it must be read."""
        sure = self._is_direct and self._limits.always > Strength.DOCUMENT
        return self._limits.size if sure else -1

    @cached_property
    def _is_direct(self) -> bool:
        """Whether sizes are places in the text, and all of the text is emitted as it is."""
        return self.plain and type(self._measure) is CharacterMeasure

    def _content(self, source: str, start: int, end: int) -> str:
        """Give the text of a chunk: a slice, for all strategies that do not say otherwise."""
        return source[start:end]

    def _emitted(self, source: str, chunk: Chunk) -> str:
        """Give the text of a chunk with what is repeated around it."""
        content = self._content(source, chunk[0], chunk[1])
        return chunk[4] + content + chunk[5] if chunk[4] or chunk[5] else content

    def _with(self, overrides: Mapping[str, Any]) -> Self:
        """Make the splitter that a call with overrides asks for."""
        if not overrides:
            return self
        kept = dict(self._settings)
        for names in self.aliases:  # what is said now wins over the same thing by another name
            if any(name in overrides for name in names):
                for name in names:
                    kept.pop(name, None)
        return type(self)(**{**kept, **overrides})

    # ------------------------------------------------------------------ one text

    def split_text(self, text: str, **overrides: Any) -> list[str]:
        """Split a text into the texts of its chunks.

        Args:
            text: Any string.
            **overrides: Settings for this call only, such as ``chunk_size=300``.

        Returns:
            The chunks in order; ``[]`` for a text that is empty, or white if white space is stripped.
        """
        splitter = self._with(overrides) if overrides else self
        parts = splitter._quick(text)
        if parts is not None:
            return [text[start:end] for start, end, _ in parts]
        source, chunks = splitter._packed(text)
        return [splitter._emitted(source, chunk) for chunk in chunks]

    def split_spans(self, text: str, **overrides: Any) -> list[Span]:
        """Split a text into spans: where each chunk stands.

        Args:
            text: Any string.
            **overrides: Settings for this call only.

        Returns:
            A `Span` for each chunk, in order; it unpacks as ``(start, end)``.
        """
        _, chunks = self._with(overrides)._split(text)
        return [Span(*chunk[:6]) for chunk in chunks]

    def length(self, text: str) -> int:
        """Count ``text`` in the units of this splitter."""
        return self._measure(text)

    @property
    def chunk_size(self) -> int | None:
        """The cap, in units of the measure; ``None`` for none."""
        return None if self._limits.size == math.inf else int(self._limits.size)

    @property
    def chunk_overlap(self) -> int:
        """Units that a chunk may repeat of what came before."""
        return self._chunk_overlap

    @property
    def unit(self) -> str:
        """What sizes count, in the plural, such as ``"characters"`` or ``"tokens (cl100k_base)"``."""
        return self._measure.unit

    @overload
    def __call__(self, text: str, **overrides: Any) -> list[str]: ...

    @overload
    def __call__(
        self, text: tuple[str, Mapping[str, Any] | None], **overrides: Any
    ) -> list[tuple[str, dict[str, Any]]]: ...

    def __call__(self, text: Any, **overrides: Any) -> Any:
        """Split as callers of plain functions expect it.

        Args:
            text: A string: LangChain's ``trim_messages`` joins the answer again, so the pieces are
                the text, white space included, without overlap. Or a pair of a string and
                metadata, as Pathway's pipelines have them.
            **overrides: Settings for this call only.

        Returns:
            For a string, pieces that joined are the string. For a pair, a list of pairs of a chunk
            and a copy of the metadata (``{}`` for ``None``).
        """
        if isinstance(text, str):
            lossless = {"strip_whitespace": False, "chunk_overlap": 0}
            whole = self._with({**self._partition(), **lossless, **overrides})
            source, chunks = whole._split(text)
            # slices: no repeated prefix, no normal form
            return [source[chunk.start : chunk.end] for chunk in chunks]
        source, metadata = _pair(text)
        documents = self.create_documents([source], [dict(metadata or {})], **overrides)
        return [(document.page_content, document.metadata) for document in documents]

    def _partition(self) -> dict[str, Any]:
        """Give the settings, beside stripping and overlap, under which nothing is left out."""
        return {}

    # ------------------------------------------------------------------ documents

    def lazy_split_documents(
        self, documents: Iterable[Document], *, workers: int = 1, **overrides: Any
    ) -> Iterator[Document]:
        """Split documents one after another; nothing is held but the one at hand.

        Args:
            documents: Any iterable of documents, a generator too.
            workers: Processes that split; 1 for this one alone. More read a few batches ahead; see
                `langchain_chunkers.workers`.
            **overrides: Settings for this call only.

        Yields:
            The chunks of each document in order, each with its own copy of the document's
            metadata. The id of a document goes into ``metadata["document_id"]``.
        """
        splitter = self._with(overrides)
        total = len(documents) if isinstance(documents, Sequence) else None
        with closing(split_each(splitter, documents, workers)) as found:
            for chunks in facts.with_progress(found, show=splitter._show_progress, total=total):
                yield from chunks

    def _documents(self, text: str, metadata: Mapping[str, Any]) -> list[Document]:
        """Present the chunks of one text as documents."""
        parts = self._quick(text)
        if parts is None:
            source, chunks = self._packed(text)
            return self._present(source, list(chunks), metadata)
        if self._metadata_function is not None or self._facts not in ((), facts.OFFSETS):
            return self._present(text, [Chunk(s, e, s, kind) for s, e, kind in parts], metadata)
        copy_of = dict if facts.is_flat(metadata) else facts.copied
        if not self._facts:
            return [facts.document(text[s:e], copy_of(metadata)) for s, e, _ in parts]
        return [
            facts.document(text[s:e], {**copy_of(metadata), "start_index": s, "end_index": e})
            for s, e, _ in parts
        ]

    def _present(
        self, source: str, chunks: Sequence[Chunk], metadata: Mapping[str, Any]
    ) -> list[Document]:
        """Make documents of chunks, with all that was asked for."""
        contents = [self._emitted(source, chunk) for chunk in chunks]
        copy_of = dict if facts.is_flat(metadata) else facts.copied
        metadatas: list[dict[str, Any]] = [
            facts.copied({**metadata, **chunk[6]}) if chunk[6] else copy_of(metadata)
            for chunk in chunks
        ]
        for chunk, own in zip(chunks, metadatas, strict=True):
            if chunk[4]:
                own["prefix"] = chunk[4]
            if chunk[5]:
                own["suffix"] = chunk[5]
        if self._facts:
            facts.add_facts(self._facts, source, chunks, contents, metadatas, self._measure)
        documents = list(map(facts.document, contents, metadatas))
        if self._metadata_function is not None:
            for document in documents:
                document.metadata.update(self._metadata_function(document))
        return documents

    def split_documents(
        self, documents: Iterable[Document], *, workers: int = 1, **overrides: Any
    ) -> list[Document]:
        """Split documents; as `lazy_split_documents`, all at once."""
        return list(self.lazy_split_documents(documents, workers=workers, **overrides))

    def create_documents(
        self,
        texts: Iterable[str],
        metadatas: Sequence[Mapping[str, Any]] | None = None,
        **overrides: Any,
    ) -> list[Document]:
        """Make documents of the chunks of texts.

        Args:
            texts: Strings.
            metadatas: Metadata for each text, or nothing.
            **overrides: Settings for this call only.

        Returns:
            The chunks of all texts in order.

        Raises:
            InputError: There are fewer metadatas than texts.
        """
        texts = list(texts)
        if metadatas and len(metadatas) < len(texts):
            msg = f"metadatas must have one for each text: got {len(metadatas)} for {len(texts)}."
            raise InputError(msg)
        splitter = self._with(overrides)
        pairs = zip(texts, metadatas or [{}] * len(texts), strict=False)
        return [
            document
            for text, metadata in facts.with_progress(
                pairs, show=splitter._show_progress, total=len(texts)
            )
            for document in splitter._documents(text, metadata)
        ]

    def split_stream(
        self, pieces: Iterable[str], metadata: Mapping[str, Any] | None = None, **overrides: Any
    ) -> Iterator[Document]:
        """Split a text that comes in pieces, larger than memory if need be.

        Args:
            pieces: The text in pieces of any size, such as an open file gives.
            metadata: Metadata of the text.
            **overrides: Settings for this call only.

        Returns:
            The chunks that `split_documents` gives of the joined text, one after another. Memory is
            bounded where the text has blank lines or lines; see `langchain_chunkers.streaming`.

        Raises:
            SettingError: This splitter, with these settings, must see the whole text first.
        """
        from langchain_chunkers import streaming

        splitter = self._with(overrides)
        streaming.check_streams(splitter)
        return streaming.stream(splitter, pieces, metadata or {})

    def transform_documents(self, documents: Sequence[Document], **kwargs: Any) -> list[Document]:
        """Split documents; LangChain's name for it in pipelines."""
        return self.split_documents(documents, **kwargs)

    # ------------------------------------------------------------------ async twins, in a thread

    async def asplit_text(self, text: str, **overrides: Any) -> list[str]:
        """As `split_text`, without blocking the event loop."""
        return await run_in_executor(None, self.split_text, text, **overrides)

    async def asplit_spans(self, text: str, **overrides: Any) -> list[Span]:
        """As `split_spans`, without blocking the event loop."""
        return await run_in_executor(None, self.split_spans, text, **overrides)

    async def acreate_documents(
        self,
        texts: Iterable[str],
        metadatas: Sequence[Mapping[str, Any]] | None = None,
        **overrides: Any,
    ) -> list[Document]:
        """As `create_documents`, without blocking the event loop."""
        return await run_in_executor(None, self.create_documents, texts, metadatas, **overrides)

    async def asplit_documents(
        self, documents: Iterable[Document], *, workers: int = 1, **overrides: Any
    ) -> list[Document]:
        """As `split_documents`, without blocking the event loop."""
        split = partial(self.split_documents, workers=workers)
        return await run_in_executor(None, split, documents, **overrides)

    async def alazy_split_documents(
        self, documents: Iterable[Document], *, workers: int = 1, **overrides: Any
    ) -> AsyncIterator[Document]:
        """As `lazy_split_documents`, one document at a time in a thread."""
        if workers != 1:  # the processes serve all documents
            found: Any = self.lazy_split_documents(documents, workers=workers, **overrides)
            with closing(found):
                while (chunk := await run_in_executor(None, next, found, None)) is not None:
                    yield chunk
            return
        for document in documents:
            for chunk in await self.asplit_documents([document], **overrides):
                yield chunk

    async def atransform_documents(
        self, documents: Sequence[Document], **kwargs: Any
    ) -> list[Document]:
        """As `transform_documents`, without blocking the event loop."""
        return await self.asplit_documents(documents, **kwargs)

    # ------------------------------------------------------------------ other ways to make one

    @classmethod
    def from_tiktoken_encoder(
        cls,
        encoding_name: str = "cl100k_base",
        model_name: str | None = None,
        allowed_special: Any = None,
        disallowed_special: Any = (),
        **kwargs: Any,
    ) -> Self:
        """Make a splitter that counts tokens of a tiktoken encoding.

        Args:
            encoding_name: Such as ``"cl100k_base"`` (the default; LangChain's is ``"gpt2"``).
            model_name: Such as ``"gpt-4o"``; wins over ``encoding_name``.
            allowed_special: Special tokens that count as one where the text spells them.
            disallowed_special: Special tokens that raise where the text spells them; none unless
                asked for (LangChain's default raises).
            **kwargs: Settings of the splitter.
        """
        from langchain_chunkers.tokens import TiktokenMeasure

        measure = TiktokenMeasure(encoding_name, model_name, allowed_special, disallowed_special)
        return cls(length_function=measure, **kwargs)

    @classmethod
    def from_huggingface_tokenizer(
        cls, tokenizer: Any, *, reserve_special_tokens: bool = False, **kwargs: Any
    ) -> Self:
        """Make a splitter that counts tokens of a Hugging Face tokenizer.

        Args:
            tokenizer: A ``transformers.PreTrainedTokenizerBase`` or a ``tokenizers.Tokenizer``.
            reserve_special_tokens: Keep room for ``[CLS]``, ``[SEP]`` and the like in the cap.
            **kwargs: Settings of the splitter.
        """
        from langchain_chunkers.tokens import HuggingFaceMeasure

        measure = HuggingFaceMeasure(tokenizer, reserve_special_tokens=reserve_special_tokens)
        return cls(length_function=measure, **kwargs)

    def to_config(self) -> dict[str, Any]:
        """Describe the splitter as a plain dictionary, for JSON or YAML; `from_config` reads it."""
        from langchain_chunkers.config import to_config

        return to_config(self, self._settings)

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> BaseSplitter:
        """Make a splitter of a plain dictionary.

        Args:
            config: Settings by name; ``"splitter"`` is the short name or the class name, and may be
                left out where a class is asked itself.

        Example:
            >>> from langchain_chunkers import BaseSplitter
            >>> BaseSplitter.from_config({"splitter": "recursive", "chunk_size": 300}).to_config()
            {'splitter': 'recursive', 'chunk_size': 300}
        """
        from langchain_chunkers.config import from_config

        return from_config(cls, config)

    def __or__(self, fine: BaseSplitter) -> BaseSplitter:
        """Split what this splitter emits with another one; offsets stay those of the whole text."""
        from langchain_chunkers.strategies.pipeline import PipelineSplitter

        if not isinstance(fine, BaseSplitter):
            return NotImplemented
        return PipelineSplitter(self, fine)

    def __repr__(self) -> str:
        """Show the class and the settings given."""
        given = ", ".join(f"{name}={value!r}" for name, value in self._settings.items())
        return f"{type(self).__name__}({given})"
