"""The quick way through plain paragraphs in characters: what the engine gives, without its objects.

Most calls are alike: plain text, sizes in characters, no overlap. `read_plain` and
`StructurePacker` would make an outline, tasks and pieces for each of a few paragraphs, and cost
more than the division itself. Here the same decisions are made on three lists of numbers. A
paragraph that does not fit goes to the engine; so does a whole text with anything rare in it.

`tests/test_quick.py` proves that both ways give the same chunks. Rejected: making the engine itself
know this case, which would put a second path into each of its steps.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from langchain_chunkers.grouping import group_exactly
from langchain_chunkers.ladder import (
    LADDERS,
    Rung,
    content_end,
    content_start,
    grapheme_place,
    is_between,
    next_grapheme,
)
from langchain_chunkers.length import CharacterMeasure
from langchain_chunkers.outline import Outline, Part, Region, Strength
from langchain_chunkers.packing import Limits, Packer
from langchain_chunkers.plain import ATX, LONGEST_BLOCK, alone_strength, begins_line, underlined
from langchain_chunkers.structure import StructurePacker

__all__ = ["fill_characters", "pack_plain"]

_PARAGRAPH, _GRAPHEME = Strength.PARAGRAPH, Strength.GRAPHEME
_SECTIONS = [Strength.section(level) for level in range(7)]

_PLACE = re.compile(r"\n[^\S\n]*\n\s*")
_MARKED_LINE = re.compile(r"\n(?:==|--| {0,3}#{1,6}(?=[ \t\u3000\n]|\Z))")
_RARE = ("\r", "\x0b", "\f", "\x85", "\u2028", "\u2029")
_DEMANDING = ("```", "~~~", "\ufeff#", "\ufeff ")  # a byte order mark matters before a heading only


def fill_characters(text: str, limits: Limits) -> list[Part]:
    """Cut every ``limits.size`` characters: the loop that all else is measured by.

    Args:
        text: The text.
        limits: No overlap.

    Returns:
        Chunks in order, white space trimmed as the limits say.

    Guarantees: equal to `langchain_chunkers.filling.fill` with ``at_the_limit``.

    Cost: linear; half a microsecond for each chunk.
    """
    size, end = int(limits.size), len(text)
    start, keep, trims = 0, limits.trim == "lines", limits.trim != "none"
    if trims and end and (text[0].isspace() or text[-1].isspace()):
        end = content_end(text, 0, end)
        start = content_start(text, 0, end, keep_indent=keep)
    found: list[Part] = []
    strength = Strength.DOCUMENT
    while end - start > size:
        at = start + size
        after, before = text[at], text[at - 1]
        # letters of most scripts are decided by this look; see ladder.is_between
        if not (
            "\n" < after < "\u0300" > before
            or ("\u3400" <= after <= "\u9fff" and "\u2010" <= before < "\ud800")
        ):
            at = grapheme_place(text, start, at)
            if at <= start:
                at = min(next_grapheme(text, start), end)
                packer = Packer(
                    Outline(text), CharacterMeasure().scale(text), limits, LADDERS.__getitem__
                )
                for piece in packer.oversize(start, at, strength):
                    first, last = packer.content(piece.start, piece.end)
                    if first < last:
                        found.append((first, last, piece.strength))
                start, strength = at, _GRAPHEME
                if trims and at < end:
                    start = content_start(text, at, end, keep_indent=keep)
                continue
            before, after = text[at - 1], text[at]  # the place moved
        if not trims:
            found.append((start, at, strength))
            start = at
        elif before.isspace() or after.isspace():
            stop = content_end(text, start, at)
            if stop > start:
                found.append((start, stop, strength))
            start = content_start(text, at, end, keep_indent=keep)
        else:
            found.append((start, at, strength))
            start = at
        strength = _GRAPHEME
    if start < end:
        found.append((start, end, strength))
    return found


class _Paragraphs(NamedTuple):
    """Places of a text, ascending, with both ends of the text.

    Attributes:
        ats: Where a paragraph begins; the end of the text last.
        ends: Where the content before each of ``ats`` ends.
        levels: Strengths above paragraphs, the strongest first, with the indices of their places.
        glued: From each heading to the text that it is about.
    """

    ats: list[int]
    ends: list[int]
    levels: list[tuple[Strength, list[int]]]
    glued: list[list[int]]


def pack_plain(
    text: str, limits: Limits, ladders: Callable[[str], Sequence[Rung]]
) -> list[Part] | None:
    """Divide a text into chunks of at most ``limits.size`` characters.

    Args:
        text: The text; larger than the size.
        limits: No overlap, no least size, all white space trimmed, nothing forced or dropped.
        ladders: The rungs of each kind of text.

    Returns:
        Chunks in order, white space trimmed, or ``None`` where the text needs the engine.

    Guarantees: equal to `StructurePacker` over `read_plain`.

    Cost: linear; a microsecond or two for each paragraph and each chunk.
    """
    read = _read(text)
    if read is None:
        return None
    ats, ends, levels, _ = read
    size, deepest = limits.size, len(levels)
    found: list[Part] = []
    packer: StructurePacker | None = None
    stack = [(0, len(ats) - 1, 0, Strength.DOCUMENT)]
    while stack:
        first, last, level, strength = stack.pop()
        if ends[last] - ats[first] <= size:
            found.append((ats[first], ends[last], strength))
        elif level < deepest:
            kind, places = levels[level]
            low, high = bisect_right(places, first), bisect_left(places, last)
            if low < high:
                edges = [first, *places[low:high], last]
                starts, stops = [ats[k] for k in edges], [ends[k] for k in edges]
                groups = group_exactly(starts, stops, size)
                stack += [
                    (edges[i], edges[j], level + 1, kind if i else strength)
                    for i, j, _ in reversed(groups)
                ]
            else:
                stack.append((first, last, level + 1, strength))
        elif level == deepest and last > first + 1:
            starts, stops = ats[first : last + 1], ends[first : last + 1]
            groups = group_exactly(starts, stops, size)
            if all(group[2] for group in groups):
                found += [
                    (starts[i], stops[j], _PARAGRAPH if i else strength) for i, j, _ in groups
                ]
            else:
                stack += [
                    (first + i, first + j, level + 1, _PARAGRAPH if i else strength)
                    for i, j, _ in reversed(groups)
                ]
        else:
            if packer is None:
                outline = Outline(
                    text, {}, [Region(start, end, "heading") for start, end in read.glued]
                )
                scale = CharacterMeasure().scale(text)
                packer = StructurePacker(outline, scale, limits, ladders)
            found += _opened(packer, ats[first], ats[last], strength)
    return found


def _opened(packer: StructurePacker, start: int, end: int, strength: Strength) -> Iterator[Part]:
    """Divide one paragraph below the paragraph."""
    body = min(packer.glued_until(start), end)
    one_line = packer.text.find("\n", body, content_end(packer.text, body, end)) < 0
    # the first rung of prose is lines
    level = int(one_line and packer.ladders("prose") is LADDERS["prose"])
    for piece in packer.pack(start, end, strength, level):
        first, last = packer.content(piece.start, piece.end)
        if first < last:
            yield first, last, piece.strength


def _read(text: str) -> _Paragraphs | None:
    """Find paragraphs and headings, as `read_plain` does; ``None`` where that must do it."""
    if any(rare in text for rare in _RARE) or any(_has(text, mark) for mark in _DEMANDING):
        return None
    size = len(text)
    stop = content_end(text, 0, size)
    if not stop:
        return None
    start = content_start(text, 0, stop)
    spans = [match.span() for match in _PLACE.finditer(text, start, stop)]
    # each place has two newlines or more: with just two, no block has a second line
    one_line = text.count("\n", start, stop) == 2 * len(spans)
    lines = None if one_line else _MARKED_LINE.findall(text)
    if lines and ("\n==" in lines or "\n--" in lines) and any(underlined(text)):
        return None
    ats = [start, *[span[1] for span in spans], size]
    ends = [start, *[span[0] for span in spans], stop]
    if not all(text[at - 1] == "\n" or is_between(text, start, at) for at in ats[1:-1]):
        return None
    if any(map(str.isspace, _characters(text, start, [end - 1 for end in ends[1:]]))):
        ends = [
            content_end(text, start, end) if end and text[end - 1].isspace() else end
            for end in ends
        ]
    headings = _headings(text, ats, lines)
    if headings is None:
        return None
    return _with_headings(ats, ends, headings) if headings else _Paragraphs(ats, ends, [], [])


def _has(text: str, mark: str) -> bool:
    """Say whether a mark occurs: by its first character, which is found faster than several."""
    at = text.find(mark[0])
    for _ in range(64):
        if at < 0 or text.startswith(mark, at):
            return at >= 0
        at = text.find(mark[0], at + 1)
    return mark in text


def _characters(text: str, start: int, places: Sequence[int]) -> set[str]:
    """Give the different characters at places, and the one at ``start``: one call for all."""
    return set(itemgetter(start, *places)(text))


def _headings(text: str, ats: list[int], lines: list[str] | None) -> dict[int, Strength] | None:
    """Give the strengths of the paragraphs that are headings; ``None`` where a heading is less."""
    headings: dict[int, Strength] = {}
    if "#" in text:
        marked = _marked(text, ats, lines)
        if marked is None:
            return None
        headings = marked
    # the first block begins with the text, unless white lines stand before it
    raw = [ats[0] if ats[0] > 1 and _PLACE.search(text[: ats[0]]) else 0, *ats[1:]]
    for index, (at, after) in enumerate(pairwise(raw[:-1])):
        if after - at <= LONGEST_BLOCK and index not in headings:
            strength = alone_strength(text, at, after, raw[index + 2])
            if strength is not None:
                headings[index] = strength
    return headings


def _marked(text: str, ats: list[int], lines: list[str] | None) -> dict[int, Strength] | None:
    """Find paragraphs of one line that begin with ``#``; ``None`` where such a line is not alone."""
    marked: dict[int, Strength] = {}
    for index in [i for i, at in enumerate(ats[:-1]) if text[at] == "#"]:
        at = ats[index]
        found = ATX.match(text, at)
        if found is not None and begins_line(text, at):
            line_end = text.find("\n", at)
            if 0 <= line_end < ats[index + 1] and text[line_end : ats[index + 1]].strip():
                return None
            marked[index] = _SECTIONS[found.end(1) - at]
    if lines is None:
        return marked
    first = bool(marked) and "\n" not in text[: ats[min(marked)]]
    return marked if sum("#" in line for line in lines) == len(marked) - first else None


def _with_headings(ats: list[int], ends: list[int], headings: dict[int, Strength]) -> _Paragraphs:
    """Leave out the places right behind headings, and sort the others by strength."""
    last = len(ats) - 1
    behind: set[int] = set()
    glued: list[list[int]] = []
    for index in sorted(headings):
        after = headings.get(index + 1)
        if index + 1 == last or (after is not None and after >= headings[index]):
            continue  # nothing follows that it could go with
        behind.add(index + 1)
        if glued and glued[-1][1] >= ats[index]:
            glued[-1][1] = ats[index + 1]
        else:
            glued.append([ats[index], ats[index + 1]])
    kept = (
        [index for index in range(last + 1) if index not in behind] if behind else range(last + 1)
    )
    levels: dict[Strength, list[int]] = {}
    for index in sorted(headings.keys() - behind - {0}):
        if headings[index] > _PARAGRAPH:
            levels.setdefault(headings[index], []).append(bisect_left(kept, index))
    return _Paragraphs(
        [ats[index] for index in kept],
        [ends[index] for index in kept],
        sorted(levels.items(), reverse=True),
        glued,
    )
