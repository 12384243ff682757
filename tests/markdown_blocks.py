"""An independent judge: which blocks of Markdown were cut though they would have fitted.

It asks markdown-it-py, which shares nothing with the reader under test, for the lines of each
fence, table and list item, and looks whether an edge of a chunk lies inside.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from markdown_it import MarkdownIt

_KINDS = {"fence": "fence", "table_open": "table", "list_item_open": "item"}


class Whole(NamedTuple):
    """A block that should stay whole where it fits; ``start`` before headings that lead into it."""

    kind: str
    start: int
    end: int
    lead: int


def whole_blocks(text: str) -> Iterator[Whole]:
    """List fences, tables and list items, with the headings right above them."""
    lines = text.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    headings: dict[int, int] = {}  # behind the heading (blank lines too) -> its start
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.map is None:
            continue
        first, last = token.map
        if token.type == "heading_open":
            behind = last
            while behind < len(lines) and not lines[behind].strip():
                behind += 1
            headings[behind] = headings.get(first, first)
        kind = _KINDS.get(token.type)
        if kind is not None:
            end = starts[first] + len(text[starts[first] : starts[last]].rstrip())
            lead = starts[headings.get(first, first)]
            yield Whole(kind, starts[first], end, lead)


def cut_without_need(splitter: Any, text: str, measure: Callable[[str], int]) -> list[Whole]:
    """List the blocks that were cut though they, and what is glued before them, fit.

    Args:
        splitter: Anything with ``split_spans``, or a list of edges.
        text: Markdown, with ``\\n`` for line ends.
        measure: Counts what the cap counts.
    """
    edges = [span.fresh for span in splitter.split_spans(text)]
    size = splitter._chunk_size
    cut = []
    for block in whole_blocks(text):
        index = bisect_right(edges, block.start)
        while index < len(edges) and not text[block.start : edges[index]].strip():
            index += 1
        inside = index < len(edges) and edges[index] < block.end
        if inside and measure(text[block.lead : block.end]) <= size:
            cut.append(block)
    return cut
