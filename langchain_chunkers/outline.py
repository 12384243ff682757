"""What a reader says of a text: where it may be divided, and what kind of text stands where.

A strategy never cuts. It answers with an outline, and the engine chooses spans from it, so no
strategy can lose a character, exceed the cap or report a wrong offset.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from typing import Any, NamedTuple, Self

__all__ = ["Boundary", "Outline", "Part", "Region", "Regions", "Span", "Strength", "merge"]


class Strength(IntEnum):
    """How good a place is for dividing. Ordinal: compared, never added.

    Example:
        >>> Strength.SENTENCE < Strength.PARAGRAPH < Strength.SECTION2 < Strength.SECTION1
        True
    """

    GRAPHEME = 0
    WORD = 1
    CLAUSE = 2
    SENTENCE = 3
    LINE = 4
    PARAGRAPH = 5
    BLOCK = 6
    SECTION6 = 7
    SECTION5 = 8
    SECTION4 = 9
    SECTION3 = 10
    SECTION2 = 11
    SECTION1 = 12
    DOCUMENT = 13

    @classmethod
    def section(cls, level: int) -> Strength:
        """Give the strength of a heading of ``level`` 1 (strongest) to 6; deeper ones count as 6."""
        return cls(cls.SECTION1 + 1 - min(max(level, 1), 6))


Part = tuple[int, int, Strength]
"""A chunk as plain numbers: start, end, and the strength of the place at which it starts."""


class Boundary(NamedTuple):
    """A place before which the text may be divided."""

    at: int
    strength: Strength


class Region(NamedTuple):
    """A stretch of the text, and what is true of it.

    Attributes:
        start: First character.
        end: Behind the last character.
        kind: Which ladder holds inside: ``"prose"``, ``"wrapped"``, ``"paragraphs"``, ``"lines"``,
            ``"code"``, ``"verbatim"``; or ``"heading"``: glued to what follows, so nothing divides
            behind ``start`` up to and including ``end``.
        metadata: Facts for every chunk that starts inside (JSON values).
        prefix: Text repeated in front of a chunk that starts inside, but not at ``start``. It
            counts in the cap, and is left out where it alone would leave no room.
        suffix: Text added behind a chunk that ends inside, white space aside, as a closing fence
            is. It counts in the cap, and is left out together with the prefix.
    """

    start: int
    end: int
    kind: str = "prose"
    metadata: Mapping[str, Any] = {}
    prefix: str = ""
    suffix: str = ""


class _Pair(NamedTuple):
    start: int
    end: int


class Span(_Pair):
    """Half-open ``(start, end)`` in characters (code points) of the text as given.

    It unpacks as a pair. Beside it:

    Attributes:
        fresh: Where the text begins that no earlier chunk has; ``start`` where nothing overlaps.
        strength: How strong the boundary is at which ``fresh`` lies.
        prefix: Text that is repeated in front of the slice, or ``""``.
        suffix: Text that is added behind the slice, or ``""``.

    Example:
        >>> span = Span(3, 9, fresh=5)
        >>> start, end = span
        >>> (start, end, span.fresh, span.prefix)
        (3, 9, 5, '')
    """

    fresh: int
    strength: Strength
    prefix: str
    suffix: str

    def __new__(
        cls,
        start: int,
        end: int,
        fresh: int | None = None,
        strength: Strength = Strength.DOCUMENT,
        prefix: str = "",
        suffix: str = "",
    ) -> Self:
        """Make a span; ``fresh`` defaults to ``start``."""
        self = super().__new__(cls, start, end)
        self.fresh = start if fresh is None else fresh
        self.strength = strength
        self.prefix = prefix
        self.suffix = suffix
        return self

    def __getnewargs__(self) -> tuple[int, int, int, Strength, str, str]:
        """Carry all six through copying and pickling."""
        return self.start, self.end, self.fresh, self.strength, self.prefix, self.suffix

    def __repr__(self) -> str:
        """Show the pair, and the rest where it says something."""
        more = f", fresh={self.fresh}" if self.fresh != self.start else ""
        more += f", prefix={self.prefix!r}" if self.prefix else ""
        more += f", suffix={self.suffix!r}" if self.suffix else ""
        return f"Span({self.start}, {self.end}{more}, {self.strength.name})"


@dataclass(frozen=True, slots=True)
class Outline:
    """Boundaries and regions of one text.

    Boundaries are kept as one ascending list of positions for each strength, without the ends of
    the text, since the packer asks for them strength by strength and a text may have a million.

    Attributes:
        text: The text that all positions refer to.
        places: ``{strength: [at, ...]}``, each list ascending and without repeats, ``0 < at < len(text)``.
        regions: Ascending by start, not overlapping except that a ``"heading"`` may lie in another.
            What no region covers is prose.
        notes: Whatever the strategy that read the text wants back when it describes chunks.

    Example:
        >>> outline = Outline.of("# A\\n\\nb", [Boundary(5, Strength.PARAGRAPH)])
        >>> outline.boundaries()
        [Boundary(at=5, strength=<Strength.PARAGRAPH: 5>)]
    """

    text: str
    places: Mapping[Strength, Sequence[int]] = field(default_factory=dict)
    regions: Sequence[Region] = ()
    notes: Any = None

    @classmethod
    def of(
        cls,
        text: str,
        boundaries: Iterable[tuple[int, Strength]],
        regions: Iterable[Region] = (),
        notes: Any = None,
    ) -> Outline:
        """Make an outline of boundaries in any order.

        Where two lie at one place the stronger holds; places outside the text are left out.
        """
        best: dict[int, Strength] = {}
        for at, strength in boundaries:
            if 0 < at < len(text) and strength > best.get(at, -1):
                best[at] = strength
        places: dict[Strength, list[int]] = {}
        for at in sorted(best):
            places.setdefault(best[at], []).append(at)
        ordered = sorted(regions, key=lambda r: (r.start, -r.end))
        return cls(text, places, tuple(ordered), notes)

    def boundaries(self) -> list[Boundary]:
        """List all boundaries, ascending."""
        return sorted(Boundary(at, strength) for strength, ats in self.places.items() for at in ats)

    def region_at(self, at: int) -> Region | None:
        """Give the region that covers ``at``, headings aside, or ``None`` for plain prose."""
        return Regions(self.regions).at(at)


class Regions:
    """Finds the region that covers a place, headings aside, in O(log regions)."""

    def __init__(self, regions: Iterable[Region]) -> None:
        self._regions = [region for region in regions if region.kind != "heading"]
        self._starts = [region.start for region in self._regions]

    def at(self, place: int) -> Region | None:
        """Give the region, or ``None`` where there is plain prose."""
        index = bisect_right(self._starts, place) - 1
        if index < 0 or place >= self._regions[index].end:
            return None
        return self._regions[index]

    def between(self, start: int, end: int) -> Sequence[Region]:
        """Give the regions that have a character in ``[start, end)``, in order."""
        first = max(bisect_right(self._starts, start) - 1, 0)
        if first < len(self._regions) and self._regions[first].end <= start:
            first += 1
        return self._regions[first : bisect_left(self._starts, end)]


def merge(outer: Outline, inner: Outline, offset: int) -> Outline:
    """Lay the outline of an embedded stretch into the outline around it.

    Args:
        outer: Outline of the whole text.
        inner: Outline of ``outer.text[offset:offset + len(inner.text)]``, made by another reader.
        offset: Where the stretch begins in the whole text.

    Returns:
        The outer outline with the boundaries and regions of the inner one added inside the
        stretch; an outer region that covers it is divided around the inner regions.

    Example:
        >>> outer = Outline("a\\n\\nb c", {Strength.PARAGRAPH: [3]})
        >>> inner = Outline("b c", {Strength.WORD: [2]})
        >>> [tuple(b) for b in merge(outer, inner, 3).boundaries()]
        [(3, <Strength.PARAGRAPH: 5>), (5, <Strength.WORD: 1>)]
    """
    moved = [
        region._replace(start=region.start + offset, end=region.end + offset)
        for region in inner.regions
    ]
    kept: list[Region] = []
    for region in outer.regions:
        kept.extend(_around(region, moved) if region.kind != "heading" else [region])
    boundaries = outer.boundaries()
    boundaries += [Boundary(b.at + offset, b.strength) for b in inner.boundaries()]
    return Outline.of(outer.text, boundaries, kept + moved, outer.notes)


def _around(region: Region, others: Sequence[Region]) -> list[Region]:
    """Give the parts of ``region`` that no other region covers."""
    parts, start = [], region.start
    for other in others:
        if other.kind == "heading" or other.end <= start or other.start >= region.end:
            continue
        if start < other.start:
            parts.append(region._replace(start=start, end=other.start))
        start = max(start, other.end)
    if start < region.end:
        parts.append(region._replace(start=start, end=region.end))
    return parts
