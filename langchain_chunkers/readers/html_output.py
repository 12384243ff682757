"""What the reader of HTML writes: clean text with the way back to the source, and the outline's parts.

In ``source`` mode no text is written; places are those of the source, and all else is the same.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_chunkers.outline import Outline, Region, Strength

__all__ = ["LEVELS", "Notes", "Output"]

LEVELS = (
    Strength.PARAGRAPH,
    Strength.LINE,
    Strength.SENTENCE,
    Strength.CLAUSE,
    Strength.WORD,
    Strength.GRAPHEME,
)
"""How strong a place between blocks is by how deep it lies in lists, quotes and tables.

Strengths are ordinal: what the ladder finds inside a block comes after all of these."""

_NEWLINE = re.compile("\n")


@dataclass(slots=True)
class Notes:
    """The way from places of the text to places of the source.

    Each segment is a stretch that was written at once. One as long as in the source is the same
    text; another is a character reference or a mark such as ``"- "``.

    Attributes:
        starts: Where segments start in the text, ascending.
        ends: Where they end there.
        sources: Where they start in the source.
        source_ends: Where they end there.
        lines: Where lines end in the source.
        anchors_at: Places of anchors in the source, ascending.
        anchors: Their names.
    """

    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    sources: list[int] = field(default_factory=list)
    source_ends: list[int] = field(default_factory=list)
    lines: Sequence[int] = ()
    anchors_at: list[int] = field(default_factory=list)
    anchors: list[str] = field(default_factory=list)

    def source_start(self, at: int) -> int:
        """Give the place in the source of the character at a place of the text."""
        if not self.starts:
            return at
        index = max(bisect_right(self.starts, at) - 1, 0)
        if at >= self.ends[index]:  # something that the source does not have: what follows counts
            index += 1
            if index == len(self.starts):
                return self.source_ends[-1]
        start = self.sources[index]
        return start + max(at - self.starts[index], 0) if self._is_same(index) else start

    def source_end(self, at: int) -> int:
        """Give the place behind what the character before ``at`` was made of."""
        if not self.starts:
            return at
        index = max(bisect_right(self.starts, at - 1) - 1, 0)
        if at >= self.ends[index] or not self._is_same(index):
            return self.source_ends[index]
        return self.sources[index] + at - self.starts[index]

    def _is_same(self, index: int) -> bool:
        length = self.ends[index] - self.starts[index]
        return length == self.source_ends[index] - self.sources[index]

    def anchor(self, at: int) -> str | None:
        """Give the name of the last anchor at or before a place of the source."""
        index = bisect_right(self.anchors_at, at) - 1
        return self.anchors[index] if index >= 0 else None

    def describe(self, start: int, end: int) -> dict[str, Any]:
        """Say where a stretch of the text comes from."""
        first = self.source_start(start)
        found: dict[str, Any] = {
            "source_start": first,
            "source_end": max(self.source_end(end), first),
            "source_line": bisect_right(self.lines, first - 1) + 1,
        }
        anchor = self.anchor(first)
        if anchor is not None:
            found["anchor"] = anchor
        return found


@dataclass(slots=True)
class Label:
    """A heading, or a term or summary that goes with what follows (level 7).

    Attributes:
        level: 1 to 6; 7 for one that is no heading.
        tag: Where its start tag stands.
        depth: How many elements are open around it.
        unclosed: No end tag closes it: it ends at the next block.
        start: Where its content begins; -1 before.
        words: Its text.
    """

    level: int
    tag: int
    depth: int
    unclosed: bool = False
    start: int = -1
    words: list[str] = field(default_factory=list)


class Output:
    """Text, boundaries and regions, written from left to right.

    Args:
        source: The text of the document.
        is_source: Places are those of the source, and no text is written.
        headers: Names for the metadata by level of heading.
    """

    def __init__(self, source: str, is_source: bool, headers: Mapping[int, str]) -> None:
        self.source, self.is_source, self.headers = source, is_source, headers
        self.pieces: list[str] = []
        self.at = 0
        self.notes = Notes()
        self.begun = False
        self.newlines, self.strength = 0, Strength.GRAPHEME
        self.cut = -1  # in the source: where the gap is that is pending
        self.place = 0  # where the current block begins
        self.joined = False  # the next block goes with the one before: no boundary
        self.label: Label | None = None
        self.glue: tuple[int, int] | None = None  # start and level of a label that ended
        self.places: list[tuple[int, Strength]] = []
        self.glued: list[Region] = []
        self.path: dict[int, str] = {}
        self.restored = False  # the path changes with the next block, without a heading
        self.stretches: list[tuple[int, dict[str, str]]] = [(0, {})]
        self.specials: list[Region] = []

    def write(self, piece: str) -> None:
        """Write what the source does not have."""
        if not self.is_source:
            self.pieces.append(piece)
            self.at += len(piece)

    def write_from(self, piece: str, start: int, end: int) -> None:
        """Write what ``source[start:end]`` says."""
        if self.is_source:
            return
        notes = self.notes
        notes.starts.append(self.at)
        self.pieces.append(piece)
        self.at += len(piece)
        notes.ends.append(self.at)
        notes.sources.append(start)
        notes.source_ends.append(end)

    def gap(self, newlines: int, strength: Strength) -> None:
        """Ask for a boundary before the next content; the strongest wish holds."""
        self.newlines = max(self.newlines, newlines)
        self.strength = max(self.strength, strength)

    def begin(self, start: int) -> None:
        """Begin a block whose content starts at a place of the source: write the gap before it."""
        if self.is_source:
            place = self.cut if self.cut >= 0 else start
        else:
            if self.begun:
                last = self.pieces[-1]
                ended = len(last) - len(last.rstrip("\n"))  # as preformatted text does
                self.write("\n" * max(self.newlines - ended, 0))
            place = self.at
        if self.begun or self.is_source:
            self._bound(place)
        if self.label is not None and self.label.start < 0:
            self.label.start = place
        if self.restored:
            self.restored = False
            self.stretches.append((place, self._metadata()))
        self.place, self.begun, self.joined = place, True, False
        self.newlines, self.strength, self.cut = 0, Strength.GRAPHEME, -1

    def _bound(self, place: int) -> None:
        """Add a boundary, or glue the label before it to what begins here."""
        if self.glue is not None:
            start, level = self.glue
            self.glue = None
            label = self.label
            rank = label.level if label is not None and label.start < 0 else 8
            # a heading followed by one of its own rank or a higher one has no text
            if level == 7 or rank > level:
                if self.glued and self.glued[-1].end >= start:
                    self.glued[-1] = self.glued[-1]._replace(end=place)
                else:
                    self.glued.append(Region(start, place, "heading"))
                return
        if not self.joined:
            self.places.append((place, self.strength))

    def end_label(self) -> None:
        """End the heading or label that is open; a heading is part of the path from here on."""
        label, self.label = self.label, None
        if label is None or label.start < 0:
            return
        self.glue = label.start, label.level
        name = self.headers.get(label.level)
        if name is None:
            return
        title = " ".join("".join(label.words).split())
        self.path = {level: old for level, old in self.path.items() if level < label.level}
        self.path[label.level] = title
        start = label.start
        if self.glued and self.glued[-1].end == start:
            # right below another heading: what follows both is about both, from the first on
            start = self.glued[-1].start
            while len(self.stretches) > 1 and self.stretches[-1][0] >= start:
                self.stretches.pop()
        self.stretches.append((start, self._metadata()))

    def _metadata(self) -> dict[str, str]:
        return {self.headers[level]: self.path[level] for level in sorted(self.path)}

    def restore(self, path: dict[int, str]) -> int:
        """Go back to the heading path outside an article; give the level that ended, 0 for none."""
        ended = [level for level in self.path if self.path[level] != path.get(level)]
        if not ended:
            return 0
        self.path, self.restored = path, True
        return min(ended)

    def special(self, region: Region) -> None:
        """Add a table or preformatted text."""
        if region.end > region.start:
            self.specials.append(region)

    def outline(self) -> Outline:
        """Put all together."""
        notes = self.notes
        notes.lines = [found.start() for found in _NEWLINE.finditer(self.source)]
        text = self.source if self.is_source else "".join(self.pieces)
        regions = [*self._regions(len(text)), *self.glued]
        return Outline.of(text, self.places, regions, notes)

    def _regions(self, size: int) -> Iterator[Region]:
        """Lay tables and preformatted text into the stretches of one heading path each."""
        kind = "html" if self.is_source else "lines"
        specials = iter([*self.specials, Region(size, size)])
        special = next(specials)
        bounds = [start for start, _ in self.stretches[1:]] + [size]
        at = 0
        for (_, metadata), end in zip(self.stretches, bounds, strict=True):
            while at < end:
                while special.end <= at < size:
                    special = next(specials)
                start = max(special.start, at)
                if at < min(start, end):
                    yield Region(at, min(start, end), kind, metadata)
                    at = min(start, end)
                if start < end:
                    # one that reaches beyond the next heading (broken nesting) ends there
                    stop = min(special.end, end)
                    known = {**metadata, **special.metadata}
                    yield special._replace(start=start, end=stop, metadata=known)
                    at = stop
