"""Topics against sizes: sections that may stay whole, and small topics that join another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from langchain_chunkers.length import Scale
from langchain_chunkers.packing import Limits, Packer
from langchain_chunkers.semantic.methods import Curve
from langchain_chunkers.semantic.units import TOPIC, Units

__all__ = ["join_topics", "whole_sections", "within"]


def whole_sections(units: Units, scale: Scale, limits: Limits) -> list[tuple[int, int]]:
    """List the largest sections, with all sections in them, that fit the cap; ascending.

    Each level of headings is counted once, so the work is a few counts of the text.
    """
    outline = units.outline
    if not units.count:
        return []
    packer = Packer(outline, scale, limits, lambda _: ())
    levels = [
        ats for strength, ats in sorted(outline.places.items(), reverse=True) if strength > TOPIC
    ]
    whole = []
    stack = [(units.edges[0], len(outline.text), 0)]
    while stack:
        start, end, level = stack.pop()
        if packer.fits(start, end):
            whole.append((start, end))
        elif level < len(levels):
            ats = np.asarray(levels[level])
            inner = ats[np.searchsorted(ats, start, "right") : np.searchsorted(ats, end, "left")]
            edges = [start, *inner.tolist(), end]
            stack += [(edges[i], edges[i + 1], level + 1) for i in range(len(edges) - 2, -1, -1)]
    return sorted(whole)


def within(ats: Sequence[int], stretches: Sequence[tuple[int, int]]) -> list[bool]:
    """Say of each place whether it lies inside one of the ascending stretches, not at its edges."""
    starts = [start for start, _ in stretches]
    return [(i := bisect_left(starts, at) - 1) >= 0 and at < stretches[i][1] for at in ats]


def join_topics(
    units: Units,
    curve: Curve,
    free: NDArray[np.bool_],
    marks: tuple[Sequence[float], Sequence[float]],
    least: float,
    size: float,
) -> NDArray[np.bool_]:
    """Let topics below ``least`` join the neighbour that they are more like, where both fit.

    Args:
        units: The units.
        curve: What the method decided.
        free: Gaps at which no section begins.
        marks: Marks of the measure at the start and at the end of each unit.
        least: The least size.
        size: The cap.

    Returns:
        For each gap whether a boundary there is given up. Linear: one pass, and a topic that has
        grown is looked at again from its end only.
    """
    starts, ends = marks
    joined = np.zeros(len(curve.chosen), dtype=bool)
    cuts = [0, *(np.flatnonzero(curve.chosen | ~free) + 1).tolist(), units.count]
    likeness = np.nan_to_num(curve.similarity, nan=-1.0)

    def fits(first: int, last: int) -> bool:
        return ends[last - 1] - starts[first] <= size

    kept = [0]  # where the topics begin that are settled; the last one is still open
    for index in range(1, len(cuts)):
        end = cuts[index]
        first = kept[-1]
        if ends[end - 1] - starts[first] < least:
            can_before = len(kept) > 1 and free[first - 1] and fits(kept[-2], end)
            can_after = end < units.count and free[end - 1] and fits(first, cuts[index + 1])
            if can_after and not (can_before and likeness[first - 1] >= likeness[end - 1]):
                joined[end - 1] = True
                continue
            if can_before:
                joined[first - 1] = True
                kept.pop()
        if end < units.count:
            kept.append(end)
    return joined
