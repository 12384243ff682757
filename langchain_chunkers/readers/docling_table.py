"""Tables of Docling as rows of cells: merged cells resolved, header rows joined to one.

A cell that spans rows stands in each of them, so that a row can be understood alone. One that spans
columns names all of them in the header, and stands in the first of them elsewhere.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_chunkers.readers.docling_items import listed, mapped
from langchain_chunkers.readers.table_cells import PIPE
from langchain_chunkers.readers.table_find import Table, make_table

__all__ = ["Rows", "pipe_table", "rows_of"]

_SPREAD = 10_000  # cells that merged ones may be repeated to, beside eight for each that there is
_FAR = 1 << 30  # rows and columns beyond are not told apart


@dataclass(frozen=True, slots=True)
class Rows:
    """The cells of a table by row.

    Attributes:
        rows: The text of each cell; rows may be shorter than others.
        headers: How many of the first rows are the header; ``None`` where nothing says so.
    """

    rows: Sequence[Sequence[str]]
    headers: int | None


@dataclass(frozen=True, slots=True)
class _Cell:
    top: int
    bottom: int
    left: int
    right: int
    text: str
    header: bool


def rows_of(data: Mapping[str, Any]) -> Rows:
    """Read table data.

    Args:
        data: The ``data`` of a table item.

    Cost: linear in the cells, whatever sizes and spans are claimed.

    Example:
        >>> cells = [
        ...     {
        ...         "start_row_offset_idx": 0,
        ...         "start_col_offset_idx": 0,
        ...         "text": "a",
        ...         "column_header": True,
        ...     },
        ...     {"start_row_offset_idx": 1, "start_col_offset_idx": 0, "text": "1"},
        ... ]
        >>> rows_of({"table_cells": cells})
        Rows(rows=[['a'], ['1']], headers=1)
    """
    cells = [cell for raw in listed(data.get("table_cells")) if (cell := _cell(mapped(raw)))]
    # rows and columns are those in which a cell begins, so that claimed sizes cost nothing
    tops = sorted({cell.top for cell in cells})
    lefts = sorted({cell.left for cell in cells})
    budget = 8 * len(cells) + _SPREAD
    sparse = len(tops) * len(lefts) > 2 * budget
    rows: list[list[str]] = [[] for _ in tops]
    flags: dict[int, bool] = {}
    begun: set[tuple[int, int]] = set()
    for cell in sorted(cells, key=lambda c: (c.top, c.left)):
        top, left = bisect_left(tops, cell.top), bisect_left(lefts, cell.left)
        bottom = max(bisect_left(tops, cell.bottom), top + 1)
        right = max(bisect_left(lefts, cell.right), left + 1) if cell.header else left + 1
        if cell.text:
            flags[top] = flags.get(top, True) and cell.header
        area = (bottom - top) * (right - left)
        if area > 1 and area > budget:
            bottom, right = top + 1, left + 1
        budget -= area if area > 1 else 0
        for row in rows[top:bottom]:
            if sparse:  # nearly all of it is empty: cells one behind another
                row.append(cell.text)
                continue
            row.extend([""] * (right - len(row)))
            for column in range(left, right):
                row[column] = row[column] or cell.text
        if not sparse and cell.text:
            # what begins here wins over what was repeated to here; two that begin here share the place
            before = f"{rows[top][left]} " if (top, left) in begun else ""
            rows[top][left] = before + cell.text
            begun.add((top, left))
    return _without_empty(rows, flags)


def _without_empty(rows: list[list[str]], flags: Mapping[int, bool]) -> Rows:
    """Leave out rows that say nothing; count those of the header."""
    headers = 0
    while headers < len(rows) and flags.get(headers, False):
        headers += 1
    kept = [row for row in rows if any(row)]
    # empty rows have no flag, so none lies among those of the header
    return Rows(kept, headers or None)


def _cell(raw: Mapping[str, Any]) -> _Cell | None:
    text = raw.get("text")
    top, left = raw.get("start_row_offset_idx"), raw.get("start_col_offset_idx")
    if not isinstance(text, str) or not isinstance(top, int) or not isinstance(left, int):
        return None
    bottom, right = raw.get("end_row_offset_idx"), raw.get("end_col_offset_idx")
    top, left = min(max(top, 0), _FAR), min(max(left, 0), _FAR)
    bottom = min(bottom, _FAR + 1) if isinstance(bottom, int) else top + 1
    right = min(right, _FAR + 1) if isinstance(right, int) else left + 1
    words = " ".join(text.split())
    return _Cell(top, bottom, left, right, words, raw.get("column_header") is True)


def pipe_table(rows: Rows) -> tuple[str, Table]:
    """Write rows as lines with bars, and say where each begins, as `table_output` reads tables."""
    headers = rows.headers
    lines = [
        "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |\n" for row in rows.rows
    ]
    text = "".join(lines)
    starts, at = [], 0
    for line in lines:
        starts.append(at)
        at += len(line)
    if headers is None or headers >= len(lines):
        headers = min(headers, len(lines) - 1) if headers else None
    table = make_table(text, starts, len(text), PIPE, "auto" if headers is None else headers)
    width = max((len(row) for row in rows.rows), default=0)
    if headers and width:
        table = table._replace(names=_names(rows.rows[:headers], width))
    return text, table


def _names(rows: Sequence[Sequence[str]], width: int) -> tuple[str, ...]:
    """Join the rows of a header to a name for each column."""
    names = []
    for column in range(width):
        parts = [row[column] for row in rows if column < len(row) and row[column]]
        names.append(" / ".join(dict.fromkeys(parts)))
    return tuple(names)
