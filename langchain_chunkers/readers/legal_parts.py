"""The lines of a numbered document that begin a part, and their titles.

A line begins a part where a number stands in front, the line before has ended, and the number
follows one that was there, or begins a new sequence. So a reference in running text begins none.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from langchain_chunkers.readers.legal_markers import (
    Marker,
    find_marker,
    is_contents_line,
    is_sentence,
    letter_value,
    run_in_title,
)

__all__ = ["ENDED", "RECITAL", "TITLE_ABOVE", "Line", "Part", "find_parts", "without_contents"]

_UNDERLINE = re.compile(r"(?:={3,}|-{3,}|_{3,})$")
_FULL_STOP = re.compile('[.;:!?,。；：！？，、]["”’»」)）]*$')
_LONGEST = 100  # characters of a title: a line of print
ENDED = re.compile('(?:[.;:!?,。；：！？，)）*]|\\b(?:and|or|und|oder|et|ou|y|o))["”’»」]*$')
RECITAL = re.compile(r"(?:WHEREAS|NOW,? THEREFORE|IN WITNESS WHEREOF|Whereas)\b")
TITLE_ABOVE = 1  # rank of an underlined or capital title, above all numbers


class Line(NamedTuple):
    """A line: where its text begins, and its text without white space at the edges."""

    start: int
    text: str


class Part(NamedTuple):
    """A line that begins a part of the document.

    Attributes:
        number: Of the line.
        marker: What it begins with.
        title: Its title; "" for none.
        alone: The title has its line (or two) for itself.
        end: Behind the heading, or behind the number where text follows.
    """

    number: int
    marker: Marker
    title: str
    alone: bool
    end: int


def find_parts(text: str, lines: list[Line]) -> list[Part]:
    """List the lines that begin parts, in order."""
    return _Finder(text, lines).parts()


class _Finder:
    """Finds the lines that begin parts."""

    def __init__(self, text: str, lines: list[Line]) -> None:
        self.text, self.lines = text, lines
        self.last: dict[str, int] = {}
        self.latest = ""  # the style of the last marker in brackets or letters

    def parts(self) -> list[Part]:
        """List the lines that begin parts, in order."""
        parts: list[Part] = []
        headed = True
        before = ""
        skip = 0
        for number, line in enumerate(self.lines):
            if number < skip:
                continue
            if not line.text:
                headed = headed or bool(before)
                before = ""
                continue
            part = self._part(number, line, fresh=headed or not before, before=before)
            headed, before = False, line.text
            if part is not None:
                parts.append(part)
                headed = part.alone
                while skip < len(self.lines) and self.lines[skip].start < part.end:
                    skip += 1
        return parts

    def _part(self, number: int, line: Line, *, fresh: bool, before: str) -> Part | None:
        if is_contents_line(line.text) or _UNDERLINE.match(line.text):
            return None
        marker = find_marker(line.text)
        if marker is None:
            return self._unnumbered(number, line) if fresh else None
        marker = self._as_letter(marker)
        rest = line.text[marker.end :].lstrip(" \t.:–—-*_\u3000\u00a0")
        if not self._is_likely(marker, rest, fresh=fresh, ended=ENDED.search(before) is not None):
            return None
        self.last[marker.style] = marker.value
        if marker.rank == 20:
            self.latest = marker.style
        return self._titled(number, line, marker, rest)

    def _as_letter(self, marker: Marker) -> Marker:
        """Tell the letter i (v, x) from the roman number: by what came before."""
        kind, _, sort = marker.style.partition(" ")
        if marker.rank != 20 or sort not in ("i", "I", "a", "A") or len(marker.number) > 1:
            return marker
        upper = sort.isupper()
        letters, romans = (f"{kind} {'A' if upper else 'a'}", f"{kind} {'I' if upper else 'i'}")
        value = letter_value(marker.number)
        as_roman = marker.number.lower() in "ivx" and (
            self.latest == romans or self.last.get(letters, 0) + 1 != value
        )
        if as_roman:
            return marker._replace(style=romans)
        return marker._replace(style=letters, value=value)

    def _is_likely(self, marker: Marker, rest: str, *, fresh: bool, ended: bool) -> bool:
        """Say whether a number begins a part, by what stands around and by the numbers before."""
        follows = marker.value == self.last.get(marker.style, 0) + 1 or marker.value in (0, 1)
        if not (fresh or (ended and (follows or marker.rank < 10))):
            return False
        if marker.rank < 10:
            return True
        if not rest:
            return follows and marker.style.startswith("decimal") and marker.label[-1] == "."
        if marker.style.startswith("capital"):
            return follows
        if marker.style == "decimal 1" and marker.label[-1] not in ".)":
            return follows and fresh and self._is_title(rest) and not rest[0].isdigit()
        return follows or not rest[0].islower()

    # ------------------------------------------------------------------ titles

    def _is_title(self, words: str) -> bool:
        if not words or len(words) > _LONGEST or not any(map(str.isalpha, words)):
            return False
        short = words.endswith(".") and len(words) <= 60 and ". " not in words
        if _FULL_STOP.search(words) and not short:
            return False
        return not words[0].islower() and not is_sentence(words)

    def _below(self, number: int) -> tuple[int, str]:
        """Give the number and the text of the next line that is not blank, within two."""
        for at in range(number + 1, min(number + 3, len(self.lines))):
            if self.lines[at].text:
                return at, self.lines[at].text
        return -1, ""

    def _titled(self, number: int, line: Line, marker: Marker, rest: str) -> Part:
        at, below = self._below(number)
        end = line.start + len(line.text)
        title = line.text.strip("#*_ \t")
        if at == number + 1 and _UNDERLINE.match(below):
            return Part(number, marker, title, True, self.lines[at].start + len(below))
        if not rest and marker.rank < 10:
            if at > 0 and self._is_title(below) and not find_marker(below):
                after = self.lines[at]
                joined = f"{title} {below.strip('#*_ ')}"
                return Part(number, marker, joined, True, after.start + len(after.text))
            return Part(number, marker, title, True, end)
        wrapped = (
            at == number + 1
            and (below[0].islower() or len(line.text) > 60)
            and not find_marker(below)
        )
        if marker.rank < 20 and self._is_title(rest) and not wrapped:
            return Part(number, marker, title.rstrip("."), True, end)
        words = run_in_title(rest) if marker.rank < 20 else ""
        label = f"{marker.label} {words}" if words else ""
        return Part(number, marker, label, False, line.start + marker.end)

    def _unnumbered(self, number: int, line: Line) -> Part | None:
        """Take a line as a heading that is underlined, or in capitals between blank lines."""
        words = line.text
        below = self.lines[number + 1].text if number + 1 < len(self.lines) else ""
        if len(words) > _LONGEST or RECITAL.match(words):
            return None
        marker = Marker("title", TITLE_ABOVE, 0, "", "", 0)
        if _UNDERLINE.match(below) and below[0] != "_" and any(map(str.isalpha, words)):
            style = "title =" if below[0] == "=" else "title -"
            end = self.lines[number + 1].start + len(below)
            return Part(
                number,
                marker._replace(style=style, rank=-1 if "=" in style else 1),
                words,
                True,
                end,
            )
        if below or not words.isupper() or len(words) < 4 or not self._is_title(words):
            return None
        _, after = self._below(number)
        if not after or after.isupper() or len(after) * 2 < len(words):
            return None
        return Part(number, marker, words, True, line.start + len(words))


def without_contents(lines: list[Line], parts: list[Part]) -> list[Part]:
    """Leave out a table of contents without page numbers: headings in a row that come again."""
    keys = [(part.marker.style, part.marker.number, part.title.lower()) for part in parts]
    last = {key: index for index, key in enumerate(keys)}
    kept: list[Part] = []
    run: list[Part] = []

    def close() -> None:
        again = sum(last[keys[at]] != at for at in range(index - len(run), index))
        if len(run) < 3 or again * 2 < len(run):
            kept.extend(run)
        run.clear()

    index = 0
    for index, part in enumerate(parts):  # noqa: B007 - close() counts from it
        if run and any(lines[n].text for n in _between(lines, run[-1], part)):
            close()
        run.append(part)
    index = len(parts)
    close()
    return kept


def _between(lines: list[Line], before: Part, part: Part) -> range:
    """Give the numbers of the lines between two parts that belong to neither's heading."""
    first = before.number + 1
    while first < part.number and lines[first].start < before.end:
        first += 1
    return range(first, min(part.number, first + 40))
