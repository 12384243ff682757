"""Up to so many tokens, then back to the last punctuation."""

from __future__ import annotations

import math
import unicodedata
from typing import Any, Literal

from langchain_chunkers import settings
from langchain_chunkers.errors import SettingError
from langchain_chunkers.filling import at_the_limit, last_fitting
from langchain_chunkers.ladder import (
    clause_places,
    line_kind,
    line_places,
    sentence_places,
    word_place,
)
from langchain_chunkers.length import LengthMeasure, Scale
from langchain_chunkers.outline import Strength
from langchain_chunkers.packing import Packer
from langchain_chunkers.strategies.fixed_size import FillingSplitter
from langchain_chunkers.tokens import TiktokenMeasure, TokenScale

__all__ = ["TokenCountSplitter"]

_AROUND = 1000  # characters on either side that tell how lines are meant
_WINDOW = 128  # characters: most sentences end within; the window grows where none does
Form = Literal["NFC", "NFD", "NFKC", "NFKD"]


class TokenCountSplitter(FillingSplitter):
    """Fills chunks to ``max_tokens``, then goes back to the last punctuation that leaves ``min_tokens``.

    Punctuation is that of all scripts, and not that of numbers, abbreviations and addresses: ends
    of sentences and lines first, then commas and their like, then words.

    Args:
        min_tokens: The floor: no chunk has fewer tokens, wherever the text can be divided so. The
            default gives way to half of a smaller ``max_tokens``.
        max_tokens: The cap.
        encoding_name: The tiktoken encoding.
        chunk_overlap: Tokens that a chunk may repeat of the one before.
        model_name: Name of a model; wins over ``encoding_name``.
        normalize: A Unicode normal form for the text of the chunks, such as ``"NFKC"``; offsets
            stay those of the text as given. Off unless asked for.
        chunk_size: Another name for ``max_tokens``, as all other splitters have it.
        length_function: Another measure in place of the encoding, such as a Hugging Face tokenizer.
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced (but for ``normalize``), lossless, capped, whole characters, overlap
    delivered, stable, bounded.

    Raises:
        SettingError: ``min_tokens`` is above ``max_tokens``, or one of them is no positive integer.

    Cost: one encode of the text, and some characters of each chunk again.

    Source: the behaviour of Pathway's splitter of this name, without its faults.

    Example:
        >>> splitter = TokenCountSplitter(min_tokens=4, max_tokens=14)
        >>> splitter.split_text(
        ...     "It costs 3.50 euros, i.e. nothing. Take two of them, or take three!"
        ... )
        ['It costs 3.50 euros, i.e. nothing.', 'Take two of them, or take three!']
    """

    name = "token"
    plain = True
    aliases = (("max_tokens", "chunk_size"),)

    def __init__(
        self,
        min_tokens: int = 50,
        max_tokens: int = 500,
        encoding_name: str = "cl100k_base",
        chunk_overlap: int = 0,
        *,
        model_name: str | None = None,
        normalize: Form | None = None,
        chunk_size: int | None = None,
        length_function: Any = None,
        **options: Any,
    ) -> None:
        if chunk_size is not None:
            if "max_tokens" in self._settings and max_tokens != chunk_size:
                msg = f"max_tokens and chunk_size are the same: got {max_tokens} and {chunk_size}."
                raise SettingError(msg)
            max_tokens = chunk_size
        named = "max_tokens" if chunk_size is None else "chunk_size"
        settings.check_size(named, max_tokens, "tokens")
        settings.check_choice("normalize", normalize, (None, "NFC", "NFD", "NFKC", "NFKD"))
        if length_function is None:
            length_function = TiktokenMeasure(encoding_name, model_name)
        super().__init__(max_tokens, chunk_overlap, length_function, **options)
        if "min_tokens" not in self._settings:
            min_tokens = min(min_tokens, max_tokens // 2)
        settings.check_count("min_tokens", min_tokens, max_tokens, self.unit)
        self._least = min_tokens
        self._form: Form | None = normalize
        if normalize is not None:
            self._measure = _NormalMeasure(self._measure, normalize)

    def choose(
        self, packer: Packer, start: int, fresh: int, limit: int, end: int
    ) -> tuple[int, Strength]:
        """Choose the last punctuation of the window; what is left keeps the floor too."""
        scale, cap = packer.scale, packer.limits.size
        origin = scale.mark(start)
        left = scale.mark(end) - origin
        low = max(fresh, scale.place(origin + self._least))
        want = None
        chunks = max(1, math.ceil((left - cap) / cap))
        if left - cap < chunks * self._least:
            # near the end: leave the floor for the rest, and share evenly if two chunks are left
            limit = min(limit, max(scale.place(origin + left - chunks * self._least), fresh + 1))
            want = scale.place(origin + left / 2) if chunks == 1 else None
            low = min(low, limit)
        for strength, places in _PLACES:
            at = _last_place(packer, places, (fresh, low, limit, end), want)
            if at > fresh:
                return at, strength
        at = word_place(packer.text, fresh, min(want or limit, limit), limit) or 0
        if at > fresh:
            return at, Strength.WORD
        return at_the_limit(packer, start, fresh, limit, end)

    def _content(self, source: str, start: int, end: int) -> str:
        text = source[start:end]
        return text if self._form is None else unicodedata.normalize(self._form, text)


def _stops(text: str, start: int, end: int) -> list[int]:
    """List ends of sentences, and of lines unless the text around is wrapped at a column."""
    places = sentence_places(text, start, end)
    # blank lines end sentences already, so only lone newlines are in question
    lines = [
        at
        for at in line_places(text, start, end)
        if not text[max(0, at - 3) : at].endswith(("\n\n", "\n\r\n", "\r\r"))
    ]
    if lines and line_kind(text, max(0, start - _AROUND), end + _AROUND) != "wrapped":
        places = sorted({*places, *lines})
    return places


_PLACES = ((Strength.SENTENCE, _stops), (Strength.CLAUSE, clause_places))


def _last_place(
    packer: Packer, places: Any, window_of: tuple[int, int, int, int], want: int | None
) -> int:
    """Give the last place in ``[low, limit]``, or the one nearest to ``want``; 0 if there is none."""
    fresh, low, limit, end = window_of
    text, window = packer.text, _WINDOW
    reach = min(end, limit + 64)  # white space may lie between the content's end and the place
    while want is None:
        first = max(low - 1, limit - window)
        found = [at for at in places(text, max(first, 0), reach) if at >= low]
        at = last_fitting(text, found, fresh, limit)
        if at or first <= low - 1:
            return at
        window *= 4
    while True:
        first, last = max(low - 1, want - window), min(reach, want + window)
        # one farther than the window may have a nearer one on its other side
        near = [at for at in places(text, max(first, 0), last) if at >= low]
        found = sorted(near, key=lambda at: -abs(at - want))
        at = last_fitting(text, found, fresh, limit)
        if at or (first <= low - 1 and last >= reach):
            return at
        window *= 4


class _NormalMeasure(LengthMeasure):
    """Counts the normal form of a text."""

    def __init__(self, measure: LengthMeasure, form: Form) -> None:
        self.measure, self.form, self.unit = measure, form, measure.unit

    def __call__(self, text: str) -> int:
        return self.measure(unicodedata.normalize(self.form, text))

    def scale(self, text: str) -> Scale:
        scale = self.measure.scale(text)
        if unicodedata.is_normalized(self.form, text) or not isinstance(scale, TokenScale):
            return scale
        return TokenScale(text, scale.ends, self)

    def to_config(self) -> Any:
        return self.measure.to_config()
