"""JSON and JSON Lines as a flat list of elements with their places in the source.

No values are made, so numbers stay as written and keys may repeat; no recursion, so that no depth is
too deep; one pass. Not the standard library's decoder, which gives no places, drops repeated keys and
recurses. Accepts what that decoder accepts, ``NaN`` and ``Infinity`` too, and nothing else: a chunk of what is
read here can be read there.

Source: RFC 8259; https://jsonlines.org
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from functools import lru_cache

__all__ = ["ESCAPE", "Tree", "parse"]

ESCAPE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\u[0-9a-fA-F]{4}|\\."
)
"""One escape of a string; a surrogate pair is one."""
_TOKEN = re.compile(
    r'[ \t\n\r]*+(?:("[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")'
    r"|([{}\[\],:])"
    r"|(-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null|NaN|-?Infinity)"
    r"|(\Z))"
)
_STRING, _SIGN, _SCALAR, _END = range(1, 5)
_VALUE, _FIRST_ITEM, _FIRST_KEY, _KEY, _COLON, _AFTER = range(6)
_CLOSERS = {"{": "}", "[": "]"}
_BAD_LINES = 0.5  # the share of lines from which on a text is not JSON Lines with some bad ones


class Tree:
    """The elements of a text in the order in which they stand: each value, with its key.

    Attributes:
        text: The text.
        start: Where each element begins: at its key, where it has one.
        value: Where its value begins.
        end: Behind its value.
        parent: The element around it; -1 for a record, which is a value that stands alone.
        index: Its number among those of its parent.
        size: How many elements it holds.
        depth: How many elements are around it.
        closes: Behind each closing bracket, ascending.
        closed: The element that each of them ends.
        broken: Elements that are lines of text which is no JSON.
        records: The elements that are records.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.start: list[int] = []
        self.value: list[int] = []
        self.end: list[int] = []
        self.parent: list[int] = []
        self.index: list[int] = []
        self.size: list[int] = []
        self.depth: list[int] = []
        self.closes: list[int] = []
        self.closed: list[int] = []
        self.broken: set[int] = set()
        self.records: list[int] = []
        self._escapes = lru_cache(maxsize=4)(self._list_escapes)

    def add(self, start: int, value: int, end: int, parent: int) -> int:
        """Add an element, and give its number."""
        number = len(self.start)
        self.start.append(start)
        self.value.append(value)
        self.end.append(end)
        self.parent.append(parent)
        self.size.append(0)
        self.depth.append(self.depth[parent] + 1 if parent >= 0 else 0)
        if parent < 0:
            self.index.append(len(self.records))
            self.records.append(number)
        else:
            self.index.append(self.size[parent])
            self.size[parent] += 1
        return number

    def cut(self, length: int) -> None:
        """Take back all elements from a number on, the first of which is a record."""
        del self.records[bisect_left(self.records, length) :]
        columns = self.start, self.value, self.end, self.parent, self.index, self.size, self.depth
        for column in columns:
            del column[length:]
        while self.closed and self.closed[-1] >= length:
            self.closed.pop()
            self.closes.pop()

    # ------------------------------------------------------------------ looking up

    def record(self, number: int) -> int:
        """Give the number of the record that an element belongs to, from 1."""
        return bisect_right(self.records, number)

    def last_at(self, at: int) -> int:
        """Give the last element that begins at or before a place; -1 if none does."""
        return bisect_right(self.start, at) - 1

    def next_at(self, at: int) -> int:
        """Give the first element that begins at or behind a place."""
        return bisect_left(self.start, at)

    def sign(self, number: int) -> str:
        """Give the first character of a value; ``""`` for what is no JSON."""
        return "" if number in self.broken else self.text[self.value[number]]

    def closers(self, at: int) -> tuple[int, int]:
        """Give the run of closing brackets before a place, since an element began: of `closes`, from, to."""
        last = bisect_left(self.start, at) - 1
        low = bisect_right(self.closes, self.start[last]) if last >= 0 else 0
        return low, bisect_right(self.closes, at)

    def key(self, number: int) -> str:
        """Give the key of an element as it is written; ``""`` if it has none."""
        start, value = self.start[number], self.value[number]
        return self.text[start:value].rstrip().removesuffix(":").rstrip() if start < value else ""

    def string_around(self, at: int) -> int:
        """Give the string of whose content some stands on both sides of a place; -1 if there is none."""
        number = bisect_left(self.start, at) - 1
        if number >= 0 and self.value[number] + 1 < at < self.end[number] - 1:
            return number if self.sign(number) == '"' else -1
        return -1

    def parts_escape(self, number: int, at: int) -> bool:
        """Say whether a place inside a string lies inside an escape."""
        text = self.text
        if text.rfind("\\", max(at - 11, self.value[number]), at) < 0:
            return False
        starts, ends = self._escapes(number)
        index = bisect_left(starts, at) - 1
        return index >= 0 and ends[index] > at

    def escape_around(self, number: int, at: int) -> tuple[int, int]:
        """Give the escape of a string that a place lies in."""
        starts, ends = self._escapes(number)
        index = bisect_left(starts, at) - 1
        return starts[index], ends[index]

    def _list_escapes(self, number: int) -> tuple[list[int], list[int]]:
        """List the escapes of a string: once, since a run of backslashes has no other beginning."""
        found = list(ESCAPE.finditer(self.text, self.value[number] + 1, self.end[number] - 1))
        return [one.start() for one in found], [one.end() for one in found]

    def branches(self) -> list[int]:
        """Give how deep each element lies; what is alone in its parent is no deeper than that."""
        depths: list[int] = []
        for parent in self.parent:
            depths.append(0 if parent < 0 else depths[parent] + (self.size[parent] > 1))
        return depths


def parse(text: str) -> Tree | None:
    """Read JSON, or values that stand one after another on lines of their own.

    A text of lines of which more than half are JSON, objects or lists among them, is JSON Lines; the other
    lines are text.

    Returns:
        The elements; ``None`` for a text that is no JSON, or empty.

    Cost: linear; some 2 MB/s.

    Example:
        >>> tree = parse('{"a": [1, true], "a": "x"}')
        >>> [tree.key(i) + "=" + tree.text[tree.value[i] : tree.end[i]] for i in range(5)]
        ['={"a": [1, true], "a": "x"}', '"a"=[1, true]', '=1', '=true', '"a"="x"']
    """
    tree = Tree(text)
    start = 1 if text.startswith("\ufeff") else 0
    if _read_values(tree, start, len(text)):
        return tree if tree.start else None
    tree.cut(0)
    return tree if _read_lines(tree, start) else None


def _read_values(tree: Tree, start: int, end: int) -> bool:  # noqa: C901
    """Add the values of a stretch; ``False`` where it is no JSON.

    One loop of more than 40 lines, since it runs for each token.
    """
    text, match, add = tree.text, _TOKEN.match, tree.add
    state, inside, key, at, last = _VALUE, -1, -1, start, -1
    while True:
        found = match(text, at, end)
        if found is None:
            return False
        kind = found.lastindex or _END
        at = found.end()
        if kind == _END:
            return inside < 0 and state == _VALUE
        begin = found.start(kind)
        sign = text[begin] if kind == _SIGN else ""
        if state in (_VALUE, _FIRST_ITEM):
            if sign == "{" or sign == "[" or not sign:  # noqa: PLR1714 - for each token
                if inside < 0 and last >= 0 and text.find("\n", last, begin) < 0:
                    return False  # values on one line are no JSON Lines
                number = add(key if key >= 0 else begin, begin, at, inside)
                key = -1
                if sign:
                    inside, state = number, _FIRST_KEY if sign == "{" else _FIRST_ITEM
                elif inside < 0:
                    last = at
                else:
                    state = _AFTER
                continue
            if sign != "]" or state != _FIRST_ITEM:
                return False
        elif state in (_KEY, _FIRST_KEY):
            if kind == _STRING:
                key, state = begin, _COLON
                continue
            if sign != "}" or state != _FIRST_KEY:
                return False
        elif state == _COLON:
            if sign != ":":
                return False
            state = _VALUE
            continue
        elif sign == ",":
            state = _KEY if text[tree.value[inside]] == "{" else _VALUE
            continue
        elif sign != _CLOSERS[text[tree.value[inside]]]:
            return False
        tree.end[inside] = at
        tree.closes.append(at)
        tree.closed.append(inside)
        inside = tree.parent[inside]
        state, last = (_VALUE, at) if inside < 0 else (_AFTER, last)


def _read_lines(tree: Tree, start: int) -> bool:
    """Add each line as a value, or as text where it is none; ``False`` if too many are none."""
    text, lines, nested = tree.text, 0, 0
    while start < len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        count = len(tree.start)
        if text[start:end].strip():
            lines += 1
            if not _read_values(tree, start, end):
                tree.cut(count)
                at = start + len(text[start:end]) - len(text[start:end].lstrip())
                tree.broken.add(tree.add(at, at, at + len(text[at:end].rstrip()), -1))
            elif text[tree.value[count]] in "{[":
                nested += 1
        start = end + 1
    return nested > 1 and len(tree.broken) < _BAD_LINES * lines
