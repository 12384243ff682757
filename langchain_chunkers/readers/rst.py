"""The reader of reStructuredText: sections, directives, literal blocks, tables and lists.

One pass over lines. What a block holds is indented under it, so the indentation says how deep a
block lies, and how strong the place before it is. Roles and substitutions are text.
"""

from __future__ import annotations

from bisect import bisect_right

from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.rst_lines import (
    ADORNMENT,
    CODE,
    DIRECTIVE,
    GRID,
    GRID_HEAD,
    ITEM,
    OPTION,
    RAW,
    SIMPLE,
    TARGET,
    Line,
    body_end,
    simple_borders,
    split_lines,
)
from langchain_chunkers.readers.sections import JOINED, Heading, nested, sectioned

__all__ = ["read_rst"]


def read_rst(text: str) -> Outline:
    r"""Read reStructuredText.

    Args:
        text: Any string.

    Returns:
        SECTIONn at titles, whose adornments have levels in the order in which they appear; BLOCK
        between blocks; weaker places inside them. ``language`` for code that says it.

    Cost: linear, some 7 MB/s.

    Example:
        >>> outline = read_rst("One\n===\n\nText.\n\n- a\n- b\n\nTwo\n---\n\nEnd.\n")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()]
        [(16, 'BLOCK'), (20, 'LINE'), (25, 'SECTION2')]
    """
    return _Walk(text).outline()


class _Walk:
    """Goes through the lines once, and notes boundaries, regions and headings."""

    def __init__(self, text: str) -> None:
        self.text, self.lines = text, split_lines(text)
        self.best: dict[int, Strength] = {}
        self.blocks: list[Region] = []
        self.glue: list[tuple[int, int]] = []
        self.headings: list[Heading] = []
        self.levels: dict[tuple[str, bool], int] = {}
        self.open: list[tuple[float, bool]] = []  # blocks at hand: indentation, is an item
        self.targets = -1  # the start of targets that belong to the title behind them
        self.fresh = True  # a block may begin here
        self.before = Line(0, 0, "")  # the last line that is not blank

    def outline(self) -> Outline:
        """Give the outline of the text."""
        number, count = 0, len(self.lines)
        while number < count:
            line = self.lines[number]
            if not line.text:
                self.fresh = True
                number += 1
                continue
            after = self._block(number, line)
            if after > number:
                self.before = self.lines[after - 1]
            else:
                self.fresh = False
                self.before, after = line, number + 1
            number = after
        return sectioned(self.text, self.headings, self.best.items(), self.blocks, self.glue)

    def _block(self, number: int, line: Line) -> int:
        """Note the block that begins at a line, if one does.

        Returns:
            The number of the line behind it where it was read whole; ``number`` where its lines
            are still to be looked at.
        """
        explicit = line.text.startswith(".. ") or line.text == ".."
        if not (self.fresh or explicit or self._in_list(line)):
            return number
        after = self._heading(number, line) if self.fresh and not line.indent else number
        if after > number:
            return after
        if self.fresh and self._is_literal(line):
            return self._literal(number, line)
        is_item = not explicit and ITEM.match(line.text) is not None
        if not (self.fresh or explicit or is_item):
            return number
        depth = self._place(line, is_item)
        if explicit:
            return self._explicit(number, line)
        self.targets = -1
        if GRID.match(line.text):
            return self._grid(number, depth)
        if SIMPLE.match(line.text):
            return self._simple(number, line, depth)
        if line.text.startswith((">>> ", "| ")):
            return self._until_blank(number, line)
        return number

    # ------------------------------------------------------------------ where blocks lie

    def _in_list(self, line: Line) -> bool:
        """Say whether a line can begin an item though no blank line stands before it."""
        index = bisect_right(self.open, (line.indent, True)) - 1
        return index >= 0 and self.open[index] == (line.indent, True)

    def _place(self, line: Line, is_item: bool) -> int:
        """Note the place before a block, and give how deep it lies.

        Items are weaker than blocks of the same indentation; the first one is an edge of its list.
        """
        was_item = False
        while self.open and self.open[-1][0] >= line.indent:
            was_item = self.open.pop()[1]
        depth = len(self.open)
        self.open.append((line.indent, is_item))
        if is_item:
            self.open.append((line.indent + 0.5, is_item))
        if is_item and was_item:
            self._note(line.start, nested(depth + 1))
        elif not depth and self.before.text.endswith(":") and not self.before.text.startswith(".."):
            self._note(line.start, JOINED)
        else:
            self._note(line.start, nested(depth))
        return depth

    def _note(self, at: int, strength: Strength) -> None:
        self.best[at] = strength

    def _end(self, after: int) -> int:
        """Give the place behind the line before number ``after``, its newline included."""
        return self.lines[after].start if after < len(self.lines) else len(self.text)

    # ------------------------------------------------------------------ titles

    def _heading(self, number: int, line: Line) -> int:
        lines = self.lines
        below = lines[number + 1] if number + 1 < len(lines) else Line(0, 0, "")
        over = ADORNMENT.match(line.text)
        if over is not None:
            under = lines[number + 2] if number + 2 < len(lines) else Line(0, 0, "")
            closed = ADORNMENT.match(under.text)
            same = closed is not None and closed[1] == over[1] and not under.indent
            if same and below.text and not ADORNMENT.match(below.text):
                return self._title(number, number + 3, below.text, (over[1], True))
            if len(line.text) >= 4 and not below.text:
                self._place(line, False)  # a transition
                return number + 1
            return number
        under_line = ADORNMENT.match(below.text) if not below.indent else None
        if under_line is None or line.text.startswith(".. "):
            return number
        if len(below.text) < min(len(line.text), 4):
            return number
        return self._title(number, number + 2, line.text, (under_line[1], False))

    def _title(self, number: int, after: int, title: str, adornment: tuple[str, bool]) -> int:
        level = self.levels.setdefault(adornment, len(self.levels) + 1)
        start = self.lines[number].start
        if self.targets >= 0:
            start, self.targets = self.targets, -1
            self.best.pop(start, None)
        last = self.lines[after - 1]
        end = self._end(after) if after < len(self.lines) else last.start + len(last.text)
        title = " ".join(title.replace("``", "`").split())
        self.headings.append(Heading(start, end, level, title))
        self.open.clear()
        self.fresh = True
        return after

    # ------------------------------------------------------------------ blocks of their own kind

    def _explicit(self, number: int, line: Line) -> int:
        """Note a directive, comment, footnote or target."""
        found = DIRECTIVE.match(line.text)
        name = found[1] if found else ""
        if TARGET.match(line.text) and not line.indent:
            self.targets = line.start if self.targets < 0 else self.targets
        else:
            self.targets = -1
        self.fresh = True  # what follows an explicit block needs no blank line
        if name not in CODE and name not in RAW:
            body = self._first(number + 1, len(self.lines), line.indent)
            if body:
                self.glue.append((line.start, self.lines[body].start))
            return number
        after = body_end(self.lines, number, line.indent)
        at = number + 1
        while at < after and OPTION.match(self.lines[at].text):
            at += 1
        first = self._first(at, after, line.indent)
        language = (found[2] or "").split() if found and name in CODE else []
        facts = {"language": language[0].lower()} if language else {}
        if not first:
            self._region(line.start, after, "code", facts)
            return after
        body_start = self.lines[first].start
        self._region(line.start, after, "code", facts, self.text[line.start : body_start])
        self.glue.append((line.start, body_start))
        return after

    def _first(self, at: int, limit: int, indent: int) -> int:
        """Give the number of the next line that is not blank, if it is indented; else 0."""
        for number in range(at, min(limit, at + 100)):
            if self.lines[number].text:
                return number if self.lines[number].indent > indent else 0
        return 0

    def _is_literal(self, line: Line) -> bool:
        before = self.before
        return (
            line.indent > before.indent
            and before.text.endswith("::")
            and not DIRECTIVE.match(before.text)
        )

    def _literal(self, number: int, line: Line) -> int:
        """Note a literal block: weaker than the paragraph before it, which says what it is."""
        depth = self._place(line, False)
        self._note(line.start, nested(max(depth, 1)))
        after = body_end(self.lines, number, self.before.indent)
        self._region(line.start, after, "code", {})
        if self.before.text == "::":
            self.glue.append((self.before.start, line.start))
        return after

    def _until_blank(self, number: int, line: Line) -> int:
        """Note a doctest block or a line block."""
        after = number
        while after < len(self.lines) and self.lines[after].text:
            after += 1
        doctest = line.text.startswith(">>>")
        facts = {"language": "python"} if doctest else {}
        self._region(line.start, after, "code" if doctest else "lines", facts)
        return after

    def _grid(self, number: int, depth: int) -> int:
        lines, after, head = self.lines, number + 1, number + 1
        while after < len(lines) and lines[after].text[:1] in ("+", "|") and lines[after].text:
            if GRID_HEAD.match(lines[after].text):
                head = after + 1
            after += 1
        if after == number + 1:
            return number
        for row in range(head, after - 1):
            if GRID.match(lines[row].text):
                self._note(lines[row + 1].start, nested(depth + 1))
        self._table(number, head, after)
        return after

    def _simple(self, number: int, line: Line, depth: int) -> int:
        """Note a simple table: it ends at a border with a blank line behind it."""
        lines = self.lines
        borders = simple_borders(lines, number)
        if not borders:
            return number
        head = borders[0] + 1 if len(borders) == 2 else number + 1
        for row in range(head + 1, borders[-1]):
            if lines[row].text and lines[row].indent <= line.indent:
                self._note(lines[row].start, nested(depth + 1))
        suffix = "\n" + self.text[lines[borders[-1]].start : self._end(borders[-1] + 1)].rstrip()
        self._table(number, head, borders[-1] + 1, suffix)
        self.glue.append((lines[borders[-1] - 1].start, lines[borders[-1]].start))
        return borders[-1] + 1

    def _table(self, number: int, head: int, after: int, suffix: str = "") -> None:
        """Note the region of a table, whose head goes with the first row and is repeated."""
        start = self.lines[number].start
        body = self._end(head)
        prefix = self.text[start:body] if head < after else ""
        self._region(start, after, "lines", {}, prefix, suffix if prefix else "")
        self.glue.append((start, body))

    def _region(
        self,
        start: int,
        after: int,
        kind: str,
        facts: dict[str, str],
        prefix: str = "",
        suffix: str = "",
    ) -> None:
        self.blocks.append(Region(start, self._end(after), kind, facts, prefix, suffix))
        self.fresh = True
