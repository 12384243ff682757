"""What stands around a stretch of JSON so that it is JSON by itself, and where in the document it lies.

For any two places between values, or inside strings but not in an escape, the stretch between them is
JSON once it is told what was open before it and what is still open behind it: ``{"a": [`` and ``]}``.
So any run of elements can be a chunk, whatever brackets open and close inside it, and no chunk needs
to be written anew.

A path costs its length for each chunk, and a document may be 100,000 levels deep. So a path is built
only if it is no longer than the chunk could hold; else the innermost bracket must do.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping
from typing import Any, NamedTuple

from langchain_chunkers.ladder import content_end
from langchain_chunkers.readers.json_parse import Tree

__all__ = ["Frame", "Frames", "locate", "pointer"]

_CLOSERS = {"{": "}", "[": "]", '"': '"'}
_KEPT = 1_024  # paths that are kept at hand: neighbours ask for the same ones
_LONGEST_POINTER = 1_000  # characters of a path in metadata; no document in use comes near
_NOWHERE = -2


class Frame(NamedTuple):
    """What stands around a stretch: all of its path, and the least that makes it JSON."""

    prefix: str
    suffix: str
    least_prefix: str
    least_suffix: str
    has_path: bool


class Frames:
    """Makes frames for stretches of one document.

    Args:
        tree: The elements.
        longest: Characters of the longest path that is built.
    """

    def __init__(self, tree: Tree, longest: int) -> None:
        self.tree, self.longest = tree, longest
        self._paths: dict[int, tuple[str, str] | None] = {-1: ("", "")}

    # ------------------------------------------------------------------ what is open at a place

    def open_from(self, at: int) -> int:
        """Give what is open where a stretch begins: a container, a string, -1 for nothing.

        -2 where a stretch that begins there is no JSON whatever stands before it.
        """
        tree = self.tree
        number = tree.last_at(at)
        if number < 0:
            return -1 if not tree.text[:at].strip("\ufeff \t\r\n") else _NOWHERE
        if tree.start[number] == at:
            return tree.parent[number] if number not in tree.broken else -1
        return self._string_at(at)

    def open_until(self, at: int) -> int:
        """Give what is open where a stretch ends; as `open_from`."""
        tree = self.tree
        inside = self._string_at(at)
        if inside >= 0:
            return inside
        number = tree.next_at(at) - 1
        if number < 0 or (tree.size[number] and at < tree.end[number]):
            return _NOWHERE  # before the first value of all, or of a container
        if at < tree.end[number]:
            return _NOWHERE
        low, high = tree.closers(at)
        return tree.parent[tree.closed[high - 1] if low < high else number]

    def value_end(self, start: int, end: int) -> int:
        """Take off the end of a stretch what closes there and was open before it.

        What stands behind a chunk closes that anyway, and so it ends with the value that it ends with.
        """
        tree = self.tree
        low, high = tree.closers(end)
        if low == high or tree.closes[high - 1] != end or self.open_from(start) == _NOWHERE:
            return end
        # of brackets that follow each other, the outer ones were opened earlier
        first = bisect_right(tree.closed, -start, low, high, key=lambda number: -tree.value[number])
        return content_end(tree.text, start, tree.closes[first] - 1) if first < high else end

    def _string_at(self, at: int) -> int:
        tree = self.tree
        number = tree.string_around(at)
        if number < 0 or tree.parts_escape(number, at):
            return _NOWHERE
        return number

    # ------------------------------------------------------------------ frames

    def common(self, start: int, until: int) -> int:
        """Give the innermost that is open at both ends of a stretch, from what is open at its end."""
        tree = self.tree
        while until >= 0 and tree.value[until] >= start:
            until = tree.parent[until]
        return until

    def around(self, start: int, end: int) -> Frame | None:
        """Give what stands around a stretch; ``None`` where nothing makes it JSON.

        Cost: linear in the stretch and in the longest path.
        """
        from_ = self.open_from(start)
        until = _NOWHERE if from_ == _NOWHERE else self.open_until(end)
        if until == _NOWHERE:
            return None
        shared = self.common(start, until)
        tree = self.tree
        # the last part of a string has its closing quote, and needs but the other one
        is_last = from_ >= 0 and tree.end[from_] == end and tree.sign(from_) == '"'
        closing = []
        while until != shared:
            closing.append(_CLOSERS[tree.sign(until)])
            until = tree.parent[until]
        opening: list[str] = []
        length = 0
        while from_ != shared:
            length += tree.value[from_] - tree.start[from_]
            opening.append(self._opener(from_) if length <= self.longest else "")
            from_ = tree.parent[from_]
        if length > self.longest:
            return None
        opener, closer = "".join(reversed(opening)), "".join(closing)
        sign = tree.sign(shared) if shared >= 0 else ""
        path = self.path(shared)
        before, behind = path or ("", "")
        return Frame(
            before + opener,
            closer + behind,
            '"' if is_last else sign + opener,
            "" if is_last else closer + _CLOSERS.get(sign, ""),
            path is not None,
        )

    def path(self, number: int) -> tuple[str, str] | None:
        """Give what opens and closes all containers from the root to one; ``None`` if it is too long."""
        paths = self._paths
        if number in paths:
            return paths[number]
        if self.tree.depth[number] >= self.longest:
            return None
        tree, opening, closing, length = self.tree, [], [], 0
        at = number
        while at >= 0 and length <= self.longest:
            length += tree.value[at] - tree.start[at] + 1
            if length <= self.longest:
                opening.append(self._opener(at))
                closing.append(_CLOSERS[tree.sign(at)])
            at = tree.parent[at]
        fits = length <= self.longest
        found = ("".join(reversed(opening)), "".join(closing)) if fits else None
        if len(paths) > _KEPT:
            paths.clear()
            paths[-1] = ("", "")
        paths[number] = found
        return found

    def _opener(self, number: int) -> str:
        key = self.tree.key(number)
        return f"{key}: {self.tree.sign(number)}" if key else self.tree.sign(number)


# ---------------------------------------------------------------------- where a stretch lies


def pointer(tree: Tree, number: int) -> str | None:
    """Give the JSON Pointer (RFC 6901) of an element in its record; ``None`` if it is too long."""
    parts: list[str] = []
    length = 0
    if number >= 0 and 2 * tree.depth[number] > _LONGEST_POINTER:
        return None
    while number >= 0 and tree.parent[number] >= 0:
        length += 2 + tree.value[number] - tree.start[number]
        if length > _LONGEST_POINTER:
            return None
        key = tree.key(number)
        name = json.loads(key) if key else str(tree.index[number])
        parts.append("/" + name.replace("~", "~0").replace("/", "~1"))
        number = tree.parent[number]
    return "".join(reversed(parts))


def locate(tree: Tree, start: int, end: int) -> Mapping[str, Any]:
    """Say where a stretch stands.

    Returns:
        ``path``: the pointer of the innermost value that holds it; ``item_start`` and ``item_end``, from 0,
        where that is a list and the stretch has some of its items; ``record_start`` and ``record_end``, from
        1, where the text has several records.

    Cost: linear in the number of its elements and in the path.
    """
    first, last = max(tree.last_at(start), 0), tree.next_at(end) - 1
    last = max(last, first)
    while first < last and tree.end[first] > end:
        first += 1  # of what goes on behind the stretch, only the first parts are in it
    low, high = first, last
    child_low = child_high = -1  # on the way from the value that holds both to each
    while low != high:  # elements stand before what they hold
        if low > high:
            child_low, low = low, tree.parent[low]
        else:
            child_high, high = high, tree.parent[high]
    known: dict[str, Any] = {}
    where = pointer(tree, low)
    if where is not None:
        known["path"] = where
    if child_low >= 0 and low >= 0 and tree.sign(low) == "[":
        known["item_start"] = tree.index[child_low]
        known["item_end"] = tree.index[child_high]
    if len(tree.records) > 1:
        known["record_start"], known["record_end"] = tree.record(first), tree.record(last)
    return known
