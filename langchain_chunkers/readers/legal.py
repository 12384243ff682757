"""The reader of numbered documents: contracts, laws, standards and manuals.

What is part of what is read from the numbering: a style seen before is a sibling, a new one a child.
"""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from langchain_chunkers.ladder import content_start
from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.legal_markers import Marker
from langchain_chunkers.readers.legal_parts import (
    ENDED,
    RECITAL,
    TITLE_ABOVE,
    Line,
    Part,
    find_parts,
    without_contents,
)
from langchain_chunkers.readers.sections import Heading, sectioned

__all__ = ["read_legal"]

_DEPTHS = (
    Strength.BLOCK, Strength.PARAGRAPH, Strength.LINE, Strength.SENTENCE, Strength.CLAUSE, Strength.WORD,
)  # fmt: skip
_DEFINITION = re.compile(
    '["“‘„«「](?P<term>[^"”’»」]{1,80})["”’»」](?:[ \t]\\([^)]{1,80}\\))?,?[ \t]*'
    "(?:means?|shall mean|has the meaning|have the meaning|refers? to|includes?|is|are|bedeutet|désigne|是指|指)"
)


def read_legal(text: str) -> Outline:
    """Read a numbered document.

    Args:
        text: Any string.

    Returns:
        SECTIONn at parts that have a heading line, by nesting; BLOCK, PARAGRAPH, LINE … at clauses
        and paragraphs, by nesting. Regions have the heading path and ``clause``.

    Cost: linear, 1 to 2 MB/s.

    Example:
        >>> outline = read_legal("1. Scope\\n\\n1.1 One thing is so.\\n\\n1.2 Another is so.\\n")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()]
        [(32, 'BLOCK')]
    """
    lines, at = [], 0
    for raw in text.split("\n"):
        lines.append(Line(at + len(raw) - len(raw.lstrip()), raw.strip(" \t\r\f\v\u3000\ufeff")))
        at += len(raw) + 1
    parts = without_contents(lines, find_parts(text, lines))
    return _Nest(text, lines, parts).outline()


class _Entry(NamedTuple):
    part: Part
    rank: int
    section: bool


class _Nest:
    """Finds what is part of what, and makes the outline."""

    def __init__(self, text: str, lines: list[Line], parts: list[Part]) -> None:
        self.text, self.lines, self.parts = text, lines, parts
        styles = Counter(part.marker.style for part in parts)
        alone = Counter(part.marker.style for part in parts if part.alone)
        self.sections = {style for style, count in styles.items() if alone[style] * 2 >= count} | {
            part.marker.style for part in parts if part.marker.rank < 4
        }
        self.ranks: dict[str, int] = {}
        named = list(dict.fromkeys(p.marker.rank for p in parts if p.marker.rank in (4, 5)))
        following = [
            after.marker.value for part, after in pairwise(parts) if part.marker.style == "title"
        ]
        # capital titles are above numbers that begin anew under each, and beside numbers that go on
        self.capitals = TITLE_ABOVE if following.count(1) >= 2 else 11
        self.swapped = named == [5, 4]  # sections in articles, as in American contracts

    def outline(self) -> Outline:
        """Give the outline of the text."""
        headings: list[Heading] = []
        blocks: list[Region] = []
        best: list[tuple[int, Strength]] = []
        stack: list[_Entry] = []
        first = 0
        for index in range(len(self.parts) + 1):
            part = self.parts[index] if index < len(self.parts) else None
            stop = part.number if part else len(self.lines)
            depth = sum(not entry.section for entry in stack[-6:])
            best += self._paragraphs(first, stop, _DEPTHS[min(depth, 5)])
            if part is None:
                break
            self._enter(stack, part)
            start, entry = self.lines[part.number].start, stack[-1]
            level = sum(e.section for e in stack)
            if entry.section:
                title = " ".join((part.title or part.marker.label).split())
                headings.append(Heading(start, part.end, level, title))
            else:
                depth = len(stack) - level
                best.append((start, _DEPTHS[min(depth, 6) - 1]))
            after = self.parts[index + 1].number if index + 1 < len(self.parts) else -1
            end = self.lines[after].start if after >= 0 else len(self.text)
            facts = self._facts(stack, level)
            if facts:
                blocks.append(Region(start, end, "prose", facts))
            first = part.number + 1
        return sectioned(self.text, headings, best, blocks)

    def _facts(self, stack: list[_Entry], level: int) -> dict[str, str]:
        facts = {}
        titled = [e.part.title for e in stack if not e.section and e.part.title]
        for number, title in enumerate(titled[-4:], level + 1):
            facts[f"Header {number}"] = title
        clause = _clause([entry.part.marker for entry in stack])
        if clause:
            facts["clause"] = clause
        return facts

    def _enter(self, stack: list[_Entry], part: Part) -> None:
        """Put a part in its place: behind its siblings, inside what it belongs to."""
        style = part.marker.style
        rank = self.ranks.setdefault(style, self._rank(part.marker, stack))
        at = next((i for i, entry in enumerate(stack) if entry.part.marker.style == style), -1)
        if at >= 0:
            del stack[at:]
        elif rank < 20:
            while stack and stack[-1].rank >= rank:
                stack.pop()
        stack.append(_Entry(part, rank, style in self.sections))

    def _rank(self, marker: Marker, stack: list[_Entry]) -> int:
        if self.swapped and marker.rank in (4, 5):
            return 9 - marker.rank
        if marker.style == "title":
            return self.capitals
        if marker.style.startswith("capital") and not any(e.rank > 10 for e in stack):
            return 9  # "A. Background" above "1." where it comes first
        return marker.rank

    def _paragraphs(self, first: int, stop: int, strength: Strength) -> list[tuple[int, Strength]]:
        """List the places of paragraphs, definitions and recitals between two lines."""
        found = []
        for number in range(first, stop):
            line = self.lines[number]
            if not line.text or not number:
                continue
            before = self.lines[number - 1].text
            begins = not before or (
                (_DEFINITION.match(line.text) or RECITAL.match(line.text)) and ENDED.search(before)
            )
            if begins:
                found.append((content_start(self.text, line.start, len(self.text)), strength))
        return found


def _clause(markers: list[Marker]) -> str:
    """Join numbers into the number of a clause, such as ``5.2(a)``."""
    number = ""
    for marker in markers:
        if marker.rank < 4 or not marker.number:
            continue
        own = marker.number
        if marker.rank >= 20:
            own = marker.label.rstrip(".、") if marker.label[0] in "(（" else f"({own})"
        elif marker.rank > 10 and not number.endswith(("条", "條", "조")):
            inside = number and not own.startswith(number.lstrip("§ ") + ".") and "." not in own
            own, number = (f"({own})", number) if inside and number else (own, "")
        elif marker.rank < 10 and not marker.style.startswith(tuple("款項项항")):
            number = ""
        number += own
    return number
