"""Spans of one text as sets of characters: what lies in both, what lies in any, how much it is."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

__all__ = ["Pair", "common", "size", "union"]

Pair = tuple[int, int]


def union(spans: Iterable[Pair]) -> list[Pair]:
    """Join spans that overlap or touch.

    Args:
        spans: Half-open spans in any order.

    Returns:
        Disjoint spans, ascending; empty ones are left out.

    Example:
        >>> union([(5, 9), (0, 2), (8, 12), (3, 3)])
        [(0, 2), (5, 12)]
    """
    joined: list[Pair] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if joined and start <= joined[-1][1]:
            joined[-1] = joined[-1][0], max(joined[-1][1], end)
        else:
            joined.append((start, end))
    return joined


def size(spans: Iterable[Pair]) -> int:
    """Count the characters of spans; those in two spans count twice.

    Example:
        >>> size([(0, 2), (5, 12)])
        9
    """
    return sum(end - start for start, end in spans)


def common(first: Sequence[Pair], second: Sequence[Pair]) -> list[Pair]:
    """Give what lies in both of two unions.

    Args:
        first: Disjoint spans, ascending, as `union` gives them.
        second: The same.

    Example:
        >>> common([(0, 5), (8, 12)], [(3, 9)])
        [(3, 5), (8, 9)]
    """
    found: list[Pair] = []
    i = j = 0
    while i < len(first) and j < len(second):
        start, end = max(first[i][0], second[j][0]), min(first[i][1], second[j][1])
        if start < end:
            found.append((start, end))
        if first[i][1] < second[j][1]:
            i += 1
        else:
            j += 1
    return found
