"""No division: the text as it is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.packing import Chunk

__all__ = ["NullSplitter"]


class NullSplitter(BaseSplitter):
    """Gives each text as one chunk, unchanged, its metadata kept.

    Where a pipeline wants a splitter and the documents are whole already. White space at the edges
    stays; a text of nothing but white space gives no chunk, since no index takes one
    (``strip_whitespace=False`` keeps that too).

    Args:
        **options: Settings of `BaseSplitter`, but no sizes.

    Raises:
        SettingError: ``chunk_size`` or ``chunk_overlap`` was given.

    Example:
        >>> NullSplitter().split_text("  One text, whatever its length.\\n")
        ['  One text, whatever its length.\\n']
    """

    name = "null"

    def __init__(self, chunk_size: int | None = None, **options: Any) -> None:
        if chunk_size is not None or options.get("chunk_overlap") or options.get("min_chunk_size"):
            msg = (
                "NullSplitter never divides: it takes no chunk_size, chunk_overlap or "
                "min_chunk_size. For chunks of a size, use RecursiveSplitter."
            )
            raise SettingError(msg)
        super().__init__(chunk_size=None, **options)

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        text = outline.text
        if text and (self._limits.trim == "none" or not text.isspace()):
            yield Chunk(0, len(text), 0, Strength.DOCUMENT)
