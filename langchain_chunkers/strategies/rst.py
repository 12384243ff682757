"""reStructuredText by its sections and blocks."""

from __future__ import annotations

import dataclasses
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.readers.rst import read_rst

__all__ = ["RSTSplitter"]


class RSTSplitter(BaseSplitter):
    r"""Divides reStructuredText at its sections, and keeps directives, literal blocks and tables whole.

    Knows titles by their adornments, over and under, whose levels follow the order in which they
    appear; directives with all that is indented under them; literal blocks and doctests; grid tables
    and simple ones, whose head is repeated where they are divided by rows; lists by item;
    comments, footnotes, and targets, which stay with the title behind them. Does not resolve
    roles, substitutions or ``include``.

    Chunks have the heading path as ``Header 1``, ``Header 2`` …, and ``language`` in code that says it.

    Args:
        chunk_size: The cap; ``None`` for no cap, then sections alone decide.
        chunk_overlap: Units that a chunk may repeat of what came before.
        split_on_headings: A heading starts a new chunk; ``False`` packs by size alone.
        **options: Settings of `BaseSplitter`. Chunks under ``min_chunk_size`` join a neighbour, over
            a heading too.

    Guarantees: all of `RecursiveSplitter`.

    Cost: linear in the text.

    Example:
        >>> text = "Tea\n===\n\nHot.\n\nBlack\n-----\n\nStrong.\n"
        >>> for chunk in RSTSplitter().create_documents([text]):
        ...     print(repr(chunk.page_content), chunk.metadata)
        'Tea\n===\n\nHot.' {'Header 1': 'Tea'}
        'Black\n-----\n\nStrong.' {'Header 1': 'Tea', 'Header 2': 'Black'}
    """

    name = "rst"
    trims = "lines"

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        split_on_headings: bool = True,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, **options)
        if split_on_headings:
            self._limits = dataclasses.replace(self._limits, always=Strength.SECTION6)

    def read(self, text: str) -> Outline:
        """Read reStructuredText, valid or broken."""
        return read_rst(text)
