"""A tokenizer with the ids of tiktoken's, several times as fast: optional (the extra ``fast``).

``toktok-rs`` carries the tokens of the encodings below and needs nothing else. It is used where it is
installed and gives the ids that tiktoken gives for a hostile probe, when an encoding is loaded; else
tiktoken does the work, and a warning in the log says why. Set ``LANGCHAIN_CHUNKERS_FAST_TOKENS=0`` to
leave it unused.

Rejected: quicktok (as exact, slower, its tokens in files), bpe-openai and rs-bpe (half as fast, and they hold
the interpreter's lock), riptoken and tokie (other ids for some text).
"""

from __future__ import annotations

import logging
import os
from collections.abc import Sequence
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import tiktoken

__all__ = ["ENCODINGS", "SWITCH", "FastTokens", "fast_tokens"]

ENCODINGS = frozenset(("cl100k_base", "o200k_base", "o200k_harmony"))
SWITCH = "LANGCHAIN_CHUNKERS_FAST_TOKENS"  # the environment variable; "0" means no

_log = logging.getLogger(__name__)

# What tokenizers differ in: contractions, digits, runs, white space at either end, scripts, marks,
# characters of several tokens, specials as text, NUL.
_PROBE = (
    " \n\nDon't WE'LL they're I'd 'tis 12345.678 x_1==y /* */ https://a.b/c?d=e&f#g \t\r\n\r\n   end  "
    "naïve Straße ñandú Ǆǅ İſK e\u0301o\u0308\u0301 ½²Ⅷ ªº ﬁ \u00a0\u3000\u200b\u2028\x85\ufeff\ufffd\x00"
    "价格上涨了，库存不足。名前はまだ無い。 한국어 문장. Съешь ещё ภาษาไทย हिन्दी العربية עברית მხედრული "
    "🙂 👨\u200d👩\u200d👧 🇵🇹👍🏽 𝒳𐍈 \U000e0041 <|endoftext|><|im_start|><|fim_prefix|>"
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa================--------________\n\n\n\n\n\n\n\n!?!?...  \n \n x"
    "                                        \t\t\t\t\t\t\t\t"
)


class FastTokens:
    """Encodes and counts ordinary text, with the ids of a tiktoken encoding.

    Args:
        encoding: The encoding; lone surrogates, which have no UTF-8, are left to it.
        native: The same encoding of ``toktok-rs``.
    """

    def __init__(self, encoding: tiktoken.Encoding, native: Any) -> None:
        self._encoding, self._native = encoding, native

    def count(self, text: str) -> int:
        """Count the tokens of ``text``."""
        try:
            return int(self._native.count(text))
        except UnicodeEncodeError:
            return len(self._encoding.encode_ordinary(text))

    def encode(self, text: str) -> np.ndarray[Any, Any]:
        """Give the ids of ``text``, as 32-bit numbers."""
        import numpy as np

        try:
            return self.encode_all([text])
        except UnicodeEncodeError:
            return np.array(self._encoding.encode_ordinary(text), np.uint32)

    def encode_all(self, pieces: Sequence[str]) -> np.ndarray[Any, Any]:
        """Give the ids of pieces that have UTF-8, one behind the other; in its own threads."""
        ids: np.ndarray[Any, Any] = self._native.encode_batch_to_numpy(pieces, 0)[0]
        return ids


def fast_tokens(encoding: tiktoken.Encoding) -> FastTokens | None:
    """Give the fast tokenizer of an encoding, or ``None`` where tiktoken must do.

    Args:
        encoding: An encoding that tiktoken knows by its name.

    Guarantees: the ids of the probe are tiktoken's; tests compare far more.

    Cost: some 0.2 s for each encoding once a process, for its tables; the probe takes 1 ms.

    Example:
        >>> import tiktoken
        >>> fast = fast_tokens(tiktoken.get_encoding("cl100k_base"))
        >>> fast is None or fast.count("It costs 3.50 euros.") == 8
        True
    """
    if encoding.name not in ENCODINGS or os.environ.get(SWITCH) == "0":
        return None
    return _loaded(encoding)


@lru_cache(maxsize=8)
def _loaded(encoding: tiktoken.Encoding) -> FastTokens | None:
    """Load and verify once a process, so that what is wrong is logged once."""
    try:
        toktok = import_module("toktok")
    except ImportError:
        return None
    try:
        found = FastTokens(encoding, toktok._encoding(encoding.name))
        ids = encoding.encode_ordinary(_PROBE)
        if found.encode(_PROBE).tolist() == ids and found.count(_PROBE) == len(ids):
            return found
        reason = "its ids are not those of tiktoken"
    except Exception as error:  # noqa: BLE001  # another version of it may lack or rename anything
        reason = f"{type(error).__name__}: {error}"
    _log.warning(
        "toktok-rs cannot be used for %s (%s); tiktoken %s does its work, more slowly.",
        encoding.name,
        reason,
        import_module("tiktoken").__version__,
    )
    return None
