"""From segments to rows in reading order: columns one after another, rows from top to bottom.

A page is cut at gutters between columns of running text, else at its widest white band, until nothing
stands side by side but cells of a row (an XY cut; Nagy and Seth 1984).
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from statistics import median

from langchain_chunkers.integrations.pdf_text import HYPHEN, Segment

__all__ = ["Row", "is_rtl", "rows_in_order", "table_rows"]

_CUTS = 400  # cuts of a page; beyond, what is left is read row by row
_PROSE = 18  # characters that the lines of a column have at least; cells of tables have fewer
_MARKERS = tuple("•·∙◦‣⁃▪▫●○■□–-*")


@dataclass(slots=True)
class Row:
    """Segments on one baseline, from left to right, in one column."""

    cells: list[Segment]
    column: int = 0

    @property
    def text(self) -> str:
        """The text of the row."""
        return _joined(self.cells)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        cells = self.cells
        return (
            min(c.left for c in cells), min(c.top for c in cells),
            max(c.right for c in cells), max(c.bottom for c in cells),
        )  # fmt: skip

    @property
    def size(self) -> float:
        """Font size of its longest segment."""
        return max(self.cells, key=lambda cell: len(cell.text)).size

    @property
    def bold(self) -> bool:
        """All of it is bold."""
        return all(cell.bold for cell in self.cells)


def is_rtl(text: str) -> bool:
    """Say whether most letters are of a script that is written from right to left."""
    kinds = [unicodedata.bidirectional(character) for character in text[:400]]
    return sum(kind in ("R", "AL") for kind in kinds) > kinds.count("L")


def rows_in_order(segments: Sequence[Segment]) -> list[Row]:
    """Put the segments of a page in reading order.

    Cost: a sort for each cut.
    """
    regions = [list(segments)] if segments else []
    rows: list[Row] = []
    cuts = 0
    while regions:
        region = regions.pop()
        made = _rows(region)
        if max(map(len, made)) == 1 or cuts >= _CUTS:  # nothing stands side by side
            column = rows[-1].column + 1 if rows else 0
            rows.extend(Row(row, column) for row in made)
            continue
        cuts += 1
        parts = _columns(region) or _bands(region, made)
        if parts:
            regions.extend(reversed(parts))
        else:
            column = rows[-1].column + 1 if rows else 0
            rows.extend(Row(row, column) for row in made)
    return _without_seams(rows)


def _without_seams(rows: list[Row]) -> list[Row]:
    """Count rows as one column where they lie below each other, since a cut at a white band is no column."""
    column = 0
    for index, row in enumerate(rows):
        if index:
            before = rows[index - 1]
            below = row.cells[0].baseline > before.cells[0].baseline
            left, _, right, _ = row.box
            other_left, _, other_right, _ = before.box
            column += not (below and left < other_right and right > other_left)
        row.column = column
    return rows


def _joined(cells: Sequence[Segment]) -> str:
    """Join what stands on one line; indices follow without a space."""
    text = cells[0].text
    for before, cell in pairwise(cells):
        near = max(cell.left - before.right, before.left - cell.right) < 0.15 * before.size
        text += cell.text if near else f" {cell.text}"
    return text


def _rows(segments: Sequence[Segment]) -> list[list[Segment]]:
    """Group segments by baseline; indices and exponents belong to the line that they stand at."""
    rows: list[list[Segment]] = []
    usual = median(segment.size for segment in segments)
    small = [s for s in segments if s.size <= 0.82 * usual and len(s.text) <= 6]
    large = [s for s in segments if s.size > 0.82 * usual or len(s.text) > 6]
    for segment in sorted(large, key=lambda s: (s.baseline, s.left)):
        if rows and abs(segment.baseline - rows[-1][0].baseline) <= 0.35 * max(
            segment.size, rows[-1][0].size
        ):
            rows[-1].append(segment)
        else:
            rows.append([segment])
    baselines = [row[0].baseline for row in rows]
    for segment in small:
        at = bisect_right(baselines, segment.baseline)
        near = [
            rows[index]
            for index in (at - 1, at)
            if 0 <= index < len(rows) and _is_at(segment, rows[index])
        ]
        if near:
            min(near, key=lambda row: abs(row[0].baseline - segment.baseline)).append(segment)
        else:
            rows.append([segment])
    rows.sort(key=lambda row: row[0].baseline)
    return [_ordered(row) for row in rows]


def _is_at(segment: Segment, row: Sequence[Segment]) -> bool:
    """Say whether an index stands at a line."""
    size = row[0].size
    if abs(segment.baseline - row[0].baseline) > 0.6 * size:
        return False
    return any(s.left - size <= segment.right and segment.left <= s.right + size for s in row)


def _ordered(row: list[Segment]) -> list[Segment]:
    """Put the segments of a line in order, and join those between which no gap stands."""
    if len(row) < 2:
        return row
    rtl = is_rtl("".join(cell.text for cell in row))
    row.sort(key=lambda s: -s.right if rtl else s.left)
    cells = [row[0]]
    for segment in row[1:]:
        last = cells[-1]
        gap = last.left - segment.right if rtl else segment.left - last.right
        if gap > 0.6 * max(last.size, segment.size):
            cells.append(segment)
            continue
        larger = max(last, segment, key=lambda s: len(s.text))
        cells[-1] = replace(
            larger,
            text=_joined([last, segment]),
            left=min(last.left, segment.left),
            top=min(last.top, segment.top),
            right=max(last.right, segment.right),
            bottom=max(last.bottom, segment.bottom),
            bold=last.bold and segment.bold,
        )
    return cells


def _gaps(intervals: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Give the stretches that no interval covers, between the first and the last."""
    intervals.sort()
    gaps, end = [], intervals[0][1]
    for low, high in intervals[1:]:
        if low > end:
            gaps.append((end, low))
        end = max(end, high)
    return gaps


def _columns(region: Sequence[Segment]) -> list[list[Segment]]:
    """Cut at the widest gutter that has running text on both sides; [] if there is none."""
    usual = median(segment.size for segment in region)
    gaps = _gaps([(segment.left, segment.right) for segment in region])
    for low, high in sorted(gaps, key=lambda gap: gap[0] - gap[1])[:8]:
        if high - low < 0.7 * usual:
            break
        sides = (
            [segment for segment in region if segment.right <= low],
            [segment for segment in region if segment.left >= high],
        )
        if all(_is_prose(side) for side in sides):
            rtl = is_rtl("".join(segment.text for segment in region[:40]))
            return [sides[1], sides[0]] if rtl else [*sides]
    return []


def _is_prose(side: Sequence[Segment]) -> bool:
    rows = _rows(side)
    if len(rows) < 3:
        return False
    return median(max(len(cell.text) for cell in row) for row in rows) >= _PROSE


def _bands(region: Sequence[Segment], rows: Sequence[Sequence[Segment]]) -> list[list[Segment]]:
    """Cut at the widest white band; [] where all rows are as near to each other."""
    gaps = _gaps([(segment.top, segment.bottom) for segment in region])
    if not gaps or len(rows) < 2:
        return []
    low, high = max(gaps, key=lambda gap: gap[1] - gap[0])
    middle = (low + high) / 2
    upper = [segment for segment in region if segment.bottom <= middle]
    lower = [segment for segment in region if segment.bottom > middle]
    return [upper, lower] if upper and lower else []


def table_rows(rows: Sequence[Row]) -> list[tuple[int, int, list[list[str]]]]:
    """Find tables without lines: rows of short cells that stand in columns.

    Returns:
        ``(first row, behind the last row, cells)`` for each table.
    """
    tables = []
    index = 0
    while index < len(rows):
        stop = index
        while stop < len(rows) and _may_be_row(rows, stop, index):
            stop += 1
        cells = _cells(rows[index:stop]) if stop - index >= 3 else []
        if cells:
            tables.append((index, stop, cells))
        index = max(stop, index + 1)
    return tables


def _may_be_row(rows: Sequence[Row], at: int, first: int) -> bool:
    row = rows[at]
    if at > first:
        above = rows[at - 1]
        if row.cells[0].baseline - above.cells[0].baseline > 3.2 * max(row.size, above.size):
            return False
        if (
            row.cells[0].page != above.cells[0].page
            or row.cells[0].baseline < above.cells[0].baseline
        ):
            return False
    return len(row.cells) > 1


def _cells(rows: Sequence[Row]) -> list[list[str]]:
    """Give the cells of rows by column; [] for what is no table."""
    every = [cell for row in rows for cell in row.cells]
    gaps = _gaps([(cell.left, cell.right) for cell in every])
    edges = [high for _, high in gaps]
    columns = len(edges) + 1
    if columns < 2 or (columns == 2 and len(rows) < 4):
        return []
    if len(every) < 0.5 * columns * len(rows):
        return []
    if sum(len(cell.text) for cell in every) > 28 * len(every):
        return []
    if any("\uf8e0" <= character <= "\uf8ff" for cell in every for character in cell.text):
        return []  # pieces of tall brackets: a matrix
    firsts = [row.cells[0].text.rstrip(".)") for row in rows]
    if columns == 2 and all(len(f) <= 3 or f in _MARKERS for f in firsts):
        return []  # a list, with marks far from its text
    table = []
    for row in rows:
        cells = [""] * columns
        for cell in row.cells:
            column = bisect_right(edges, cell.left + 0.01)
            cells[column] = f"{cells[column]} {cell.text}".strip().replace(HYPHEN, "-")
        table.append(cells)
    return table
