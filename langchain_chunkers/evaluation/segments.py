"""Boundaries against gold boundaries: F1, Pk and WindowDiff, where the topics of a text are known.

Units are whatever boundaries are counted in: sentences, lines, characters. A boundary is the number
of the unit that begins a segment, between 1 and ``units - 1``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection

__all__ = ["boundary_f1", "pk", "window_diff"]


def boundary_f1(gold: Collection[int], found: Collection[int], tolerance: int = 0) -> float:
    """Give the harmonic mean of the precision and recall of boundaries.

    Args:
        gold: True boundaries.
        found: Boundaries to judge.
        tolerance: Units by which two may differ and still be the same; each is matched once,
            the nearest first come.

    Returns:
        1.0 where both are empty.

    Example:
        >>> boundary_f1({3, 7}, {3, 8})
        0.5
        >>> boundary_f1({3, 7}, {3, 8}, tolerance=1)
        1.0
    """
    if not gold and not found:
        return 1.0
    left, matched = sorted(gold), 0
    for at in sorted(found):
        # the earliest one within reach: it is of no use to any later boundary
        index = next((i for i, one in enumerate(left) if abs(one - at) <= tolerance), None)
        if index is not None:
            del left[: index + 1]
            matched += 1
    return 2 * matched / (len(gold) + len(found))


def _window(units: int, gold: Collection[int]) -> int:
    """Give half the mean length of a true segment, as both papers take it."""
    return min(max(2, round(units / (len(gold) + 1) / 2)), max(1, units - 1))


def _counts(units: int, gold: Collection[int], found: Collection[int]) -> list[tuple[int, int]]:
    """Count the boundaries of both in each window."""
    k = _window(units, gold)
    true, guessed = sorted(set(gold)), sorted(set(found))

    def inside(places: list[int], i: int) -> int:
        return bisect_right(places, i + k) - bisect_right(places, i)

    return [(inside(true, i), inside(guessed, i)) for i in range(units - k)]


def pk(units: int, gold: Collection[int], found: Collection[int]) -> float:
    """Give the share of pairs of units, half a segment apart, that are wrongly held for one segment.

    Lower is better. No boundary at all already scores .3 to .5: print that beside it.

    Args:
        units: Units of the text.
        gold: True boundaries.
        found: Boundaries to judge.

    Source: Beeferman, Berger and Lafferty, *Statistical Models for Text Segmentation* (1999).

    Example:
        >>> pk(8, {4}, {4}), pk(8, {4}, set())
        (0.0, 0.3333333333333333)
    """
    both = _counts(units, gold, found)
    return sum((a == 0) != (b == 0) for a, b in both) / len(both) if both else 0.0


def window_diff(units: int, gold: Collection[int], found: Collection[int]) -> float:
    """Give the share of windows, half a segment long, with a wrong number of boundaries.

    Lower is better; as `pk`, but near misses and boundaries too many cost alike.

    Source: Pevzner and Hearst, *A Critique and Improvement of an Evaluation Metric for Text
    Segmentation* (2002).

    Example:
        >>> window_diff(8, {4}, {3, 4})
        0.3333333333333333
    """
    both = _counts(units, gold, found)
    return sum(a != b for a, b in both) / len(both) if both else 0.0
