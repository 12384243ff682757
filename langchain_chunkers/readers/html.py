"""The reader of HTML: clean text or the source itself, with its blocks, headings, lists and tables.

One walk over the tokens writes both (see `html_output`): as text, what a reader of the page sees,
in the order in which it stands; as source, only the places. Elements are kept on a stack, so that
depth costs nothing; what must be known ahead (which tables hold data, which rows are headers) a
first look over the tokens finds.
"""

from __future__ import annotations

from collections.abc import Mapping

from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.readers.html_content import Content, HTMLOptions
from langchain_chunkers.readers.html_elements import (
    INLINE_BOXES,
    begin_list,
    is_hidden,
    language_of,
    safe_url,
)
from langchain_chunkers.readers.html_output import Label
from langchain_chunkers.readers.html_table import Grid
from langchain_chunkers.readers.html_tokens import CDATA, END, RAW, START, TEXT, Token, attributes
from langchain_chunkers.readers.html_tree import BLOCKS, CONTAINERS, HEADINGS, LANDMARKS, VOID

__all__ = ["HTMLOptions", "read_html"]

_LABELS = frozenset(["caption", "dt", "legend", "summary"])
_RAW_BLOCKS = frozenset(["noscript", "script", "style", "template"])
_SCOPES = frozenset(["article", "aside", "footer", "main", "nav"])
"""Headings inside say nothing of what comes behind. Not ``section``: many hold a page's title alone."""
_LISTS = frozenset(["dl", "menu", "ol", "ul"])
_ROW_PARTS = frozenset(["tbody", "td", "tfoot", "th", "thead", "tr"])
_MAY_BE_HEADINGS = frozenset(["a", "b", "div", "em", "p", "span", "strong"])


def read_html(text: str, options: HTMLOptions | None = None) -> Outline:
    """Read HTML, valid or broken.

    Args:
        text: Any string.
        options: How to read it.

    Returns:
        The outline of the clean text, or of ``text`` itself. ``notes`` lead back to the source.

    Cost: linear, whatever is nested or unclosed.

    Example:
        >>> read_html("<h1>Tea</h1><p>Mix <b>ten</b> grams&nbsp;now.<ul><li>hot<li>black").text
        'Tea\\n\\nMix ten grams now.\\n\\n- hot\\n- black'
    """
    return _Reader(text, options or HTMLOptions()).run()


class _Reader(Content):
    def run(self) -> Outline:
        for number, token in enumerate(self.tokens):
            kind, start, end, name = token
            self.here = start
            if kind == TEXT:
                self._text(start, end)
            elif kind == START:
                self._start(number, token)
            elif kind == END:
                self._end(token)
            elif kind == CDATA:
                self._text(start + 9, end - 3, references=False)
            elif kind == RAW:
                self._raw(start, end, name)
            elif self.out.newlines and self.out.cut < 0:
                self.out.cut = start
        self.here = len(self.text)
        self._close(0)
        self.out.end_label()
        return self.out.outline()

    # ------------------------------------------------------------------ start tags

    def _edge(self, name: str) -> None:
        """Ask for the gap at the edge of a block."""
        if self.grid is not None and name in _ROW_PARTS:
            if name not in ("td", "th"):
                self._gap(1)
        else:
            self._gap(2, Strength.BLOCK if name in LANDMARKS and not self.depth else None)

    def _start(self, number: int, token: Token) -> None:
        _, start, end, name = token
        implied = self.open.implied(name)
        if implied >= 0:
            self._close(implied)
        label = self.out.label
        if label is not None and label.unclosed and label.start >= 0 and name in BLOCKS:
            self.out.end_label()
            self._gap(2)
        empty = name in VOID or (
            self.text[end - 2] == "/" and (self.xml or self.open.last("svg", "math") >= 0)
        )
        found = attributes(self.text, token) if end - start > len(name) + 2 else {}
        if self.hidden < 0:
            excluded = self.options.exclude if not self.options.source else frozenset()
            svg = self.open.last("svg") >= 0
            if name not in VOID and is_hidden(name, found, excluded, svg=svg):
                if name in BLOCKS or (self.options.source and name in _RAW_BLOCKS):
                    self._gap(2)
                self._cut(start)
                if not empty:
                    self.hidden = len(self.open.names)
                    self.open.push(name)
                return
            if not svg:
                self._anchor(name, found, start)
            self._enter(number, token, found)
        elif self.options.source:
            self._cut(start)
        if not empty:
            self.open.push(name)
        elif name not in VOID and self.hidden < 0:
            self._leave(name, end)

    def _enter(self, number: int, token: Token, found: Mapping[str, str]) -> None:
        """Do what the start of a visible element asks for."""
        _, start, end, name = token
        if name in HEADINGS or (name in _MAY_BE_HEADINGS and found.get("role") == "heading"):
            self._begin_heading(number, token, found)
        elif name == "br":
            self._line_break(start, end)
        elif name in BLOCKS:
            self._edge(name)
            self._cut(start)
            self._enter_block(number, token, found)
        elif name in INLINE_BOXES:
            self.space = True
            if name == "img" and self.options.images:
                self._image(found, start, end)
            elif self.options.source:
                self._begin(start)
        elif name == "math" and not self.options.source:
            self._formula(number)
        elif name == "a":
            # links side by side are never one word: menus leave the space to the style sheet
            self.space |= self.written == self.link_end
            self._end_link()
            if self.options.links:
                self.link = safe_url(found.get("href", "")) or None
        self._cut(start)

    def _enter_block(self, number: int, token: Token, found: Mapping[str, str]) -> None:
        _, start, end, name = token
        if name == "table" and number not in self.survey.layout:
            if self.grid is None and self.pre < 0 and not self.cell:
                self.grid = Grid(self.out, self.survey, start, end, len(self.open.names))
                self.depth += 1
        elif self.grid is not None and name in ("tr", "td", "th"):
            self._begin_row(number, start) if name == "tr" else self._begin_cell(token, found)
        elif name in ("pre", "listing", "xmp", "plaintext") and self.pre < 0 and not self.cell:
            self.pre, self.pre_start, self.pre_first = len(self.open.names), -1, True
            self.pre_facts = language_of(self.text, self.tokens, number)
        else:
            self._enter_group(token, found)
        if name in _LABELS and not self.cell and self.pre < 0 and self.out.label is None:
            self.out.label = Label(7, start, len(self.open.names))

    def _enter_group(self, token: Token, found: Mapping[str, str]) -> None:
        """Begin what holds other blocks, or an item of it."""
        name = token[3]
        if name == "li":
            self._begin_item(token, found)
        elif name in ("dt", "dd"):
            if self.lists:
                self.lists[-1].inside = name == "dd"
            self.depth += name == "dd"
        elif name in _SCOPES:
            self.paths.append(self.out.path)
        elif name in CONTAINERS:
            self.depth += 1
            if name in _LISTS:
                self.lists.append(begin_list(name, found))

    # ------------------------------------------------------------------ end tags

    def _end(self, token: Token) -> None:
        _, start, end, name = token
        at = self.open.matching(name)
        if at >= 0:
            # what the end tag closes besides ends before it
            self._close(at + 1)
            self.here = end
            self._close(at)
        elif name in ("p", "br") and self.hidden < 0:
            self._gap(2 if name == "p" else 1)
        if name in BLOCKS and self.out.newlines:
            self.out.cut = end
        elif self.out.newlines and self.out.cut < 0 and not self.out.begun:
            self.out.cut = start

    def _close(self, depth: int) -> None:
        """Close all elements down to a depth."""
        while len(self.open.names) > depth:
            name = self.open.pop()
            if self.hidden < 0:
                self._leave(name, self.here)
            elif len(self.open.names) == self.hidden:
                self.hidden = -1
                if name in BLOCKS or (name in _RAW_BLOCKS and self.options.source):
                    self._gap(2)
                    self.out.cut = self.here
                if name in INLINE_BOXES:
                    self.space = True

    def _leave(self, name: str, end: int) -> None:
        """Do what the end of a visible element asks for."""
        label = self.out.label
        if label is not None and len(self.open.names) <= label.depth:
            self.out.end_label()
            self._gap(2)
        if self.grid is not None and name in ("table", "td", "th", "tr"):
            if name == "tr":
                self._end_row()
            elif name != "table":
                self._end_cell()
            elif self.grid.depth == len(self.open.names):
                self._end_table(end)
        elif self.pre == len(self.open.names):
            self._end_pre(end)
        else:
            self._leave_group(name)
        if name in BLOCKS:
            self._edge(name)
        elif name in INLINE_BOXES:
            self.space = True
        elif name == "a":
            self._end_link()
            self.link_end = self.written

    def _leave_group(self, name: str) -> None:
        """End what `_enter_group` began."""
        if name in ("li", "dd"):
            self.depth -= 1
            self.mark = ("", 0, 0)
            if self.lists:
                self.lists[-1].inside = False
        elif name in _SCOPES:
            level = self.out.restore(self.paths.pop())
            if level:
                self._gap(2, self.options.strength(level))
        elif name in CONTAINERS:
            self.depth -= 1
            if name in _LISTS:
                self.lists.pop()
