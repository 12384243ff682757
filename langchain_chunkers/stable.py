"""Packing that an edit disturbs little: each cut is decided by the text around it.

`StructurePacker` shares a run of siblings out evenly, so that a word more at its start can move
every cut behind it, and every chunk is embedded again. Here a chunk ends at the place with the highest
**rank** of those behind two fifths of the cap. A rank is a hash of the characters around a
place, so it moves with them: two packings that an edit has parted soon choose the same place, and agree
from there on. What is divided, and at which boundaries, stays a matter of structure.

What it costs: runs of short siblings are some seven tenths full, where even shares are some nine tenths.

Source: content-defined chunking (LBFS, 2001), with the best rank in a window in place of a fixed mask,
since the cap is hard.
"""

from __future__ import annotations

import math
import zlib
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain_chunkers.grouping import Group
from langchain_chunkers.structure import StructurePacker

__all__ = ["StablePacker"]

# Of the cap. Less leads two packings together sooner, and leaves chunks emptier: with a half, one edit
# in twenty changed 7 chunks or more of Chinese sentences in 256 tokens; with two fifths, 5.
_LEAST = 0.4
_AROUND = 24  # characters on each side that make a rank: a few words, so that ranks differ
_NEAR = 6  # the same where no places are left but words, which lie close
# Work for each chunk, where a measure lies so that windows are far longer than chunks:
_PLACES = 256  # most places that are ranked
_CHARACTERS = 2048  # the same, where each character is a place


class _Parts(NamedTuple):
    """Parts of a stretch: where each begins, and the marks of that and of the end of its content.

    As in `langchain_chunkers.grouping`, the content of part ``i`` ends at ``stops[i + 1]``.
    """

    ats: Sequence[int]
    starts: Sequence[float]
    stops: Sequence[float]


class StablePacker(StructurePacker):
    """Divides a text by its structure; an edit changes the chunks near it, and few others.

    Guarantees: capped, nested, bounded. Not filled: chunks are not the fewest.

    Cost: linear in the text; some three hashes for each place between siblings.
    """

    def _rank(self, at: int) -> int:
        """Give the rank of a place, by the characters around it."""
        near = self.text[max(0, at - _AROUND) : at + _AROUND]
        return zlib.crc32(near.encode("utf-8", "surrogatepass"))

    def _highest(self, ats: Sequence[int]) -> int:
        """Give the place with the highest rank, the last of equals."""
        return max(reversed(ats), key=self._rank)

    def _highest_between(self, first: int, last: int) -> int:
        """Give the same of all places from ``first`` to ``last``, each by fewer characters."""
        low = max(0, first - _NEAR)
        near = self.text[low : last + _NEAR].encode("utf-32-le", "surrogatepass")

        def rank(at: int) -> int:
            middle = 4 * (at - low)
            return zlib.crc32(near[max(0, middle - 4 * _NEAR) : middle + 4 * _NEAR])

        return max(range(last, first - 1, -1), key=rank)

    def _walk(self, *_: Any) -> None:
        """Take no short way: it shares evenly."""
        return

    def _window_end(self, inner: Sequence[int]) -> int:
        """End a window of a very long stretch at a place that an edit does not move either."""
        return bisect_left(inner, self._highest(inner[-1 - len(inner) // 4 :]))

    def _groups(self, task: Any, ats: Sequence[int], ends: Sequence[int]) -> list[Group]:  # noqa: ARG002
        """Say which parts share a chunk, from the first to the last."""
        starts = self.scale.marks(ats)
        parts = _Parts(ats, starts, starts if ends is ats else self.scale.marks(ends))
        groups: list[Group] = []
        count, first, run = len(ats) - 1, 0, 0
        while first < count:
            room = self.room(ats[first])
            reach = bisect_right(parts.stops, starts[first] + room, first + 1, count + 1) - 1
            if reach == first:  # too large, unless it is overlap that takes the room
                alone = self.fits(ats[first], ats[first + 1])
                groups.append(Group(first, first + 1, alone))
                first += 1
                continue
            run = max(run, first + 1)  # it ends before a part that does not fit by itself
            while run < count and parts.stops[run + 1] - starts[run] <= room:
                run += 1
            last = self._end_of_chunk(parts, first, min(reach, run), run, room)
            while last > first and not self._checked(ats, first, last):
                lower = last - 1 if last - first < 4 else last - max(1, (last - first) // 8)
                last = self._best(parts, first, lower, starts[first] + room * _LEAST)
            groups.append(Group(first, max(last, first + 1), last > first))
            first = max(last, first + 1)
        return groups

    def _end_of_chunk(self, parts: _Parts, first: int, reach: int, run: int, room: float) -> int:
        """Choose the end of the next chunk, so that no runt is left over at the end of a run.

        Args:
            parts: The parts.
            first: The part it begins with.
            reach: The farthest end that fits.
            run: The end of the parts that fit.
            room: Units that it may have.
        """
        if reach == run:
            return run
        origin = parts.starts[first]
        left, low = parts.stops[run] - origin, room * _LEAST
        if left <= 1.5 * room:  # two chunks will do: each at least a quarter full
            low = max(left - room, room / 4)
            most = bisect_right(parts.stops, origin + left - room / 4, first + 1, reach + 1) - 1
            reach = max(most, first + 1)
        return self._best(parts, first, reach, origin + low)

    def _best(self, parts: _Parts, first: int, reach: int, low: float) -> int:
        """Give the end with the highest rank up to ``reach`` whose mark is ``low`` or more."""
        if reach <= first:
            return first
        lowest = bisect_left(parts.starts, low, first + 1, reach)
        lowest = max(lowest, reach - _PLACES, first + 1)
        at = self._highest(parts.ats[lowest : reach + 1])
        return bisect_left(parts.ats, at, lowest, reach + 1)

    def share(self, start: int, end: int) -> tuple[int, int]:
        """Give where the next chunk of a stretch without places but words should end, and its limit."""
        scale, room = self.scale, self.room(start)
        origin = scale.mark(start)
        limit = min(max(scale.place(origin + max(room, 1)), start + 1), end)
        left = scale.mark(end) - origin
        low, high = origin + room * _LEAST, origin + room
        if left <= 1.5 * room:
            low, high = origin + max(left - room, room / 4), origin + left - room / 4
        last = min(max(scale.place(high), start + 1), limit)
        first = min(max(scale.place(math.ceil(low)), start + 1, last - _CHARACTERS), last)
        return self._highest_between(first, last), limit
