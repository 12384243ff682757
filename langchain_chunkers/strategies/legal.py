"""Numbered documents, by their parts and clauses."""

from __future__ import annotations

import dataclasses
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.readers.legal import read_legal

__all__ = ["LegalSplitter"]


class LegalSplitter(BaseSplitter):
    r"""Divides contracts, laws, standards and manuals at their parts and clauses.

    Knows named parts (``Article 5``, ``Section 2.1``, ``Schedule 2``, ``§ 3``, ``第三条``, ``제3조``, and those of
    German, French, Spanish, Italian, Portuguese and Russian), numbers (``1.``, ``1.1``), letters and
    roman numbers (``(a)``, ``(iv)``, ``B.``), headings in capitals or underlined, recitals and
    definitions. References in running text, tables of contents and page numbers begin no part.

    Chunks have the heading path as ``Header 1``, ``Header 2`` …, and ``clause``, such as
    ``"5.2(a)"``: the number of the clause in which the chunk starts.

    Args:
        chunk_size: The cap; ``None`` for no cap, then headings alone decide.
        chunk_overlap: Units that a chunk may repeat of what came before.
        split_on_headings: A part that has a heading line of its own starts a new chunk. Numbered
            clauses without one are packed by size. ``False`` packs all by size.
        **options: Settings of `BaseSplitter`. Chunks under ``min_chunk_size`` join a neighbour, over
            a heading too.

    Guarantees: all of `RecursiveSplitter`.

    Cost: linear in the text.

    Example:
        >>> text = "1. Term\n\n1.1 It lasts:\n(a) a year; or\n(b) until 2.1 holds.\n\n2. Law\n\n2.1 It is mine.\n"
        >>> for chunk in LegalSplitter(26).create_documents([text]):
        ...     print(repr(chunk.page_content), chunk.metadata)
        '1. Term\n\n1.1 It lasts:' {'Header 1': '1. Term', 'clause': '1'}
        '(a) a year; or' {'Header 1': '1. Term', 'clause': '1.1(a)'}
        '(b) until 2.1 holds.' {'Header 1': '1. Term', 'clause': '1.1(b)'}
        '2. Law\n\n2.1 It is mine.' {'Header 1': '2. Law', 'clause': '2'}
    """

    name = "legal"

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
        """Read a numbered document."""
        return read_legal(text)
