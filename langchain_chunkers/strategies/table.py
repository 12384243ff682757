"""Tables by row, with their header: CSV, Markdown, HTML."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.ladder import Rung
from langchain_chunkers.outline import Outline, Regions, Strength
from langchain_chunkers.readers.html_ladder import SOURCE_LADDER
from langchain_chunkers.readers.table_cells import ladder_of
from langchain_chunkers.readers.table_output import ROW, Notes, TableOptions
from langchain_chunkers.readers.table_read import read_table
from langchain_chunkers.settings import check_choice

__all__ = ["TableSplitter"]


class TableSplitter(BaseSplitter):
    r"""Keeps the rows of tables whole, and repeats the header in each chunk.

    Finds out the format: CSV with any of ``,``, ``;``, tab and ``|``, newlines in quotes included;
    the pipe tables of Markdown; tables in HTML. What stands around tables is split as prose. A row
    over the cap is divided between cells, then inside them.

    Chunks have ``row_start`` and ``row_end`` (from 1, the header not counted), ``columns`` (names
    joined by ``", "``), and ``table`` (from 1) where there is more than one; of the first table where
    a chunk has two. With ``render``, also ``source_start`` and ``source_end``: where these rows stand
    in the source.

    Offsets and spans are those of ``read(text).text``: with ``render``, the text written anew.

    Args:
        chunk_size: The cap; ``None`` for no cap, then each row is a chunk.
        chunk_overlap: Units that a chunk may repeat of what came before, in whole rows.
        render: ``"source"`` for slices of the text as it is; ``"markdown"``, ``"csv"``, or
            ``"records"``: a line ``name: value`` for each value. A row that does not fit is written as
            such lines in all three.
        rows_per_chunk: Each chunk has so many rows, fewer where the cap demands it; ``None`` for as
            many as fit.
        header: ``"auto"`` finds out; ``True``, ``False``, or how many rows it has. The delimiter row of
            Markdown, ``<th>`` and ``<thead>`` say it themselves.
        key_columns: So many columns, from the first, say what a row is about. A table wider than the
            cap is written as groups of columns that each have them (``render="markdown"`` and
            ``"csv"``); the parts of a row that does not fit repeat their values.
        format: ``"csv"``, ``"markdown"``, ``"html"``, or ``"auto"``.
        delimiter: Of CSV; ``None`` to find out.
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless, capped, whole characters, nested, stable, own metadata, bounded,
        total, portable; with ``render`` of the text written anew. Overlap in whole rows only.

    Raises:
        SettingError: A setting is not among its choices, or no number of rows or columns.

    Cost: linear in the text.

    Example:
        >>> text = "id,name,price\n1,Tea,2.50\n2,Coffee,3.00\n3,Milk,1.20\n4,Water,0.80\n"
        >>> for chunk in TableSplitter(45).create_documents([text]):
        ...     print(repr(chunk.page_content), chunk.metadata["row_start"])
        'id,name,price\n1,Tea,2.50\n2,Coffee,3.00' 1
        'id,name,price\n3,Milk,1.20\n4,Water,0.80' 3
    """

    name = "table"
    trims = "lines"

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        render: Literal["source", "markdown", "csv", "records"] = "source",
        rows_per_chunk: int | None = None,
        header: bool | int | Literal["auto"] = "auto",
        key_columns: int = 1,
        format: Literal["auto", "csv", "markdown", "html"] = "auto",  # noqa: A002
        delimiter: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, **options)
        check_choice("render", render, ("source", "markdown", "csv", "records"))
        check_choice("format", format, ("auto", "csv", "markdown", "html"))
        _check_number("rows_per_chunk", rows_per_chunk, 1, none="None for as many as fit")
        _check_number("key_columns", key_columns, 0)
        if header != "auto":
            _check_number("header", int(header) if isinstance(header, bool) else header, 0)
        _check_delimiter(delimiter)
        if rows_per_chunk is None and chunk_size is None:
            rows_per_chunk = 1
        self._options = TableOptions(
            format, delimiter, header, render, key_columns, rows_per_chunk or 0,
            self._limits.size, self._measure,
        )  # fmt: skip
        self._limits = dataclasses.replace(
            self._limits,
            overlap_from=ROW,
            always=Strength.BLOCK if rows_per_chunk else self._limits.always,
        )

    def read(self, text: str) -> Outline:
        """Read tables in any of the formats."""
        return read_table(text, self._options)

    def ladder(self, kind: str) -> Sequence[Rung]:
        """Give the rungs for a kind of text; those of rows do not cut cells that fit."""
        if kind == "html":
            return SOURCE_LADDER
        return ladder_of(kind) if kind.startswith("table") else super().ladder(kind)

    def describe(
        self, outline: Outline, regions: Regions, start: int, end: int
    ) -> Mapping[str, Any]:
        """Say which rows and columns a chunk has."""
        del regions
        notes = outline.notes
        return notes.describe(outline.text, start, end) if isinstance(notes, Notes) else {}


def _check_number(name: str, value: Any, least: int, none: str = "") -> None:
    """Check a number of rows or columns."""
    if value is None and none:
        return
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        more = f", or {none}" if none else ""
        msg = f"{name} must be an integer, {least} or more{more}: got {value!r}."
        raise SettingError(msg)


def _check_delimiter(delimiter: Any) -> None:
    if delimiter is not None and (
        not isinstance(delimiter, str) or len(delimiter) != 1 or delimiter in '"\r\n'
    ):
        msg = (
            f"delimiter must be one character, no quote and no newline: got {delimiter!r}. "
            f"Leave it out to find out."
        )
        raise SettingError(msg)
