"""From a curve of similarities to boundaries: the ways to decide.

All work on the gaps between units: gap ``g`` lies between units ``g`` and ``g + 1``. The four of
LangChain's ``SemanticChunker`` give its numbers, so that results compare.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from langchain_chunkers.semantic.vectors import Band, Floats

__all__ = ["AMOUNTS", "BUFFERS", "Curve", "block_curve", "neighbour_curve", "strongest"]

AMOUNTS: Mapping[str, float] = {
    "threshold": 0.7,  # of hand-rolled splitters
    "percentile": 95,  # these four are LangChain's
    "standard_deviation": 3,
    "interquartile": 1.5,
    "gradient": 95,
    "minima": 0.0,  # measured, docs/explanation/semantic-chunking.md
    "cluster": 0.5,  # measured, as above
}
BUFFERS: Mapping[str, int] = {**dict.fromkeys(AMOUNTS, 1), "minima": 5, "cluster": 0}


class Curve(NamedTuple):
    """What a method saw and decided, a number for each gap.

    Attributes:
        similarity: How alike both sides of the gap are; ``nan`` where that is not known.
        score: What is held against the threshold; larger for a better boundary.
        threshold: A gap with a score above it is a boundary.
        chosen: Whether it is one.
    """

    similarity: Floats
    score: Floats
    threshold: float
    chosen: NDArray[np.bool_]


def neighbour_curve(method: str, amount: float, similarity: Floats) -> Curve:
    """Decide by the distance ``1 - cosine`` of neighbours.

    Args:
        method: ``"threshold"``, ``"percentile"``, ``"standard_deviation"``, ``"interquartile"`` or
            ``"gradient"``.
        amount: A cosine, a percentile, a number of standard deviations or of interquartile ranges.
        similarity: Cosine at each gap; ``nan`` where it is not known or does not matter.

    Source: langchain_experimental.text_splitter.SemanticChunker, 0.4.2.

    Example:
        >>> curve = neighbour_curve("percentile", 50, np.array([0.9, 0.1, 0.8]))
        >>> round(curve.threshold, 2), curve.chosen.tolist()
        (0.2, [False, True, False])
    """
    known = ~np.isnan(similarity)
    score = 1 - similarity
    if method == "gradient" and known.sum() >= 2:
        score = np.full(len(similarity), np.nan)
        score[known] = np.gradient(1 - similarity[known])
    threshold = _limit(method, amount, score[known])
    with np.errstate(invalid="ignore"):
        chosen = known & (score > threshold)
    if method == "gradient" and known.sum() < 2:
        chosen = np.zeros(len(similarity), dtype=bool)  # a curve of one point has no slope
    return Curve(similarity, score, threshold, chosen)


def _limit(method: str, amount: float, score: Floats) -> float:
    """Give the threshold for scores."""
    if method == "threshold":
        return 1 - amount
    if not len(score):
        return np.inf
    if method == "standard_deviation":
        return float(score.mean() + amount * score.std())
    if method == "interquartile":
        low, high = np.percentile(score, [25, 75])
        return float(score.mean() + amount * (high - low))
    return float(np.percentile(score, amount))


def block_curve(amount: float, band: Band, size: int, bounds: Floats) -> Curve:
    """Decide by valleys: local minima of how alike the blocks on both sides of a gap are.

    A valley is as deep as its rims are high above it, both added (TextTiling). It is a boundary if
    it is deeper than the mean of all valleys by ``amount`` standard deviations.

    Args:
        amount: Standard deviations above the mean depth; 0 for the deeper half.
        band: Similarities, at least ``2 * size - 1`` wide.
        size: Units of a block on each side.
        bounds: For each gap, units that its section has before and behind it; blocks end there.

    Source: Hearst, TextTiling, Computational Linguistics 23 (1997), with embeddings for words.
    """
    sums = band.block_sums()
    gaps = np.arange(1, len(band.near))
    left = np.minimum(bounds[:, 0], size).astype(int)
    right = np.minimum(bounds[:, 1], size).astype(int)
    before, after = sums[gaps, left], sums[gaps + right, right]
    cross = sums[gaps + right, left + right] - before - after
    norms = np.sqrt(np.maximum((left + 2 * before) * (right + 2 * after), 1e-9))
    similarity = np.clip(cross / norms, -1, 1)
    apart = (left == 0) | (right == 0)
    depth = _depths(np.where(apart, np.inf, similarity))
    score = np.where(apart, np.nan, depth)
    valleys = score[score > 1e-9]
    threshold = float(valleys.mean() + amount * valleys.std()) if len(valleys) else np.inf
    with np.errstate(invalid="ignore"):
        # one valley alone is its own mean; and equal ones differ in the last digits
        chosen = (score > 1e-9) & (score >= threshold - 1e-9)
    return Curve(np.where(apart, np.nan, similarity), score, threshold, chosen)


def _depths(curve: Floats) -> Floats:
    """Give the depth of each local minimum; 0 elsewhere. Gaps at infinity part curves.

    Linear: two passes carry the height of the rim on either side.
    """
    depths = np.zeros(len(curve))
    values = curve.tolist()
    rims = []
    for order in (values, values[::-1]):
        rim, before, found = -np.inf, np.inf, []
        for value in order:
            # the rim is where the curve last stopped rising
            rim = value if value > before or np.isinf(before) else rim
            found.append(rim)
            before = value
        rims.append(found)
    left, right = rims[0], rims[1][::-1]
    for gap, value in enumerate(values):
        falls = gap == 0 or np.isinf(values[gap - 1]) or value <= values[gap - 1]
        rises = gap + 1 == len(values) or np.isinf(values[gap + 1]) or value < values[gap + 1]
        if falls and rises and not np.isinf(value):
            depths[gap] = left[gap] + right[gap] - 2 * value
    return depths


def strongest(curve: Curve, number: int, free: NDArray[np.bool_]) -> Curve:
    """Choose the ``number`` strongest gaps of those that are free, whatever the threshold.

    Where scores are equal, the chosen ones are spread evenly over the text.
    """
    score = np.where(np.isnan(curve.score), -np.inf, curve.score)
    places = np.flatnonzero(free)
    number = min(max(number, 0), len(places))
    chosen = np.zeros(len(score), dtype=bool)
    if not number:
        return curve._replace(chosen=chosen, threshold=np.inf)
    limit = np.sort(score[places])[-number]
    above = places[score[places] > limit]
    equal = places[score[places] == limit]
    chosen[above] = True
    missing = number - len(above)
    spread = ((np.arange(missing) + 1) * len(equal) / (missing + 1)).astype(int)
    chosen[equal[spread]] = True
    return curve._replace(chosen=chosen, threshold=float(limit))
