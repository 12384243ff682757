"""Finds the tables of a text: where each begins and ends, its header, where its rows begin."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from langchain_chunkers.readers.table_cells import PIPE, cells_of, row_starts

__all__ = ["Header", "Table", "csv_table", "make_table", "pipe_tables"]

Header = bool | int | str

_RUN = re.compile(r"(?:^[^\n|]*+\|[^\n]*+(?:\n|\Z))++", re.MULTILINE)
_DELIMITER_ROW = re.compile(
    r"[ \t>]*+\|?+[ \t]*+:?+-++:?+[ \t]*+(?:\|[ \t]*+:?+-++:?+[ \t]*+)*+\|?+\s*"
)
_FENCE = re.compile(r"^ {0,3}(`{3,}+|~{3,}+)", re.MULTILINE)
_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s?[-+]?\d[\d.,' \u00a0/:-]*\s?[%€$£)]?(?:[eE][-+]?\d+)?")
_YEAR = re.compile(r"(?:19|20)\d\d")
_LONG = 60  # characters above which a cell is no name of a column


class Table(NamedTuple):
    """A table in a text.

    Attributes:
        start: Where it begins.
        end: Behind it.
        rows: Where its rows begin, those of the header left out.
        head: Behind the header; ``start`` where there is none.
        names: Names of the columns; made up where there is no header.
        syntax: A delimiter, or `PIPE`.
    """

    start: int
    end: int
    rows: Sequence[int]
    head: int
    names: tuple[str, ...]
    syntax: str

    def row_end(self, index: int) -> int:
        """Give the place behind a row."""
        return self.rows[index + 1] if index + 1 < len(self.rows) else self.end


def csv_table(text: str, delimiter: str, header: Header) -> Table | None:
    """Read a whole text as CSV; ``None`` where it has no row."""
    starts = row_starts(text, 0, len(text), delimiter)
    return make_table(text, starts, len(text), delimiter, header) if starts else None


def make_table(
    text: str, starts: list[int], end: int, syntax: str, header: Header, known: int | None = None
) -> Table:
    """Make a table of its rows.

    Args:
        text: The text.
        starts: Where rows begin, the header's included.
        end: Behind the last row.
        syntax: A delimiter, or `PIPE`.
        header: ``"auto"``, or how many rows the header has.
        known: How many rows of header the format itself marks; ``None`` if it does not say.
    """
    near = [*starts[:8], starts[8] if len(starts) > 8 else end]
    first = [cells_of(text[a:b].lstrip("\ufeff"), syntax) for a, b in pairwise(near)]
    if header == "auto":
        headers = _count_headers(first) if known is None else known
    else:
        headers = int(header)
    headers = min(headers, len(starts) - 1, 8)
    width = max(len(row) for row in first)
    names = _names(first[:headers], width)
    head = starts[headers] if headers else starts[0]
    return Table(starts[0], end, starts[headers:], head, names, syntax)


def _is_number(cell: str) -> bool:
    return _NUMBER.fullmatch(cell.strip()) is not None


def _names_nothing(cell: str) -> bool:
    """Say whether a cell cannot be the name of a column: numbers that are no years, long text."""
    cell = cell.strip()
    return len(cell) > _LONG or (_is_number(cell) and not _YEAR.fullmatch(cell))


def _count_headers(rows: Sequence[Sequence[str]]) -> int:
    """Guess how many of the first rows are the header: none, one or two."""
    if len(rows) < 2 or any(_names_nothing(cell) for cell in rows[0]):
        return 0
    filled = [cell.strip() for cell in rows[0] if cell.strip()]
    if not filled or (all(map(_is_number, filled)) and any(map(_is_number, rows[1]))):
        return 0
    if len(rows) > 2 and len(rows[0]) > 2:
        merged = len(filled) < len(rows[0]) - (not rows[0][0].strip()) or any(
            a == b for a, b in pairwise(filled)
        )
        under = [cell.strip() for cell in rows[1]]
        below = any(_is_number(cell) for row in rows[2:] for cell in row)
        whole = sum(map(bool, under)) >= len(rows[0]) - 1
        plain = not any(_names_nothing(cell) or cell == "-" for cell in under)
        if merged and below and whole and plain:
            return 2
    return 1


def _names(rows: Sequence[Sequence[str]], width: int) -> tuple[str, ...]:
    """Name the columns: the header's rows one under another; a merged cell holds for those right of it."""
    parts: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(rows):
        last = ""
        for column in range(width):
            name = " ".join(row[column].split()) if column < len(row) else ""
            if number < len(rows) - 1 and not name:
                name = last
            last = name
            if name and name not in parts[column]:
                parts[column].append(name)
    return tuple(" ".join(part) or f"column {i}" for i, part in enumerate(parts, 1))


def pipe_tables(text: str, header: Header) -> list[Table]:
    """Find the tables of Markdown, line by line, code blocks left out.

    Also those whose header has two rows, and those without a header whose lines begin with a bar.
    A line without a bar ends a table.

    Example:
        >>> [t.names for t in pipe_tables("Words.\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n", "auto")]
        [('a', 'b')]
    """
    if "|" not in text:
        return []
    fences = _fences(text)
    tables, fence = [], 0
    for run in _RUN.finditer(text):
        while fence < len(fences) and fences[fence][1] <= run.start():
            fence += 1
        if fence < len(fences) and fences[fence][0] <= run.start():
            continue
        table = _pipe_table(text, run.start(), run.end(), header)
        if table is not None:
            tables.append(table)
    return tables


def _pipe_table(text: str, start: int, end: int, header: Header) -> Table | None:
    """Make the table of a run of lines that all have a bar, if it is one."""
    starts, at = [], start
    while at < end:
        starts.append(at)
        newline = text.find("\n", at, end)
        at = newline + 1 if newline >= 0 else end
    edges = [*starts, end]
    marked = _delimiter_row(text, edges)
    if marked is None:
        barred = all(text[a : a + 80].lstrip("> \t").startswith("|") for a in starts)
        return make_table(text, starts, end, PIPE, header) if barred and len(starts) > 1 else None
    first = marked - 1
    while first and text[edges[first - 1] : edges[first]].lstrip("> \t").startswith("|"):
        first -= 1
    del starts[marked]  # it belongs to the row before it
    return make_table(text, starts[first:], end, PIPE, header, marked - first)


def _delimiter_row(text: str, edges: Sequence[int]) -> int | None:
    """Give the index of the delimiter row: below a row with as many cells."""
    for index in range(1, len(edges) - 1):
        line = text[edges[index] : edges[index + 1]]
        if "-" in line and _DELIMITER_ROW.fullmatch(line):
            above = text[edges[index - 1] : edges[index]]
            if len(cells_of(above, PIPE)) == len(cells_of(line, PIPE)):
                return index
    return None


def _fences(text: str) -> list[tuple[int, int]]:
    """List the code blocks; one that is not closed is none."""
    found: list[tuple[int, int]] = []
    opened, mark = -1, ""
    for fence in _FENCE.finditer(text):
        if opened < 0:
            opened, mark = fence.start(), fence.group(1)
        elif fence.group(1).startswith(mark):
            found.append((opened, fence.end()))
            opened = -1
    return found
