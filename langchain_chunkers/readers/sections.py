"""From headings, blocks and boundaries to an outline: what the readers of marked-up prose share.

A reader says where headings, blocks and boundaries stand. Here the headings become sections with a
heading path, each heading is glued to the text that it is about, and the text is tiled with regions.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_chunkers.ladder import content_start
from langchain_chunkers.outline import Outline, Region, Strength

__all__ = ["DEPTHS", "JOINED", "Heading", "Sections", "nested", "sectioned"]

DEPTHS = (Strength.BLOCK, Strength.LINE, Strength.SENTENCE, Strength.CLAUSE, Strength.WORD)
"""Strengths of what nests, by depth. Places of the ladder are weaker than all of them."""

JOINED = Strength.PARAGRAPH
"""Before and behind a block that belongs to the text around it: weaker than between two blocks,
stronger than all places inside a block, so that no block is cut for the sake of the line above."""


def nested(depth: int) -> Strength:
    """Give the strength of a block that lies ``depth`` blocks deep."""
    return DEPTHS[min(depth, len(DEPTHS) - 1)]


class Heading(NamedTuple):
    """A heading of a section.

    Attributes:
        start: First character.
        end: Behind the last character, underline and label included.
        level: 1 for the highest; 0 for what begins a part of a document and has no title.
        title: What goes into the heading path; ``None`` for nothing.
    """

    start: int
    end: int
    level: int
    title: str | None


class Sections(NamedTuple):
    """The headings of a text, put to use.

    Attributes:
        glue: From each heading to the text that it is about.
        paths: ``(start, {"Header 1": ..., ...})`` for each stretch with one heading path.
    """

    glue: list[tuple[int, int]]
    paths: list[tuple[int, dict[str, Any]]]


def _sections(text: str, headings: Sequence[Heading]) -> Sections:
    """Find what each heading is glued to, and the path from each on.

    A heading right below a higher one shares its stretch. One followed by a heading of its own
    rank or a higher one has no text, and is glued to nothing.
    """
    glue: list[tuple[int, int]] = []
    paths: list[tuple[int, dict[str, Any]]] = []
    path: list[tuple[int, str]] = []
    for index, heading in enumerate(headings):
        while path and path[-1][0] >= heading.level:
            path.pop()
        if heading.title is not None:
            path.append((heading.level, heading.title))
        named = {f"Header {level}": title for level, title in path}
        chained = bool(glue) and glue[-1][1] >= heading.start
        if chained:
            paths[-1] = (paths[-1][0], named)
        else:
            paths.append((heading.start, named))
        after = content_start(text, heading.end, len(text))
        following = headings[index + 1] if index + 1 < len(headings) else None
        bare = following and following.start <= after and following.level <= heading.level
        if after >= len(text) or bare:
            continue
        if chained:
            glue[-1] = (glue[-1][0], after)
        else:
            glue.append((heading.start, after))
    return Sections(glue, paths)


def sectioned(
    text: str,
    headings: Sequence[Heading],
    boundaries: Iterable[tuple[int, Strength]],
    blocks: Sequence[Region] = (),
    glue: Iterable[tuple[int, int]] = (),
    notes: Any = None,
) -> Outline:
    """Make the outline of a text with headings.

    Args:
        text: The text.
        headings: In order; none inside a block.
        boundaries: Where else the text may be divided, in any order.
        blocks: Regions in order that do not overlap: code, tables, lines.
        glue: Stretches ``(start, end)`` inside of which and at whose end nothing divides.
        notes: Handed on to the outline.

    Returns:
        SECTIONn at headings, what was given elsewhere, and regions that have the heading path.

    Cost: linear, but for sorting the boundaries.
    """
    found = _sections(text, headings)
    glued = _merged([*found.glue, *glue])
    starts = [start for start, _ in glued]
    strengths = list(boundaries)
    strengths += [(heading.start, Strength.section(heading.level)) for heading in headings]
    kept = [
        (at, strength)
        for at, strength in strengths
        if (index := bisect_left(starts, at) - 1) < 0 or glued[index][1] < at
    ]
    tiles = _tiles(len(text), found.paths, blocks)
    return Outline.of(text, kept, [*tiles, *(Region(s, e, "heading") for s, e in glued)], notes)


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join stretches that touch."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _tiles(
    size: int, paths: Sequence[tuple[int, Mapping[str, Any]]], blocks: Sequence[Region]
) -> list[Region]:
    """Lay the blocks into the sections; a section without a path needs no region of its own."""
    tiles: list[Region] = []
    starts = [start for start, _ in paths]
    at = 0

    def fill(end: int) -> None:
        nonlocal at
        index = max(bisect_left(starts, at + 1) - 1, 0)
        while at < end and index < len(paths):
            start, path = paths[index]
            stop = min(starts[index + 1] if index + 1 < len(paths) else size, end)
            if path and max(start, at) < stop:
                tiles.append(Region(max(start, at), stop, "prose", path))
            at, index = max(stop, at), index + 1
        at = end

    for block in blocks:
        fill(block.start)
        index = bisect_left(starts, block.start + 1) - 1
        path = paths[index][1] if index >= 0 else {}
        tiles.append(block._replace(metadata={**path, **block.metadata}))
        at = block.end
    fill(size)
    return tiles
