"""Asking an embedding model, and what its answers become: a band of similarities.

A reading that needs a model is a generator: it yields the texts of one call and is sent the
answer. So one program serves models that are called and models that are awaited, and holds no
more than a window of vectors.
"""

from __future__ import annotations

import warnings
from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from langchain_chunkers.errors import ModelError

__all__ = ["Asking", "Band", "arun", "ask_band", "run"]

_T = TypeVar("_T")
Asking = Generator[list[str], Any, _T]
Floats = NDArray[np.float64]
_ROWS = 32  # units in one product of matrices


def run(asking: Asking[_T], embed: Callable[[list[str]], Any]) -> _T:
    """Run a reading with a model that is called."""
    try:
        texts = next(asking)
        while True:
            texts = asking.send(embed(texts))
    except StopIteration as done:
        answer: _T = done.value
        return answer


async def arun(asking: Asking[_T], embed: Callable[[list[str]], Awaitable[Any]]) -> _T:
    """Run a reading with a model that is awaited."""
    try:
        texts = next(asking)
        while True:
            texts = asking.send(await embed(texts))
    except StopIteration as done:
        answer: _T = done.value
        return answer


class Band(NamedTuple):
    """Similarities of units that stand near each other.

    Attributes:
        near: ``near[i, d - 1]`` is the cosine of units ``i`` and ``i - d``, for ``d`` up to the
            width; ``nan`` where there is no such unit or a vector said nothing.
        mean: Mean cosine of any two units of the text.
    """

    near: NDArray[Any]
    mean: float

    @property
    def spread(self) -> float:
        """Standard deviation of the cosines of units at most eight apart."""
        known = self.near[:, :8]
        known = known[~np.isnan(known)]
        return float(known.std()) if len(known) else 0.0

    def neighbours(self) -> Floats:
        """Give the cosine at each gap: of units ``g`` and ``g + 1``."""
        return self.near[1:, 0]

    def block_sums(self) -> Floats:
        """Give ``sums[i, l]``: the cosines of all pairs in the ``l`` units before ``i``, added up.

        What is not known counts as the mean. Linear in units × width, time and memory.
        """
        count, width = self.near.shape
        rows = np.where(np.isnan(self.near), self.mean, self.near).astype(np.float64)
        np.cumsum(rows, axis=1, out=rows)
        sums = np.zeros((count + 1, width + 2))
        for length in range(2, width + 2):
            # the block without its last unit, and that unit with all others
            sums[length:, length] = (
                sums[length - 1 : -1, length - 1] + rows[length - 1 :, length - 2]
            )
        return sums


def ask_band(text_of: Callable[[int], str], count: int, width: int, batch: int) -> Asking[Band]:
    """Ask for the vectors of units, ``batch`` at a time, and keep how alike near ones are.

    Args:
        text_of: Gives the text to send for a unit.
        count: How many units there are, at least 1.
        width: How far apart units are compared.
        batch: Most texts in one call.

    Returns:
        The band, at the end; before, the generator yields lists of texts.

    Raises:
        ModelError: There are more or fewer vectors than texts, or they are no vectors.

    Cost: memory for ``batch + width`` vectors, and ``count * width`` numbers.
    """
    near = np.full((count, width), np.nan, dtype=np.float32 if width > 1 else np.float64)
    tail: Floats | None = None
    total: Floats | None = None
    known = 0
    for start in range(0, count, batch):
        texts = [text_of(number) for number in range(start, min(start + batch, count))]
        vectors = _vectors((yield texts), texts)
        if tail is not None and tail.shape[1] != vectors.shape[1]:
            sizes = f"{tail.shape[1]} and {vectors.shape[1]}"
            msg = f"The embedding model must give vectors of one size: got {sizes} numbers."
            raise ModelError(msg)
        fine = ~np.isnan(vectors).any(axis=1)
        known += int(fine.sum())
        added = vectors[fine].sum(axis=0, dtype=np.float64)
        total = added if total is None else total + added
        held = vectors if tail is None else np.concatenate([tail, vectors])
        kept = len(held) - len(vectors)
        _fill(near, held, kept, start, width)
        tail = held[-width:]
    square = float(total @ total) if total is not None else 0.0
    mean = (square - known) / (known * (known - 1)) if known > 1 else 0.0
    return Band(near, mean)


def _fill(near: NDArray[Any], held: NDArray[Any], kept: int, start: int, width: int) -> None:
    """Write the cosines of new vectors, ``held[kept:]``, with those up to ``width`` before each."""
    count = len(held) - kept
    if width == 1:
        first = max(kept, 1)
        pairs = np.einsum("ij,ij->i", held[first:], held[first - 1 : -1])
        near[start + first - kept : start + count, 0] = pairs
        return
    # not by BLAS, whose threads wait for each other longer than such small products take
    back = np.arange(1, width + 1)
    for low in range(kept, len(held), _ROWS):
        high = min(low + _ROWS, len(held))
        first = max(low - width, 0)
        products = np.einsum("ij,kj->ik", held[low:high], held[first:high])
        columns = np.arange(low, high)[:, None] - back - first
        known = products[np.arange(high - low)[:, None], np.maximum(columns, 0)]
        at = start + low - kept
        near[at : at + high - low] = np.where(columns >= 0, known, np.nan)


def _vectors(answer: Any, texts: Sequence[str]) -> Floats:
    """Check what a model gave, and bring vectors to length 1; ``nan`` for those that say nothing."""
    try:
        given = getattr(answer, "dtype", None)  # of WordLlamaEmbeddings: half as much to move
        vectors = np.array(answer, dtype=np.float32 if given == np.float32 else np.float64)
    except (TypeError, ValueError) as error:
        msg = "The embedding model must give a list of numbers for each text, all of one length."
        raise ModelError(msg, answer) from error
    if len(vectors.shape) != 2 or len(vectors) != len(texts) or not vectors.shape[1]:
        got = f"{vectors.shape[0]} vectors" if len(vectors.shape) == 2 else f"shape {vectors.shape}"
        msg = (
            f"The embedding model must give one vector for each text: got {got} for {len(texts)} "
            f"texts. No text that is sent is empty, so a model that leaves out some cannot be used."
        )
        raise ModelError(msg, answer)
    finite = np.asarray(np.isfinite(vectors).all(axis=1))
    if not finite.all():
        number = int(np.flatnonzero(~finite)[0])
        warnings.warn(
            f"The embedding model gave numbers that are not finite for {int((~finite).sum())} of "
            f"{len(texts)} texts, such as {texts[number]!r:.60}. They decide nothing.",
            stacklevel=2,
        )
    lengths = np.linalg.norm(np.where(finite[:, None], vectors, 0), axis=1)
    lengths[(lengths == 0) | ~finite] = np.nan
    result: Floats = vectors / lengths[:, None]
    return result
