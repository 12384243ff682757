"""`group` against an oracle that tries every division of up to nine parts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers.grouping import Group, group
from tests import generators

Fits = Callable[[int, int], bool]


def divisions(first: int, last: int) -> Iterator[list[int]]:
    """Every way to divide parts ``first`` to ``last - 1``: the ends of the groups."""
    inner = range(first + 1, last)
    for count in range(len(inner) + 1):
        for ends in combinations(inner, count):
            yield [*ends, last]


def fewest(first: int, last: int, fits: Fits) -> int:
    """The fewest groups that all fit; many if there is no such division. Tries all of them."""
    return min(
        (len(ends) for ends in divisions(first, last) if all(map(fits, [first, *ends[:-1]], ends))),
        default=99,
    )


def even(
    starts: Sequence[float],
    ends: Sequence[float],
    first: int,
    last: int,
    fits: Fits,
    room: Callable[[int], float],
) -> list[Group]:
    """Divide a run as the module promises: in the fewest groups, each with its even share of the rest.

    What is missing of the room of a later group is emitted with it, and so is a part of its share.
    Of all ends from which the rest still fits into the fewest groups, the one nearest to the even
    share; of two equally near, the earlier one.
    """
    groups = []
    while first < last:
        count = fewest(first, last, fits)
        later = room(first + 1) if count > 1 else room(first)
        emitted = ends[last] - starts[first] + (room(first) - later) * (count - 1)
        want = starts[first] + emitted / count
        possible = [
            at
            for at in range(first + 1, last + 1)
            if fits(first, at) and (fewest(at, last, fits) if at < last else 0) == count - 1
        ]
        end = min(possible, key=lambda at: (abs(starts[at] - want), at)) if count > 1 else last
        groups.append(Group(first, end, fits=True))
        first = end
    return groups


def oracle(
    starts: Sequence[float],
    ends: Sequence[float],
    room: Callable[[int], float],
    alone: Callable[[int], bool],
) -> list[Group]:
    """Group by trying everything: parts that fit nowhere stand alone, the runs between are shared out."""

    def fits(first: int, last: int) -> bool:
        return ends[last] - starts[first] <= room(first) or (last == first + 1 and alone(first))

    groups: list[Group] = []
    first = 0
    parts = len(starts) - 1
    while first < parts:
        last = first
        while last < parts and fits(last, last + 1):
            last += 1
        groups += even(starts, ends, first, last, fits, room)
        if last < parts:
            groups.append(Group(last, last + 1, fits=False))
        first = last + 1
    return groups


def marks(sizes: Sequence[int], gaps: Sequence[int]) -> tuple[list[int], list[int]]:
    """Marks of parts of some sizes with white space of some sizes between: starts, and content ends."""
    starts = list(accumulate(map(sum, zip(sizes, gaps, strict=True)), initial=0))
    ends = [0, *(start + size for start, size in zip(starts, sizes, strict=False))]
    return starts, ends


@st.composite
def runs(draw: st.DrawFn, least: int = 1) -> tuple[list[int], list[int], int, int]:
    """Starts, content ends, the room of chunks and that of the first, which has no overlap."""
    sizes = draw(generators.part_sizes(least))
    gaps = draw(st.lists(st.integers(0, 2), min_size=len(sizes), max_size=len(sizes)))
    room = draw(st.integers(1, 25))
    return (*marks(sizes, gaps), room, room + draw(st.integers(0, 6)))


@given(runs())
def test_group_is_what_the_oracle_finds(run: tuple[list[int], list[int], int, int]) -> None:
    starts, ends, room, _ = run
    found = group(starts, ends, lambda part: room, lambda part: False)
    assert found == oracle(starts, ends, lambda part: room, lambda part: False)


@given(runs())
def test_the_first_chunk_has_more_room(run: tuple[list[int], list[int], int, int]) -> None:
    """As the engine asks with overlap: later chunks keep room for it, but a part at the cap is whole."""
    starts, ends, room, cap = run
    rooms = [cap, *[room] * len(starts)]

    def alone(part: int) -> bool:
        return ends[part + 1] - starts[part] <= cap

    found = group(starts, ends, rooms.__getitem__, alone)
    assert found == oracle(starts, ends, rooms.__getitem__, alone)


@given(runs())
def test_a_part_above_the_room_but_not_above_the_cap_stays_whole(
    run: tuple[list[int], list[int], int, int],
) -> None:
    starts, ends, room, cap = run

    def alone(part: int) -> bool:
        return ends[part + 1] - starts[part] <= cap

    found = group(starts, ends, lambda part: room, alone)
    assert found == oracle(starts, ends, lambda part: room, alone)


@given(runs(), st.lists(st.integers(1, 25), min_size=12, max_size=12))
def test_rooms_that_all_differ_leave_no_neighbours_that_fit_together(
    run: tuple[list[int], list[int], int, int], rooms: list[int]
) -> None:
    """As overlap of whole sentences makes them."""
    starts, ends, _, _ = run
    found = group(starts, ends, lambda part: rooms[part % 12], lambda part: False)
    assert [part for g in found for part in range(g.first, g.last)] == list(range(len(starts) - 1))
    for one, other in pairwise(found):
        together = ends[other.last] - starts[one.first] <= rooms[one.first % 12]
        assert not (one.fits and other.fits and together)


def test_what_is_emitted_is_even_where_later_chunks_repeat_a_header() -> None:
    """Five units of header stand in the first part, and are repeated in front of later chunks."""
    starts = ends = [0, *range(7, 27, 2)]  # the header with its first row, then nine rows of 2
    found = group(starts, ends, lambda part: 13 - 5 * (part > 0), lambda part: True)
    assert [last - first for first, last, _ in found] == [3, 3, 4]


@given(runs(least=0))
def test_parts_without_length_cost_no_chunk(run: tuple[list[int], list[int], int, int]) -> None:
    starts, ends, room, _ = run
    found = group(starts, ends, lambda part: room, lambda part: False)
    expected = oracle(starts, ends, lambda part: room, lambda part: False)
    assert len(found) == len(expected)
    assert [g for g in found if not g.fits] == [g for g in expected if not g.fits]


@given(runs(least=0), st.integers(0, 2**32), st.booleans())
def test_whatever_the_exact_count_says_all_parts_are_covered_once(
    run: tuple[list[int], list[int], int, int], lie: int, varying: bool
) -> None:
    starts, ends, room, first_room = run
    rooms = [first_room if varying else room, *[room] * len(starts)]

    def check(first: int, last: int) -> bool:
        return bool(hash((lie, first, last)) % 3)

    found = group(starts, ends, rooms.__getitem__, lambda part: bool(lie % 2), check)
    assert [part for g in found for part in range(g.first, g.last)] == list(range(len(starts) - 1))
    assert all(check(g.first, g.last) for g in found if g.fits)
    assert all(g.last == g.first + 1 for g in found if not g.fits)


@pytest.mark.parametrize(
    "sizes, room, expected",
    [
        ([10] * 10, 35, [2, 3, 2, 3]),  # not 3, 3, 3, 1: no runt
        ([10] * 10, 100, [10]),
        ([10] * 11, 100, [5, 6]),  # not 10, 1
        ([50, 1, 1, 1], 50, [1, 3]),
        ([1, 1, 1, 50], 50, [3, 1]),
        ([10, 60, 10, 10], 50, [1, 1, 2]),  # one that does not fit parts two runs
        ([60], 50, [1]),
        ([7, 7, 7, 1], 15, [2, 2]),
    ],
)
def test_shares_are_even(sizes: list[int], room: int, expected: list[int]) -> None:
    starts, ends = marks(sizes, [0] * len(sizes))
    found = group(starts, ends, lambda part: room, lambda part: False)
    assert [last - first for first, last, _ in found] == expected
    assert [g.fits for g in found] == [ends[g.last] - starts[g.first] <= room for g in found]


@pytest.mark.parametrize("parts", [40, 100, 1000])
def test_long_runs_are_as_even_and_have_no_runt(parts: int) -> None:
    starts = list(range(0, 10 * parts + 1, 10))
    found = group(starts, starts, lambda part: 75, lambda part: True)
    sizes = [last - first for first, last, _ in found]
    assert len(sizes) == -(-parts // 7)  # the fewest: seven parts fit
    assert min(sizes) >= 5


def test_white_space_between_parts_does_not_count_at_the_end_of_a_chunk() -> None:
    starts, ends = marks([5, 5, 5, 5], [3, 3, 3, 3])
    found = group(starts, ends, lambda part: 13, lambda part: False)
    assert [last - first for first, last, _ in found] == [2, 2]
