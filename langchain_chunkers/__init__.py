"""Text splitters for LangChain: exact offsets, caps that hold, nothing lost, in every script.

Each public name is imported at its first use, so that the package costs what is used of it.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langchain_chunkers.base import BaseSplitter
    from langchain_chunkers.errors import (
        ChunkerError,
        InputError,
        MissingExtraError,
        ModelError,
        OversizeError,
        SettingError,
    )
    from langchain_chunkers.length import CallableMeasure, CharacterMeasure, LengthMeasure
    from langchain_chunkers.outline import (
        Boundary,
        Outline,
        Region,
        Span,
        Strength,
    )
    from langchain_chunkers.strategies.fixed_size import FixedSizeSplitter
    from langchain_chunkers.strategies.null import NullSplitter
    from langchain_chunkers.strategies.paragraph import ParagraphSplitter
    from langchain_chunkers.strategies.pipeline import PipelineSplitter
    from langchain_chunkers.strategies.recursive import RecursiveSplitter
    from langchain_chunkers.strategies.sentence import SentenceSplitter
    from langchain_chunkers.strategies.token_count import TokenCountSplitter
    from langchain_chunkers.tokens import HuggingFaceMeasure, TiktokenMeasure

__version__ = "0.1.0"

_HOMES = {
    "base": ("BaseSplitter",),
    "errors": (
        "ChunkerError",
        "InputError",
        "MissingExtraError",
        "ModelError",
        "OversizeError",
        "SettingError",
    ),
    "length": (
        "CallableMeasure",
        "CharacterMeasure",
        "LengthMeasure",
    ),
    "outline": (
        "Boundary",
        "Outline",
        "Region",
        "Span",
        "Strength",
    ),
    "strategies.fixed_size": ("FixedSizeSplitter",),
    "strategies.null": ("NullSplitter",),
    "strategies.paragraph": ("ParagraphSplitter",),
    "strategies.pipeline": ("PipelineSplitter",),
    "strategies.recursive": ("RecursiveSplitter",),
    "strategies.sentence": ("SentenceSplitter",),
    "strategies.token_count": ("TokenCountSplitter",),
    "tokens": (
        "HuggingFaceMeasure",
        "TiktokenMeasure",
    ),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "BaseSplitter",
    "Boundary",
    "CallableMeasure",
    "CharacterMeasure",
    "ChunkerError",
    "FixedSizeSplitter",
    "HuggingFaceMeasure",
    "InputError",
    "LengthMeasure",
    "MissingExtraError",
    "ModelError",
    "NullSplitter",
    "Outline",
    "OversizeError",
    "ParagraphSplitter",
    "PipelineSplitter",
    "RecursiveSplitter",
    "Region",
    "SentenceSplitter",
    "SettingError",
    "Span",
    "Strength",
    "TiktokenMeasure",
    "TokenCountSplitter",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for."""
    home = _HOME_OF.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted([*__all__, "__version__"])
