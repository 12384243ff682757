"""Which elements of HTML are open, and what must be known of a document before it is walked.

Not a tree: a stack, with the end tags that HTML lets authors leave out. Each step is O(1) on average, however
deep the nesting is and whatever end tags are missing or too many.

Source: https://html.spec.whatwg.org/multipage/parsing.html#tree-construction, without the adoption of
misnested formatting and without moving text out of tables: text stays where the source has it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from langchain_chunkers.readers.html_tokens import END, START, Token, attributes

__all__ = [
    "BLOCKS",
    "CONTAINERS",
    "HEADINGS",
    "LANDMARKS",
    "VOID",
    "OpenElements",
    "Survey",
    "survey",
]

HEADINGS = {f"h{level}": level for level in range(1, 7)}
LANDMARKS = frozenset(["article", "aside", "footer", "header", "main", "nav", "section"])
CONTAINERS = frozenset(["blockquote", "details", "dl", "fieldset", "figure", "menu", "ol", "ul"])
"""Blocks whose parts belong together: places inside are weaker than places at their edges."""
_TABLE_PARTS = frozenset(["caption", "tbody", "td", "tfoot", "th", "thead", "tr"])
_ROWS = ("td", "th", "tr")
BLOCKS = frozenset(
    [
        "address", "body", "center", "dd", "dialog", "dir", "div", "dt", "figcaption", "form", "frameset",
        "head", "hgroup", "hr", "html", "legend", "li", "listing", "optgroup", "option", "p", "plaintext",
        "pre", "search", "summary", "table", "title", "xmp", *HEADINGS, *LANDMARKS, *CONTAINERS,
        *_TABLE_PARTS,
    ]
)  # fmt: skip
VOID = frozenset(
    [
        "area", "base", "basefont", "bgsound", "br", "col", "embed", "frame", "hr", "img", "input",
        "keygen", "link", "meta", "param", "source", "track", "wbr",
    ]
)  # fmt: skip
_BARRIERS = frozenset(
    ["button", "caption", "marquee", "object", "select", "table", "td", "template", "th"]
)
_RAW_TEXT = frozenset(["iframe", "noembed", "noframes", "textarea", "title", "xmp"])
_IN_SELECT = frozenset(["div", "hr", "legend", "optgroup", "option"])
_KEEPS_P = frozenset(["body", "head", "html", "option", "optgroup", "title", *_TABLE_PARTS])


class OpenElements:
    """The names of the open elements, outermost first; and where each name was opened last."""

    def __init__(self) -> None:
        self.names: list[str] = []
        self._where: dict[str, list[int]] = {}
        self._barriers: list[int] = [-1]
        self._blocks: list[int] = [-1]

    def push(self, name: str) -> None:
        """Open an element."""
        at = len(self.names)
        self.names.append(name)
        self._where.setdefault(name, []).append(at)
        if name in BLOCKS:
            self._blocks.append(at)
        if name in _BARRIERS:
            self._barriers.append(at)

    def pop(self) -> str:
        """Close the innermost element, and give its name."""
        name = self.names.pop()
        self._where[name].pop()
        if name in BLOCKS:
            self._blocks.pop()
        if name in _BARRIERS:
            self._barriers.pop()
        return name

    def last(self, *names: str) -> int:
        """Give the place of the innermost element with one of these names; -1 if none is open."""
        return max([where[-1] for name in names if (where := self._where.get(name))], default=-1)

    def implied(self, name: str) -> int:
        """Give the place of the element that the start of ``name`` closes; -1 if it closes none."""
        if self.names and self.names[-1] in _RAW_TEXT:  # no end tag was found for it
            return len(self.names) - 1
        if name not in BLOCKS:
            return -1
        barrier = self._barriers[-1]
        if 0 <= barrier == self.last("select") and name not in _IN_SELECT:
            return barrier  # an unclosed one must not hide the page
        if name in _TABLE_PARTS:
            table = self.last("table", "template")
            names = _ROWS[:2] if name in _ROWS[:2] else (*_ROWS, "caption")
            if name not in _ROWS:
                names = (*names, "tbody", "thead", "tfoot")
            found = [at for part in names if (at := self.last(part)) > table]
            return min(found, default=-1)
        at = -1
        if name == "li":
            at = self._inside("li", self.last("ul", "ol", "menu", "dir"), barrier)
        elif name in ("dt", "dd"):
            at = self._inside("dt", self.last("dl"), barrier)
            at = max(at, self._inside("dd", self.last("dl"), barrier))
        elif name in ("option", "optgroup"):
            at = self._inside("option", self.last("select"), barrier)
        elif name in HEADINGS and self.names and self.names[-1] in HEADINGS:
            at = len(self.names) - 1
        paragraph = self.last("p")
        if paragraph > barrier and name not in _KEEPS_P and (at < 0 or paragraph < at):
            at = paragraph
        return at

    def _inside(self, name: str, *outer: int) -> int:
        at = self.last(name)
        return at if at > max(outer) else -1

    def matching(self, name: str) -> int:
        """Give the place of the element that the end tag ``name`` closes; -1 if it closes none."""
        where = self._where.get(name)
        if self.names and self.names[-1] in _RAW_TEXT and name != self.names[-1]:
            return len(self.names) - 1
        if name in HEADINGS:  # "</h2>" closes "<h1>"
            at = self.last(*HEADINGS)
            return at if at > self._barriers[-1] else -1
        if not where:
            return -1
        if name in _TABLE_PARTS:
            return where[-1] if where[-1] > self.last("table", "template") else -1
        if name in _BARRIERS:
            return where[-1]
        limit = self._barriers[-1] if name in BLOCKS else self._blocks[-1]
        return where[-1] if where[-1] > limit else -1


@dataclass(slots=True)
class Survey:
    """What is known of a document before it is walked, by the numbers of its tokens.

    Attributes:
        unclosed: Headings that no end tag closes before the next heading.
        layout: Tables that hold blocks rather than data: they are read as blocks.
        headers: Rows that are headers of their columns.
    """

    unclosed: set[int] = field(default_factory=set)
    layout: set[int] = field(default_factory=set)
    headers: set[int] = field(default_factory=set)


# What no data table has in its cells; and how many blocks in one cell are too many for data.
_LAYOUT = frozenset(["blockquote", "dl", "fieldset", "form", "hr", "pre", *HEADINGS, *LANDMARKS])
_MOST_BLOCKS = 4


@dataclass(slots=True)
class _Table:
    token: int
    layout: bool = False
    columns: int = 0
    row: int = -1
    cells: int = 0
    plain_cells: int = 0
    head: bool = False
    body: bool = False
    blocks: int = 0
    headers: list[int] = field(default_factory=list)

    def close_row(self) -> None:
        if self.row >= 0 and self.cells:
            if self.head or (not self.body and not self.plain_cells):
                self.headers.append(self.row)
            else:
                self.body = True
        self.columns = max(self.columns, self.cells)
        self.row, self.cells, self.plain_cells, self.blocks = -1, 0, 0, 0


def survey(text: str, tokens: Sequence[Token]) -> Survey:
    """Look through the tokens once for headings and tables."""
    found = Survey()
    _find_unclosed(tokens, found)
    tables: list[_Table] = []
    for number, (kind, _, _, name) in enumerate(tokens):
        if kind == START:
            if name == "table":
                for outer in tables[-1:]:
                    outer.layout = True
                role = attributes(text, tokens[number]).get("role", "")
                tables.append(_Table(number, layout=role in ("presentation", "none")))
            elif tables:
                _look(tables[-1], number, name)
        elif kind == END and tables:
            if name == "table":
                _close(tables.pop(), found)
            elif name == "thead":
                tables[-1].close_row()
                tables[-1].head = False
    for table in tables:
        _close(table, found)
    return found


def _find_unclosed(tokens: Sequence[Token], found: Survey) -> None:
    """Find the headings that no end tag closes before the next one begins."""
    opened = -1
    for number, (kind, _, _, name) in enumerate(tokens):
        if name in HEADINGS and kind in (START, END):
            if opened >= 0 and kind == START:
                found.unclosed.add(opened)
            opened = number if kind == START else -1
    if opened >= 0:
        found.unclosed.add(opened)


def _look(table: _Table, number: int, name: str) -> None:
    if name in ("tr", "thead", "tbody", "tfoot"):
        table.close_row()
        if name == "tr":
            table.row = number
        else:
            table.head = name == "thead" and not table.body
    elif name in ("td", "th"):
        table.cells += 1
        table.plain_cells += name == "td"
        table.blocks = 0
    elif name in _LAYOUT:
        table.layout = True
    elif name in BLOCKS and name != "caption":
        table.blocks += 1
        table.layout |= table.blocks >= _MOST_BLOCKS and name != "li"


def _close(table: _Table, found: Survey) -> None:
    table.close_row()
    if table.layout or table.columns < 2:
        found.layout.add(table.token)
    else:
        found.headers.update(table.headers)
