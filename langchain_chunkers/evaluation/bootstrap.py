"""How sure a difference is: intervals by drawing the questions again and again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

__all__ = ["Interval", "interval", "paired"]

_DRAWS = 2000


class Interval(NamedTuple):
    """A mean and where it may lie.

    Attributes:
        mean: The mean over the questions.
        low: Lower end of the interval.
        high: Upper end.
    """

    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> str:
        """Of a difference: ``"better"``, ``"worse"``, or ``"no difference"`` where it may be 0."""
        if self.low > 0:
            return "better"
        return "worse" if self.high < 0 else "no difference"


def interval(
    values: Sequence[float], *, level: float = 0.95, draws: int = _DRAWS, seed: int = 0
) -> Interval:
    """Give the mean of one value for each question, with its bootstrap interval (percentiles).

    Args:
        values: One for each question.
        level: How often such an interval has the true mean, between 0 and 1.
        draws: Samples drawn.
        seed: The same seed gives the same interval.

    Returns:
        Zeros for no values.

    Cost: ``draws`` sums over the values, in blocks, so that memory stays bounded.

    Source: Efron and Tibshirani, *An Introduction to the Bootstrap* (1993), chapter 13.

    Example:
        >>> one = interval([0.0, 1.0, 1.0, 1.0] * 25)
        >>> one.mean, one.low < 0.75 < one.high
        (0.75, True)
    """
    if not len(values):
        return Interval(0.0, 0.0, 0.0)
    data = np.asarray(values, dtype=float)
    rng = np.random.default_rng(seed)
    block = max(1, 2_000_000 // len(data))
    means = np.concatenate(
        [
            data[rng.integers(0, len(data), (min(block, draws - done), len(data)))].mean(axis=1)
            for done in range(0, draws, block)
        ]
    )
    tail = (1 - level) / 2
    low, high = np.quantile(means, [tail, 1 - tail])
    return Interval(float(data.mean()), float(low), float(high))


def paired(
    values: Sequence[float],
    baseline: Sequence[float],
    *,
    level: float = 0.95,
    draws: int = _DRAWS,
    seed: int = 0,
) -> Interval:
    """Give the mean difference to a baseline on the same questions, with its interval.

    Questions differ far more than splitters do; drawing pairs takes that out.

    Args:
        values: One for each question.
        baseline: Those of the baseline, in the same order.
        level: As of `interval`.
        draws: As of `interval`.
        seed: As of `interval`.

    Example:
        >>> paired([1.0, 1.0, 0.0, 1.0], [1.0, 1.0, 0.0, 1.0]).verdict
        'no difference'
    """
    if len(values) != len(baseline):
        msg = f"Both must be of the same questions: got {len(values)} values and {len(baseline)}."
        raise ValueError(msg)
    gaps = [a - b for a, b in zip(values, baseline, strict=True)]
    return interval(gaps, level=level, draws=draws, seed=seed)
