"""The length measure of Hugging Face tokenizers."""

from __future__ import annotations

import re
from array import array
from typing import Any

from langchain_chunkers._extras import need
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.length import EstimatedScale, LengthMeasure, Scale
from langchain_chunkers.token_scale import TokenScale, pieces_of

__all__ = ["HuggingFaceMeasure"]

_SURROGATE = re.compile("[\ud800-\udfff]")


class HuggingFaceMeasure(LengthMeasure):
    """Counts tokens of a Hugging Face tokenizer.

    Counts are those of the bare text, as ``len(tokenizer.tokenize(text))``: truncation and padding
    that a ``tokenizer.json`` bakes in are left out (by a private copy; the tokenizer given is not
    touched).

    Args:
        tokenizer: A ``tokenizers.Tokenizer``, or a ``transformers.PreTrainedTokenizerBase``. Slow
            ones (written in Python) have no offsets; they count only, at the speed they have.
        reserve_special_tokens: Count also the special tokens that the model's input gets, such as
            ``[CLS]`` and ``[SEP]``, so that a chunk at the cap still fits the model.

    Raises:
        InputError: It is no tokenizer.
    """

    def __init__(self, tokenizer: Any, *, reserve_special_tokens: bool = False) -> None:
        self._by_name = bool(getattr(tokenizer, "name_or_path", ""))
        self._name = str(getattr(tokenizer, "name_or_path", "") or type(tokenizer).__name__)
        self._reserve_special_tokens = reserve_special_tokens
        self._slow: Any = None
        backend = getattr(tokenizer, "backend_tokenizer", None) or tokenizer
        if hasattr(backend, "encode_batch") and hasattr(backend, "to_str"):
            self._backend = backend
            reserve = backend.num_special_tokens_to_add(False)
        elif hasattr(tokenizer, "tokenize"):
            self._slow, self._backend = tokenizer, None
            reserve = tokenizer.num_special_tokens_to_add(False)
        else:
            msg = (
                "tokenizer must be a transformers.PreTrainedTokenizerBase or a tokenizers.Tokenizer: "
                f"got {type(tokenizer).__name__}."
            )
            raise InputError(msg)
        self._reserved = int(reserve) if reserve_special_tokens else 0
        self.unit = f"tokens ({self._name})"

    def __call__(self, text: str) -> int:
        """Count the tokens of ``text``."""
        if self._slow is not None:
            return len(self._slow.tokenize(_encodable(text))) + self._reserved
        # encode would hold the interpreter's lock, encode_batch does not
        encoded = self._bare().encode_batch([_encodable(text)], add_special_tokens=False)
        return len(encoded[0]) + self._reserved

    def scale(self, text: str) -> Scale:
        """Encode ``text`` once, and note where each token ends."""
        if self._slow is not None:
            return EstimatedScale(text, self, 4000)
        import numpy as np

        clean = _encodable(text)
        pieces, _ = pieces_of(clean, seamed=False)
        ends, start = [np.zeros(0, np.int64)], 0
        for batch in range(0, len(pieces), 8):  # bounded: the encodings of 8 pieces at a time
            group = pieces[batch : batch + 8]
            for piece, encoded in zip(
                group, self._bare().encode_batch(group, add_special_tokens=False), strict=True
            ):
                offsets = np.array(encoded.offsets, np.int64).reshape(-1, 2)
                ends.append(np.maximum.accumulate(offsets[:, 1]) + start)
                start += len(piece)
        result = array("q")
        result.frombytes(np.concatenate(ends).tobytes())
        return TokenScale(text, result, self)

    def _bare(self) -> Any:
        """Give the tokenizer with truncation and padding off: a private copy, if they are on.

        Asked each time, since transformers switches them on in the tokenizer it shares.
        """
        backend = self._backend
        if backend.truncation is not None or backend.padding is not None:
            module = need("tokenizers", "huggingface", "A Hugging Face tokenizer")
            backend = module.Tokenizer.from_str(backend.to_str())
            backend.no_truncation()
            backend.no_padding()
            self._backend = backend
        return backend

    def to_config(self) -> dict[str, Any]:
        """Name the tokenizer by its folder or name, as ``AutoTokenizer`` loads it.

        Raises:
            SettingError: The tokenizer was not loaded by a name.
        """
        if not self._by_name:
            msg = (
                f"length_function: a {self._name} that was not loaded by name cannot be written into "
                f"a configuration. Load it by AutoTokenizer.from_pretrained(folder or name)."
            )
            raise SettingError(msg)
        return {
            "huggingface": self._name,
            "reserve_special_tokens": self._reserve_special_tokens,
        }

    def __deepcopy__(self, memo: object) -> HuggingFaceMeasure:
        """Share the tokenizer: nothing here changes it."""
        return self

    def __repr__(self) -> str:
        """Name the tokenizer."""
        return f"HuggingFaceMeasure({self._name!r})"


def _encodable(text: str) -> str:
    """Put U+FFFD for lone surrogates, one for one, for counting only: UTF-8 has no bytes for them."""
    return _SURROGATE.sub("\ufffd", text)
