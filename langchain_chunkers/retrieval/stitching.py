"""Retrieved chunks put together again: in order, each character once, gaps marked, sources cited."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, BaseDocumentTransformer, Document
from pydantic import ConfigDict, Field, field_validator

from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.length import measure_for
from langchain_chunkers.retrieval.ids import SourceKey, source_of
from langchain_chunkers.retrieval.passages import Passage, Piece, laid

__all__ = ["Stitcher", "stitch"]

Sources = Mapping[str, str] | Callable[[str], str | None]
"""Texts by source: a mapping, or a function that fetches one."""

SOURCE_KEYS = ("source", "document_id", "page")
GAP = "\n\n[…]\n\n"


def stitch(
    documents: Iterable[Document],
    *,
    per: Literal["source", "passage"] = "source",
    max_size: int | None = None,
    length_function: Any = None,
    gap: str = GAP,
    bridge: int = 1,
    sources: Sources | None = None,
    source_key: SourceKey = SOURCE_KEYS,
    windows: bool = False,
) -> list[Document]:
    """Put retrieved chunks of each source together: in order, overlaps once, gaps marked.

    Chunks are joined by their offsets, never by comparing text, so text that a source repeats is
    kept each time, and overlap is dropped even where it is one character. They need ``start_index``, and
    for text that is repeated around them ``prefix`` and ``suffix``, as the splitters of this
    package write them. Chunks without offsets, or whose text is not what stands there, are kept whole, as
    passages of their own without a place.

    Args:
        documents: Chunks, most relevant first; of one source or of many.
        per: ``"source"``: a document for each source, with ``gap`` between its passages;
            ``"passage"``: a document for each passage, that is for each unbroken stretch.
        max_size: The most units of all documents together. The most relevant chunks come first;
            one that does not fit is left out and smaller ones behind it are tried. ``None`` for no limit.
        length_function: What ``max_size`` counts: as of the splitters; ``None`` for tokens of cl100k_base.
        gap: Put where text of the source was skipped.
        bridge: Splitters leave out white space between chunks. Where nothing says that two chunks are
            neighbours (``sources``, ``chunk_index``, ``next``), a distance of up to so many characters is
            taken for such white space, and anything wider for a gap. (In Chinese, a sentence may
            have two characters.)
        sources: The texts by source, which offsets are checked against, from which white space
            between chunks is taken as it was, and in which lines are counted. ``None``: a newline, or a
            blank line for more than one character.
        source_key: What says of which text a chunk is. The default tells pages with the same source
            apart, since loaders count offsets from the start of each page; ``"source"`` for chunks of
            one text that knows its pages. Several values are joined by a NUL character.
        windows: Put the window of `SentenceWindowSplitter` in the place of each sentence. It needs
            ``sources``, or chunks that carry theirs.

    Returns:
        Documents in the order of their most relevant chunk. The metadata is what all chunks of the
        document agree on, and ``citations``: for each passage its ``start_index`` and ``end_index``
        in the source, its ``line_start`` and ``line_end`` where known (from ``sources``, or the chunks'
        own), and ``text_start`` and ``text_end``, its place in the text of the document; with
        ``windows``, also ``hits``, the places of the sentences in the source. A document of one
        passage has these itself too.

    Raises:
        SettingError: A setting cannot be used.
        InputError: ``windows``, and neither ``sources`` nor a chunk has their text.

    Guarantees: each retrieved character is there once for each place that it has in the source, in order.

    Cost: linear in the text of the chunks; with ``max_size``, a source is counted again for each of its
        chunks.

    Example:
        >>> text = "One. Two. Three. Four."
        >>> from langchain_chunkers import SentenceSplitter
        >>> chunks = SentenceSplitter(None, add_start_index=True).create_documents([text])
        >>> stitch([chunks[3], chunks[0], chunks[1]], gap=" … ", sources={"": text})[0].page_content
        'One. Two. … Four.'
    """
    if per not in ("source", "passage"):
        msg = f"per must be 'source' or 'passage': got {per!r}."
        raise SettingError(msg)
    _check_number("max_size", max_size, none=True)
    _check_number("bridge", bridge)
    groups: dict[str, _Group] = {}
    budget = _Budget(max_size, length_function, per, gap, bridge)
    for rank, document in enumerate(documents):
        source = source_of(document, source_key)
        group = groups.get(source)
        if group is None:
            group = groups[source] = _Group(_text_of(sources, source, source_of(document)))
        piece = Piece.of(document, rank, group.text)
        if windows:
            piece = _opened(piece, sources, group.text)
        group.pieces.append(piece)
        if not budget.takes(source, group):
            group.pieces.pop()
    shown: list[tuple[int, Document]] = []
    for group in groups.values():
        passages = laid(group.pieces, bridge, group.text)
        if per == "passage":
            shown += [(passage.rank, _document([passage], gap)) for passage in passages]
        elif passages:
            rank = min(passage.rank for passage in passages)
            shown.append((rank, _document(passages, gap)))
    return [document for _, document in sorted(shown, key=lambda each: each[0])]


class Stitcher(BaseDocumentCompressor, BaseDocumentTransformer):
    """`stitch` as a part of LangChain's retrievers.

    It fits ``ContextualCompressionRetriever(base_compressor=...)``, and ``DocumentCompressorPipeline``,
    behind a reranker for instance: the order of what it is given is the order of relevance.

    Args:
        per: As of `stitch`; so are the others.
        max_size: The most units of all documents together.
        length_function: What ``max_size`` counts.
        gap: Put where text was skipped.
        bridge: Characters that are taken for white space left out.
        sources: The texts by source.
        source_key: What says of which text a chunk is.
        windows: Read windows in place of sentences.

    Example:
        >>> text = "One. Two. Three."
        >>> from langchain_chunkers import SentenceSplitter
        >>> chunks = SentenceSplitter(None, add_start_index=True).create_documents([text])
        >>> Stitcher(sources={"": text}).compress_documents(chunks[::-1], "one")[0].page_content
        'One. Two. Three.'
    """

    per: Literal["source", "passage"] = "source"
    max_size: int | None = None
    length_function: Any = None
    gap: str = GAP
    bridge: int = 1
    sources: Any = None
    source_key: Any = Field(default=SOURCE_KEYS)
    windows: bool = False

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    @field_validator("max_size")
    @classmethod
    def _positive(cls, value: int | None) -> int | None:
        _check_number("max_size", value, none=True)
        return value

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """Stitch what was retrieved."""
        return self.transform_documents(documents)

    def transform_documents(
        self,
        documents: Sequence[Document],
        **kwargs: Any,  # noqa: ARG002
    ) -> list[Document]:
        """Stitch chunks, most relevant first."""
        return stitch(
            documents,
            per=self.per,
            max_size=self.max_size,
            length_function=self.length_function,
            gap=self.gap,
            bridge=self.bridge,
            sources=self.sources,
            source_key=self.source_key,
            windows=self.windows,
        )


@dataclass(slots=True)
class _Group:
    """What was retrieved of one source, and its text where that is at hand."""

    text: str | None
    pieces: list[Piece] = field(default_factory=list)


class _Budget:
    """Decides which chunks are still taken."""

    def __init__(
        self, max_size: int | None, length_function: Any, per: str, gap: str, bridge: int
    ) -> None:
        self.left_over = max_size
        self.per, self.gap, self.bridge = per, gap, bridge
        self.sizes: dict[str, int] = {}
        if max_size is not None and length_function is None:
            from langchain_chunkers.tokens import TiktokenMeasure

            length_function = TiktokenMeasure()
        self.measure = None if max_size is None else measure_for(length_function)

    def takes(self, source: str, group: _Group) -> bool:
        """Say whether the last of the pieces of a source still fits, and note it."""
        if self.measure is None or self.left_over is None:
            return True
        passages = laid(group.pieces, self.bridge, group.text)
        if self.per == "passage":
            size = sum(self.measure(passage.text) for passage in passages)
        else:
            size = self.measure(self.gap.join(passage.text for passage in passages))
        grown = size - self.sizes.get(source, 0)
        if grown > self.left_over:
            return False
        self.left_over -= grown
        self.sizes[source] = size
        return True


def _document(passages: Sequence[Passage], gap: str) -> Document:
    """Make the document of some passages of one source."""
    agreed = _agreed([piece.document for passage in passages for piece in passage.pieces])
    citations, at = [], 0
    for passage in passages:
        citation = {**passage.where, "text_start": at, "text_end": at + len(passage.text)}
        citations.append(citation)
        at += len(passage.text) + len(gap)
    if len(passages) == 1:
        agreed.update(passages[0].where)
        for name in ("prefix", "suffix"):
            if getattr(passages[0], name):
                agreed[name] = getattr(passages[0], name)
    agreed["citations"] = citations
    return Document(page_content=gap.join(passage.text for passage in passages), metadata=agreed)


# facts of a single chunk: wrong for what is stitched of several
_SINGLE = frozenset(
    {"start_index", "end_index", "line_start", "line_end", "prefix", "suffix", "prefix_omitted"}
    | {"token_count", "chunk_index", "chunk_id", "previous", "next", "child_count"}
    | {"window", "window_start", "window_end", "context"}
)


def _agreed(documents: Sequence[Document]) -> dict[str, Any]:
    """Give the metadata that all chunks share, those of their own places left out."""
    first, rest = documents[0].metadata, documents[1:]
    return {
        key: copy.deepcopy(value)
        for key, value in first.items()
        if key not in _SINGLE
        and all(key in other.metadata and other.metadata[key] == value for other in rest)
    }


def _opened(piece: Piece, sources: Sources | None, text: str | None) -> Piece:
    """Open the window of a piece, or say what is missing."""
    opened = piece.opened(text)
    if opened is piece and sources is None and "window_start" in piece.document.metadata:
        msg = "windows=True needs the texts: give sources={source: text}, or split with window='text'."
        raise InputError(msg)
    return opened


def _text_of(sources: Sources | None, *names: str) -> str | None:
    """Find the text of a source, by its whole key or by its name."""
    for name in names:
        found = None
        if sources is not None:
            found = sources(name) if callable(sources) else sources.get(name)
        if found is not None:
            return found
    return None


def _check_number(name: str, value: Any, *, none: bool = False) -> None:
    if value is None and none:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        msg = f"{name} must be an integer, zero or more{', or None' * none}: got {value!r}."
        raise SettingError(msg)
