"""Tables in HTML, by way of what `langchain_chunkers.readers.html` makes of them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.table_cells import PIPE
from langchain_chunkers.readers.table_find import Header, Table, make_table
from langchain_chunkers.readers.table_output import Notes, Segment, TableOptions

__all__ = ["html_source", "html_table"]

_ROW_TAG = re.compile(r"<(?:tr|tbody|tfoot)[\s>]", re.IGNORECASE)
_ROW = re.compile(r"<tr[\s>]", re.IGNORECASE)
_CELL = re.compile(r"<t[dh](?:\s[^<>]*+)?+>([^<]*+)", re.IGNORECASE)


def html_table(text: str, region: Region, header: Header) -> Table:
    """Make the table of a region of clean text: lines with bars.

    Args:
        text: The clean text.
        region: Where the table stands; its prefix is the header.
        header: ``"auto"`` for what ``<th>`` and ``<thead>`` say, else how many rows the header has.
    """
    stop = text.find("\n\n", region.start, region.end)
    stop = stop if stop >= 0 else region.end
    starts, at = [], region.start
    while at < stop:
        starts.append(at)
        newline = text.find("\n", at, stop)
        at = newline + 1 if newline >= 0 else stop
    marked = region.prefix.count("\n") - 1 if text.startswith(region.prefix, region.start) else 0
    if 0 < marked < len(starts):
        del starts[marked]  # the delimiter row belongs to the row before it
        return make_table(text, starts, stop, PIPE, header, marked)
    return make_table(text, starts, stop, PIPE, header)


def html_source(outline: Outline, options: TableOptions) -> Outline:
    """Note the rows of tables in the outline of HTML itself, and where it always divides."""
    text, every = outline.text, options.rows_per_chunk
    ats = [at for at, strength in outline.boundaries() if strength < Strength.BLOCK]
    always: list[tuple[int, Strength]] = []
    segments = [Segment(0)]
    regions: list[Region] = []
    number = 0
    for region in outline.regions:
        if region.suffix == "</table>":
            number += 1
            head = region.start + len(region.prefix)
            inner = ats[bisect_right(ats, region.start) : bisect_left(ats, region.end)]
            rows = [region.start, *(at for at in inner if at > head and _ROW_TAG.match(text, at))]
            names = tuple(
                " ".join(name.split()) for name in _CELL.findall(_ROW.split(region.prefix)[-1])
            )
            table = Table(region.start, region.end, rows, head, names, "html")
            count = range(len(rows))
            segments.append(
                Segment(region.start, 0, number, rows, count, names, table, ", ".join(names))
            )
            segments.append(Segment(region.end))
            if every:
                always += [(at, Strength.BLOCK) for at in [region.start, *rows[every::every]]]
                always.append((region.end, Strength.BLOCK))
            bare = options.header != "auto" and not options.header
            regions.append(region._replace(prefix="<table>") if bare else region)
        else:
            regions.append(region)
    boundaries = [*outline.boundaries(), *always]
    return Outline.of(text, boundaries, regions, Notes(segments, number))
