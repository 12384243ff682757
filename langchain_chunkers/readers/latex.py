"""The reader of LaTeX: sections by level, environments whole, verbatim text never looked into.

A ``\\begin`` without ``\\end`` and an ``\\end`` without ``\\begin`` are text like any other.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from langchain_chunkers.ladder import content_end, content_start
from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.latex_tokens import Event, find_events, match_pairs
from langchain_chunkers.readers.sections import JOINED, Heading, nested, sectioned

__all__ = ["read_latex"]

_LEVELS = {
    "part": 0, "addpart": 0, "chapter": 1, "addchap": 1, "section": 2, "addsec": 2, "subsection": 3,
    "subsubsection": 4, "paragraph": 5, "subparagraph": 6,
}  # fmt: skip
_TABLES = frozenset((
    "tabular", "tabularx", "tabulary", "tabularray", "longtable", "longtabu", "tabu", "supertabular",
    "xtabular", "tblr", "longtblr",
))  # fmt: skip
_MATH = frozenset((
    "[", "equation", "align", "alignat", "flalign", "gather", "multline", "eqnarray", "displaymath",
    "math", "dmath", "IEEEeqnarray",
))  # fmt: skip
_DRAWINGS = frozenset((
    "tikzpicture", "picture", "pspicture", "axis", "forest", "circuitikz", "algorithmic",
))  # fmt: skip
_LISTS = frozenset((
    "itemize", "enumerate", "description", "compactitem", "compactenum", "list", "trivlist",
))  # fmt: skip
_THROUGH = frozenset((
    "document", "appendices", "appendix", "subappendices", "multicols", "mainmatter",
))  # fmt: skip
_GROUP = re.compile(r"[ \t]*(?:\[[^\]\n]{0,500}\]|\{(?:[^{}]|\{[^{}]{0,200}\}){0,300}\})")
_ROW = re.compile(
    r"\*?(?:[ \t]*\[[^\]\n]{0,40}\])?"
    r"(?:\s{0,80}\\(?:hline|[a-z]*rule|endhead|endfirsthead|endfoot|endlastfoot|cline|hdashline)(?![A-Za-z])"
    r"(?:\[[^\]\n]{0,20}\]|\{[^}\n]{0,40}\}|\([^)\n]{0,20}\)){0,4})*[ \t]*(?:%[^\n]*)?\r?\n?"
)
_HEAD = re.compile(r"\\(?:endhead|midrule|hline|cmidrule)(?![A-Za-z])[^\n\\]*")
_LANGUAGE = re.compile(r"language\s*=\s*\{?(?:\[[^\]]*\])?\s*([^,\]}\s]+)")
_LONGEST_TITLE = 400  # characters in which the closing brace of a title is looked for
_HEADER = 2_000  # characters in which the head of a table is looked for


def read_latex(text: str) -> Outline:
    r"""Read LaTeX, a whole document or a part of one.

    Args:
        text: Any string.

    Returns:
        SECTIONn at headings, where the highest command that occurs is level 1; BLOCK between
        paragraphs and environments; weaker places inside environments. ``language`` for listings.

    Cost: linear, 1 to 3 MB/s.

    Example:
        >>> outline = read_latex("\\section{One}\nText.\n\n\\begin{quote}\nMore.\n\\end{quote}\n")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()]
        [(21, 'BLOCK')]
    """
    events = find_events(text)
    return _Walk(text, events).outline()


class _Walk:
    """Goes through the events once, and notes boundaries, regions and headings."""

    def __init__(self, text: str, events: list[Event]) -> None:
        self.text, self.events = text, events
        self.pairs = match_pairs(events)
        self.sections = [n for n, event in enumerate(events) if event.kind == "section"]
        self.best: dict[int, Strength] = {}
        self.blocks: list[Region] = []
        self.glue: list[tuple[int, int]] = []
        self.headings: list[Heading] = []
        self.depth = 0
        self.special = -1  # the number of the event that ends the block at hand

    def outline(self) -> Outline:
        """Give the outline of the text."""
        used = sorted({_LEVELS[self.events[n].name] for n in self.sections})
        ranks = {level: rank for rank, level in enumerate(used, 1)}
        opens = {"begin": self._begin, "end": self._end}
        for number, event in enumerate(self.events):
            if event.kind in opens:
                if number in self.pairs:
                    opens[event.kind](number, event)
            elif number < self.special:
                if event.kind == "row":
                    self._row(event)
            elif event.kind == "section":
                rank = ranks[_LEVELS[event.name]]
                self.headings.append(Heading(event.start, event.end, rank, event.title))
            elif event.kind == "verbatim":
                self._verbatim(event)
            elif event.kind == "item":
                self._note(self._line_start(event.start), nested(max(self.depth - 1, 0)))
            elif event.kind == "blank":
                self._note(event.end, nested(self.depth))
        return sectioned(self.text, self.headings, self.best.items(), self.blocks, self.glue)

    def _note(self, at: int, strength: Strength) -> None:
        if strength > self.best.get(at, -1):
            self.best[at] = strength

    def _line_start(self, at: int) -> int:
        """Give the start of the line of ``at`` if nothing but white space stands before it there."""
        line = self.text.rfind("\n", max(at - 200, 0), at) + 1
        return line if line and not self.text[line:at].strip() else at

    def _strength(self, at: int) -> Strength:
        """Say how strong the edge of a block is: weaker where the text around goes on."""
        if self.depth:
            return nested(self.depth)
        before = self.text[max(at - 200, 0) : at]
        gap = before[len(before.rstrip()) :]
        return Strength.BLOCK if gap.count("\n") > 1 or not before.strip() else JOINED

    def _is_through(self, number: int) -> bool:
        """Say whether an environment holds sections, or the whole document: no block."""
        index = bisect_left(self.sections, number)
        holds = index < len(self.sections) and self.sections[index] < self.pairs[number]
        return holds or self.events[number].name in _THROUGH

    def _document(self, event: Event, partner: Event) -> None:
        """Part the preamble from the document, whose last line stays with what it ends."""
        if event.start and not self.blocks:
            self.blocks.append(Region(0, event.start, "lines"))
        self.headings.append(Heading(event.start, event.end, 0, None))
        if content_start(self.text, partner.end, len(self.text)) == len(self.text):
            self._glue_end(event.end, partner.start)

    def _begin(self, number: int, event: Event) -> None:
        if event.name == "document":
            self._document(event, self.events[self.pairs[number]])
        if number < self.special or self._is_through(number):
            return
        start = self._line_start(event.start)
        self._note(start, self._strength(start))
        self.depth += 2 if event.name in _LISTS else 1
        partner = self.events[self.pairs[number]]
        name = event.name
        if name in _TABLES:
            self._table(start, event, partner)
        elif name in _MATH or name in _DRAWINGS:
            self.blocks.append(Region(start, partner.end, "verbatim"))
        else:
            self.glue.append(
                (start, content_start(self.text, self._arguments(event.end), partner.end))
            )
        if name in _TABLES or name in _MATH or name in _DRAWINGS:
            self.special = self.pairs[number]
        self._glue_end(event.end, partner.start)

    def _end(self, number: int, event: Event) -> None:
        begin = self.pairs[number]
        if number < self.special or self._is_through(begin):
            return
        self.special = -1
        self.depth -= 2 if event.name in _LISTS else 1
        self._behind(event.end)

    def _behind(self, end: int) -> None:
        """Note the place behind a block; a full stop behind it belongs to it."""
        line = self.text.find("\n", end, end + 4)
        at = content_start(self.text, line if line >= 0 else end, len(self.text))
        if self.depth:
            strength = nested(self.depth)
        else:
            blank = self.text.count("\n", end, at) > 1
            strength = Strength.BLOCK if blank else JOINED
        if not self.text.startswith("\\end{", at):
            self._note(at, strength)

    def _glue_end(self, low: int, end: int) -> None:
        """Glue the ``\\end`` of a block to the last line before it."""
        last = content_end(self.text, low, end)
        line = max(self.text.rfind("\n", low, last) + 1, low)
        if low < line < end:
            self.glue.append((line, end))

    def _arguments(self, at: int) -> int:
        """Give the end of the arguments behind ``\\begin{...}``."""
        for _ in range(6):
            found = _GROUP.match(self.text, at)
            if found is None:
                break
            at = found.end()
        return at

    # ------------------------------------------------------------------ blocks of their own kind

    def _verbatim(self, event: Event) -> None:
        text = self.text
        start = self._line_start(event.start)
        self._note(start, self._strength(start))
        arguments = text[event.start : self._arguments(text.index("}", event.start) + 1)]
        body = text.find("\n", event.start + len(arguments), event.stop) + 1
        language = _LANGUAGE.search(arguments)
        name = language[1].lower() if language else ""
        if event.name == "minted" and arguments.endswith("}"):
            name = arguments[arguments.rindex("{") + 1 : -1].strip().lower()
        facts = {"language": name} if name else {}
        lined = body > 0 and text[body : event.stop].strip()
        prefix = text[start:body] if lined else ""
        suffix = "\n" + text[event.stop : event.end] if lined else ""
        self.blocks.append(Region(start, event.end, "code", facts, prefix, suffix))
        if lined:
            self.glue.append((start, content_start(text, body, event.stop, keep_indent=True)))
            self._glue_end(body, event.stop)
        self._behind(event.end)

    def _table(self, start: int, event: Event, partner: Event) -> None:
        text = self.text
        body = self._arguments(event.end)
        first = content_start(text, body, partner.start)
        row = text.find("\\\\", first, min(partner.start, first + _HEADER))
        if row >= 0:
            rows = self._row_end(row + 2)
            head = _HEAD.search(text, row + 2, min(rows, partner.start))
            if head is None:
                rule = _ROW.match(text, first)  # rules in front of the first row
                rows = rule.end() if rule else first
            first = content_start(text, rows, partner.start, keep_indent=True)
        prefix = text[start:first] if first < partner.start else ""
        suffix = "\n" + text[partner.start : partner.end] if prefix else ""
        self.blocks.append(Region(start, partner.end, "lines", {}, prefix, suffix))
        self.glue.append((start, first))

    def _row_end(self, at: int) -> int:
        """Give the place behind the ``\\\\`` of a row, the rules below it, and its line."""
        found = _ROW.match(self.text, at)
        return found.end() if found else at

    def _row(self, event: Event) -> None:
        self._note(self._row_end(event.end), nested(self.depth))
