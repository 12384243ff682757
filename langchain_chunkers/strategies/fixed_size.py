"""Every n units, wherever that falls: the yardstick for all other strategies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.filling import Chooser, at_the_limit, fill
from langchain_chunkers.outline import Outline, Part
from langchain_chunkers.packing import Chunk, Packer
from langchain_chunkers.quick import fill_characters

__all__ = ["FillingSplitter", "FixedSizeSplitter", "refuse_least", "refuse_stable"]


def refuse_least(owner: str, least: float) -> None:
    """Refuse a least size where chunks are filled: they are small only where the text ends."""
    if least:
        msg = (
            f"{owner} fills its chunks, so min_chunk_size means nothing to it. Leave it out, or use "
            f"TokenCountSplitter(min_tokens=...), which shares the end out."
        )
        raise SettingError(msg)


def refuse_stable(owner: str, stable: bool) -> None:
    """Refuse to pack stably where each cut follows from the one before."""
    if stable:
        msg = (
            f"{owner} cannot be stable: each of its cuts follows from the one before. Leave stable out, "
            f"or use RecursiveSplitter(stable=True)."
        )
        raise SettingError(msg)


class FillingSplitter(BaseSplitter):
    """A splitter that fills chunks up to the cap, and chooses the last place by `choose`."""

    needs_size = True
    choose: Chooser

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        refuse_least(type(self).__name__, self._limits.least)
        refuse_stable(type(self).__name__, self._limits.stable)

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        scale = self._measure.scale(outline.text)
        packer = Packer(outline, scale, self._limits, self.ladder)
        for chunk in fill(outline, scale, self._limits, self.ladder, self.choose):
            start, end = packer.content(chunk.start, chunk.end)
            if max(start, chunk.fresh) < end:
                yield Chunk(start, end, max(start, chunk.fresh), chunk.strength)


class FixedSizeSplitter(FillingSplitter):
    """Cuts every ``chunk_size`` units, between grapheme clusters, whatever the text says.

    Fast and predictable, and blind: sentences and words are cut. Compare others with it.

    Args:
        chunk_size: The size of chunks, in units of ``length_function``.
        chunk_overlap: Units that a chunk repeats of the one before; from a word's start where one
            is near, so up to this many.
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless, capped, whole characters, overlap delivered, stable, bounded.

    Cost: linear; some 300 MB/s in characters.

    Example:
        >>> FixedSizeSplitter(chunk_size=5, chunk_overlap=2).split_text("abcdefghij")
        ['abcde', 'defgh', 'ghij']
    """

    name = "fixed"
    plain = True
    choose = staticmethod(at_the_limit)

    def __init__(
        self, chunk_size: int | None = 500, chunk_overlap: int = 0, **options: Any
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, **options)

    def _quick(self, text: str) -> Sequence[Part] | None:
        """Cut characters without overlap a short way; ``None`` for the engine."""
        if self._cuts_characters and type(text) is str and len(text) > self._limits.size:
            return fill_characters(text, self._limits)
        return super()._quick(text)

    @cached_property
    def _cuts_characters(self) -> bool:
        return self._is_direct and not self._limits.overlap
