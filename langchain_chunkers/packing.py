"""Packing by structure, and what both packers share.

`StructurePacker` opens a text from its strongest boundaries downwards. A stretch that fits is one chunk; one
that does not is divided at its strongest boundaries, its parts are grouped evenly, and only parts
that still do not fit are opened further. So a chunk is a run of whole siblings, and finer places
are looked for only where they are needed. The other packer is `langchain_chunkers.filling`.

Both work on an outline and a scale, give pieces of the text in order, and never touch characters.
Every chunk is counted as it will be emitted. There is no recursion, and the work is linear in the
text for any text and any measure, a lying one included.
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
from langchain_chunkers.grouping import group, group_exactly
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
from langchain_chunkers.length import Scale
from langchain_chunkers.outline import Outline, Region, Regions, Strength

__all__ = ["Chunk", "Limits", "Packer", "Piece", "StructurePacker"]


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


class _Task(NamedTuple):
    start: int
    end: int
    strength: Strength
    level: int
    fits: bool


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
        self.prefixed = any(region.prefix or region.suffix for region in outline.regions)
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
        return region.suffix if self._has_room(region, max(region.start, end - 1)) else ""

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
        if scale.additive and not self.prefixed and not self.limits.dropped:
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

    # -------------------------------------------------------------- places below the ladder

    def next_words(self, start: int, end: int) -> int:
        """Find where the next chunk of a stretch ends that has no places but words.

        Shares of what is left are even. ``start`` where no word fits: see `chop`.
        """
        want, limit = self.share(start, end)
        after_glue = self._glued_until(start)
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

    def _glued_until(self, at: int) -> int:
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
_WALK = 256  # cuts of one stretch that are looked for one by one; beyond, listing wastes less


class StructurePacker(Packer):
    """Divides a text by its structure.

    Guarantees: capped, nested, filled, bounded.

    Cost: linear in the text; nothing is looked at inside what fits.
    """

    def pack(
        self, start: int = 0, end: int | None = None, strength: Strength = Strength.DOCUMENT
    ) -> list[Piece]:
        """Give pieces in order that cover the text; before overlap and before small ones are joined.

        Args:
            start: Start of a stretch that is packed alone.
            end: Its end; ``None`` for that of the text.
            strength: How strong the place at its start is.
        """
        pieces: list[Piece] = []
        stack = self._forced(start, len(self.text) if end is None else end, strength)
        while stack:
            task = stack.pop()
            if task.fits or self.fits(task.start, task.end):
                pieces.append(Piece(task.start, task.end, task.strength))
            elif task.level < len(self.levels):
                self._open_level(task, stack)
            else:
                self._open_rung(task, stack, pieces)
        return pieces

    def _forced(self, start: int, end: int, strength: Strength) -> list[_Task]:
        """Divide at the boundaries that always divide; the last task first."""
        if not self.levels:
            return [_Task(start, end, strength, 0, fits=False)]
        cuts: dict[int, Strength] = {start: strength}
        for kind, ats in self.levels:
            if kind >= self.limits.always:
                cuts.update((at, kind) for at in ats if start < at < end)
        edges = [*sorted(cuts), end]
        return [
            _Task(edges[i], edges[i + 1], cuts[edges[i]], 0, fits=False)
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
        rungs = self.ladders(self.kind_at(task.start))
        number = task.level - len(self.levels)
        if number >= len(rungs):
            pieces.extend(self._by_words(task))
            return
        rung = rungs[number]
        cuts = (
            self._walk(task, rung)
            if rung.local and not self.prefixed and not self.limits.dropped
            else None
        )
        if cuts is not None:
            edges = [task.start, *cuts, task.end]
            for index in range(len(cuts), -1, -1):
                strength = rung.strength if index else task.strength
                stack.append(_Task(edges[index], edges[index + 1], strength, task.level, fits=True))
            return
        window = 1 << 18
        while True:
            # bounded memory: a long stretch is listed a window at a time
            end = task.start + window
            end = min(task.end, end)
            # a heading in front says nothing of how the text behind it is laid out
            behind = min(self._glued_until(task.start), end)
            inner = self.unglued(rung.places(self.text, behind, end))
            if inner or end == task.end:
                break
            window *= 4
        if not inner:
            stack.append(task._replace(level=task.level + 1))
        elif end == task.end:
            self._divide(task, inner, end, rung.strength, stack)
        else:
            last = inner[-1]
            stack.append(_Task(last, task.end, rung.strength, task.level, fits=False))
            self._divide(task, inner[:-1], last, rung.strength, stack)

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
        scale = self.scale
        starts = scale.marks(ats)
        exact = scale.additive and not self.prefixed
        varying = self.prefixed or (
            self.limits.overlap
            and (task.start <= self.first or self.limits.overlap_from > Strength.WORD)
        )
        room = self.room(ats[-2])
        stops = starts if ends is ats else scale.marks(ends)
        if exact and not self.limits.overlap:
            groups = group_exactly(starts, stops, room)
        else:
            groups = group(
                starts,
                stops,
                (lambda part: self.room(ats[part])) if varying else (lambda _: room),
                lambda part: self.fits(ats[part], ats[part + 1]),
                None if exact else (lambda i, j: self._checked(ats, i, j)),
            )
        for first, last, fits in reversed(groups):
            start = ats[first]
            mark = task.strength if first == 0 else strength
            stack.append(_Task(start, ats[last], mark, task.level + 1, fits))

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
            if at > 8 + first and (near := text[at - 8 : at].rstrip()) and near[-1] < "\u0600"
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
