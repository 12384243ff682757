"""The packer of JSON: the engine's own, told what stands around a chunk that starts and ends at two places.

A region's prefix and suffix are known beforehand, one for each region. Those of JSON depend on both ends of a
chunk, and all of them together would be longer than any document; so they are asked for as chunks are counted.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence

from langchain_chunkers.ladder import (
    Rung,
    clause_places,
    content_end,
    content_start,
    line_places,
    next_grapheme,
    sentence_places,
)
from langchain_chunkers.length import Scale
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.packing import Limits
from langchain_chunkers.readers.json_frames import Frames
from langchain_chunkers.readers.json_parse import ESCAPE, Tree
from langchain_chunkers.stable import StablePacker
from langchain_chunkers.structure import StructurePacker

__all__ = ["JSONPacker", "StableJSONPacker"]

Places = Callable[[str, int, int], list[int]]

_UNIT = 8  # characters of a unit, in any measure that people use
_NO_CAP = 4_000  # characters of a path where there is no cap
_SHORT = 16  # characters of a string that is not divided for the sake of its path
_COUNTED = 4_096  # counts of frames that are kept at hand
_BLANKS = re.compile(r"(?:(?:\\r)?\\n[ ]*+){2,}")
_BREAKS = re.compile(r"(?:(?:\\r)?\\n)++")
_SPACES = re.compile(r"\s++|(?:\\[nrt])++")
_ANY = re.compile(rf"{ESCAPE.pattern}|[\s\S]")
_NO_START = frozenset("、。，；：！？」』）】》〉”’ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶー")


class JSONPacker(StructurePacker):
    """Divides JSON.

    Args:
        outline: The boundaries between elements.
        scale: Units along the text.
        limits: What chunks must keep to; nothing is trimmed but by this class.
        tree: The elements.
        keeps: Keep the commas and the white space between chunks.
    """

    def __init__(
        self, outline: Outline, scale: Scale, limits: Limits, tree: Tree, *, keeps: bool
    ) -> None:
        size = limits.size
        self.tree, self.keeps = tree, keeps
        self.frames = Frames(tree, _NO_CAP if size == math.inf else int(size) * _UNIT)
        self._counts: dict[tuple[str, str], int] = {}
        super().__init__(outline, scale, limits, self._rungs)
        self.prefixed = True

    def is_framed(self, start: int, end: int) -> bool:  # noqa: ARG002
        """Say yes: all counts ask for what stands around a chunk."""
        return True

    # ------------------------------------------------------------------ what is emitted

    def content(self, start: int, end: int) -> tuple[int, int]:
        """Leave out what stands between chunks: white space, a comma, brackets that close what was open."""
        if self.keeps or start >= end:
            return start, end
        tree, text = self.tree, self.text
        if start == 0 and text[0] == "\ufeff":
            start = 1
        if tree.string_around(start) < 0:
            start = content_start(text, start, end)
        if tree.string_around(end) < 0:
            end = content_end(text, start, end)
            if end > start and text[end - 1] == "," and self._parts(end - 1):
                end = content_end(text, start, end - 1)
            if end > start and text[end - 1] in "}]":
                end = self.frames.value_end(start, end)
        return start, end

    def _parts(self, at: int) -> bool:
        """Say whether a comma parts two elements, and belongs to none."""
        tree = self.tree
        number = tree.last_at(at)
        if number < 0 or number in tree.broken:
            return False
        return at >= (tree.value[number] + 1 if tree.size[number] else tree.end[number])

    def frame(self, start: int, end: int) -> tuple[str, str, bool]:
        """Give what is added around a chunk, and whether some of its path is left out.

        A path that takes over half of the cap is left out, and so is one that would divide what cannot be
        divided. Then the innermost bracket alone makes it JSON, if there is room for that.
        """
        around = self.frames.around(start, end)
        if around is None:
            return "", "", True
        prefix, suffix, least_prefix, least_suffix, has_path = around
        whole = self._is_whole(start, end) or self._is_character(start, end)
        if has_path and self._takes(start, end, prefix, suffix, whole=whole):
            return prefix, suffix, False
        if self._takes(start, end, least_prefix, least_suffix, whole=whole):
            return least_prefix, least_suffix, True
        return "", "", bool(least_prefix or least_suffix)

    def _is_whole(self, start: int, end: int) -> bool:
        """Say whether a chunk is one element that cannot be divided."""
        tree = self.tree
        number = tree.next_at(end) - 1
        first = tree.last_at(start)
        if first < 0 or tree.start[first] != start or tree.size[number] or number - first > _SHORT:
            return False
        if any(tree.size[one] != 1 for one in range(first, number)):
            return False
        return tree.sign(number) != '"' or tree.end[number] - tree.value[number] <= _SHORT

    def _is_character(self, start: int, end: int) -> bool:
        """Say whether a chunk is one character or one escape, or part of one."""
        if end - start > 2 * _SHORT:
            return False
        number = self.tree.string_around(start)
        if number < 0:
            return next_grapheme(self.text, start) >= end
        close = self.tree.end[number] - 1  # the closing quote adds nothing: a suffix would else
        escape = ESCAPE.match(self.text, start, close)
        behind = escape.end() if escape else next_grapheme(self.text, start)
        return behind >= min(end, close)

    def _takes(self, start: int, end: int, prefix: str, suffix: str, *, whole: bool) -> bool:
        """Say whether a chunk has room for what stands around it."""
        if not self._leaves_room(prefix, suffix):
            return False
        return not whole or self.scale.fits(self.limits.size, start, end, prefix, suffix)

    def _leaves_room(self, prefix: str, suffix: str) -> bool:
        if self.limits.size == math.inf or not (prefix or suffix):
            return True
        return self._length(prefix, suffix) * 2 <= self.limits.size

    def _length(self, prefix: str, suffix: str) -> int:
        found = self._counts.get((prefix, suffix))
        if found is None:
            if len(self._counts) > _COUNTED:
                self._counts.clear()
            found = self._counts[prefix, suffix] = self.scale.count(0, 0, prefix, suffix)
        return found

    def emitted(self, start: int, end: int) -> int:
        """Count a chunk with what stands around it."""
        prefix, suffix, _ = self.frame(start, end)
        return self.scale.count(start, end, prefix, suffix)

    def fits(self, start: int, end: int, size: float | None = None) -> bool:
        """Say whether a stretch fits the cap (or ``size``), exactly."""
        size = self.limits.size if size is None else size
        if size == math.inf:
            return True
        start, end = self.content(start, end)
        estimate = self.scale.mark(end) - self.scale.mark(start)
        if estimate > self.scale.slack * size + 8:
            return False
        prefix, suffix, _ = self.frame(start, end)
        return self.scale.fits(size, start, end, prefix, suffix)

    def omits(self, start: int, end: int) -> bool:
        """Say whether some of the path of a chunk is left out."""
        return self.frame(start, end)[2]

    def room(self, at: int) -> float:
        """Give the units for new text in a chunk that starts at ``at``."""
        cap = self.cap(at)
        if cap == math.inf:
            return cap
        opened = self.frames.open_from(at)
        if opened < 0:
            return cap
        path = self.frames.path(opened)
        if path is not None and self._leaves_room(*path):
            return cap - self._length(*path)
        sign = self.tree.sign(opened)
        return cap - self._length(sign, sign) if self._leaves_room(sign, sign) else cap

    def _chop_place(self, start: int, end: int) -> int | None:
        """Divide a long word, but no escape that fits: what is no JSON can still be read."""
        at = super()._chop_place(start, end)
        number = -1 if at is None else self.tree.string_around(at)
        if at is None or number < 0 or not self.tree.parts_escape(number, at):
            return at
        before, behind = self.tree.escape_around(number, at)
        if before > start and self.fits(start, before):
            return before
        return behind if self.fits(start, behind) else at

    # ------------------------------------------------------------------ places inside strings

    def _rungs(self, kind: str) -> Sequence[Rung]:  # noqa: ARG002
        """Give the places inside a string, strongest first; in what is no JSON, those of text."""
        return (
            Rung(Strength.LINE, self._inside(_behind(_BLANKS), None)),
            Rung(Strength.LINE, self._inside(_behind(_BREAKS), line_places)),
            Rung(Strength.SENTENCE, self._inside(sentence_places, sentence_places)),
            Rung(Strength.CLAUSE, self._inside(clause_places, clause_places)),
            Rung(Strength.WORD, self._inside(_behind(_SPACES), None)),
            Rung(Strength.GRAPHEME, self._inside(_each, None)),
        )

    def _inside(self, places: Places, plain: Places | None) -> Places:
        """Keep the places of the string in a stretch that lie in its content, and in no escape."""

        def found(text: str, start: int, end: int) -> list[int]:
            tree = self.tree
            number = tree.next_at(end) - 1
            if number in tree.broken:
                return plain(text, start, end) if plain else []
            if number < 0 or tree.sign(number) != '"':
                return []
            low, high = tree.value[number] + 1, tree.end[number] - 1
            first, last = max(start, low), min(end, high)
            if first >= last:
                return []
            inner = places(text, first, last)
            return [
                at
                for at in inner
                if max(start, low) < at < last and not tree.parts_escape(number, at)
            ]

        return found


class StableJSONPacker(StablePacker, JSONPacker):
    """Divides JSON so that an edit changes the chunks near it, and few others."""


def _behind(pattern: re.Pattern[str]) -> Places:
    def places(text: str, start: int, end: int) -> list[int]:
        return [found.end() for found in pattern.finditer(text, start, end)]

    return places


def _each(text: str, start: int, end: int) -> list[int]:
    """List the places between characters, escapes being one, but not before what begins no line."""
    return [
        found.end()
        for found in _ANY.finditer(text, start, end)
        if text[found.end()] not in _NO_START
    ]
