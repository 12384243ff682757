"""LaTeX by its sections and environments."""

from __future__ import annotations

import dataclasses
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.readers.latex import read_latex

__all__ = ["LatexSplitter"]


class LatexSplitter(BaseSplitter):
    r"""Divides LaTeX at its sections, and keeps environments whole where they fit.

    Knows ``\part`` to ``\subparagraph``, starred or not; verbatim text and listings, in which nothing
    is a command; tables, whose head is repeated where they are divided by rows; display math, lists by
    ``\item``, floats, theorems and any other environment; comments. What stands before
    ``\begin{document}`` is a part of its own. Does not expand macros or read ``\input`` files.

    Chunks have the heading path as ``Header 1``, ``Header 2`` …, where the highest command that
    the text uses is ``Header 1``, and ``language`` in listings that say it.

    Args:
        chunk_size: The cap; ``None`` for no cap, then sections alone decide.
        chunk_overlap: Units that a chunk may repeat of what came before.
        split_on_headings: A heading starts a new chunk; ``False`` packs by size alone.
        **options: Settings of `BaseSplitter`. Chunks under ``min_chunk_size`` join a neighbour, over
            a heading too.

    Guarantees: all of `RecursiveSplitter`.

    Cost: linear in the text.

    Example:
        >>> text = "\\section{Tea}\nHot.\n\\subsection{Black}\nStrong.\n"
        >>> for chunk in LatexSplitter().create_documents([text]):
        ...     print(repr(chunk.page_content), chunk.metadata)
        '\\section{Tea}\nHot.' {'Header 1': 'Tea'}
        '\\subsection{Black}\nStrong.' {'Header 1': 'Tea', 'Header 2': 'Black'}
    """

    name = "latex"
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
        """Read LaTeX, valid or broken."""
        return read_latex(text)
