"""Passages: chunks of one source that follow one another or overlap, joined by their offsets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.documents import Document

__all__ = ["Passage", "Piece", "laid"]


@dataclass(frozen=True, slots=True)
class Piece:
    """A chunk, taken apart.

    Attributes:
        document: The chunk.
        rank: Its place among what was retrieved.
        start: First character in the source; -1 where the chunk is no slice of it.
        end: Behind the last one.
        text: The slice, without what is repeated around it.
        prefix: What is repeated in front.
        suffix: What is added behind.
        hit: Where the chunk itself stands, if the piece is the window around it.
    """

    document: Document
    rank: int
    start: int
    end: int
    text: str
    prefix: str = ""
    suffix: str = ""
    hit: tuple[int, int] | None = None

    @classmethod
    def of(cls, document: Document, rank: int, source: str | None = None) -> Piece:
        """Take a chunk apart; one without offsets that hold is a piece without a place.

        Args:
            document: The chunk.
            rank: Its place among what was retrieved.
            source: The text of the source, which the offsets are checked against.
        """
        metadata, content = document.metadata, document.page_content
        start = metadata.get("start_index")
        prefix, suffix = metadata.get("prefix", ""), metadata.get("suffix", "")
        if not (isinstance(prefix, str) and content.startswith(prefix)):
            prefix = ""
        if not (isinstance(suffix, str) and content.endswith(suffix, len(prefix))):
            suffix = ""
        text = content[len(prefix) : len(content) - len(suffix)]
        # other splitters write no end, and -1 for a start that they did not find
        if isinstance(start, int) and start >= 0:
            end = metadata.get("end_index", start + len(text))
            holds = source is None or source[start:end] == text
            if end == start + len(text) and holds:
                return cls(document, rank, start, end, text, prefix, suffix)
        return cls(document, rank, -1, -1, content)

    def opened(self, source: str | None = None) -> Piece:
        """Give the window around the chunk in its place; the piece itself where there is none."""
        metadata = self.document.metadata
        start, end = metadata.get("window_start"), metadata.get("window_end")
        if self.start < 0 or not isinstance(start, int) or not isinstance(end, int):
            return self
        text = metadata.get("window") if source is None else source[start:end]
        if not isinstance(text, str) or len(text) != end - start:
            return self
        hit = self.start, self.end
        return Piece(self.document, self.rank, start, end, text, hit=hit)


@dataclass(slots=True)
class Passage:
    """An unbroken stretch of a source.

    Attributes:
        pieces: The chunks that it is made of, in order.
        start: First character in the source; -1 where unknown.
        end: Behind the last one.
        body: The stretch, without what is repeated around it.
        last: The piece that reaches farthest.
    """

    pieces: list[Piece]
    start: int
    end: int
    body: list[str]
    last: Piece
    lines: tuple[int, int] | None = None
    _text: str | None = field(default=None)

    @property
    def rank(self) -> int:
        """Rank of the most relevant chunk."""
        return min(piece.rank for piece in self.pieces)

    @property
    def prefix(self) -> str:
        """What is repeated in front of its first chunk."""
        return self.pieces[0].prefix

    @property
    def text(self) -> str:
        """The stretch, with what is repeated around it."""
        if self._text is None:
            self._text = "".join([self.prefix, *self.body, self.suffix])
        return self._text

    @property
    def where(self) -> dict[str, Any]:
        """Where it stands in the source."""
        if self.start < 0:
            return {}
        found: dict[str, Any] = {"start_index": self.start, "end_index": self.end}
        if self.lines is not None:
            found["line_start"], found["line_end"] = self.lines
        if hits := sorted({piece.hit for piece in self.pieces if piece.hit is not None}):
            found["hits"] = [list(hit) for hit in hits]
        return found

    @property
    def suffix(self) -> str:
        """What is added behind its last chunk."""
        return self.last.suffix


def laid(pieces: Sequence[Piece], bridge: int, source: str | None = None) -> list[Passage]:
    """Lay the pieces of one source in order, and join those that touch or overlap.

    Args:
        pieces: Pieces of one source, in any order.
        bridge: Characters that may lie between two pieces that are joined, where nothing says that
            they are neighbours.
        source: The text of the source, for the white space between; ``None`` where it is not there.

    Returns:
        Passages in the order of the source; those without a place behind, by rank.
    """
    passages: list[Passage] = []
    placed = sorted((p for p in pieces if p.start >= 0), key=lambda p: (p.start, -p.end, p.rank))
    for piece in placed:
        joined = passages[-1] if passages else None
        if joined is None or not _join(joined, piece, bridge, source):
            passages.append(Passage([piece], piece.start, piece.end, [piece.text], piece))
    for passage in passages:
        passage.lines = _lines(passage, source)
    seen: set[tuple[str, str]] = set()
    for piece in sorted((p for p in pieces if p.start < 0), key=lambda p: p.rank):
        key = piece.document.id or str(piece.document.metadata.get("chunk_id", "")), piece.text
        # the same chunk, found twice, is known by its id alone: equal text may be another place
        if key[0] and key in seen:
            continue
        seen.add(key)
        passages.append(Passage([piece], -1, -1, [piece.text], piece))
    return passages


def _join(passage: Passage, piece: Piece, bridge: int, source: str | None) -> bool:
    """Add a piece that begins behind the start of a passage, if it touches it."""
    between = piece.start - passage.end
    if not _agree(passage.last, piece):
        return False
    if between > 0:
        skipped = _skipped(passage, piece, bridge, source)
        if skipped is None:
            return False
        passage.body.append(skipped)
    # what overlap repeats is dropped by its place, whatever it says
    passage.body.append(piece.text[max(0, -between) :])
    passage.pieces.append(piece)
    if piece.end > passage.end:
        passage.end, passage.last = piece.end, piece
    return True


def _agree(before: Piece, after: Piece) -> bool:
    """Say whether two pieces say the same where they overlap: else they are of two texts."""
    shared = min(before.end, after.end) - after.start
    at = after.start - before.start
    return shared <= 0 or before.text.startswith(after.text[:shared], at)


def _skipped(passage: Passage, piece: Piece, bridge: int, source: str | None) -> str | None:
    """Give the white space between a passage and a piece behind it; ``None`` for a gap."""
    if source is not None:
        between = source[passage.end : piece.start]
        return between if between.isspace() else None
    size = piece.start - passage.end
    if size <= bridge or _are_neighbours(passage.pieces, piece):
        return _white_space(passage.last, piece, size)
    return None


def _are_neighbours(pieces: Sequence[Piece], piece: Piece) -> bool:
    """Say whether a piece is the chunk right behind one of some others."""
    after = piece.document.metadata
    for other in reversed(pieces):
        before = other.document.metadata
        if "chunk_index" in before and "chunk_index" in after:
            return bool(before["chunk_index"] + 1 == after["chunk_index"])
        if "next" in before and "chunk_id" in after:
            return bool(before["next"] == after["chunk_id"])
    return False


def _white_space(before: Piece, after: Piece, size: int) -> str:
    """Stand in for white space that was left out.

    A newline does no harm between sentences, where a space between lines would.
    """
    last = before.document.metadata.get("line_end")
    first = after.document.metadata.get("line_start")
    if isinstance(last, int) and isinstance(first, int):
        return "\n" * min(first - last, 2) or " "
    return "\n" if size == 1 else "\n\n"


def _lines(passage: Passage, source: str | None) -> tuple[int, int] | None:
    """Count the lines that a passage stands on, from 1; ``None`` where that is not known."""
    if source is not None:
        first = source.count("\n", 0, passage.start) + 1
        last = first + source.count("\n", passage.start, max(passage.end - 1, passage.start))
        return first, last
    starts = [piece.document.metadata.get("line_start") for piece in passage.pieces]
    ends = [piece.document.metadata.get("line_end") for piece in passage.pieces]
    found = [end for end in ends if isinstance(end, int)]
    if isinstance(starts[0], int) and len(found) == len(ends):
        return starts[0], max(found)
    return None
