"""From a syntax tree to places: what lies in what, what belongs together, and how deep it is.

The tree is opened from the root, and only where a node is too large to be a chunk for certain, so
most nodes are never looked at. In what is opened, a child that begins its line is a place to divide
before. How strong it is follows from how deep it lies: any place of a definition is stronger than
any inside it. There is no recursion.
More than 300 lines: one walk over one tree, whose rules are read against each other.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from langchain_chunkers.outline import Strength
from langchain_chunkers.readers.code_indent import Scale, indentation_places
from langchain_chunkers.readers.code_languages import COMMENT_LIKE, Grammar
from langchain_chunkers.readers.code_names import Definition, body_of, head_of

__all__ = ["Tree"]

_INDENT = 256  # characters of indentation that are looked back over
_DEEPEST = 40  # definitions inside each other that are known by name
_BODY = ("block", "body", "list", "compound_statement", "then", "do", "statements", "arguments",
         "parameters", "suite", "heredoc_content", "string_content", "group",
         "end_tag", "closing_element", "empty_statement")  # fmt: skip
_FUNCTIONS = frozenset(
    ["arrow_function", "function_expression", "generator_function", "function_definition", "class"]
)
_STRINGS = frozenset(["string", "concatenated_string", "string_literal"])


class _Item:
    """A node on the way to places."""

    __slots__ = (
        "at", "blank", "children", "defines", "depth", "end", "holds", "inside", "kind", "level",
        "node", "number", "shell", "start",
    )  # fmt: skip

    def __init__(self, node: Any, shell: Any, start: int, end: int, at: int, kind: str) -> None:
        self.node, self.shell = node, shell
        self.start, self.end, self.at, self.kind = start, end, at, kind
        self.defines = kind in ("function", "container")
        self.blank = self.holds = self.inside = False
        self.children: list[_Item] = []
        self.depth = self.level = 0
        self.number = -1


class Tree:
    """Reads a syntax tree.

    Args:
        text: The code, in which the offsets of the tree are places.
        root: Root of the tree.
        grammar: What kinds of nodes mean.
        scale: Which strengths to give.
        least: Characters of a node below which it is not opened.
        every_container: Containers are opened however small they are.
        signed: Signatures are wanted.
        fits: Says whether a stretch is a chunk for certain. Asked of what has comments in front: these
            part from it only where it is whole without them.

    Attributes:
        boundaries: ``(at, strength)`` in no order.
        definitions: Ascending by start, outer ones first.
        prose: ``(start, end, kind of text)`` of comments and docstrings, ascending.

    Cost: linear in the nodes that are opened.
    """

    def __init__(
        self,
        text: str,
        root: Any,
        grammar: Grammar,
        scale: Scale,
        least: int,
        *,
        every_container: bool = False,
        signed: bool = False,
        fits: Callable[[int, int], bool] | None = None,
    ) -> None:
        self.text, self.grammar, self.scale, self.least = text, grammar, scale, least
        self.fits = fits or (lambda start, end: end - start <= 2 * least)
        self.every_container, self.signed = every_container, signed
        self.boundaries: list[tuple[int, Strength]] = []
        self.definitions: list[Definition] = []
        self.prose: list[tuple[int, int, str]] = []
        self._root = _Item(root, root, 0, len(text), -1, "other")
        opened = self._grow(self._root)
        for item in reversed(opened):
            item.holds = any(child.defines or child.holds for child in item.children)
        for item in opened:
            self._rank(item)
        self._order()

    # -------------------------------------------------------------- opening

    def _grow(self, root: _Item) -> list[_Item]:
        opened = [root]
        for item in opened:  # it grows on the way: breadth first, parents before children
            item.children = self._children(item)
            whole = item.kind == "error" and item is not root
            opened += [c for c in item.children if self._opens(c) and (c.defines or not whole)]
            item.node = None if not item.defines else item.node
        return opened

    def _opens(self, item: _Item) -> bool:
        if item.kind == "comment":
            return False
        large = item.end - item.start >= self.least
        return large or (self.every_container and item.kind == "container")

    def _children(self, item: _Item) -> list[_Item]:
        node = item.node
        if item.defines:
            node = body_of(node)
        nodes = node.named_children
        one_line = node.start_point[0] == node.end_point[0]
        items: list[_Item] = []
        for child in nodes:
            start, end = child.start_byte, child.end_byte
            if start < end and child.type != "empty_statement":
                items.append(self._item(child, start, end, one_line=one_line))
        if not items:
            return items
        first = items[0]
        if (
            first.kind == "other"
            and first.end - first.start >= self.least
            and self._is_docstring(first)
        ):
            first.kind = "comment"
            self.prose.append((first.start, first.end, "prose"))
        return items

    def _item(self, node: Any, start: int, end: int, *, one_line: bool) -> _Item:
        kind = node.type
        grammar = self.grammar
        inner = node
        if kind in grammar.containers:
            means = "container"
        elif kind in grammar.functions:
            means = "function"
        elif "comment" in kind or kind in COMMENT_LIKE:
            means = "comment"
            if end - start >= self.least and "comment" in kind:
                self.prose.append((start, end, "lines"))
        elif kind in grammar.imports:
            means = "import"
        else:
            means = "error" if node.is_error else "other"
            if kind in grammar.wrappers:
                inner, means = self._unwrapped(node)
            elif kind in grammar.assigned and self._gives_function(node):
                means = "function"
        at = -1
        if not kind.endswith(_BODY) and (node.is_named or self.text[start] not in "})];,"):
            at = self._place(start, comment=means == "comment")
            if at < 0 and one_line and means != "comment":
                at = start
        item = _Item(inner, node, start, end, at, means)
        item.blank = at >= 0 and self._is_behind_blank(at)
        return item

    def _unwrapped(self, node: Any) -> tuple[Any, str]:
        """Find the definition that stands in decorators, ``export`` or ``template``."""
        grammar, found = self.grammar, node
        for _ in range(4):
            after = None
            for child in found.named_children:
                if child.type in grammar.containers:
                    return child, "container"
                if child.type in grammar.functions:
                    return child, "function"
                if child.type in grammar.wrappers:
                    after = child
                elif child.type in grammar.assigned and self._gives_function(child):
                    return child, "function"
            if after is None:
                break
            found = after
        return node, "other"

    @staticmethod
    def _gives_function(node: Any) -> bool:
        """Say whether what a statement assigns is a function."""
        for _ in range(5):
            count = node.named_child_count
            if not count:
                return False
            node = node.named_child(count - 1)
            if node.type in _FUNCTIONS:
                return True
        return False

    @staticmethod
    def _is_docstring(item: _Item) -> bool:
        node = item.node
        if node.type == "expression_statement" and node.named_child_count == 1:
            node = node.named_child(0)
        return node.type in _STRINGS

    # -------------------------------------------------------------- places

    def _place(self, start: int, *, comment: bool) -> int:
        """Give the start of the line that a node begins; the node's where only brackets are before it; else -1."""
        if start == 0:
            return 0
        text = self.text
        before = text[start - 1]
        if before in "\n\r":
            return start
        if before not in " \t\f\v})];,":
            return -1
        look = text[max(0, start - _INDENT) : start]
        left = look.rstrip(" \t\f\v\xa0\ufeff\u3000")
        if not left:
            return 0 if start <= _INDENT else -1
        if left[-1] in "\n\r":
            return start - len(look) + len(left)
        if comment:
            return -1
        left = left.rstrip(" \t})];,")
        return start if not left or left[-1] in "\n\r" else -1

    def _is_behind_blank(self, at: int) -> bool:
        if at < 2 or self.text[at - 2] > " ":  # most often so
            return False
        look = self.text[max(0, at - _INDENT) : at]
        gap = look[len(look.rstrip()) :]
        return gap.count("\n") > 1 or gap.count("\r") > 1 + gap.count("\n")

    # -------------------------------------------------------------- strengths

    def _rank(self, item: _Item) -> None:
        """Give strengths to the places between the children of an item, and depths to the children."""
        if item.kind == "error" and item is not self._root:
            self._rank_error(item)
            return
        units = list(self._units(item.children, top=item is self._root))
        if not units:
            return
        inside = item.inside or item.kind == "function"
        marks = [self._mark(units, index, inside=inside) for index in range(len(units))]
        level = item.level
        blank = level
        plain = blank + ("blank" in marks)
        deeper = plain + ("plain" in marks)
        for (unit, at), mark in zip(units, marks, strict=True):
            base = level if mark == "definition" or self._matters(unit[-1], inside) else deeper
            if mark == "definition":
                self._put(at, self.scale.definition(item.depth))
            elif (
                mark == "head"
            ):  # between the head of a class and its first method, which is whole then
                if self._is_whole(unit[0].start, unit[-1]):
                    self._put_statement(at, base)
                    base += 1
            elif mark != "first":
                depth = {"blank": blank, "plain": plain, "glued": deeper}[mark]
                self._put_statement(at, depth)
            last = unit[-1]
            parts = unit[1:]
            if parts and not self._is_whole(last.start, last):
                parts.pop()  # none stands alone before what is cut anyway
                parts = parts if last.start - unit[0].start >= self.least else []
            for child in parts:
                self._put_statement(child.at, base)
            last.level = base + bool(parts)
            last.depth = item.depth + (not inside and (last.defines or last.holds))
            last.inside = inside
            self._name(last, unit[0], item)
            if unit[0].kind == "comment" or last.kind == "comment":
                self._divide_prose(unit, last.level)

    def _rank_error(self, item: _Item) -> None:
        """Divide what is no code by its indentation, around what in it is whole."""
        scale = self.scale
        top = scale.statement(item.level) if item.inside else scale.definition(item.depth)
        level = item.level + item.inside
        inner = Scale([top], [scale.statement(level + n) for n in range(len(scale.statements))])
        whole = [child for child in item.children if child.defines]
        starts = [child.start for child in whole]
        for at, strength in indentation_places(self.text[item.start : item.end], inner):
            place = at + item.start
            index = bisect_right(starts, place) - 1
            if index < 0 or place >= whole[index].end:
                self._put(place, strength)
        for child in whole:
            self._put(child.at, top)
            child.level, child.depth, child.inside = level, item.depth + 1, item.inside
            self._name(child, child, item)

    def _is_whole(self, start: int, item: _Item) -> bool:
        return item.end - item.start < self.least or self.fits(start, item.end)

    @staticmethod
    def _matters(item: _Item, inside: bool) -> bool:
        return not inside and (item.defines or item.holds)

    def _mark(self, units: Sequence[tuple[list[_Item], int]], index: int, *, inside: bool) -> str:
        """Say what kind of place lies before a unit."""
        unit, at = units[index]
        item = unit[-1]
        if at < 0:
            return "first"
        if index == 0:
            return "head" if item.defines else "first"
        before = units[index - 1][0][-1]
        if item.kind == before.kind == "import":
            return "glued"
        if self._matters(item, inside) or self._matters(before, inside):
            return "definition"
        return "blank" if unit[0].blank or item.defines or before.defines else "plain"

    def _units(self, items: Sequence[_Item], *, top: bool) -> Iterator[tuple[list[_Item], int]]:
        """Join comments and attributes with what follows them."""
        unit: list[_Item] = []
        for index, item in enumerate(items):
            unit.append(item)
            after = items[index + 1] if index + 1 < len(items) else None
            if item.kind == "comment" and after is not None:
                # before a blank line: a comment right behind a line is about that line, and one
                # that begins the file, such as a licence, about the file
                apart = after.blank and not unit[0].blank and (top or index >= len(unit))
                if item.at >= 0 and not apart:
                    continue
                if item.at < 0 and len(unit) > 1:
                    continue
            yield unit, unit[0].at
            unit = []
        if unit:
            yield unit, unit[0].at

    def _put_statement(self, at: int, depth: int) -> None:
        """Put a place between statements; deeper than there are strengths, the ladder has its lines.

        Else the places inside a small function so deep would be as good as those around it.
        """
        if depth < len(self.scale.statements) or self.scale.saturates:
            self._put(at, self.scale.statement(depth))

    def _put(self, at: int, strength: Strength) -> None:
        if at > 0:
            self.boundaries.append((at, strength))

    def _divide_prose(self, unit: Sequence[_Item], level: int) -> None:
        """Put places at the blank lines of large comments."""
        for item in unit:
            if item.kind == "comment" and item.end - item.start >= self.least:
                for found in _PARAGRAPH.finditer(self.text, item.start, item.end):
                    self._put(found.end(), self.scale.statement(level))

    # -------------------------------------------------------------- names

    def _name(self, item: _Item, first: _Item, parent: _Item) -> None:
        """Note a definition; an item that is none stands for the definition around it."""
        item.number = parent.number
        if not item.defines:
            return
        above = self.definitions[parent.number] if parent.number >= 0 else None
        depth = above.depth + 1 if above else 0
        if depth >= _DEEPEST:
            return
        label, signature, head_end = head_of(
            self.text, item.node, body_of(item.node), signed=self.signed
        )
        if not label:
            return
        start = item.start if first.at < 0 else first.at
        item.number = len(self.definitions)
        self.definitions.append(
            Definition(start, head_end, item.end, label, signature, parent.number, depth)
        )

    def _order(self) -> None:
        """Put definitions in the order of the text, outer ones first."""
        order = sorted(
            range(len(self.definitions)),
            key=lambda n: (self.definitions[n].start, -self.definitions[n].end),
        )
        new = {old: number for number, old in enumerate(order)}
        new[-1] = -1
        self.definitions = [
            self.definitions[n]._replace(parent=new[self.definitions[n].parent]) for n in order
        ]
        self.prose.sort()


_PARAGRAPH = re.compile(r"\n[ \t]*(?:[#*;%]|//+[!/]?|--)?[ \t]*\r?\n")
