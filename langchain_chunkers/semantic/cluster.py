"""Topics by dynamic programming: the division in which sentences of one topic are most alike.

A block is worth the similarities of all pairs in it, each less the mean of the text, divided by
its number of sentences; each boundary costs ``amount * spread * ln(sentences)``. The published
method (Chroma's ClusterSemanticChunker) does not divide by the number, so that its blocks grow to
the maximum or crumble; and where no block is worth anything it emits one beyond its maximum.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from langchain_chunkers.semantic.vectors import Band, Floats

__all__ = ["WIDEST", "cluster", "reach"]

WIDEST = 512  # sentences of a topic at most, where no cap says less; memory is sentences times this
_RUNT = 1e6  # what a topic below the least size costs: more than any can be worth


def reach(
    starts: Sequence[float], ends: Sequence[float], firsts: Sequence[int], size: float
) -> list[int]:
    """Give for each end the first unit from which a block fits.

    Args:
        starts: Mark of the measure at the start of each unit.
        ends: Mark at the end of the content of each unit.
        firsts: Numbers of the units that begin a section.
        size: The cap.

    Returns:
        ``low[i]`` for blocks that end before unit ``i``, ``i`` from 1; one unit is always allowed.
    """
    lows, low, sections = [0], 0, set(firsts)
    for unit in range(len(starts)):
        if unit in sections:
            low = unit
        low = max(low, unit + 1 - WIDEST)
        while low < unit and ends[unit] - starts[low] > size:
            low += 1
        lows.append(low)
    return lows


def _worths(band: Band) -> Floats:
    """Give ``worth[end, length]`` of the blocks of ``length`` units before ``end``, from length 1."""
    sums = band.block_sums()
    lengths = np.arange(1, sums.shape[1])
    inner = sums[:, 1:]
    inner *= 2 / lengths
    inner -= band.mean * (lengths - 1)
    return sums


def cluster(
    band: Band,
    lows: Sequence[int],
    amount: float,
    starts: Sequence[float],
    ends: Sequence[float],
    least: float = 0,
) -> tuple[list[int], Floats, float]:
    """Find the best division.

    Args:
        band: Similarities, as wide as the longest block that ``lows`` allows, less one.
        lows: What `reach` gave.
        amount: What a boundary costs; larger for fewer topics.
        starts: Mark of the measure at the start of each unit.
        ends: Mark at the end of each unit.
        least: Blocks below this many units of the measure are avoided.

    Returns:
        The numbers of the units that begin a block, 0 left out; for each gap how much more two
        blocks are worth that meet there than one over both (``nan`` where one would not fit); and
        what a boundary costs, in the same unit.

    Cost: O(units × width) time and memory.
    """
    count = len(lows) - 1
    worth = _worths(band)
    cost = amount * band.spread * math.log(max(count, 2))
    best = np.full(count + 1, -np.inf)
    best[0] = 0.0
    back = [0] * (count + 1)
    marks = np.asarray(starts)
    for end in range(1, count + 1):
        low = lows[end]
        values = worth[end, end - low : 0 : -1] + best[low:end]
        if least:
            values = values - _RUNT * (ends[end - 1] - marks[low:end] < least)
        pick = int(values.argmax())
        best[end], back[end] = values[pick] - cost, low + pick
    cuts, end = [], count
    while end > 0:
        end = back[end]
        cuts.append(end)
    cuts.reverse()
    return cuts[1:], _gains(worth, [*cuts, count]), cost


def _gains(worth: Floats, edges: Sequence[int]) -> Floats:
    """Say at each gap how much more is gained by parting than by joining, all else as it is."""
    gains = np.full(max(edges[-1] - 1, 0), np.nan)
    for first, last in pairwise(edges):
        inner = np.arange(first + 1, last)
        whole = worth[last, last - first]
        gains[inner - 1] = worth[inner, inner - first] + worth[last, last - inner] - whole
    for first, middle, last in zip(edges, edges[1:], edges[2:], strict=False):
        if last - first <= worth.shape[1] - 1:
            parts = worth[middle, middle - first] + worth[last, last - middle]
            gains[middle - 1] = parts - worth[last, last - first]
    return gains
