"""Tables of data, row by row: as lines of Markdown, or as places in the source."""

from __future__ import annotations

import re
from collections.abc import Mapping

from langchain_chunkers.outline import Region, Strength
from langchain_chunkers.readers.html_output import Output
from langchain_chunkers.readers.html_tree import Survey

__all__ = ["Grid"]

_MOST_COLUMNS = 64  # of those that colspan and rowspan add: more are a mistake, or an attack
_LONGEST = 200  # characters of a cell that are repeated in each row that it spans
_NUMBER = re.compile(r"\s*([0-9]{1,5})")


def _span(value: str | None) -> int:
    found = _NUMBER.match(value or "")
    return max(int(found.group(1)), 1) if found else 1


class Grid:
    """A table of data that is being read.

    A cell that spans rows is repeated in each of them, so that each row can be understood alone; one
    that spans columns is repeated in headers, and followed by empty cells elsewhere. What is
    repeated is at most as long as the table itself, so that no table grows without bounds.

    Args:
        out: Where it is written.
        survey: Which rows are headers.
        start: Where its start tag stands.
        end: Behind its start tag.
        depth: How many elements are open around it.
    """

    def __init__(self, out: Output, survey: Survey, start: int, end: int, depth: int) -> None:
        self.out, self.survey, self.depth = out, survey, depth
        self.start = start if out.is_source else -1
        self.tag = start, end
        self.first_piece = 0
        self.in_row = self.first = self.is_header = False
        self.headers = self.bodies = self.columns = self.column = 0
        self.prefix = out.source[start:end] if out.is_source else ""
        self.spans: dict[int, tuple[int, str]] = {}
        self.cell_piece = 0
        self.size = (1, 1)
        self.budget = -1

    def begin_row(self, number: int) -> None:
        """Begin a row; a row behind a header goes with it."""
        out = self.out
        self.in_row = self.first = True
        self.column = 0
        self.is_header = number in self.survey.headers and not self.bodies
        if self.is_header:
            out.joined = self.headers > 0
            return
        if not self.bodies and self.headers:
            out.joined = True
            if out.is_source:
                self.prefix = out.source[self.start : out.cut if out.cut >= 0 else self.tag[1]]
            else:
                out.write("\n|" + "---|" * self.columns)
                self.prefix = "".join(out.pieces[self.first_piece :]) + "\n"

    def open_row(self) -> None:
        """Write the edge of a row whose line has begun."""
        out = self.out
        if self.start < 0:
            self.start, self.first_piece = out.place, len(out.pieces)
        out.write("|")

    def begin_cell(self, start: int, found: Mapping[str, str], strength: Strength) -> None:
        """Begin a cell: what spans into its place is written before it."""
        out = self.out
        self._fill()
        if not self.first:
            out.places.append((start if out.is_source else out.at, strength))
        self.first = False
        self.size = _span(found.get("colspan")), _span(found.get("rowspan"))
        self.cell_piece = len(out.pieces)
        out.write(" ")

    def end_cell(self) -> None:
        """End the cell, and note where it goes on in other columns and rows."""
        out = self.out
        columns, rows = self.size
        if columns > 1 or rows > 1:
            words = "".join(out.pieces[self.cell_piece :]).strip()
            words = words if len(words) <= _LONGEST else ""
        else:
            words = ""
        out.write(" |")
        room = max(min(columns, _MOST_COLUMNS - self.column), 1)
        for index in range(room):
            at = self.column + index
            if rows > 1 and at < _MOST_COLUMNS:
                self.spans[at] = rows - 1, words
            if index:
                self._repeat(words if self.is_header else "")
        self.column += room

    def _repeat(self, words: str) -> None:
        """Write a cell that the source does not have, as long as the budget lasts."""
        if self.budget < 0:
            self.budget = 200 + len(self.out.source) - self.tag[0]
        piece = f" {words} |" if words else "  |"
        if self.budget >= len(piece):
            self.budget -= len(piece)
            self.out.write(piece)

    def _fill(self) -> None:
        """Write the cells that span into this row at the next column."""
        while (span := self.spans.get(self.column)) is not None:
            rows, words = span
            if rows > 1:
                self.spans[self.column] = rows - 1, words
            else:
                del self.spans[self.column]
            self._repeat(words)
            self.column += 1

    def end_row(self) -> None:
        """End the row."""
        if not self.first:
            self._fill()
            self.columns = max(self.columns, self.column)
            self.headers += self.is_header
            self.bodies += not self.is_header
        self.in_row = False

    def close(self, end: int) -> None:
        """End the table: chunks that start inside repeat its header."""
        out = self.out
        if self.start < 0:
            return
        stop, kind = (end, "html") if out.is_source else (out.at, "lines")
        prefix = self.prefix if self.bodies else ""
        suffix = "</table>" if out.is_source and prefix else ""
        out.special(Region(self.start, stop, kind, {}, prefix, suffix))
