"""Where tokens end along a text, and counts without encoding twice.

A chunk is recounted as it will be emitted; but most of that recount can be proved unnecessary.
OpenAI's encodings cut the text with a regular expression before any merging, without looking back,
and in none of their alternatives does anything but a letter (or an apostrophe with a contraction)
follow a letter. So between a letter and a space, full stop or comma of any script a token always
ends, whatever stands around: a *seam*. From the first to the last seam of a chunk the tokens are
those of the whole text, already counted; only the few characters before and behind are encoded
anew. For other tokenizers the whole chunk is encoded.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import accumulate
from typing import Any

from langchain_chunkers.length import LengthMeasure, Scale

__all__ = ["TokenScale", "certain_cut", "in_threads", "pieces_of"]

# Letters (\p{L} in every Unicode version) and what may follow them at a seam. Only scripts whose
# every listed character is a letter; combining marks and apostrophes are left out on purpose.
_SEAM = (
    "[A-Za-z\u00df-\u00f6\u00f8-\u0148\u0430-\u044f\u03b1-\u03c9\u05d0-\u05ea\u0621-\u063a\u0641-\u064a"
    "\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]"
    "(?=[ \n.,;:!?)\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f\u060c])"
)
_PIECE = 1 << 16  # characters to a piece: a few milliseconds, and some megabytes of ids at most
_REACH = 256  # how far a seam or a space is looked for
_SHORT = 48  # characters that are counted faster than seams in them are found


@cache
def _seam() -> re.Pattern[str]:
    return re.compile(_SEAM)


class TokenScale(Scale):
    """A scale of token ends.

    Args:
        text: The text.
        ends: For each token of the whole text, the position behind the character in which it ends.
        measure: Counts exactly.
        seamed: Whether tokens between two seams are the same in every context.
    """

    def __init__(
        self, text: str, ends: array[int], measure: LengthMeasure, *, seamed: bool = False
    ) -> None:
        super().__init__(text)
        self.ends = ends
        self._measure = measure
        self._seamed = seamed

    def mark(self, at: int) -> float:
        """Count the tokens that end at or before ``at``."""
        return bisect_right(self.ends, at)

    def marks(self, ats: Sequence[int]) -> Sequence[float]:
        """Count the tokens that end at or before each position."""
        if len(ats) < 32:  # below, the fixed cost of numpy is more than the searches
            ends = self.ends
            return [bisect_right(ends, at) for at in ats]
        import numpy as np

        found: list[float] = np.searchsorted(
            np.frombuffer(self.ends, dtype=np.int64), np.asarray(ats, np.int64), side="right"
        ).tolist()
        return found

    def place(self, mark: float) -> int:
        """Give the last position by which no more than ``mark`` tokens have ended."""
        index, ends = int(mark), self.ends
        if index >= len(ends):
            return len(self.text)
        if index <= 0:
            return 0
        at = ends[index - 1]
        if ends[index] == at:  # the character at hand takes several tokens: stay before it
            first = bisect_left(ends, at)
            return ends[first - 1] if first else 0
        return at

    def count(self, start: int, end: int, prefix: str = "", suffix: str = "") -> int:
        """Count ``prefix + text[start:end] + suffix`` exactly; between seams the scale knows already."""
        text, seams = self.text, self._seams(start, end)
        if seams is None:
            return self._measure(prefix + text[start:end] + suffix)
        head, tail, known = seams
        ends = self._measure(prefix + text[start:head]) + self._measure(text[tail:end] + suffix)
        return ends + known

    def fits(self, size: float, start: int, end: int, prefix: str = "", suffix: str = "") -> bool:
        """Say whether a chunk fits: a token has a byte at least, which often tells without encoding."""
        seams = self._seams(start, end)
        if seams is not None:
            head, tail, known = seams
            characters = len(prefix) + head - start + end - tail + len(suffix)
            if known + characters * (1 if self.text.isascii() and not prefix else 4) <= size:
                return True
            if known > size:
                return False
        return self.count(start, end, prefix, suffix) <= size

    def _seams(self, start: int, end: int) -> tuple[int, int, int] | None:
        """Give the first and the last seam of a stretch, and the number of tokens between them."""
        if not self._seamed or end - start < _SHORT:
            return None
        first = _seam().search(self.text, start, min(start + _REACH, end))
        if first is None:
            return None
        head, tail = first.end(), -1
        for low in (end - 32, end - _REACH):
            for found in _seam().finditer(self.text, max(low, head), end):
                tail = found.end()
            if tail >= 0:
                break
        if tail < head:
            return None
        return head, tail, bisect_right(self.ends, tail) - bisect_right(self.ends, head)


def pieces_of(text: str, *, seamed: bool) -> tuple[list[str], bool]:
    """Cut a long text where its tokens do not change; say whether all cuts were such."""
    if len(text) <= _PIECE:
        return [text], seamed
    pieces, start, sure = [], 0, True
    while len(text) - start > _PIECE:
        at = start + _PIECE
        seam = _seam().search(text, at, at + _REACH)
        if seam is None:
            sure = False
            space = text.find(" ", at, at + _REACH)
            at = space if space > 0 else at
        else:
            at = seam.end()
        pieces.append(text[start:at])
        start = at
    pieces.append(text[start:])
    return pieces, sure and seamed


def certain_cut(text: str, limit: int) -> int:
    """Give the last place up to ``limit`` at which `pieces_of` cuts a text, whatever may follow it."""
    cuts = list(accumulate(map(len, pieces_of(text, seamed=True)[0])))
    known = [cut for cut in cuts[:-1] if cut <= limit and cut + _REACH + 2 <= len(text)]
    return known[-1] if known else 0


def in_threads(function: Any, pieces: Sequence[str]) -> list[Any]:
    """Map in threads where there is more than one piece: tokenizers release the interpreter's lock."""
    if len(pieces) == 1:
        return [function(pieces[0])]
    with ThreadPoolExecutor(min(len(pieces), os.cpu_count() or 1)) as pool:
        return list(pool.map(function, pieces))
