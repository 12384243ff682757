"""The chunks of one splitter over all documents, and what can be said of them without a question."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from langchain_core.documents import Document

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.evaluation.spans import Pair
from langchain_chunkers.plain import fences

__all__ = ["Chunked", "Sizes", "blocks_of", "chunk", "heading_only"]

_HEADING = re.compile(r"\s*(?:#{1,6}[ \t][^\n]*|[^\n]+\n(?:=+|-{3,}))\s*\Z")
_BLANK = re.compile(r"\n[ \t]*\n\s*")


@dataclass(frozen=True)
class Sizes:
    """The sizes of chunks, in the unit of the comparison.

    Attributes:
        mean: Mean.
        p5: 5 of 100 chunks are no larger.
        p95: 95 of 100 chunks are no larger.
        least: The smallest.
        most: The largest.
    """

    mean: float = 0.0
    p5: float = 0.0
    p95: float = 0.0
    least: int = 0
    most: int = 0

    @classmethod
    def of(cls, sizes: Sequence[int]) -> Sizes:
        """Describe some sizes; zeros for none."""
        if not sizes:
            return cls()
        p5, p95 = np.quantile(sizes, [0.05, 0.95])
        return cls(float(np.mean(sizes)), float(p5), float(p95), min(sizes), max(sizes))


@dataclass
class Chunked:
    """What a splitter made of the documents.

    Attributes:
        name: Name of the splitter.
        documents: The chunks.
        sources: Name of the document of each chunk.
        spans: Place of each chunk in its document; ``None`` where it has none there.
        sizes: Size of each chunk, in the unit of the comparison.
        seconds: What splitting took.
        inside: Numbers of the chunks of each document.
        splitter: The splitter.
    """

    name: str
    documents: list[Document]
    sources: list[str]
    spans: list[Pair | None]
    sizes: list[int]
    seconds: float
    inside: dict[str, list[int]] = field(default_factory=dict)
    splitter: Any = None

    def spans_of(self, source: str) -> list[Pair]:
        """Give the places of the chunks of one document."""
        return [span for n in self.inside.get(source, ()) if (span := self.spans[n]) is not None]


def chunk(
    name: str, splitter: Any, texts: Mapping[str, Document], count: Callable[[str], int]
) -> Chunked:
    """Split all documents with one splitter, and find out where each chunk stands.

    Args:
        name: Name of the splitter.
        splitter: One of this package, or any `TextSplitter`.
        texts: The documents by name.
        count: Counts the size of a chunk.
    """
    settings = {"add_start_index": True} if isinstance(splitter, BaseSplitter) else {}
    made: list[tuple[str, list[Document]]] = []
    started = time.perf_counter()
    for source, document in texts.items():
        made.append((source, splitter.split_documents([document], **settings)))
    seconds = time.perf_counter() - started
    result = Chunked(name, [], [], [], [], seconds, splitter=splitter)
    for source, chunks in made:
        text, behind = texts[source].page_content, 0
        result.inside[source] = list(
            range(len(result.documents), len(result.documents) + len(chunks))
        )
        for one in chunks:
            span = _place(one, text, behind)
            behind = behind if span is None else span[0] + 1
            result.documents.append(one)
            result.sources.append(source)
            result.spans.append(span)
            result.sizes.append(count(one.page_content))
    return result


def _place(one: Document, text: str, behind: int) -> Pair | None:
    """Find where a chunk stands in its document: by its offsets where they are right, else its text."""
    content, start = one.page_content, one.metadata.get("start_index")
    end = one.metadata.get("end_index")
    if isinstance(start, int) and start >= 0:
        # what is repeated around a chunk has no place: the slice is what counts
        if isinstance(end, int) and text[start:end] and text[start:end] in content:
            return start, end
        if text.startswith(content, start):
            return start, start + len(content)
    at = text.find(content, behind)
    at = text.find(content) if at < 0 else at
    if at >= 0 and content:
        return at, at + len(content)
    source_start, source_end = one.metadata.get("source_start"), one.metadata.get("source_end")
    if isinstance(source_start, int) and isinstance(source_end, int):
        return source_start, source_end  # HTML read as text says where it stands in the HTML
    return None


def heading_only(text: str) -> bool:
    """Say whether a chunk is one Markdown heading and nothing else.

    Example:
        >>> heading_only("## Pumps"), heading_only("## Pumps\\n\\nThey leak.")
        (True, False)
    """
    return _HEADING.match(text) is not None


def blocks_of(text: str) -> list[Pair]:
    """List the blocks that should not be cut: code fences, tables, paragraphs between blank lines.

    Example:
        >>> text = "One.\\n\\n```\\na\\n\\nb\\n```\\n\\n| a |\\n|---|\\n| 1 |"
        >>> [text[start:end].split("\\n")[0] for start, end in blocks_of(text)]
        ['One.', '```', '| a |']
    """
    found, is_open = fences(text)
    closed = found[:-1] if is_open else found
    blocks = list(closed)
    start = 0
    for end, after in [*(found.span() for found in _BLANK.finditer(text)), (len(text),) * 2]:
        inner = text[start:end]
        first = start + len(inner) - len(inner.lstrip())
        if first < end and not any(a < end and first < b for a, b in closed):
            blocks.append((first, start + len(inner.rstrip())))
        start = after
    return sorted(blocks)
