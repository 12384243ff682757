"""Which neighbours share a chunk: runs of siblings grouped evenly, in as few chunks as can be.

Works on marks only (see `langchain_chunkers.length`), so it knows neither text nor unit.

Not the fullest chunks first: that leaves a runt at the end. Not a dynamic programme over all
divisions either: it costs a window of siblings for each sibling. Instead the fullest division is
laid a few chunks ahead, which tells how many are needed; where the end of the run comes into
sight, each chunk takes its even share of what is left, as near as the places allow and as the rest
still fits into the fewest. `tests/test_grouping.py` proves this against all divisions of small runs.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from typing import NamedTuple

__all__ = ["Group", "group", "group_exactly"]

_AHEAD = 16  # chunks looked ahead: sharing out over more of them moves no chunk by a visible amount


class Group(NamedTuple):
    """Parts ``first`` to ``last - 1`` together; or one part that does not fit."""

    first: int
    last: int
    fits: bool


class _Run:
    """The parts of one stretch, and how far a chunk reaches from each.

    Part ``i`` begins at ``starts[i]`` and its content ends at ``ends[i + 1]``; ``ends[0]`` is unused.
    """

    def __init__(
        self,
        starts: Sequence[float],
        ends: Sequence[float],
        room: Callable[[int], float],
        alone: Callable[[int], bool],
    ) -> None:
        self.starts, self.ends, self.room, self.alone = starts, ends, room, alone
        self.count = len(starts) - 1

    def reach(self, first: int) -> int:
        """Give the last end for a chunk that begins with part ``first``; ``first`` if it does not fit."""
        limit = self.starts[first] + self.room(first)
        last = bisect_right(self.ends, limit, first + 1, self.count + 1) - 1
        # a part larger than the room (overlap takes some) but not than the cap stays whole
        return first + 1 if last == first and self.alone(first) else last

    def earliest(self, last: int) -> int:
        """Give the first part with which a chunk can begin that ends at ``last``."""
        # room differs only for the very first chunk of a text, which reach() has seen
        limit = self.ends[last] - self.room(last - 1)
        return min(bisect_left(self.starts, limit, 0, last), last - 1)


def group(
    starts: Sequence[float],
    ends: Sequence[float],
    room: Callable[[int], float],
    alone: Callable[[int], bool],
    check: Callable[[int, int], bool] | None = None,
) -> list[Group]:
    """Group neighbouring parts into chunks.

    Args:
        starts: Mark of the start of each part, and of the end of the last: ``parts + 1`` marks.
        ends: Mark of the end of the content (white space aside) of the part before each start.
        room: Units that a chunk may have which begins with part ``i``.
        alone: Whether part ``i`` fits as a chunk of its own.
        check: Counts parts ``i`` to ``j - 1`` exactly and says whether they fit; ``None`` where
            marks are exact.

    Returns:
        Groups in order that cover all parts. A part that does not fit is a group of its own.

    Guarantees: for exact marks, each run between parts that do not fit has the fewest chunks.

    Cost: O(parts) marks, O(chunks · log parts) steps.

    Example:
        >>> marks = list(range(0, 110, 10))  # ten parts of 10 units
        >>> [last - first for first, last, _ in group(marks, marks, lambda i: 35, lambda i: True)]
        [2, 3, 2, 3]
    """
    run = _Run(starts, ends, room, alone)
    groups: list[Group] = []
    ahead: list[int] = []  # ends of the fullest chunks from here on
    first = 0
    while first < run.count:
        stop = _look_ahead(run, first, ahead)
        if not ahead:
            groups.append(Group(first, first + 1, fits=False))
            first += 1
            continue
        last = ahead[0] if stop is None else _even_share(run, first, ahead, stop)
        while check is not None and last > first and not check(first, last):
            last -= 1 if last - first < 4 else max(1, (last - first) // 8)
        if last == first:
            groups.append(Group(first, first + 1, fits=False))
            last += 1
        else:
            groups.append(Group(first, last, fits=True))
        if last == ahead[0]:
            del ahead[0]
        else:
            ahead.clear()
        first = last
    return _joined(run, groups, check)


def _joined(
    run: _Run, groups: Sequence[Group], check: Callable[[int, int], bool] | None
) -> list[Group]:
    """Join neighbours that fit together: where rooms differ, an even share may have parted them."""
    kept: list[Group] = []
    for new in groups:
        first, last = kept[-1].first if kept else 0, new.last
        if (
            kept
            and kept[-1].fits
            and new.fits
            and run.reach(first) >= last
            and (check is None or check(first, last))
        ):
            kept[-1] = Group(first, last, fits=True)
        else:
            kept.append(new)
    return kept


def _look_ahead(run: _Run, first: int, ahead: list[int]) -> int | None:
    """Extend ``ahead``; give the end of the run if it came into sight, else ``None``."""
    at = ahead[-1] if ahead else first
    while len(ahead) < _AHEAD:
        if at >= run.count:
            return at
        last = run.reach(at)
        if last == at:
            return at
        ahead.append(last)
        at = last
    return at if at >= run.count else None


def _even_share(run: _Run, first: int, ahead: Sequence[int], stop: int) -> int:
    """Choose the end of the next chunk so that the run up to ``stop`` is shared out evenly."""
    chunks = len(ahead)
    if chunks == 1:
        return ahead[0]
    lowest = stop
    for _ in range(chunks - 1):
        lowest = run.earliest(lowest)
    lowest = min(max(lowest, first + 1), ahead[0])
    want = run.starts[first] + (run.ends[stop] - run.starts[first]) / chunks
    # what overlap and prefixes take of later chunks counts too: those emitted are even
    want += (run.room(first) - run.room(ahead[0])) * (chunks - 1) / chunks
    last = bisect_left(run.starts, want, lowest, ahead[0])
    if last > lowest and want - run.starts[last - 1] <= run.starts[last] - want:
        last -= 1
    return last


def group_exactly(starts: Sequence[float], ends: Sequence[float], size: float) -> list[Group]:
    """Group neighbouring parts into chunks where marks are exact and each chunk has the same room.

    What `group` gives then, at a fraction of its cost: most groupings are such.

    Args:
        starts: As of `group`.
        ends: As of `group`.
        size: Units that each chunk may have.

    Example:
        >>> marks = list(range(0, 110, 10))
        >>> [last - first for first, last, _ in group_exactly(marks, marks, 35)]
        [2, 3, 2, 3]
    """
    count, first = len(starts) - 1, 0
    groups: list[Group] = []
    while first < count:
        ahead, at = [first], first  # the ends of the fullest chunks up to the end of the run
        while at < count:
            last = bisect_right(ends, starts[at] + size, at + 1, count + 1) - 1
            if last == at:
                break
            ahead.append(last)
            at = last
        if at == first:
            groups.append(Group(first, first + 1, fits=False))
            first += 1
            continue
        full = len(ahead) - 1 - _AHEAD
        if full > 0:
            groups += [Group(ahead[i], ahead[i + 1], fits=True) for i in range(full)]
            ahead = ahead[full:]
        if len(ahead) == 2:
            groups.append(Group(first, at, fits=True))
        else:
            _share_out(starts, ends, size, ahead, groups)
        first = at
    return groups


def _share_out(
    starts: Sequence[float],
    ends: Sequence[float],
    size: float,
    ahead: Sequence[int],
    groups: list[Group],
) -> None:
    """Share a run out evenly among the fewest chunks: ``ahead`` has the ends of the fullest ones."""
    chunks, stop = len(ahead) - 1, ahead[-1]
    latest = [stop]  # for each number of chunks that are left, the first part they can begin with
    for _ in range(chunks - 1):
        last = latest[-1]
        latest.append(min(bisect_left(starts, ends[last] - size, 0, last), last - 1))
    first = ahead[0]
    for left in range(chunks, 0, -1):
        high = bisect_right(ends, starts[first] + size, first + 1, stop + 1) - 1
        last = high
        if left > 1:
            low = min(max(latest[left - 1], first + 1), high)
            want = starts[first] + (ends[stop] - starts[first]) / left
            last = bisect_left(starts, want, low, high)
            if last > low and want - starts[last - 1] <= starts[last] - want:
                last -= 1
        groups.append(Group(first, last, fits=True))
        first = last
