"""Tables with lines, found by pdfplumber."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_chunkers._extras import need
from langchain_chunkers.errors import MissingExtraError

__all__ = ["Found", "ruled_tables"]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Found:
    """A table of a page.

    Attributes:
        box: Left, top, right, bottom in points, from the top left corner.
        cells: The text of its cells by row.
        header: The first row is the header; ``False`` to leave that to who reads it.
    """

    box: Sequence[float]
    cells: Sequence[Sequence[str]]
    header: bool = False

    def data(self) -> dict[str, Any]:
        """Give the table in the form of Docling."""
        cells = [
            {
                "text": text, "row_span": 1, "col_span": 1,
                "start_row_offset_idx": row, "end_row_offset_idx": row + 1,
                "start_col_offset_idx": column, "end_col_offset_idx": column + 1,
                "column_header": self.header and row == 0, "row_header": False, "row_section": False,
            }
            for row, line in enumerate(self.cells)
            for column, text in enumerate(line)
        ]  # fmt: skip
        width = max(map(len, self.cells), default=0)
        return {"table_cells": cells, "num_rows": len(self.cells), "num_cols": width}


def ruled_tables(
    data: bytes, numbers: Sequence[int], password: str | None
) -> Iterator[tuple[int, list[Found]]]:
    """Find tables with lines on some pages.

    Args:
        data: The PDF.
        numbers: The pages, from 1.
        password: Opens an encrypted file.

    Yields:
        Page and tables. Without pdfplumber, none: text in such tables is read row by row.
    """
    if not numbers:
        return
    try:
        pdfplumber = need("pdfplumber", "pdf", "finding tables with lines")
    except MissingExtraError:
        _log.info("Tables with lines are found if pdfplumber is installed.")
        return
    try:
        with pdfplumber.open(io.BytesIO(data), password=password or "") as document:
            for number in numbers:
                page = document.pages[number - 1]
                tables = [found for table in page.find_tables() if (found := _found(table))]
                if tables:
                    yield number, tables
                page.close()
    except Exception as error:  # noqa: BLE001 - pdfminer knows fewer files than PDFium: text is still read
        _log.warning("Tables with lines were not looked for: %s: %s", type(error).__name__, error)


def _found(table: Any) -> Found | None:
    """Take a table whose cells are filled; frames and drawings are none."""
    rows = [[" ".join((cell or "").split()) for cell in row] for row in table.extract()]
    rows = [row for row in rows if any(row)]
    cells = [cell for row in rows for cell in row]
    width = max(map(len, rows), default=0)
    filled = sum(map(bool, cells)) / max(len(cells), 1)
    if len(rows) < 2 or width < 2 or filled < (0.4 if width > 2 else 0.6):
        return None
    if any("(cid:" in cell for cell in cells):  # symbols of a drawing
        return None
    return Found(table.bbox, rows, header=True)
