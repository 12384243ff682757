"""Finds out what a viewer shows: the source, and where each chunk stands in it."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError
from langchain_chunkers.length import measure_for
from langchain_chunkers.outline import Span, Strength
from langchain_chunkers.packing import Chunk

__all__ = ["Pane", "Piece", "pane_of"]

# How far a chunk without an offset is searched for. A chunk that is no slice is nowhere, and
# searching the whole text for each such chunk would be quadratic.
_SEARCHED = 200_000


@dataclass(slots=True)
class Piece:
    """One chunk, laid on the source.

    Attributes:
        start: First character in `Pane.source`, repeated text included.
        end: Behind the last character.
        fresh: Where the text begins that no earlier chunk has.
        size: Its size as emitted, in the pane's unit.
        strength: Of the boundary at ``fresh``; ``None`` where nobody said.
        prefix: Text repeated in front of the slice.
        suffix: Text added behind it.
        emitted: The text of the chunk where it is no slice with prefix and suffix, else ``None``.
        metadata: That of the document.
        placed: Whether the chunk stands in the source at all.
    """

    start: int
    end: int
    fresh: int
    size: int
    strength: Strength | None = None
    prefix: str = ""
    suffix: str = ""
    emitted: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    placed: bool = True


@dataclass(slots=True)
class Pane:
    """One strategy: a name, the source as it read it, and its chunks in order."""

    name: str
    source: str
    pieces: list[Piece]
    unit: str = "characters"
    cap: int | None = None
    has_offsets: bool = True


def pane_of(what: Any, text: str | None, metadata: Mapping[str, Any], name: str | None) -> Pane:
    """Lay out what one splitter did, or what a list of chunks holds.

    Raises:
        InputError: It is no splitter and no list of chunks, or a text is lacking.
    """
    if isinstance(what, BaseSplitter):
        return _of_splitter(what, _needed(text, what), metadata, name)
    if isinstance(what, TextSplitter):
        source = _needed(text, what)
        pane = _of_chunks(what.create_documents([source], [dict(metadata)]), source, "")
        pane.name = name or f"{type(what).__name__} of {type(what).__module__.partition('.')[0]}"
        return pane
    if isinstance(what, str | bytes) or not isinstance(what, Iterable):
        raise InputError(
            f"view takes a splitter or a list of chunks: got {type(what).__name__}. "
            "To look at a text, say view(splitter, text)."
        )
    chunks = list(what)
    if chunks and all(isinstance(chunk, Span) for chunk in chunks):
        return _of_spans(chunks, _needed(text, chunks), name or "chunks")
    for chunk in chunks:
        if not isinstance(chunk, str | Document):
            raise InputError(
                f"A chunk is a Document, a string or a Span: got {type(chunk).__name__}."
            )
    return _of_chunks(chunks, text, name or "chunks")


def _needed(text: str | None, what: Any) -> str:
    if text is None:
        kind = "spans" if isinstance(what, list) else type(what).__name__
        raise InputError(f"view of {kind} needs the text too: view(..., text).")
    return text


def _of_splitter(
    splitter: BaseSplitter, text: str, metadata: Mapping[str, Any], name: str | None
) -> Pane:
    source, chunks, documents = _run(splitter, text, metadata)
    pieces = []
    for chunk, document in zip(chunks, documents, strict=True):
        content = document.page_content
        as_slice = chunk.prefix + source[chunk.start : chunk.end] + chunk.suffix
        pieces.append(
            Piece(
                chunk.start,
                chunk.end,
                chunk.fresh,
                splitter.length(content),
                chunk.strength,
                chunk.prefix,
                chunk.suffix,
                None if content == as_slice else content,
                document.metadata,
            )
        )
    return Pane(name or repr(splitter), source, pieces, splitter.unit, splitter.chunk_size)


def _run(
    splitter: BaseSplitter, text: str, metadata: Mapping[str, Any]
) -> tuple[str, Sequence[Chunk], Sequence[Document]]:
    """Split once, and keep both the chunks and the documents: a model may be asked on the way."""
    kind = type(splitter)
    seen: list[tuple[str, list[Chunk]]] = []

    def remember(self: BaseSplitter, text: str) -> tuple[str, Iterator[Chunk]]:
        parts = kind._quick(self, text)
        if parts is None:
            source, found = kind._packed(self, text)
        else:
            source, found = text, (Chunk(start, end, start, at) for start, end, at in parts)
        seen.append((source, list(found)))
        return source, iter(seen[-1][1])

    # A subclass, not an attribute: what a splitter does on a copy of itself is seen too.
    twin = copy.copy(splitter)
    ways = {"_quick": lambda *_: None, "_packed": remember, "plain": kind.plain}
    twin.__class__ = type(kind.__name__, (kind,), ways)
    documents = twin._documents(text, metadata)
    if not seen:  # another splitter made them, as AutoSplitter has it
        source, found = splitter._split(text)
        seen.append((source, list(found)))
    source, chunks = seen[-1]
    return source, chunks, documents


def _of_spans(spans: Sequence[Span], text: str, name: str) -> Pane:
    pieces = []
    for span in spans:
        size = len(span.prefix) + span.end - span.start + len(span.suffix)
        pieces.append(
            Piece(span.start, span.end, span.fresh, size, span.strength, span.prefix, span.suffix)
        )
    return Pane(name, text, pieces)


def _of_chunks(chunks: Sequence[str | Document], text: str | None, name: str) -> Pane:
    """Lay out chunks that came without their splitter: by their offsets, else by searching."""
    measure = measure_for(len)
    laid = _Rebuilt() if text is None else _Found(text)
    pieces = []
    for chunk in chunks:
        content = chunk if isinstance(chunk, str) else chunk.page_content
        metadata = {} if isinstance(chunk, str) else chunk.metadata
        prefix, suffix = _around(content, metadata)
        body = content[len(prefix) : len(content) - len(suffix)]
        start, end, fresh, placed = laid.place(body, metadata.get("start_index"))
        pieces.append(
            Piece(
                start,
                end,
                fresh,
                measure(content),
                prefix=prefix,
                suffix=suffix,
                emitted=None if placed else content,
                metadata=metadata,
                placed=placed,
            )
        )
    return Pane(name, laid.source, pieces, has_offsets=text is not None)


def _around(content: str, metadata: Mapping[str, Any]) -> tuple[str, str]:
    """Give the declared prefix and suffix of a chunk, where it really has them."""
    prefix, suffix = metadata.get("prefix", ""), metadata.get("suffix", "")
    if not (isinstance(prefix, str) and content.startswith(prefix)):
        prefix = ""
    rest = len(content) - len(prefix)
    if not (isinstance(suffix, str) and content.endswith(suffix) and len(suffix) <= rest):
        suffix = ""
    return prefix, suffix


class _Found:
    """Places chunks in a text that is known."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._start = self._end = 0
        self._first = True

    def place(self, body: str, hint: Any) -> tuple[int, int, int, bool]:
        at = hint if isinstance(hint, int) and hint >= 0 else -1
        if at < 0 or not self.source.startswith(body, at):
            least = self._start if self._first else self._start + 1
            at = self.source.find(body, least, self._end + len(body) + _SEARCHED)
        if at < 0 or not body:
            return self._end, self._end, self._end, False
        end = at + len(body)
        fresh = min(max(at, self._end), end)
        self._start, self._end, self._first = at, max(self._end, end), False
        return at, end, fresh, True


class _Rebuilt:
    """Lays chunks one behind the other where there is no text; offsets tell what is repeated."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._length = 0
        self._last = ""
        self._last_at = -1

    @property
    def source(self) -> str:
        return "".join(self._parts)

    def place(self, body: str, hint: Any) -> tuple[int, int, int, bool]:
        repeated = 0
        if isinstance(hint, int) and self._last_at >= 0 and hint >= self._last_at:
            repeated = max(0, min(self._last_at + len(self._last) - hint, len(body)))
            if repeated and not self._last.endswith(body[:repeated]):
                repeated = 0
        fresh = self._length
        self._parts.append(body[repeated:])
        self._length += len(body) - repeated
        self._last, self._last_at = body, hint if isinstance(hint, int) else -1
        return fresh - repeated, self._length, fresh, True
