"""Text splitters for LangChain: exact offsets, caps that hold, nothing lost, in every script.

Each public name is imported at its first use, so that the package costs what is used of it.
"""

from typing import TYPE_CHECKING, Any

from langchain_chunkers._lazy import on_first_use

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
    from langchain_chunkers.files import load_files
    from langchain_chunkers.huggingface import HuggingFaceMeasure
    from langchain_chunkers.integrations.docling import DoclingLoader, DoclingParser
    from langchain_chunkers.length import CallableMeasure, CharacterMeasure, LengthMeasure
    from langchain_chunkers.llm import Estimate
    from langchain_chunkers.outline import Boundary, Outline, Region, Span, Strength
    from langchain_chunkers.semantic import Candidate, Explanation, WordLlamaEmbeddings
    from langchain_chunkers.strategies.auto import AutoSplitter
    from langchain_chunkers.strategies.boundary_model import BoundaryModelSplitter
    from langchain_chunkers.strategies.code import CodeSplitter
    from langchain_chunkers.strategies.dialogue import DialogueSplitter
    from langchain_chunkers.strategies.docling import DoclingSplitter
    from langchain_chunkers.strategies.fixed_size import FixedSizeSplitter
    from langchain_chunkers.strategies.html import HTMLSplitter
    from langchain_chunkers.strategies.json_ import JSONSplitter
    from langchain_chunkers.strategies.latex import LatexSplitter
    from langchain_chunkers.strategies.legal import LegalSplitter
    from langchain_chunkers.strategies.llm import LLMSplitter
    from langchain_chunkers.strategies.markdown import MarkdownSplitter
    from langchain_chunkers.strategies.null import NullSplitter
    from langchain_chunkers.strategies.paragraph import ParagraphSplitter
    from langchain_chunkers.strategies.pipeline import PipelineSplitter
    from langchain_chunkers.strategies.proposition import PropositionSplitter
    from langchain_chunkers.strategies.recursive import RecursiveSplitter
    from langchain_chunkers.strategies.rst import RSTSplitter
    from langchain_chunkers.strategies.semantic import SemanticSplitter
    from langchain_chunkers.strategies.sentence import SentenceSplitter
    from langchain_chunkers.strategies.table import TableSplitter
    from langchain_chunkers.strategies.token_count import TokenCountSplitter
    from langchain_chunkers.tokens import TiktokenMeasure
    from langchain_chunkers.wrappers import (
        ContextualSplitter,
        HierarchicalSplitter,
        LateChunker,
        ParentChildSplitter,
        SentenceWindowSplitter,
        embedded_text,
        late_chunking,
        with_context,
    )

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
    "files": ("load_files",),
    "huggingface": ("HuggingFaceMeasure",),
    "integrations.docling": (
        "DoclingLoader",
        "DoclingParser",
    ),
    "length": (
        "CallableMeasure",
        "CharacterMeasure",
        "LengthMeasure",
    ),
    "llm": ("Estimate",),
    "outline": (
        "Boundary",
        "Outline",
        "Region",
        "Span",
        "Strength",
    ),
    "semantic": (
        "Candidate",
        "Explanation",
        "WordLlamaEmbeddings",
    ),
    "strategies.auto": ("AutoSplitter",),
    "strategies.boundary_model": ("BoundaryModelSplitter",),
    "strategies.code": ("CodeSplitter",),
    "strategies.dialogue": ("DialogueSplitter",),
    "strategies.docling": ("DoclingSplitter",),
    "strategies.fixed_size": ("FixedSizeSplitter",),
    "strategies.html": ("HTMLSplitter",),
    "strategies.json_": ("JSONSplitter",),
    "strategies.latex": ("LatexSplitter",),
    "strategies.legal": ("LegalSplitter",),
    "strategies.llm": ("LLMSplitter",),
    "strategies.markdown": ("MarkdownSplitter",),
    "strategies.null": ("NullSplitter",),
    "strategies.paragraph": ("ParagraphSplitter",),
    "strategies.pipeline": ("PipelineSplitter",),
    "strategies.proposition": ("PropositionSplitter",),
    "strategies.recursive": ("RecursiveSplitter",),
    "strategies.rst": ("RSTSplitter",),
    "strategies.semantic": ("SemanticSplitter",),
    "strategies.sentence": ("SentenceSplitter",),
    "strategies.table": ("TableSplitter",),
    "strategies.token_count": ("TokenCountSplitter",),
    "tokens": ("TiktokenMeasure",),
    "wrappers": (
        "ContextualSplitter",
        "HierarchicalSplitter",
        "LateChunker",
        "ParentChildSplitter",
        "SentenceWindowSplitter",
        "embedded_text",
        "late_chunking",
        "with_context",
    ),
}

__all__ = [
    "AutoSplitter",
    "BaseSplitter",
    "Boundary",
    "BoundaryModelSplitter",
    "CallableMeasure",
    "Candidate",
    "CharacterMeasure",
    "ChunkerError",
    "CodeSplitter",
    "ContextualSplitter",
    "DialogueSplitter",
    "DoclingLoader",
    "DoclingParser",
    "DoclingSplitter",
    "Estimate",
    "Explanation",
    "FixedSizeSplitter",
    "HTMLSplitter",
    "HierarchicalSplitter",
    "HuggingFaceMeasure",
    "InputError",
    "JSONSplitter",
    "LLMSplitter",
    "LateChunker",
    "LatexSplitter",
    "LegalSplitter",
    "LengthMeasure",
    "MarkdownSplitter",
    "MissingExtraError",
    "ModelError",
    "NullSplitter",
    "Outline",
    "OversizeError",
    "ParagraphSplitter",
    "ParentChildSplitter",
    "PipelineSplitter",
    "PropositionSplitter",
    "RSTSplitter",
    "RecursiveSplitter",
    "Region",
    "SemanticSplitter",
    "SentenceSplitter",
    "SentenceWindowSplitter",
    "SettingError",
    "Span",
    "Strength",
    "TableSplitter",
    "TiktokenMeasure",
    "TokenCountSplitter",
    "WordLlamaEmbeddings",
    "embedded_text",
    "late_chunking",
    "load_files",
    "with_context",
]

_get, _list = on_first_use(__name__, _HOMES)


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for."""
    return _get(name)


def __dir__() -> list[str]:
    """List the public names."""
    return [*_list(), "__version__"]
