"""Length functions for tests: honest, hostile, and one that counts its own work.

All are deterministic on every machine, and functions of a module, so that splitters with them can
be pickled.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["CountingMeasure", "huge", "lying_measure", "words", "zero"]


def words(text: str) -> int:
    """Count the words that white space parts.

    Example:
        >>> words("three short words")
        3
    """
    return len(text.split())


def lying_measure(text: str) -> int:
    """Give a number from 0 to 18 that has nothing to do with length: it falls as text is added.

    Example:
        >>> [lying_measure("a" * size) for size in range(5)]
        [0, 12, 9, 9, 18]
    """
    return zlib.crc32(text.encode("utf-8", "surrogatepass")) % 7 * 3


def huge(text: str) -> int:
    """Say that every text is larger than any cap, the empty one too."""
    return 10**9 + len(text)


def zero(text: str) -> int:  # noqa: ARG001
    """Say that no text has any length."""
    return 0


class CountingMeasure:
    """Counts with another function, and counts how much it was asked.

    Args:
        function: What counts.

    Attributes:
        calls: How often it was called.
        characters: How many characters it was given in all.

    Example:
        >>> measure = CountingMeasure(words)
        >>> measure("two words"), measure("one")
        (2, 1)
        >>> measure.calls, measure.characters
        (2, 12)
    """

    def __init__(self, function: Callable[[str], int]) -> None:
        self.function = function
        self.calls = self.characters = 0

    def __call__(self, text: str) -> int:
        """Count ``text``."""
        self.calls += 1
        self.characters += len(text)
        return self.function(text)
