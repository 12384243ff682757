"""Wrappers: take a splitter, give a splitter that says more of its chunks."""

from langchain_chunkers.wrappers.context import ContextualSplitter, embedded_text, with_context
from langchain_chunkers.wrappers.late import LateChunker, late_chunking
from langchain_chunkers.wrappers.parents import HierarchicalSplitter, ParentChildSplitter
from langchain_chunkers.wrappers.window import SentenceWindowSplitter

__all__ = [
    "ContextualSplitter",
    "HierarchicalSplitter",
    "LateChunker",
    "ParentChildSplitter",
    "SentenceWindowSplitter",
    "embedded_text",
    "late_chunking",
    "with_context",
]
