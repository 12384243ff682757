"""How the content of HTML is written: words, preformatted text, formulas, links, cells of tables.

`langchain_chunkers.readers.html` walks over the tags and says when. Longer than
others, since all of it writes to one state: where a line stands, and what is open around it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from langchain_chunkers.outline import Region, Strength
from langchain_chunkers.readers.html_elements import (
    PERMALINKS,
    ListState,
    item_mark,
    safe_url,
    tex_of,
)
from langchain_chunkers.readers.html_output import LEVELS, Label, Output
from langchain_chunkers.readers.html_table import Grid
from langchain_chunkers.readers.html_tokens import ENTITY, Token, decoded, is_xml, tokenize
from langchain_chunkers.readers.html_tree import HEADINGS, OpenElements, survey

__all__ = ["Content", "HTMLOptions"]

_WS = " \t\n\f\r\xa0"
_UNEVEN = re.compile(f"[&|{_WS[1:]}]|  ")
_WORDS = rf"[^{_WS}&|]++(?: [^{_WS}&|]++)*+"
_RUNS = re.compile(
    rf"(?P<white>[{_WS}]++)|(?P<reference>{ENTITY.pattern})|(?P<words>{_WORDS}|[&|])"
)
_DEEPEST = 8  # levels of lists that are shown by indentation; deeper ones stay there


@dataclass(frozen=True, slots=True)
class HTMLOptions:
    """How HTML is read.

    Attributes:
        source: Give the source itself rather than clean text.
        headers: Names for the metadata by level of heading; other headings are blocks.
        links: Write links as ``[text](address)``.
        images: Write images as ``![alternative text](address)``.
        exclude: Elements to leave out, by tag; ARIA landmarks count as their elements.
    """

    source: bool = False
    headers: Mapping[int, str] = field(
        default_factory=lambda: {level: f"Header {level}" for level in range(1, 7)}
    )
    links: bool = False
    images: bool = False
    exclude: frozenset[str] = frozenset()

    def strength(self, level: int) -> Strength:
        """Give the strength of a heading: one not asked for is a block above those that are."""
        asked = level in self.headers or level > max(self.headers, default=0)
        return Strength.section(level) if asked else Strength.BLOCK


class Content:
    """A document on its way into an outline: all but the tags.

    Args:
        text: The document.
        options: How it is read.
    """

    def __init__(self, text: str, options: HTMLOptions) -> None:
        self.text, self.options = text, options
        self.xml = is_xml(text)
        self.tokens = tokenize(text)
        self.survey = survey(text, self.tokens)
        self.out = Output(text, options.source, options.headers)
        self.open = OpenElements()
        self.hidden = -1  # how many elements are open around the one that hides all inside
        self.space, self.fresh = False, True
        self.depth = 0
        self.lists: list[ListState] = []
        self.mark = ("", 0, 0)
        self.breaks = False  # the gap that is pending comes from one <br>
        self.grid: Grid | None = None
        self.cell = False
        self.pre = -1  # how many elements are open around preformatted text
        self.pre_start, self.pre_first = -1, False
        self.pre_facts: dict[str, str] = {}
        self.link: str | None = None
        self.linked = False
        self.written = self.link_end = 0  # pieces, and how many there were when a link ended
        self.paths: list[dict[int, str]] = []  # heading paths outside of what is open
        self.here = 0  # behind all of the source that was read, as far as end tags are concerned

    # ------------------------------------------------------------------ words

    def _shows(self) -> bool:
        return self.hidden < 0 or self.options.source

    def _begin(self, start: int) -> None:
        """Begin a line, if one is due: with its gap, its indentation and its mark."""
        out = self.out
        if out.begun and not out.newlines:
            return
        if self.linked:
            self._end_link()
        out.begin(start)
        self.breaks = False
        self.space, self.fresh = False, True
        if self.lists and self.pre < 0:
            inside = self.lists[-1].inside and not self.mark[0]
            indent = "  " * min(len(self.lists) - (not inside), _DEEPEST)
            mark, first, last = self.mark
            if mark:
                out.write_from(indent + mark, first, last)
            elif indent:
                out.write(indent)
        self.mark = ("", 0, 0)

    def _emit(self, piece: str, start: int, end: int) -> None:
        """Write words, with the space before them that is due."""
        out = self.out
        if piece in PERMALINKS and out.label is not None and self.open.last("a") >= 0:
            return  # what documentation tools put behind headings, for the mouse
        self._begin(start)
        space = " " if self.space and not self.fresh else ""
        if space:
            out.write(space)
        self.space = self.fresh = False
        self.written += 1
        if self.link is not None and not self.linked:
            out.write("[")
            self.linked = True
        if self.cell and piece == "|":
            piece = "\\|"
        out.write_from(piece, start, end)
        if out.label is not None and self.hidden < 0:
            out.label.words.append(space + piece)

    def _text(self, start: int, end: int, *, references: bool = True) -> None:
        if not self._shows() or start >= end:
            return
        if self.pre >= 0:
            self._verbatim(start, end, references=references)
            return
        raw = self.text[start:end]
        if _UNEVEN.search(raw) is None:
            core = raw.strip(" ")
            self.space |= raw[0] == " "
            if core:
                at = start + raw.index(core[0])
                self._emit(core, at, at + len(core))
                self.space |= raw[-1] == " "
            return
        for found in _RUNS.finditer(raw):
            piece = found.group()
            if found.lastgroup == "reference" and references:
                piece = decoded(piece)
            if piece.strip(_WS):
                self._emit(piece, start + found.start(), start + found.end())
            elif piece:
                self.space = True

    def _verbatim(self, start: int, end: int, *, references: bool = True) -> None:
        """Write preformatted text as it is."""
        if self.pre_first:
            self.pre_first = False
            start += self.text.startswith("\r", start)
            start += self.text.startswith("\n", start)
        if start >= end:
            return
        self._begin(start)
        if self.pre_start < 0:
            self.pre_start = self.out.place
        self.fresh = self.space = False
        at = start
        if references and self.text.find("&", start, end) >= 0:
            for found in ENTITY.finditer(self.text, start, end):
                if at < found.start():
                    self.out.write_from(self.text[at : found.start()], at, found.start())
                self.out.write_from(decoded(found.group()), *found.span())
                at = found.end()
        if at < end:
            self.out.write_from(self.text[at:end], at, end)

    def _raw(self, start: int, end: int, name: str) -> None:
        """Read the content of an element without markup inside: a script, a text area."""
        if self.options.source:
            self._begin(start)
            if name in ("script", "style") and self.grid is None and self.pre < 0:
                self.out.special(Region(start, end, "code"))
        elif self.hidden < 0:
            self._text(start, end, references=name == "textarea")

    # ------------------------------------------------------------------ gaps

    def _level(self, below: int = 0) -> Strength:
        """Give the strength of a place between blocks here."""
        return LEVELS[min(self.depth + below, len(LEVELS) - 1)]

    def _gap(self, newlines: int, strength: Strength | None = None) -> None:
        self.breaks = False
        if self.cell or (self.out.label is not None and self.out.label.start >= 0):
            self.space = True
            return
        if self.lists or self.pre >= 0:
            newlines = 1
        self.out.gap(newlines, self._level() if strength is None else strength)

    def _cut(self, at: int) -> None:
        """Note where in the source the gap lies that is pending."""
        if self.out.cut < 0 and (self.out.newlines or not self.out.begun):
            self.out.cut = at

    def _anchor(self, name: str, found: Mapping[str, str], start: int) -> None:
        anchor = found.get("id") or (found.get("name") if name == "a" else None)
        if anchor:
            label = self.out.label
            self.out.notes.anchors_at.append(start if label is None else label.tag)
            self.out.notes.anchors.append(anchor)

    # ------------------------------------------------------------------ blocks

    def _begin_item(self, token: Token, found: Mapping[str, str]) -> None:
        _, start, end, _ = token
        self.depth += 1
        if self.cell:
            self._emit("•", start, end)
            self.space = True
            return
        if self.lists:
            self.lists[-1].inside = True
        self.mark = item_mark(self.lists[-1] if self.lists else None, found), start, end

    def _begin_heading(self, number: int, token: Token, found: Mapping[str, str]) -> None:
        _, start, _, name = token
        level = HEADINGS.get(name)
        if level is None:
            level = (
                int(found["aria-level"]) if found.get("aria-level", "") in tuple("123456") else 2
            )
        if self.cell or self.pre >= 0 or self.grid is not None:
            self._gap(2)
            return
        self.out.end_label()
        self._gap(2, self.options.strength(level))
        self._cut(start)
        self.out.label = Label(
            level, start, len(self.open.names), unclosed=number in self.survey.unclosed
        )

    def _end_pre(self, end: int) -> None:
        if self.pre_start >= 0:
            stop = end if self.options.source else self.out.at
            kind = "html" if self.options.source else "code" if self.pre_facts else "verbatim"
            facts = {key: value for key, value in self.pre_facts.items() if value}
            self.out.special(Region(self.pre_start, stop, kind, facts))
        self.pre = self.pre_start = -1

    # ------------------------------------------------------------------ in a line

    def _line_break(self, start: int, end: int) -> None:
        if self.cell or self.out.label is not None:
            self.space = True
        elif self.pre >= 0:
            self._begin(start)
            self.out.write_from("\n", start, end)
        else:
            twice = self.breaks
            self._gap(2 if twice else 1, self._level(0 if twice else 1))
            self.breaks = True
            self.out.cut = end

    def _formula(self, number: int) -> None:
        """Write the TeX of a formula, where it has such, in place of its signs."""
        start, end = tex_of(self.text, self.tokens, number)
        if self.text[start:end].strip():
            self._emit("$", start, start)
            self.fresh = True  # no space behind the sign, and none before the next
            self._text(start, end)
            self.space = False
            self._emit("$", end, end)
            self.hidden = len(self.open.names)

    def _image(self, found: Mapping[str, str], start: int, end: int) -> None:
        alt, address = " ".join(found.get("alt", "").split()), safe_url(found.get("src", ""))
        if address:
            self._emit(f"![{alt}]({address})", start, end)
        elif alt:
            self._emit(alt, start, end)
        self.space = True

    def _end_link(self) -> None:
        if self.linked:
            self.out.write(f"]({self.link})")
        self.link, self.linked = None, False

    # ------------------------------------------------------------------ tables

    def _begin_cell(self, token: Token, found: Mapping[str, str]) -> None:
        grid = self.grid
        assert grid is not None
        _, start, _, _ = token
        self._end_cell()
        if not grid.in_row:
            grid.begin_row(-1)
        if grid.first:
            self._begin(start)
            grid.open_row()
        grid.begin_cell(start, found, self._level(1))
        self.cell, self.fresh, self.space = True, True, False

    def _end_cell(self) -> None:
        if self.cell and self.grid is not None:
            self._end_link()
            self.grid.end_cell()
            self.cell = self.space = False

    def _end_row(self) -> None:
        self._end_cell()
        if self.grid is not None and self.grid.in_row:
            self.grid.end_row()
            self._gap(1)

    def _begin_row(self, number: int, start: int) -> None:
        assert self.grid is not None
        self._end_row()
        self._cut(start)
        self.grid.begin_row(number)

    def _end_table(self, end: int) -> None:
        assert self.grid is not None
        self._end_row()
        self.grid.close(end)
        self.grid = None
        self.depth -= 1
