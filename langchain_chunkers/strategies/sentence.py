"""Whole sentences, in many languages."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.ladder import line_kind, line_places, sentence_places
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.plain import paragraph_places, read_plain, unglued

__all__ = ["SentenceSplitter"]


class SentenceSplitter(BaseSplitter):
    """Packs whole sentences up to the cap.

    Languages are not asked for and may be mixed in one text. A sentence over the cap falls to
    clauses, words and characters. Overlap is of whole sentences: none where the last sentence is
    longer than ``chunk_overlap``. A heading goes with the sentence that follows it.

    Args:
        chunk_size: The cap; ``None`` for one sentence a chunk; a heading goes with the first one below it.
        chunk_overlap: Units that a chunk may repeat, in whole sentences.
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless, capped, whole characters, filled, stable, bounded.

    Cost: linear; 10 to 30 MB/s, which is that of finding sentences.

    Example:
        >>> splitter = SentenceSplitter(chunk_size=40)
        >>> splitter.split_text("Dr. Rao met Mr. Silva at noon. They talked. 他们走了。她留下了。")
        ['Dr. Rao met Mr. Silva at noon.', 'They talked. 他们走了。她留下了。']
    """

    name = "sentence"
    plain = True

    def __init__(
        self, chunk_size: int | None = 500, chunk_overlap: int = 0, **options: Any
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, **options)
        self._limits = dataclasses.replace(
            self._limits,
            overlap_from=Strength.SENTENCE,
            always=Strength.SENTENCE if chunk_size is None else self._limits.always,
        )

    def read(self, text: str) -> Outline:
        """List the places at which sentences begin; a finished line or paragraph ends one too."""
        places = set(sentence_places(text, 0, len(text)))
        edges = [0, *paragraph_places(text), len(text)]
        places.update(edges[1:-1])
        for start, end in pairwise(edges):
            if text.find("\n", start, end - 1) >= 0:
                content = start + len(text[start:end].rstrip())
                if line_kind(text, start, content) != "wrapped":
                    places.update(line_places(text, start, content))
        glued = [region for region in read_plain(text).regions if region.kind == "heading"]
        ats = unglued(sorted(places), glued)
        return Outline(text, {Strength.SENTENCE: ats} if ats else {}, glued)
