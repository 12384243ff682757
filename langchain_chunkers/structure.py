"""Packing by structure: a chunk is a run of whole siblings.

`StructurePacker` opens a text from its strongest boundaries downwards. A stretch that fits is one
chunk; one that does not is divided at its strongest boundaries, its parts are grouped evenly, and
only parts that still do not fit are opened further. So finer places are looked for only where they
are needed. Below the last rung of the ladder a stretch is divided at words, and a long word inside.

There is no recursion, and the work is linear in the text for any text and any measure, a lying one
included. One class in one file of more than 300 lines, since every step shares its state.
"""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from langchain_chunkers.grouping import Group, group, group_exactly
from langchain_chunkers.ladder import (
    Rung,
    content_end,
    content_start,
    grapheme_place,
    is_between,
    next_grapheme,
    next_word_place,
    soft_place,
    word_place,
)
from langchain_chunkers.outline import Strength
from langchain_chunkers.packing import Packer, Piece

__all__ = ["StructurePacker"]

_LISTED = 1 << 18  # characters of a stretch whose places are listed at once
_WALK = 256  # cuts of one stretch that are looked for one by one; beyond, listing wastes less


class _Task(NamedTuple):
    start: int
    end: int
    strength: Strength
    level: int
    fits: bool


class StructurePacker(Packer):
    """Divides a text by its structure.

    Guarantees: capped, nested, filled, bounded.

    Attributes:
        parts: Where a long stretch was parted before its end was looked at, in its strongest rung.

    Cost: linear in the text; nothing is looked at inside what fits.
    """

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self.parts: list[int] = []

    def pack(
        self,
        start: int = 0,
        end: int | None = None,
        strength: Strength = Strength.DOCUMENT,
        level: int = 0,
    ) -> list[Piece]:
        """Give pieces in order that cover the text; before overlap and before small ones are joined.

        Args:
            start: Start of a stretch that is packed alone.
            end: Its end; ``None`` for that of the text.
            strength: How strong the place at its start is.
            level: Levels and rungs to skip, since the stretch is known to have no such place.
        """
        pieces: list[Piece] = []
        stack = self._forced(start, len(self.text) if end is None else end, strength, level)
        while stack:
            task = stack.pop()
            if task.fits or self.fits(task.start, task.end):
                pieces.append(Piece(task.start, task.end, task.strength))
            elif task.level < len(self.levels):
                self._open_level(task, stack)
            else:
                self._open_rung(task, stack, pieces)
        return pieces

    def _forced(self, start: int, end: int, strength: Strength, level: int) -> list[_Task]:
        """Divide at the boundaries that always divide; the last task first."""
        if not self.levels:
            return [_Task(start, end, strength, level, fits=False)]
        cuts: dict[int, Strength] = {start: strength}
        for kind, ats in self.levels:
            if kind >= self.limits.always:
                inner = ats[bisect_right(ats, start) : bisect_left(ats, end)]
                cuts.update((at, kind) for at in inner)
        edges = [*sorted(cuts), end]
        return [
            _Task(edges[i], edges[i + 1], cuts[edges[i]], level, fits=False)
            for i in range(len(edges) - 2, -1, -1)
        ]

    def _open_level(self, task: _Task, stack: list[_Task]) -> None:
        """Divide at the boundaries of one strength that the reader gave."""
        strength, ats = self.levels[task.level]
        inner = ats[bisect_right(ats, task.start) : bisect_left(ats, task.end)]
        if inner:
            self._divide(task, inner, task.end, strength, stack)
        else:
            stack.append(task._replace(level=task.level + 1))

    def _open_rung(self, task: _Task, stack: list[_Task], pieces: list[Piece]) -> None:
        """Divide at the next rung of the ladder, a window of it at a time; below it, by words."""
        # a heading in front says nothing of the kind of what it is about
        inside = min(self.glued_until(task.start), task.end - 1)
        rungs = self.ladders(self.kind_at(inside))
        number = task.level - len(self.levels)
        if number >= len(rungs):
            pieces.extend(self._by_words(task))
            return
        rung = rungs[number]
        cuts = (
            self._walk(task, rung)
            if rung.local and not self.limits.dropped and not self.is_framed(task.start, task.end)
            else None
        )
        if cuts is not None:
            edges = [task.start, *cuts, task.end]
            for index in range(len(cuts), -1, -1):
                strength = rung.strength if index else task.strength
                stack.append(_Task(edges[index], edges[index + 1], strength, task.level, fits=True))
            return
        window = _LISTED
        while True:
            # bounded memory: a long stretch is listed a window at a time
            end = task.start + window
            end = min(task.end, end)
            # a heading in front says nothing of how the text behind it is laid out
            behind = min(self.glued_until(task.start), end)
            inner = self.unglued(rung.places(self.text, behind, end))
            if inner or end == task.end:
                break
            window *= 4
        if not inner:
            stack.append(task._replace(level=task.level + 1))
        elif end == task.end:
            self._divide(task, inner, end, rung.strength, stack)
        else:
            index = self._window_end(inner)
            last = inner[index]
            if number == 0 and self._is_far(task):
                self.parts.append(last)
            stack.append(_Task(last, task.end, rung.strength, task.level, fits=False))
            self._divide(task, inner[:index], last, rung.strength, stack)

    def _is_far(self, task: _Task) -> bool:
        """Say whether the end of a stretch is too far to be shared out to, wherever behind it may be."""
        scale = self.scale
        return scale.mark(task.end) - scale.mark(task.start) > (_WALK + 8) * self.limits.size

    def _window_end(self, inner: Sequence[int]) -> int:
        """Give the number of the place at which a window of a long stretch ends."""
        return len(inner) - 1

    def _walk(self, task: _Task, rung: Rung) -> list[int] | None:
        """Share a stretch out evenly by a look at a window around each cut; ``None`` if that fails.

        Gives what listing all places and grouping them would give, where as few chunks suffice as
        the length alone demands and a place lies near each even share. Most stretches are such.
        """
        text, scale = self.text, self.scale
        start, end = self.content(task.start, task.end)
        stop = scale.mark(end)
        cuts: list[int] = []
        while True:
            room, origin = self.room(start), scale.mark(start)
            left = stop - origin
            if left <= room and (cuts or left <= 0 or not scale.additive):
                # the stretch as a whole does not fit, so a first part that does is an estimate's
                return cuts if cuts and self.fits(start, end, self.cap(start)) else None
            chunks = math.ceil(left / room)
            varying = self.limits.overlap and start <= self.first
            if varying or math.ceil((left - 2 * (chunks - 1)) / room) < chunks:
                return None  # without the white space at the cuts fewer may do: list and see
            want = origin + left / chunks
            lowest = origin + left - (chunks - 1) * room
            for width in (room / 16, room / 6):  # most often a place is as near as the first
                low = scale.place(max(want - width, lowest, origin))
                high = scale.place(min(want + width, origin + room))
                places = rung.places(text, max(low - 1, start), min(high + 8, end))
                inner = self.unglued(places)
                at = self._nearest(start, inner, want, width, lowest, origin + room)
                if at is not None:
                    break
            if at is None or len(cuts) >= _WALK:
                return None
            cuts.append(at)
            start = at

    def _nearest(
        self,
        start: int,
        ats: Sequence[int],
        want: float,
        width: float,
        lowest: float,
        limit: float,
    ) -> int | None:
        """Give the place nearest to a mark, no farther than ``width``, if its chunk fits and the rest can."""
        scale, text = self.scale, self.text
        best, distance = None, math.inf
        for at in ats:
            mark = scale.mark(at)
            away = abs(mark - want)
            if away >= distance or mark < lowest:
                continue
            if away > width:
                continue  # one as near may lie on the other side, outside the window
            if mark > limit and (
                self.limits.trim == "none" or scale.mark(content_end(text, start, at)) > limit
            ):
                break
            if not text[at].isspace() and is_between(text, start, at):
                best, distance = at, away
        if best is None or not (scale.additive or self.fits(start, best, self.cap(start))):
            return None
        return best

    def _divide(
        self, task: _Task, inner: Sequence[int], end: int, strength: Strength, stack: list[_Task]
    ) -> None:
        """Group the parts between the places, and put them on the stack, the last one first."""
        ats, ends = self._edges(task.start, inner, end)
        for first, last, fits in reversed(self._groups(task, ats, ends)):
            mark = task.strength if first == 0 else strength
            stack.append(_Task(ats[first], ats[last], mark, task.level + 1, fits))

    def _groups(self, task: _Task, ats: Sequence[int], ends: Sequence[int]) -> list[Group]:
        """Say which parts share a chunk; see `_edges` for the parts."""
        scale = self.scale
        starts = scale.marks(ats)
        framed = self.is_framed(task.start, task.end)
        exact = scale.additive and not framed
        varying = framed or (
            self.limits.overlap
            and (task.start <= self.first or self.limits.overlap_from > Strength.WORD)
        )
        room = self.room(ats[-2])
        stops = starts if ends is ats else scale.marks(ends)
        if exact and not self.limits.overlap:
            return group_exactly(starts, stops, room)
        return group(
            starts,
            stops,
            (lambda part: self.room(ats[part])) if varying else (lambda _: room),
            lambda part: self.fits(ats[part], ats[part + 1]),
            None if exact else (lambda i, j: self._checked(ats, i, j)),
        )

    def _checked(self, ats: Sequence[int], first: int, last: int) -> bool:
        """Count a group exactly: one part against the cap, several against the room for new text."""
        cap = None if last == first + 1 else self.cap(ats[first])
        return self.fits(ats[first], ats[last], cap)

    def _edges(
        self, start: int, inner: Sequence[int], end: int
    ) -> tuple[Sequence[int], Sequence[int]]:
        """Give the edges of the parts, and where the content before each ends.

        A place moves behind white space, which belongs to the part before it.
        """
        if self.limits.trim == "none" or self.limits.dropped:
            text = self.text
            ats = [start, *(at for at in inner if is_between(text, start, at)), end]
            if not self.limits.dropped:
                return ats, ats
            return ats, [start, *(max(self.content(start, at)[1], start) for at in ats[1:])]
        text, keep = self.text, self.limits.trim == "lines"
        first, last = self.content(start, end)
        if last <= first:
            return [start, end], [start, start]
        moved = [
            content_start(text, at, end, keep_indent=keep) if text[at].isspace() else at
            for at in inner
        ]
        # what follows is written out, since it runs for each place: one look decides most
        kept = [
            at
            for at in moved
            if first < at < last
            and ("\n" < text[at] < "\u0300" > text[at - 1] or is_between(text, first, at))
        ]
        ats = [first, *(kept if kept == moved else dict.fromkeys(kept)), end]
        ends = [
            at - 8 + len(near)
            if at > 8 + first
            and (near := text[at - 8 : at].rstrip())
            and (near[-1] < "\u0600" or "\u0e00" <= near[-1] < "\U00010000")
            else content_end(text, first, at)
            for at in ats[1:]
        ]
        return ats, [first, *ends]

    def _by_words(self, task: _Task) -> Iterator[Piece]:
        """Divide what has no places left but words, evenly; a word that does not fit by itself."""
        end, strength = task.end, task.strength
        start, _ = self.content(task.start, end)
        while start < end:
            if self.fits(start, end, self.cap(start)):
                yield Piece(start, end, strength)
                return
            at = self.next_words(start, end)
            if at > start:
                yield Piece(start, at, strength)
            else:
                # a word too long for a chunk: the next word begins where this one ends
                _, limit = self.share(start, end)
                at = next_word_place(self.text, max(start, limit - 1), end)
                yield from self.chop(start, at, strength)
            start, strength = at, Strength.WORD

    # -------------------------------------------------------------- places below the ladder

    def next_words(self, start: int, end: int) -> int:
        """Find where the next chunk of a stretch ends that has no places but words.

        Shares of what is left are even. ``start`` where no word fits: see `chop`.
        """
        want, limit = self.share(start, end)
        after_glue = self.glued_until(start)
        low = after_glue if after_glue < limit else start
        # a heading that must be divided itself is not divided at its end
        inside = max(content_end(self.text, start, after_glue) - 1, start + 1)
        if low == start < after_glue:
            limit = min(limit, inside)
            want = min(want, limit)
        while True:
            at = word_place(self.text, low, max(want, low), limit)
            if (at is None or at <= start) and low > start:
                # not even a word fits behind the heading
                low, limit = start, min(limit, inside)
                want = min(want, limit)
                continue
            if at is None or at <= start:
                return start
            at = min(at, end)
            if self.fits(start, at, self.cap(start)):
                return at
            if at > limit:
                # white space that does not fit reaches beyond the limit: each limit in it gives this place
                limit = min(limit, content_end(self.text, start, at)) - 1
            else:
                limit = min(limit - 1, self.step_back(start, at, self.cap(start)))
            want = min(want, limit)
            if limit <= low:
                if low == start:
                    return start
                low, limit = start, min(limit, inside)
                want = min(want, limit)

    def chop(self, start: int, end: int, strength: Strength) -> Iterator[Piece]:
        """Divide a long word: at punctuation inside it, else between grapheme clusters."""
        while start < end:
            if self.fits(start, end, self.cap(start)):
                yield Piece(start, end, strength)
                return
            at = self._chop_place(start, end)
            if at is None:
                at = min(next_grapheme(self.text, start), end)
                if not self.fits_exactly(start, at):
                    yield from self.oversize(start, at, strength)
                    start, strength = at, Strength.GRAPHEME
                    continue
            yield Piece(start, at, strength)
            start, strength = at, Strength.GRAPHEME

    def _chop_place(self, start: int, end: int) -> int | None:
        want, limit = self.share(start, end)
        cap = self.cap(start)
        while limit > start:
            at = soft_place(self.text, start, want, limit)
            if at is None or (at - start) * 2 < limit - start:
                at = grapheme_place(self.text, start, want)
                if at <= start:
                    at = grapheme_place(self.text, start, limit)
            if at <= start:
                return None
            if self.fits(start, at, cap):
                return at
            limit = min(limit - 1, self.step_back(start, at, cap))
            want = min(want, limit)
        return None

    def share(self, start: int, end: int) -> tuple[int, int]:
        """Give the end of an even share of a stretch, and the farthest end that fits."""
        scale, room = self.scale, self.room(start)
        origin = scale.mark(start)
        left = scale.mark(end) - origin
        # where the estimate says one chunk and the count said no, two are needed
        chunks = max(2, math.ceil(left / room)) if room > 0 else 2
        limit = min(max(scale.place(origin + max(room, 1)), start + 1), end)
        want = min(max(scale.place(origin + math.ceil(left / chunks)), start + 1), limit)
        return want, limit
