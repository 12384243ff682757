"""`fill`: forward to the cap, then back to the best place in the last part of the window.

What `pack` is to structure, `fill` is to size: chunks are as full as the cap allows, and what
stands around a place matters only for choosing among the last few. Overlap is taken first and
new text fills what it leaves.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence

from langchain_chunkers.ladder import (
    Rung,
    content_end,
    content_start,
    grapheme_place,
    is_between,
    next_grapheme,
    word_place,
)
from langchain_chunkers.length import Scale
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.overlapping import overlap_start
from langchain_chunkers.packing import Chunk, Limits, Packer

__all__ = ["Chooser", "FillPacker", "Progress", "at_the_limit", "best_place", "fill"]


Chooser = Callable[[Packer, int, int, int, int], tuple[int, Strength]]
"""Chooses ``(packer, start, fresh, limit, end) -> (at, strength)``.

The chunk from ``start`` with new text from ``fresh`` on ends before ``at``; its content may reach
to ``limit``; the text ends at ``end``. An answer at or before ``fresh`` means: no place found.
"""


def at_the_limit(
    packer: Packer,
    start: int,  # noqa: ARG001
    fresh: int,
    limit: int,
    end: int,  # noqa: ARG001
) -> tuple[int, Strength]:
    """Choose the limit itself, moved back to the end of a grapheme cluster."""
    return grapheme_place(packer.text, fresh, limit), Strength.GRAPHEME


def best_place(
    packer: Packer, start: int, fresh: int, limit: int, end: int
) -> tuple[int, Strength]:
    """Choose the strongest place in the last two fifths of the window, the last one of its strength."""
    text = packer.text
    low = max(fresh, limit - (limit - start) * 2 // 5)
    reach = min(end, limit + 1)
    # a place lies behind white space; behind white space alone there is none, and its end is not looked for
    if limit < end and text[limit].isspace() and not text[fresh:limit].isspace():
        reach = min(end, content_start(text, limit, end) + 1)
    for strength, ats in packer.levels:
        at = last_fitting(text, ats[bisect_right(ats, low) : bisect_left(ats, reach)], fresh, limit)
        if at:
            return at, strength
    for rung in packer.ladders(packer.kind_at(fresh)):
        places = packer.unglued(rung.places(text, low, reach))
        at = last_fitting(text, places, fresh, limit)
        if at:
            return at, rung.strength
    at = word_place(text, fresh, limit, limit) or 0
    if at > fresh:
        return at, Strength.WORD
    return at_the_limit(packer, start, fresh, limit, end)


def last_fitting(text: str, ats: Sequence[int], start: int, limit: int) -> int:
    """Give the last place behind ``start`` whose content ends by ``limit``; 0 if there is none."""
    for at in reversed(ats):
        if at <= start:
            break
        if (at <= limit or content_end(text, start, at) <= limit) and is_between(text, start, at):
            return at
    return 0


Progress = tuple[int, int, Strength, int]
"""How far a text is filled: the start of the next chunk, its new text, its strength, the last end."""


class FillPacker(Packer):
    """`fill`, one text.

    Attributes:
        progress: Where the chunk at hand began.
    """

    progress: Progress | None = None

    def run(self, choose: Chooser, progress: Progress | None = None) -> Iterator[Chunk]:
        """Go forward through the text, a chunk at a time, from its start or from where it stood."""
        text, trimmed = self.text, self.limits.trim != "none"
        fresh, end = self.content(0, len(text))
        start, strength, before, last = fresh, Strength.DOCUMENT, -1, fresh
        if progress is not None:
            start, fresh, strength, last = progress
        while True:
            self.progress = start, fresh, strength, last
            if fresh >= end:
                return
            if self.fits(start, end):
                yield Chunk(start, end, fresh, strength)
                return
            start, at, kind = self._cut(start, fresh, end, choose, last)
            if at <= fresh:
                at = min(next_grapheme(text, fresh), end)
                for piece in self.oversize(fresh, at, strength):
                    yield Chunk(piece.start, piece.end, piece.start, piece.strength)
                start, kind = fresh, Strength.GRAPHEME
            else:
                yield Chunk(start, at, fresh, strength)
            last = at
            before, fresh, strength = self.content(start, at)[0], at, kind
            if trimmed:
                keep = self.limits.trim == "lines"
                fresh = content_start(text, at, end, keep_indent=keep)
            start = overlap_start(self, before, at, fresh, None)

    def _cut(
        self, start: int, fresh: int, end: int, choose: Chooser, last: int
    ) -> tuple[int, int, Strength]:
        """Find where the chunk ends; where overlap leaves no room for a character, with less of it."""
        scale, size = self.scale, self.limits.size
        while True:
            limit = min(max(scale.place(scale.mark(start) + size), fresh + 1), end)
            white = False  # all that is left up to the limit is white space, and too much of it
            while limit > fresh:
                at, kind = (
                    (fresh, Strength.GRAPHEME) if white else choose(self, start, fresh, limit, end)
                )
                if at <= fresh:
                    at, kind = grapheme_place(self.text, fresh, limit), Strength.GRAPHEME
                if at <= fresh:
                    break
                if self.fits(start, at):
                    return start, at, kind
                if at > limit:
                    # white space behind the limit belongs to this place, and to that of each limit in it
                    inner = content_end(self.text, fresh, at)
                    white = inner <= fresh
                    limit = limit if white else min(limit, inner) - 1
                else:
                    limit = min(limit - 1, self.step_back(start, at, size))
            first = min(next_grapheme(self.text, fresh), end)
            if self.fits_exactly(start, first):
                return start, first, Strength.GRAPHEME
            if start == fresh:
                return start, fresh, Strength.GRAPHEME
            start = overlap_start(self, start, last, fresh, first)


def fill(
    outline: Outline,
    scale: Scale,
    limits: Limits,
    ladders: Callable[[str], Sequence[Rung]],
    choose: Chooser = best_place,
) -> list[Chunk]:
    """Divide a text into chunks as full as the cap allows.

    Args:
        outline: Where the text may be divided.
        scale: Units along the text.
        limits: What chunks must keep to.
        ladders: The rungs of each kind of text, strongest first.
        choose: Chooses among the places of a window.

    Returns:
        Chunks in order, overlap included.

    Guarantees: capped, overlap delivered, bounded.

    Cost: linear in the text.
    """
    return list(FillPacker(outline, scale, limits, ladders).run(choose))
