"""What both packers share: limits, what a chunk will be, and whether it fits.

The packers are `langchain_chunkers.structure` (whole siblings, evenly) and
`langchain_chunkers.filling` (as full as the cap allows). Both work on an outline and a scale, give
pieces of the text in order, and never touch characters. Every chunk is counted as it will be
emitted. A few lines over 300, since what a chunk will be is said in one place.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, NamedTuple

from langchain_chunkers.errors import OversizeError
from langchain_chunkers.ladder import (
    Rung,
    content_end,
    content_start,
    grapheme_place,
    next_grapheme,
)
from langchain_chunkers.length import Scale
from langchain_chunkers.outline import Outline, Region, Regions, Strength

__all__ = ["Chunk", "Limits", "Packer", "Piece"]


@dataclass(frozen=True, slots=True)
class Limits:
    """What chunks must keep to.

    Attributes:
        size: The cap, in units of the measure; ``inf`` for none.
        overlap: Units that a chunk may repeat of what came before.
        least: Chunks below this many units join a neighbour where both fit.
        trim: Which white space at the edges of chunks is left out: ``"all"``, ``"lines"`` (all but
            the indentation of the first line) or ``"none"``.
        oversize: What becomes of a grapheme cluster larger than the cap: ``"split"``, ``"keep"``
            or ``"raise"``.
        always: Boundaries of this strength or above divide even what would fit.
        overlap_from: Overlap begins at boundaries of this strength or above only.
        overlap_parts: Overlap repeats at most so many stretches between such boundaries of the
            reader's; 0 for any number.
        dropped: Separators that are left out at the end of a chunk, by the user's wish.
        stable: Cuts are decided by the text around them; see `langchain_chunkers.stable`.
    """

    size: float
    overlap: float = 0
    least: float = 0
    trim: str = "all"
    oversize: str = "split"
    always: int = 99
    overlap_from: Strength = Strength.GRAPHEME
    overlap_parts: int = 0
    dropped: tuple[re.Pattern[str], ...] = ()
    stable: bool = False


class Piece(NamedTuple):
    """A stretch that becomes a chunk, white space included, and the strength of its first place."""

    start: int
    end: int
    strength: Strength


class Chunk(NamedTuple):
    """A chunk before its text is taken: ``start`` to ``end``, new from ``fresh`` on."""

    start: int
    end: int
    fresh: int
    strength: Strength
    prefix: str = ""
    suffix: str = ""
    metadata: Mapping[str, Any] = MappingProxyType({})


class Packer:
    """One text on its way into pieces: what both packers share.

    Args:
        outline: Where the text may be divided.
        scale: Units along the text.
        limits: What chunks must keep to.
        ladders: The rungs of each kind of text.
    """

    def __init__(
        self,
        outline: Outline,
        scale: Scale,
        limits: Limits,
        ladders: Callable[[str], Sequence[Rung]],
    ) -> None:
        self.text, self.outline, self.scale, self.limits = outline.text, outline, scale, limits
        self.ladders = ladders
        self.levels = sorted(outline.places.items(), reverse=True)
        self.regions = Regions(outline.regions)
        glued = [region for region in outline.regions if region.kind == "heading"]
        self.glue_starts = [region.start for region in glued]
        self.glue_ends = [region.end for region in glued]
        framed = [region for region in outline.regions if region.prefix or region.suffix]
        self.frame_starts = [region.start for region in framed]
        self.frame_ends = [region.end for region in framed]
        self.prefixed = bool(framed)
        self._frames: dict[int, bool] = {}
        self._last_room = -1, False
        self.first = self.content(0, len(self.text))[0]

    # -------------------------------------------------------------- measuring

    def kind_at(self, at: int) -> str:
        """Give the kind of text at a place."""
        region = self.regions.at(at)
        return "prose" if region is None else region.kind

    def prefix_at(self, at: int) -> str:
        """Give what is repeated in front of a chunk that starts at ``at``; "" where it leaves no room."""
        if not self.prefixed:
            return ""
        region = self.regions.at(at)
        if region is None or at <= region.start or not region.prefix:
            return ""
        return region.prefix if self._has_room(region, at) else ""

    def suffix_at(self, end: int) -> str:
        """Give what is added behind a chunk whose content ends at ``end``; "" where it leaves no room."""
        if not self.prefixed or not end:
            return ""
        region = self.regions.at(end - 1)
        if region is None or not region.suffix or content_end(self.text, end, region.end) <= end:
            return ""
        last = max(region.start, end - 1)
        if last > region.start:  # where the last character begins, unless it is endless
            last = grapheme_place(self.text, max(region.start, end - 64), last)
        return region.suffix if self._has_room(region, last) else ""

    def is_framed(self, start: int, end: int) -> bool:
        """Say whether text is repeated around chunks somewhere in a stretch."""
        if not self.prefixed:
            return False
        index = bisect_left(self.frame_starts, end)
        return index > 0 and self.frame_ends[index - 1] > start

    def _has_room(self, region: Region, at: int) -> bool:
        """Say whether what a region repeats leaves half of the cap for content, and for one character.

        With less, the prefix would be most of what is embedded.
        """
        size, count = self.limits.size, self.scale.count
        if size == math.inf:
            return True
        fits = self._frames.get(region.start)
        if fits is None:
            fits = count(at, at, region.prefix, region.suffix) * 2 <= size
            self._frames[region.start] = fits
        if not fits:
            return False
        if self._last_room[0] != at:  # asked again and again for the chunk at hand
            after = next_grapheme(self.text, at)
            self._last_room = at, count(at, after, region.prefix, region.suffix) <= size
        return self._last_room[1]

    def omits(self, start: int, end: int) -> bool:
        """Say whether a chunk lacks what its regions repeat, since that would leave no room."""
        if not self.prefixed:
            return False
        region = self.regions.at(start)
        if region and region.prefix and start > region.start and not self.prefix_at(start):
            return True
        region = self.regions.at(end - 1)
        inside = region and region.suffix and content_end(self.text, end, region.end) > end
        return bool(inside and not self.suffix_at(end))

    def content(self, start: int, end: int) -> tuple[int, int]:
        """Trim white space off a stretch, as its chunk will be emitted."""
        if self.limits.dropped and end < len(self.text):
            end = self._before_separator(start, end)
        if self.limits.trim == "none":
            return start, end
        text = self.text
        if start < end and text[end - 1].isspace():
            end = content_end(text, start, end)
        if start < end and text[start].isspace():
            start = content_start(text, start, end, keep_indent=self.limits.trim == "lines")
        return start, end

    def _before_separator(self, start: int, end: int) -> int:
        """Give the start of the separator at the end of a stretch; ``end`` if there is none."""
        for pattern in self.limits.dropped:
            for found in pattern.finditer(self.text, max(start, end - _SEPARATOR), end):
                if found.end() == end:
                    return grapheme_place(self.text, start, max(found.start(), start + 1))
        return end

    def count(self, start: int, end: int) -> int:
        """Count the chunk that ``text[start:end]`` would become, prefix included."""
        start, end = self.content(start, end)
        return self.emitted(start, end)

    def emitted(self, start: int, end: int) -> int:
        """Count a chunk whose content is ``text[start:end]``, with what is repeated around it."""
        if not self.prefixed:
            return self.scale.count(start, end)
        return self.scale.count(start, end, self.prefix_at(start), self.suffix_at(end))

    def fits(self, start: int, end: int, size: float | None = None) -> bool:
        """Say whether a stretch fits the cap (or ``size``), exactly."""
        size = self.limits.size if size is None else size
        if size == math.inf:
            return True
        scale = self.scale
        if scale.additive and not self.limits.dropped and not self.is_framed(start, end):
            if end - start > size and (self.text[end - 1].isspace() or self.text[start].isspace()):
                start, end = self.content(start, end)
            return end - start <= size
        # an estimate far off the cap saves the count; marks of tokens miss by a few at the edges
        inner_start, inner_end = self.content(start, end)
        estimate = scale.mark(inner_end) - scale.mark(inner_start)
        if estimate > scale.slack * size + 8:
            return False
        if not self.prefixed:
            return scale.fits(size, inner_start, inner_end)
        prefix, suffix = self.prefix_at(inner_start), self.suffix_at(inner_end)
        return scale.fits(size, inner_start, inner_end, prefix, suffix)

    def fits_exactly(self, start: int, end: int) -> bool:
        """Say whether a stretch fits the cap without asking the estimate: for single characters."""
        return self.count(start, end) <= self.limits.size

    def cap(self, at: int) -> float:
        """Give the cap for a chunk whose new text starts at ``at``: what overlap will take is kept free."""
        overlap = self.limits.overlap
        if not overlap or at <= self.first:
            return self.limits.size
        if self.limits.overlap_from > Strength.WORD:
            overlap = self._whole_overlap(at)
        return self.limits.size - overlap

    def _whole_overlap(self, at: int) -> float:
        """Give the units of overlap that can begin at a boundary of the reader's."""
        mark = self.scale.mark(at)
        first = at
        for strength, ats in self.levels:
            if strength >= self.limits.overlap_from:
                index = bisect_left(ats, self.scale.place(mark - self.limits.overlap))
                first = min(first, ats[index] if index < len(ats) else at)
        if self.limits.overlap_parts:
            first = max(first, self.parts_before(at))
        return min(mark - self.scale.mark(first), self.limits.overlap)

    def parts_before(self, at: int) -> int:
        """Give the start of the last ``overlap_parts`` stretches of the reader's before ``at``."""
        parts = self.limits.overlap_parts
        near: list[int] = []
        for strength, ats in self.levels:
            if strength >= self.limits.overlap_from:
                index = bisect_left(ats, at)
                near.extend(ats[max(index - parts, 0) : index])
        return sorted(near)[-parts] if len(near) >= parts else 0

    def room(self, at: int) -> float:
        """Give the units for new text in a chunk that starts at ``at``: the cap without prefix."""
        if not self.prefixed:
            return self.cap(at)
        region = self.regions.at(at)
        if region is None or not (region.prefix or region.suffix):
            return self.cap(at)
        prefix, suffix = self.prefix_at(at), region.suffix
        if suffix and not self._has_room(region, at):
            suffix = ""
        return self.cap(at) - self.scale.count(at, at, prefix, suffix)

    def oversize(self, start: int, end: int, strength: Strength) -> Iterator[Piece]:
        """Do with a grapheme cluster above the cap as the user decided."""
        if self.limits.oversize == "raise":
            msg = (
                f"One character ({self.text[start:end]!r}, at {start}) has "
                f"{self.count(start, end)} units, but chunk_size is {self.limits.size:g}. Raise "
                f"chunk_size, or set on_oversize to 'split' or 'keep'."
            )
            raise OversizeError(msg)
        if self.limits.oversize == "keep":
            yield Piece(start, end, strength)
            return
        while start < end:
            at = start + 1
            while at < end and self.fits_exactly(start, at + 1):
                at += 1
            yield Piece(start, at, strength)
            start, strength = at, Strength.GRAPHEME

    def step_back(self, start: int, at: int, cap: float) -> int:
        """Give a nearer limit after ``text[start:at]`` was counted and did not fit ``cap``."""
        inner_start, inner_end = self.content(start, at)
        over = self.emitted(inner_start, inner_end) - cap
        if over <= 0:
            return at - 1
        # the scale says how far; where it errs by much (a lying measure), halving ends the search
        limit = self.scale.place(self.scale.mark(inner_end) - over)
        if limit <= start or over > cap / 8:
            limit = max(limit, start + (at - start) // 2)
        return max(start, min(limit, at - 1))

    def glued_until(self, at: int) -> int:
        """Give the end of the heading that begins at ``at`` or holds it; ``at`` if none."""
        index = bisect_right(self.glue_starts, at) - 1
        return max(at, self.glue_ends[index]) if index >= 0 else at

    def unglued(self, ats: Sequence[int]) -> Sequence[int]:
        """Leave out places inside a heading and right behind it."""
        if not self.glue_starts or not ats:
            return ats
        if self.glue_ends[-1] < ats[0] or self.glue_starts[0] >= ats[-1]:
            return ats
        starts, ends = self.glue_starts, self.glue_ends
        return [at for at in ats if (index := bisect_left(starts, at) - 1) < 0 or ends[index] < at]


_SEPARATOR = 256  # the longest separator that is left out at a cut
