"""Text splitters for LangChain: exact offsets, caps that hold, nothing lost, in every script."""

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
from langchain_chunkers.outline import Boundary, Outline, Region, Span, Strength
from langchain_chunkers.strategies.fixed_size import FixedSizeSplitter
from langchain_chunkers.strategies.null import NullSplitter
from langchain_chunkers.strategies.paragraph import ParagraphSplitter
from langchain_chunkers.strategies.pipeline import PipelineSplitter
from langchain_chunkers.strategies.recursive import RecursiveSplitter
from langchain_chunkers.strategies.sentence import SentenceSplitter
from langchain_chunkers.strategies.token_count import TokenCountSplitter
from langchain_chunkers.tokens import HuggingFaceMeasure, TiktokenMeasure

__version__ = "0.1.0"

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
