"""The reader of tables: CSV, Markdown's pipe tables, tables in HTML, and the prose around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.plain import read_plain
from langchain_chunkers.readers.html import HTMLOptions, read_html
from langchain_chunkers.readers.table_cells import find_delimiter
from langchain_chunkers.readers.table_find import Table, csv_table, pipe_tables
from langchain_chunkers.readers.table_markup import html_source, html_table
from langchain_chunkers.readers.table_output import ROW, Notes, Output, Segment, TableOptions

__all__ = ["format_of", "read_table"]

_TABLE_TAG = re.compile(r"<table[\s>]", re.IGNORECASE)
_BLANK = re.compile(r"\s*")


def format_of(text: str) -> str:
    """Find out in which format tables are: ``"csv"``, ``"markdown"``, ``"html"``; ``""`` for none.

    Example:
        >>> format_of("a,b\\n1,2\\n"), format_of("| a |\\n|---|\\n| 1 |\\n"), format_of("Tea, hot.")
        ('csv', 'markdown', '')
    """
    has_html = _TABLE_TAG.search(text) is not None
    if has_html and text.lstrip("\ufeff \t\r\n").startswith("<"):
        return "html"
    delimiter = find_delimiter(text)
    if delimiter and delimiter != "|":
        return "csv"
    if pipe_tables(text, "auto"):
        return "markdown"
    return "html" if has_html else "csv" if delimiter else ""


def read_table(text: str, options: TableOptions | None = None) -> Outline:
    """Read tables, and the prose around them.

    Args:
        text: Any string.
        options: How to read it.

    Returns:
        The outline of the text, or of the text that ``render`` makes of it. BLOCK around tables,
        PARAGRAPH between rows, LINE between the values of a row written one below another. A text
        without a table is read as prose.

    Cost: linear.

    Example:
        >>> outline = read_table("a,b\\n1,2\\n3,4\\n")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()], outline.regions[0].prefix
        ([(8, 'PARAGRAPH')], 'a,b\\n')
        >>> read_table("a,b\\n1,2\\n", TableOptions(render="records")).text
        'a: 1\\nb: 2\\n\\n'
    """
    options = options or TableOptions()
    kind = format_of(text) if options.format == "auto" else options.format
    if options.delimiter is not None and options.format == "auto":
        kind = "csv"
    if kind == "html":
        return _read_html(text, options)
    tables: Sequence[Table] = ()
    if kind == "csv":
        delimiter = options.delimiter or find_delimiter(text, sure=False)
        found = csv_table(text, delimiter, options.header)
        tables = [found] if found else ()
    elif kind == "markdown":
        tables = pipe_tables(text, options.header)
    if not tables:
        return read_plain(text)
    if options.render == "source":
        return _laid(text, tables, options.rows_per_chunk)
    return _rendered(text, tables, options)


def _read_html(text: str, options: TableOptions) -> Outline:
    """Read the tables of HTML: as slices of it, or by way of its clean text."""
    source = options.render == "source"
    outline = read_html(text, HTMLOptions(source))
    if source:
        return html_source(outline, options)
    regions = [
        region
        for region in outline.regions
        if region.kind == "lines" and outline.text.startswith("| ", region.start)
    ]
    tables = [html_table(outline.text, region, options.header) for region in regions]
    metadatas = [region.metadata for region in regions]
    return _rendered(outline.text, tables, options, outline, metadatas)


# ---------------------------------------------------------------------- the source itself


class _Layer:
    """An outline of the source in the making."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.boundaries: list[tuple[int, Strength]] = []
        self.rows: list[int] = []
        self.regions: list[Region] = []
        self.segments: list[Segment] = []

    def prose(self, start: int, end: int) -> None:
        """Lay what stands between two tables."""
        if start >= end:
            return
        plain = read_plain(self.text[start:end])
        self.boundaries += [(b.at + start, b.strength) for b in plain.boundaries()]
        self.regions += [
            r._replace(start=r.start + start, end=r.end + start) for r in plain.regions
        ]
        self.segments.append(Segment(start, start))

    def table(self, table: Table, number: int, every: int) -> None:
        """Lay a table; where it always divides after some rows, those places are blocks."""
        self.boundaries += [(table.start, Strength.BLOCK), (table.end, Strength.BLOCK)]
        rows = table.rows
        if every:
            self.boundaries += [(at, Strength.BLOCK) for at in rows[every::every]]
            self.rows += [at for index, at in enumerate(rows) if index % every]
        else:
            self.rows += rows[1:]
        header = self.text[table.start : table.head].lstrip("\ufeff")
        header += "\n" if header and not header.endswith(("\n", "\r")) else ""
        self.regions.append(Region(table.start, table.end, "table" + table.syntax, {}, header))
        if table.head > table.start:
            self.regions.append(Region(table.start, table.head, "heading"))
        starts = [table.start, *rows[1:]]
        joined = ", ".join(table.names)
        self.segments.append(
            Segment(table.start, 0, number, starts, range(len(rows)), table.names, table, joined)
        )


def _laid(text: str, tables: Sequence[Table], every: int) -> Outline:
    """Lay tables and the prose between them over the source."""
    layer, at = _Layer(text), 0
    for number, table in enumerate(tables, 1):
        layer.prose(at, table.start)
        layer.table(table, number, every)
        at = table.end
    layer.prose(at, len(text))
    notes = Notes(layer.segments, len(tables))
    outline = Outline.of(text, layer.boundaries, layer.regions, notes)
    # apart from the others, since there may be a million
    before = outline.places.get(ROW, ())
    rows = sorted([*before, *layer.rows]) if before else layer.rows
    return replace(outline, places={**outline.places, ROW: rows})


# ---------------------------------------------------------------------- written anew


def _rendered(
    text: str,
    tables: Sequence[Table],
    options: TableOptions,
    html: Outline | None = None,
    metadatas: Sequence[Mapping[str, Any]] = (),
) -> Outline:
    """Write tables anew; what stands between them stays as it is."""
    out = Output(text, options)
    boundaries: list[tuple[int, Strength]] = []
    around = _Around(html) if html is not None else None
    at = 0
    for number, table in enumerate(tables, 1):
        boundaries += _copied(out, at, table.start, around)
        out.table(table, number, metadatas[number - 1] if metadatas else {})
        at = table.end
    boundaries += _copied(out, at, len(text), around)
    boundaries += [(place, strength) for strength in out.places for place in out.places[strength]]
    written = "".join(out.pieces)
    notes = Notes(out.segments, len(tables), rendered=True, origin=html.notes if html else None)
    return Outline.of(written, boundaries, out.regions, notes)


class _Around:
    """Boundaries and regions of what stands between the tables of HTML."""

    def __init__(self, outline: Outline) -> None:
        self.boundaries = outline.boundaries()
        self.ats = [boundary.at for boundary in self.boundaries]
        self.plain = [region for region in outline.regions if region.kind != "heading"]
        self.glued = [region for region in outline.regions if region.kind == "heading"]

    def within(self, start: int, end: int) -> tuple[Sequence[Any], list[Region]]:
        """Give those of a stretch, as if it were a text of its own."""
        low, high = bisect_right(self.ats, start), bisect_left(self.ats, end)
        inner = [(at - start, strength) for at, strength in self.boundaries[low:high]]
        regions = []
        for kind in (self.plain, self.glued):
            first = bisect_right(kind, start, key=lambda region: region.end)
            last = bisect_left(kind, end, key=lambda region: region.start)
            regions += [
                r._replace(start=max(r.start, start) - start, end=min(r.end, end) - start)
                for r in kind[first:last]
            ]
        return inner, regions


def _copied(
    out: Output, start: int, end: int, around: _Around | None
) -> Sequence[tuple[int, Strength]]:
    """Copy what stands between two tables; give its places."""
    blank = _BLANK.match(out.source, start, end)
    start = blank.end() if blank else start
    if start >= end:
        return []
    out.gap()
    piece, at = out.source[start:end], out.at
    if around is None:
        plain = read_plain(piece)
        inner: Sequence[Any] = plain.boundaries()
        regions: Sequence[Region] = plain.regions
    else:
        inner, regions = around.within(start, end)
    out.regions += [r._replace(start=r.start + at, end=r.end + at) for r in regions]
    out.segments.append(Segment(at, start))
    out.write(piece)
    return [(place + at, strength) for place, strength in inner]
