"""Wrappers: take a splitter, give a splitter that says more of its chunks."""

from langchain_chunkers.wrappers.context import ContextualSplitter, embedded_text, with_context
from langchain_chunkers.wrappers.late import LateChunker, late_chunking

__all__ = ["ContextualSplitter", "LateChunker", "embedded_text", "late_chunking", "with_context"]
