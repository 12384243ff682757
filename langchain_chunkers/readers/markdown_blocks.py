"""What a Markdown block repeats where it must be divided: a fence its fence lines, a table its header."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import Any, NamedTuple

from langchain_chunkers.ladder import content_end, content_start
from langchain_chunkers.outline import Outline, Region, Strength

__all__ = ["Fence", "Table", "as_lead", "embedded", "find_tables", "language_of", "read_fence"]

_NOT_LEAD = re.compile(r"[^>\t]")
_LANGUAGE = re.compile(r"[^\s{}.,:`~][^\s{},:`]*")
# A delimiter row. No white space is matched by two neighbouring parts, so that it is linear.
_DELIMITER = re.compile(
    r"\n[ \t>]*(?P<row>(?:\|[ \t]*)?:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*(?:\|[ \t]*)?)(?=\n|\Z)"
)
_LEAD = re.compile(r"[ \t>]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+[ \t>]*)*")
_NEWLINE = re.compile(r"\r\n?")
_BLANK = re.compile(r"\n[ \t>]*(?=\n)")
_BAR = re.compile(r"(?<!\\)\|")
_LONG_ROW = 100  # characters from which a row's cells are listed; shorter ones rarely need dividing


def as_lead(text: str) -> str:
    """Give what continues the containers that ``text``, the start of a line, is in.

    Example:
        >>> as_lead("> - ")
        '>   '
    """
    return _NOT_LEAD.sub(" ", text)


def embedded(language: str, code: str) -> Outline | None:
    """Read code in its own language; ``None`` where no reader of it is installed.

    Args:
        language: The language as a fence names it.
        code: The code.
    """
    try:
        read = import_module("langchain_chunkers.readers.code").read_code
        outline: Outline | None = read(code, language)
    except ImportError:
        return None
    return outline


class Fence(NamedTuple):
    """A fenced code block as a region, what is glued in it, and where its code may be divided."""

    region: Region
    glued: list[tuple[int, int]]
    places: list[tuple[int, Strength]]


def read_fence(
    text: str, flat: str, line: int, start: int, end: int, fits: Callable[[str], bool]
) -> Fence | None:
    """Read a fenced code block.

    Args:
        text: The text.
        flat: The same, flattened.
        line: Start of its first line.
        start: Start of the opening fence.
        end: End of the block.
        fits: Says whether the block fits; if not, its code is read by the reader of its language.

    Returns:
        The block; places are those of the code's own reader. ``None`` if there is no line of code.
    """
    opened = flat.find("\n", start, end)
    if opened < 0:
        return None
    info = text[start:opened].rstrip()
    mark = info[: len(info) - len(info.lstrip(info[0]))]
    first = content_start(text, opened + 1, end, keep_indent=True)
    tail = content_end(text, start, end)
    last = flat.rfind("\n", start, tail) + 1
    closing = flat[last:tail].lstrip(" \t>")
    closed = last > opened and len(closing) >= len(mark) and not closing.strip(mark[0])
    found = _LANGUAGE.search(info, len(mark))
    language = found.group() if found else ""
    body_end = content_end(text, opened, last) if closed else tail
    if body_end <= opened + 1 or first >= end:
        return None
    glued = _glue(flat, line, first, body_end, tail - len(closing) if closed else -1)
    lead = as_lead(flat[line:start])
    region = Region(
        start if flat[line:start].strip(" \t>") else line,
        end,
        "code",
        {"language": language} if language else {},
        f"{lead}{info}\n",
        f"\n{lead}{mark}",
    )
    places: list[tuple[int, Strength]] = []
    if language and not lead and not fits(text[start:end]):
        edge = max(end for _, end in glued[:1])
        last_line = flat.rfind("\n", 0, body_end) + 1
        found_places = _code_places(language, text[opened + 1 : body_end], opened + 1)
        places = [(at, kind) for at, kind in found_places if edge < at <= last_line]
    return Fence(region, glued, places)


def _glue(flat: str, line: int, first: int, body_end: int, closing: int) -> list[tuple[int, int]]:
    """Glue the opening fence to the first line of code, and the last line to the closing fence."""
    if closing < 0:
        return [(line, first)]
    last = flat.rfind("\n", 0, body_end) + 1
    return [(line, closing)] if last <= first else [(line, first), (last, closing)]


def _code_places(language: str, code: str, offset: int) -> list[tuple[int, Strength]]:
    outline = embedded(language, code)
    if outline is None:
        return []
    glued = [region for region in outline.regions if region.kind == "heading"]
    starts = [region.start for region in glued]
    return [
        (at + offset, strength)
        for at, strength in outline.boundaries()
        if (index := bisect_left(starts, at) - 1) < 0 or glued[index].end < at
    ]


class Table(NamedTuple):
    """A table: its header from ``start``, its rows from ``rows``, and where rows and cells begin."""

    start: int
    rows: int
    end: int
    region: Region
    places: list[int]
    cells: list[int]


def find_tables(
    text: str, flat: str, starts: Sequence[int], is_text: Callable[[int], bool]
) -> list[Table]:
    """Find the tables of GitHub's Markdown, also with more header rows than one.

    Args:
        text: The text.
        flat: The same, flattened.
        starts: Starts of the lines at which blocks begin, ascending.
        is_text: Says of a place whether it is in a block of text, not of code or HTML.
    """
    tables: list[Table] = []
    behind = 0
    for found in _DELIMITER.finditer(flat) if "|" in flat else ():
        at = found.start() + 1
        row = found.group("row")
        if at < behind or "|" not in row or not is_text(at):
            continue
        block = starts[bisect_right(starts, at) - 1] if starts else 0
        header = _header(flat, block, at, row)
        if header < 0 or block == at:
            continue
        index = bisect_right(starts, at)
        limit = starts[index] if index < len(starts) else len(text)
        blank = _BLANK.search(flat, found.end(), limit)
        end = blank.start() + 1 if blank else limit
        table = _table(text, flat, header, found.end() + 1, end)
        if table is not None:
            tables.append(table)
            behind = end
    return tables


def _header(flat: str, block: int, at: int, row: str) -> int:
    """Give the start of the header above a delimiter row; -1 if the line above is none."""
    line = flat.rfind("\n", 0, at - 1) + 1
    if line < block or _cells(flat[line:at]) != _cells(row):
        return -1
    while line > block:  # more rows above: a header of two rows
        above = flat.rfind("\n", 0, line - 1) + 1
        if above < block or not flat[above:line].lstrip(" \t>").startswith("|"):
            break
        line = above
    return line


def _cells(row: str) -> int:
    """Count the cells of a row; 0 if it has no bar."""
    found = _LEAD.match(row)
    whole = row[found.end() if found else 0 :].strip()
    inner = whole.removeprefix("|")
    bars = len(_BAR.findall(inner))
    if not bars and inner == whole:
        return 0
    return bars + (not inner.endswith("|") or inner.endswith("\\|"))


def _table(text: str, flat: str, start: int, rows: int, end: int) -> Table | None:
    """Make a table; ``None`` where no row follows the header."""
    end = content_end(text, start, min(end, len(text)))
    if rows >= end:
        return None
    found = _LEAD.match(flat, start, rows)
    lead = found.group() if found else ""
    marked, first = bool(lead.strip(" \t>")), len(lead)
    header = as_lead(lead) + _NEWLINE.sub("\n", text[start + first : rows])
    places, cells = [], []
    at = rows
    while at < end:
        after = flat.find("\n", at, end) + 1 or end
        if at > rows:
            places.append(at)
        if after - at > _LONG_ROW:
            cells += _cell_places(text, at, after)
        at = after
    region = Region(start + first if marked else start, end, "lines", {}, header)
    return Table(start, rows, end, region, places, cells)


def _cell_places(text: str, start: int, end: int) -> list[int]:
    bars = [found.start() for found in _BAR.finditer(text, start, content_end(text, start, end))]
    first = bool(bars) and not text[start : bars[0]].strip(" \t>")
    last = bool(bars) and not text[bars[-1] + 1 : end].strip()
    return bars[first : len(bars) - last]


def language_of(regions: Sequence[Region]) -> dict[str, Any]:
    """Name the language of the first code block among regions."""
    for region in regions:
        if region.kind == "code" and "language" in region.metadata:
            return {"language": region.metadata["language"]}
    return {}
