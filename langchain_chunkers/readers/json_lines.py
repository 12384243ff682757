"""JSON as lines of text: ``a.b[0].c: value``, one for each value that holds no others."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.json_frames import locate
from langchain_chunkers.readers.json_parse import Tree

__all__ = ["Lines", "strength_at", "write_lines"]

_STRENGTHS = (
    Strength.SECTION1,
    Strength.SECTION2,
    Strength.SECTION3,
    Strength.SECTION4,
    Strength.SECTION5,
    Strength.SECTION6,
    Strength.BLOCK,
    Strength.PARAGRAPH,
)
_PLAIN_KEY = re.compile(r'"[^\s.\[\]:"\\]+"')
_LONG = 80  # characters of a value from which on it may be divided, and its path is repeated


def strength_at(depth: int) -> Strength:
    """Give the strength of a boundary between elements at a depth of branches; deep ones are alike."""
    return _STRENGTHS[min(depth, len(_STRENGTHS)) - 1] if depth > 0 else Strength.DOCUMENT


class Lines(NamedTuple):
    """Which element each line of the text shows."""

    tree: Tree
    starts: Sequence[int]
    elements: Sequence[int]

    def describe(self, start: int, end: int) -> Mapping[str, Any]:
        """Say where in the source a chunk of lines comes from."""
        first = self.elements[max(bisect_right(self.starts, start) - 1, 0)]
        last = self.elements[max(bisect_right(self.starts, end - 1) - 1, 0)]
        low, high = self.tree.start[first], self.tree.end[last]
        return {**locate(self.tree, low, high), "source_start": low, "source_end": high}


def write_lines(tree: Tree, longest: int = 200) -> Outline:
    """Write JSON as lines.

    Args:
        tree: The elements.
        longest: Characters of a path; a longer one is cut in front, so that lines stay linear.

    Returns:
        The outline of the lines; its notes lead back to the source. Boundaries between records, and
        between elements by depth.

    Cost: linear in the source.
    """
    depths = tree.branches()
    names = _Names(tree, longest)
    parts: list[str] = []
    starts: list[int] = []
    elements: list[int] = []
    places: list[tuple[int, Strength]] = []
    regions: list[Region] = []
    at, pending = 0, Strength.GRAPHEME
    for number in range(len(tree.start)):
        if tree.index[number]:
            pending = max(pending, strength_at(depths[number]))
        if tree.size[number]:
            continue
        gap = "" if not starts else "\n\n" if pending == Strength.DOCUMENT else "\n"
        name = names.of(number)
        value = _shown(tree, number)
        at += len(gap)
        line = f"{name}: {value}" if name else value
        if len(value) > _LONG:
            prefix = f"{name}: " if name else ""
            regions.append(Region(at, at + len(line), "prose", {}, prefix))
        if starts and pending:
            places.append((at, pending))
        starts.append(at)
        elements.append(number)
        parts += [gap, line]
        at += len(line)
        pending = Strength.GRAPHEME
    return Outline.of("".join(parts), places, regions, Lines(tree, starts, elements))


class _Names:
    """Writes paths, each from that of its parent."""

    def __init__(self, tree: Tree, longest: int) -> None:
        self.tree, self.longest = tree, longest
        self.known: dict[int, str] = {}

    def of(self, number: int) -> str:
        """Give the path of an element, its beginning cut off where it is too long."""
        tree, known, chain = self.tree, self.known, []
        at, length = number, 0
        while at >= 0 and at not in known and length <= self.longest:
            chain.append(at)
            length += 2
            at = tree.parent[at]
        name = known.get(at, "") if length <= self.longest or at in known else "…"
        for one in reversed(chain):
            name = self._joined(name, one)
            if tree.size[one]:
                known[one] = name
        return name

    def _joined(self, name: str, number: int) -> str:
        tree = self.tree
        if tree.parent[number] < 0:
            return ""
        key = tree.key(number)
        if not key:
            name += f"[{tree.index[number]}]"
        elif _PLAIN_KEY.fullmatch(key):
            name = f"{name}.{key[1:-1]}" if name else key[1:-1]
        else:
            name += f"[{key}]"
        if len(name) <= self.longest:
            return name
        return "…" + name[len(name) - self.longest + 1 :]


def _shown(tree: Tree, number: int) -> str:
    text = tree.text[tree.value[number] : tree.end[number]]
    return str(json.loads(text)) if tree.sign(number) == '"' else text
