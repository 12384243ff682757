"""Whole paragraphs, and sections that begin with a heading."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any, Literal

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.ladder import content_end, line_kind, line_places
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.plain import paragraph_places, read_plain, unglued
from langchain_chunkers.settings import check_choice

__all__ = ["ParagraphSplitter"]

LineBreaks = Literal["auto", "wrapped", "paragraphs", "lines"]
LINE_BREAKS = ("auto", "wrapped", "paragraphs", "lines")


class ParagraphSplitter(BaseSplitter):
    """Packs whole paragraphs up to the cap; a heading starts a new chunk.

    Paragraphs are parted by blank lines, or by newlines in text that has a paragraph on each line.
    A paragraph over the cap falls to sentences, clauses, words and characters.

    Args:
        chunk_size: The cap; ``None`` for one paragraph a chunk.
        chunk_overlap: Units that a chunk may repeat of what came before.
        min_chunk_size: Chunks below this join a neighbour where both fit, over a heading too.
        line_breaks: What a lone newline means: ``"auto"``, ``"wrapped"``, ``"paragraphs"`` or
            ``"lines"``.
        **options: Settings of `BaseSplitter`.

    Guarantees: all of `RecursiveSplitter`.

    Example:
        >>> ParagraphSplitter(chunk_size=40).split_text(
        ...     "# Tea\\n\\nBlack.\\n\\nGreen.\\n\\n# Coffee\\n\\nStrong."
        ... )
        ['# Tea\\n\\nBlack.\\n\\nGreen.', '# Coffee\\n\\nStrong.']
    """

    name = "paragraph"
    plain = True

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        line_breaks: LineBreaks = "auto",
        **options: Any,
    ) -> None:
        check_choice("line_breaks", line_breaks, LINE_BREAKS)
        super().__init__(chunk_size, chunk_overlap, **options)
        self._line_breaks = line_breaks
        always = Strength.PARAGRAPH if chunk_size is None else Strength.SECTION6
        self._limits = dataclasses.replace(self._limits, always=always)

    def read(self, text: str) -> Outline:
        """Read plain text, with the paragraphs that have a line each."""
        outline = read_plain(text, self._line_breaks)
        if self._line_breaks not in ("auto", "paragraphs") or "\n" not in text:
            return outline
        boundaries: list[tuple[int, Strength]] = list(outline.boundaries())
        ats = [at for at, _ in boundaries]
        # beside blank lines, a lone newline is the weaker mark
        said = self._line_breaks == "paragraphs"
        strength = Strength.PARAGRAPH if said or not paragraph_places(text) else Strength.LINE
        behind = {region.start: region.end for region in outline.regions}
        for begin, end in pairwise([0, *ats, len(text)]):
            start = behind.get(begin, begin)  # a heading says nothing of the lines behind it
            content = content_end(text, start, end)
            if text.find("\n", start, content) < 0:
                continue
            if said or line_kind(text, start, content) == "paragraphs":
                lines = unglued(line_places(text, start, content), outline.regions)
                boundaries += [(at, strength) for at in lines]
        return Outline.of(text, boundaries, outline.regions)
