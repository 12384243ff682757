"""The errors of the package.

One root, few leaves; each leaf is also the builtin that callers already catch::

    ChunkerError(Exception)
    ├── SettingError(ChunkerError, ValueError)       a setting that cannot be used, raised when a splitter is made
    ├── InputError(ChunkerError, TypeError, ValueError)  what was given is no text, no document, no tokenizer
    ├── OversizeError(ChunkerError, ValueError)      one character larger than the cap, with on_oversize="raise"
    ├── MissingExtraError(ChunkerError, ImportError) an optional package, with the line that installs it
    └── ModelError(ChunkerError, RuntimeError)       an answer of a model that cannot be used; it carries the answer

No text raises, unless the caller asked for it (``on_oversize="raise"``, ``disallowed_special="all"``).
"""

from __future__ import annotations

__all__ = [
    "ChunkerError",
    "InputError",
    "MissingExtraError",
    "ModelError",
    "OversizeError",
    "SettingError",
]


class ChunkerError(Exception):
    """The root of all errors of this package."""


class SettingError(ChunkerError, ValueError):
    """A setting cannot be used. Raised when the splitter is made, never for a text."""


class InputError(ChunkerError, TypeError, ValueError):
    """What was given cannot be split or measured: no text, no tokenizer, too few metadatas.

    Also a ``ValueError``, since LangChain raises that for a wrong tokenizer.
    """


class OversizeError(ChunkerError, ValueError):
    """One grapheme cluster is larger than the cap, and ``on_oversize="raise"`` was asked for."""


class MissingExtraError(ChunkerError, ImportError):
    """An optional package is not installed. The message has the line that installs it."""


class ModelError(ChunkerError, RuntimeError):
    """The answer of an embedding model or LLM cannot be used.

    Args:
        message: What was wrong, and what to do.
        answer: The answer as it came.
    """

    def __init__(self, message: str, answer: object = None) -> None:
        super().__init__(message)
        self.answer = answer

    def __reduce__(self) -> tuple[type[ModelError], tuple[str, object]]:
        """Carry the answer through pickling, as a process pool needs."""
        return type(self), (str(self), self.answer)
