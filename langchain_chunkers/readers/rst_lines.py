"""The lines of reStructuredText, and the patterns of what begins with one."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

__all__ = [
    "ADORNMENT",
    "CODE",
    "DIRECTIVE",
    "GRID",
    "GRID_HEAD",
    "ITEM",
    "OPTION",
    "RAW",
    "SIMPLE",
    "TARGET",
    "Line",
    "body_end",
    "simple_borders",
    "split_lines",
]

ADORNMENT = re.compile(r"([!-/:-@\[-`{-~])\1+$")
ITEM = re.compile(
    r"(?:[-*+•‣⁃]|\(?(?:\d{1,4}|[A-Za-z#]|[ivxlcdmIVXLCDM]{1,8})[.)]|:[^:\s](?:[^:]{0,80}[^:\s])?:)(?: |$)"
)
DIRECTIVE = re.compile(r"\.\. (?:\|[^|]{1,80}\| )?([\w.:+-]{1,60}?)::(?: +(.*))?$")
OPTION = re.compile(r"\s*:[\w-]{1,60}:")
TARGET = re.compile(r"\.\. _[^:]{1,200}:$|\.\. _`[^`]{1,200}`:$|__ |\.\. index::")
GRID = re.compile(r"\+(?:[-=]+\+)+$")
GRID_HEAD = re.compile(r"\+(?:=+\+)+$")
SIMPLE = re.compile(r"=+(?: +=+)+$")
CODE = frozenset((
    "code", "code-block", "sourcecode", "highlight-block", "parsed-literal", "prompt", "ipython",
    "doctest", "testcode",
))  # fmt: skip
RAW = frozenset((
    "raw", "math", "graphviz", "digraph", "graph", "productionlist", "csv-table", "uml", "mermaid",
    "plantuml",
))  # fmt: skip


class Line(NamedTuple):
    """A line: its start, its width of indentation, and its text without white space at the edges."""

    start: int
    indent: int
    text: str


def split_lines(text: str) -> list[Line]:
    """Split a text into lines; a byte order mark is no part of the first."""
    lines, at = [], 0
    for raw in text.split("\n"):
        body = raw.strip()
        margin = raw[: len(raw) - len(raw.lstrip())] if body else ""
        width = len(margin.expandtabs(8)) if "\t" in margin else len(margin)
        lines.append(Line(at, width, body))
        at += len(raw) + 1
    if lines[0].text.startswith("\ufeff"):
        lines[0] = Line(0, 0, lines[0].text[1:])
    return lines


def body_end(lines: Sequence[Line], number: int, indent: int) -> int:
    """Give the number of the line behind the body of a block: lines more indented, or blank."""
    last = number
    for at in range(number + 1, len(lines)):
        if lines[at].text:
            if lines[at].indent <= indent:
                break
            last = at
    return last + 1


def simple_borders(lines: Sequence[Line], number: int) -> list[int]:
    """Give the numbers of the borders below that at the top of a simple table; ``[]`` for no table.

    It ends at a border with a blank line behind it, or at the third border.
    """
    borders: list[int] = []
    for at in range(number + 1, len(lines)):
        if lines[at].text and lines[at].indent < lines[number].indent:
            return []
        if SIMPLE.match(lines[at].text):
            borders.append(at)
            if len(borders) == 2 or at + 1 == len(lines) or not lines[at + 1].text:
                break
    return borders
