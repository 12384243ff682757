"""Writes tables anew: as Markdown, CSV, or records of ``name: value`` lines.

A table is written row by row, so no more than a row is held beside the text itself. One that is too
wide for the cap is written as several, each with some of the columns and with the key columns again.
Longer than others: what is written and what is noted of it for describing chunks go together.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import inf
from typing import Any, NamedTuple

from langchain_chunkers.outline import Region, Strength
from langchain_chunkers.readers.table_cells import PIPE, cells_of
from langchain_chunkers.readers.table_find import Header, Table

__all__ = ["FIELD", "ROW", "Notes", "Output", "Segment", "TableOptions"]

ROW = Strength.PARAGRAPH
"""Between rows."""
FIELD = Strength.LINE
"""Between the values of a row that is written one below another."""
_SAMPLE = 256  # rows that are looked at to say how wide columns are
_REPEATED = 200  # characters of a key that are repeated
_NAME = 100  # characters of a name that stand in front of each value
_HUGE = 1 << 14  # characters of a row beyond which columns are not counted anew for each chunk


class Segment(NamedTuple):
    """A stretch of the text that is a table, some columns of one, or what stands between tables.

    Attributes:
        start: Where it begins in the text.
        source: Where it begins in the source, for what is no table.
        table: Number of the table, from 1; 0 for what is none.
        rows: Where its rows begin.
        numbers: Their numbers, from 0.
        names: Names of its columns.
        found: The table in the source.
    """

    start: int
    source: int = 0
    table: int = 0
    rows: Sequence[int] = ()
    numbers: Sequence[int] = ()
    names: Sequence[str] = ()
    found: Table | None = None
    columns: str = ""  # the names joined, once for all chunks


@dataclass(slots=True)
class Notes:
    """The way from a text to its tables, for describing chunks.

    Attributes:
        segments: Ascending by start.
        tables: How many tables there are.
        rendered: The text is not the source.
        origin: The way from the text in which tables were found to HTML.
    """

    segments: Sequence[Segment]
    tables: int
    rendered: bool = False
    origin: Any = None
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """List where segments begin."""
        self.starts = [segment.start for segment in self.segments]

    def describe(self, text: str, start: int, end: int) -> dict[str, Any]:
        """Say which rows and columns of which table a stretch has, and where it comes from."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        touched = self.segments[first : max(bisect_left(self.starts, end), first + 1)]
        facts: dict[str, Any] = {}
        table = next((s.table for s in touched if s.table), 0)
        own = [s for s in touched if s.table and s.table == table and s.numbers]
        ranges = [_rows_of(segment, start, end) for segment in own]
        if ranges and own[0].found is not None:
            if self.tables > 1:
                facts["table"] = table
            facts["row_start"] = min(low for low, _ in ranges) + 1
            facts["row_end"] = max(high for _, high in ranges) + 1
            facts["columns"] = own[0].columns
            if len(own) > 1:
                names = dict.fromkeys(name for segment in own for name in segment.names)
                facts["columns"] = ", ".join(names)
            elif not self.rendered and facts["row_start"] == facts["row_end"]:
                facts["columns"] = _touched(text, own[0], start, end)
        if self.rendered and touched:
            low, high = self._source(touched[0], start, end)
            for segment in touched[1:]:
                more = self._source(segment, segment.start, end)
                low, high = min(low, more[0]), max(high, more[1])
            if self.origin is not None:
                low, high = self.origin.source_start(low), self.origin.source_end(high)
            facts["source_start"], facts["source_end"] = low, high
        return facts

    def _source(self, segment: Segment, start: int, end: int) -> tuple[int, int]:
        """Give the stretch of the source that a part of one segment comes from."""
        found = segment.found
        if found is None:
            index = bisect_right(self.starts, segment.start)
            stop = min(end, self.starts[index]) if index < len(self.starts) else end
            return segment.source + start - segment.start, segment.source + stop - segment.start
        if not segment.numbers:
            return found.start, found.head
        low, high = _rows_of(segment, start, end)
        head = start <= segment.start and found.head > found.start
        return found.start if head else found.rows[low], found.row_end(high)


def _rows_of(segment: Segment, start: int, end: int) -> tuple[int, int]:
    """Give the numbers, from 0, of the first and the last row in a stretch."""
    low = max(bisect_right(segment.rows, start) - 1, 0)
    high = max(bisect_left(segment.rows, end) - 1, low)
    return segment.numbers[low], segment.numbers[high]


def _touched(text: str, segment: Segment, start: int, end: int) -> str:
    """Name the columns of the part of one row; all of them for a whole row, and for a huge one."""
    found = segment.found
    if found is None or found.syntax == "html":
        return segment.columns
    index = bisect_right(found.rows, start) - 1
    row, stop = (found.rows[index], found.row_end(index)) if index >= 0 else found[:2]
    if end - row > _HUGE or (start <= row and not text[end : min(stop, end + _HUGE)].strip()):
        return segment.columns
    before = cells_of(text[row:start] + "x", found.syntax) if start > row else ["x"]
    inside = text[row:end].rstrip()
    if inside.endswith(found.syntax):
        inside = inside[:-1]
    high = len(cells_of(inside, found.syntax))
    low = len(before) - 1 + (found.syntax == PIPE and start > row and text[start] == "|")
    return ", ".join(segment.names[min(low, high - 1) : high]) or segment.columns


@dataclass(frozen=True, slots=True)
class TableOptions:
    """How tables are read.

    Attributes:
        format: ``"csv"``, ``"markdown"``, ``"html"``, or ``"auto"`` to find out.
        delimiter: Of CSV; ``None`` to find out.
        header: ``"auto"``, or how many rows the header has.
        render: ``"source"``, ``"markdown"``, ``"csv"`` or ``"records"``.
        key_columns: Columns that each group of columns repeats.
        rows_per_chunk: After so many rows the text always divides; 0 for never.
        size: The cap; how wide a table may be.
        measure: Counts its units.
    """

    format: str = "auto"
    delimiter: str | None = None
    header: Header = "auto"
    render: str = "source"
    key_columns: int = 1
    rows_per_chunk: int = 0
    size: float = inf
    measure: Callable[[str], int] = len


class Output:
    """A text that is written, with its outline.

    Args:
        source: The text in which tables were found.
        options: How they are written.
    """

    def __init__(self, source: str, options: TableOptions) -> None:
        self.source, self.render, self.keys = source, options.render, options.key_columns
        self.measure, self.size, self.every = options.measure, options.size, options.rows_per_chunk
        self.pieces: list[str] = []
        self.at = 0
        self.places: dict[Strength, list[int]] = {Strength.BLOCK: [], ROW: [], FIELD: []}
        self.regions: list[Region] = []
        self.segments: list[Segment] = []
        self.metadata: Mapping[str, Any] = {}
        self.rate = 0.0

    def write(self, piece: str) -> None:
        """Write a piece of text."""
        self.pieces.append(piece)
        self.at += len(piece)

    def gap(self) -> None:
        """Write a blank line between blocks, where there is none."""
        if self.at:
            tail = "".join(self.pieces[-2:])[-2:]
            missing = 2 if not tail.endswith("\n") else 1 if tail != "\n\n" else 0
            self.write("\n" * missing)
            self.places[Strength.BLOCK].append(self.at)

    def table(self, table: Table, number: int, metadata: Mapping[str, Any]) -> None:
        """Write a table, as one or as groups of columns."""
        self.metadata = metadata
        self.rate = self._rate(table) if self.size != inf else 0.0
        groups = self._groups(table)
        if groups is None:
            self.gap()
            self._group(table, number, table.names, self._rows(table))
            return
        for columns, rows in zip(groups, self._parted(table, groups), strict=True):
            self.gap()
            self._group(table, number, [table.names[i] for i in columns], rows)

    def _groups(self, table: Table) -> list[Sequence[int]] | None:
        """Share the columns out so that the header and a usual row fit; ``None`` for all of them."""
        count = len(table.names)
        if self.size == inf or self.render == "records" or count <= self.keys + 1:
            return None
        step = max(len(table.rows) // _SAMPLE, 1)
        widths = [0] * count
        looked = range(0, len(table.rows), step)
        for index in looked:
            row = cells_of(self.source[table.rows[index] : table.row_end(index)], table.syntax)
            for column, cell in enumerate(row[:count]):
                widths[column] += len(cell)
        usual = [width / len(looked) + 3 for width in widths]
        head = [len(name) + (7 if self.render == "markdown" else 1) for name in table.names]
        room = self.size / self.rate * 0.9
        whole = sum(head) + sum(usual)
        if whole + sum(usual) * (len(table.rows) - 1) <= room or (
            2 * sum(head) <= room and whole <= room
        ):
            return None
        return self._shared_out(head, usual, room)

    def _shared_out(
        self, head: Sequence[int], usual: Sequence[float], room: float
    ) -> list[Sequence[int]]:
        """Group columns so that a header takes at most half of the room, and a usual row fits with it."""
        keys = list(range(self.keys))
        heads, rows = 4.0 + sum(head[: self.keys]), sum(usual[: self.keys])
        groups: list[Sequence[int]] = []
        own: list[int] = []
        used = heads, rows
        for column in range(len(keys), len(head)):
            more = used[0] + head[column], used[1] + usual[column]
            if own and (2 * more[0] > room or sum(more) > room):
                groups.append([*keys, *own])
                own, more = [], (heads + head[column], rows + usual[column])
            own.append(column)
            used = more
        groups.append([*keys, *own])
        return groups

    def _rate(self, table: Table) -> float:
        """Give units for a character of a table."""
        sample = self.source[table.start : min(table.end, table.start + 2000)]
        return max(self.measure(sample) / max(len(sample), 1), 1e-3)

    def _group(
        self,
        table: Table,
        number: int,
        names: Sequence[str],
        cells: Iterable[tuple[int, list[str]]],
    ) -> None:
        """Write a table with some of its columns, or with all of them."""
        start = self.at
        has_header = table.head > table.start or self.render == "markdown"
        header = self._header(names) if has_header and self.render != "records" else ""
        self.write(header)
        rows: list[int] = []
        numbers: list[int] = []
        since = start  # where the region begins that is not yet closed
        for index, row in cells:
            at = self.at if rows else start
            if rows:
                strength = Strength.BLOCK if self.every and len(rows) % self.every == 0 else ROW
                self.places[strength].append(at)
            rows.append(at)
            numbers.append(index)
            line = self._row(row, names)
            if self._is_over(line):
                self._region(since, at - 1, header)
                self._fields(_lines(row, names), at if rows[:-1] else start)
                # a region begins a character early, since its prefix is not for its own start
                since = self.at - 1
            else:
                self.write(line)
        if self.at - 1 > since:
            self._region(since, self.at, header)
        if header and rows:
            self.regions.append(Region(start, start + len(header), "heading"))
        joined = ", ".join(names)
        self.segments.append(Segment(start, 0, number, rows, numbers, names, table, joined))

    def _is_over(self, line: str, prefix: str = "") -> bool:
        """Say whether a line does not fit the cap; short ones are not counted."""
        if self.size == inf or (len(line) + len(prefix)) * self.rate * 2 <= self.size:
            return False
        return self.measure(prefix + line.rstrip()) > self.size

    def _region(self, start: int, end: int, header: str) -> None:
        kind = {"markdown": "tablepipe", "csv": "table,", "records": "lines"}[self.render]
        if start < end:
            self.regions.append(Region(start, end, kind, self.metadata, header))

    def _rows(self, table: Table) -> Iterator[tuple[int, list[str]]]:
        """Give the cells of each row, with its number."""
        for index in range(len(table.rows)):
            row = cells_of(self.source[table.rows[index] : table.row_end(index)], table.syntax)
            if index == 0:
                row[0] = row[0].lstrip("\ufeff")
            yield index, row

    def _parted(
        self, table: Table, groups: Sequence[Sequence[int]]
    ) -> list[list[tuple[int, list[str]]]]:
        """Share the cells of each row out to groups of columns; a row is read once.

        A group has no rows that end before its columns, so that no more is written than there is.
        """
        parted: list[list[tuple[int, list[str]]]] = [[] for _ in groups]
        keys, last = self.keys, len(groups) - 1
        for index, row in self._rows(table):
            repeated = [_cut(cell, _REPEATED) for cell in row[:keys]]
            for number, columns in enumerate(groups):
                low = columns[keys]
                if number and low >= len(row):
                    break
                cells = row[low : None if number == last else columns[-1] + 1]
                parted[number].append((index, (repeated if number else row[:keys]) + cells))
        return parted

    def _header(self, names: Sequence[str]) -> str:
        if self.render == "csv":
            return self._line(names)
        return self._line(names) + "|" + "---|" * len(names) + "\n"

    def _line(self, cells: Sequence[str]) -> str:
        if self.render == "markdown":
            return "| " + " | ".join(map(_barred, cells)) + " |\n"
        line = ",".join(map(_quoted, cells))
        return (line if line.strip() else '""' + line.strip()) + "\n"

    def _row(self, cells: Sequence[str], names: Sequence[str]) -> str:
        if self.render != "records":
            return self._line(cells)
        return "".join(_lines(cells, names)) + "\n"

    def _fields(self, lines: Sequence[str], since: int) -> None:
        """Write a row over the cap as lines with the names of columns.

        Parts of it repeat its key; parts of a value that does not fit itself, its name too.
        """
        key = "".join(_cut(line.rstrip("\n"), _REPEATED) + "\n" for line in lines[: self.keys])
        key = key if len(lines) > self.keys else ""
        start = self.at
        for number, line in enumerate(lines):
            if number > (self.keys if key else 0):  # a key is never alone
                self.places[FIELD].append(self.at)
            if number == self.keys and key:
                self.regions.append(Region(start, self.at, "heading"))
            if self._is_over(line, key):
                name = line[: line.find(": ") + 2]
                # the name belongs to what comes before: parts of the value behind it repeat it
                value = self.at + len(name)
                self.regions.append(Region(since, value, "lines", self.metadata, key))
                self.regions.append(Region(self.at, value, "heading"))
                self.write(line)
                prefix = (key if number >= self.keys else "") + name
                self.regions.append(Region(value, self.at - 1, "lines", self.metadata, prefix))
                since = self.at - 1
            else:
                self.write(line)
        if self.render == "records":
            self.write("\n")
        if self.at - 1 > since:
            self.regions.append(Region(since, self.at - 1, "lines", self.metadata, key))


def _lines(cells: Sequence[str], names: Sequence[str]) -> list[str]:
    """Write a row as a line for each value; empty ones are left out, unless all are."""
    lines = []
    for column, cell in enumerate(cells):
        value = cell.strip()
        if value:
            name = names[column] if column < len(names) else f"column {column + 1}"
            if "\n" in value or "\r" in value:
                value = "\n  ".join(part for part in value.splitlines() if part.strip())
            lines.append(f"{name[:_NAME]}: {value}\n")
    return lines or [f"{names[0][:_NAME] if names else 'column 1'}:\n"]


def _cut(cell: str, most: int) -> str:
    """Shorten what is repeated."""
    return cell if len(cell) <= most else cell[: most - 1] + "…"


def _barred(cell: str) -> str:
    """Write a cell so that nothing in it ends it."""
    if "\n" in cell or "\r" in cell:
        cell = "<br>".join(cell.splitlines())
    return cell.strip().replace("|", "\\|") if "|" in cell else cell.strip()


def _quoted(cell: str) -> str:
    if '"' in cell or "," in cell or "\n" in cell or "\r" in cell:
        return '"' + cell.replace('"', '""') + '"'
    return cell
