"""The reader of source code: definitions and statements from a syntax tree, or from indentation."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.code_indent import Scale, indentation_places
from langchain_chunkers.readers.code_languages import canonical, grammar_of
from langchain_chunkers.readers.code_names import Definition
from langchain_chunkers.readers.code_parse import parse
from langchain_chunkers.readers.code_tree import Tree

__all__ = ["ALONE", "DATA", "EMBEDDED", "CodeNotes", "read_code"]

_SECTIONS = [Strength.section(level) for level in range(1, 7)]
_BELOW = [Strength(strength) for strength in range(Strength.BLOCK, Strength.GRAPHEME, -1)]
ALONE = Scale(_SECTIONS, _BELOW)
"""Strengths of code that is a text of its own: definitions are sections."""
DATA = Scale(_SECTIONS, [*_SECTIONS, *_BELOW])
"""Strengths of languages without definitions, such as JSON."""
EMBEDDED = Scale([Strength.PARAGRAPH, Strength.LINE], _BELOW[3:], saturates=True)
"""Strengths of code inside another text: weaker than a block of it."""

_MOST_NAMES = 8  # definitions that are named for a chunk that holds several


def read_code(
    text: str,
    language: str,
    *,
    scale: Scale = EMBEDDED,
    least: int = 80,
    signatures: bool = False,
    every_container: bool = False,
    fits: Callable[[int, int], bool] | None = None,
) -> Outline:
    """Read source code.

    Args:
        text: Any string.
        language: Name, alias or file suffix of a language. One without a grammar is read by
            indentation and blank lines.
        scale: Which strengths to give. By default those for code inside another text: all are
            weaker than ``Strength.BLOCK``, so they can be laid into a fence of it.
        least: Characters of a statement below which nothing inside it is looked at: one of half the
            cap always fits.
        signatures: Regions repeat the signatures of what is around a chunk.
        every_container: Members of a class are found in small classes too.
        fits: Says whether a stretch of the text fits a chunk, so that a comment is parted from a
            function only where that keeps the function whole; ``None`` for a guess by ``least``.

    Returns:
        The outline; its ``notes`` are `CodeNotes`. A reader around it that has a region of its own
        for the code, such as a fence, takes the boundaries and leaves the regions.

    Raises:
        MissingExtraError: The language has a grammar, and tree-sitter or the grammar is missing.

    Cost: that of the parser: 2 to 8 MB/s; hundreds by indentation.

    Example:
        >>> outline = read_code("def a():\\n    pass\\n\\ndef b():\\n    pass\\n", "python")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()]
        [(19, 'PARAGRAPH')]
    """
    name = canonical(language)
    grammar = grammar_of(name)
    root = parse(text, grammar) if grammar is not None else None
    if grammar is None or root is None:
        regions = [Region(0, len(text), "code")] if text else []
        return Outline.of(text, indentation_places(text, scale), regions, CodeNotes(name))
    if scale is ALONE and not grammar.functions:
        scale = DATA
    tree = Tree(
        text,
        root,
        grammar,
        scale,
        least,
        every_container=every_container,
        signed=signatures,
        fits=fits,
    )
    notes = CodeNotes(name, tree.definitions)
    regions = _regions(text, tree.definitions if signatures else (), tree.prose)
    return Outline.of(text, tree.boundaries, regions, notes)


# ------------------------------------------------------------------ what a chunk is of


@dataclass(slots=True)
class CodeNotes:
    """What the reader knows beside the outline.

    Attributes:
        language: The name of the language.
        definitions: Functions and classes, ascending by start, outer ones first.
    """

    language: str
    definitions: Sequence[Definition] = ()
    _starts: list[int] = field(init=False, repr=False)
    _line: tuple[int, int] = (0, 1)

    def __post_init__(self) -> None:
        """Prepare for searching."""
        self._starts = [definition.start for definition in self.definitions]

    def lines(self, text: str, start: int, end: int) -> tuple[int, int]:
        """Give the numbers of the first and last line of a chunk, from 1; asked in order of the text."""
        at, line = self._line
        if start >= at:
            line += text.count("\n", at, start)
        else:
            line -= text.count("\n", start, at)
        self._line = start, line
        return line, line + text.count("\n", start, end - 1)

    def symbol(self, text: str, start: int, end: int) -> str:
        """Name what a chunk is of: the innermost definition that holds it, and what begins in it.

        Returns:
            Such as ``class Cache > def evict``; ``class Cache > def get, def put`` for a chunk of
            several members; "" where nothing has a name.
        """
        definitions = self.definitions
        if not definitions:
            return ""
        end = _without_closers(text, start, end)
        around = bisect_right(self._starts, start) - 1
        while around >= 0 and definitions[around].end < end:
            around = definitions[around].parent
        path: list[str] = []
        number = around
        while number >= 0:
            path.append(definitions[number].label)
            number = definitions[number].parent
        path.reverse()
        if around < 0 or start >= definitions[around].head_end:
            held = self._held(around, start, end)
            if held:
                path.append(held)
        return " > ".join(path)

    def _held(self, around: int, start: int, end: int) -> str:
        """Name the outermost definitions that begin in a chunk."""
        labels: list[str] = []
        first = bisect_left(self._starts, start)
        for number in range(first, bisect_left(self._starts, end)):
            if self.definitions[number].parent == around:
                if len(labels) == _MOST_NAMES:
                    labels.append("…")
                    break
                labels.append(self.definitions[number].label)
        return ", ".join(labels)


def _without_closers(text: str, start: int, end: int) -> int:
    """Leave out what at the end of a chunk only closes something around: brackets and ``end``."""
    low = max(start, end - 200)
    kept = text[low:end]
    while True:
        kept = kept.rstrip(" \t\r\n})];,")
        if not kept.endswith(("\nend", " end", "\tend")):
            return low + len(kept)
        kept = kept[:-3]


# ------------------------------------------------------------------ regions

_ELISION = "    ...\n"
_INDENT = re.compile(r"[ \t]*")


def _regions(
    text: str, definitions: Sequence[Definition], prose: Sequence[tuple[int, int, str]]
) -> list[Region]:
    """Cover the text: comments and docstrings by their kind, the rest as code, with signatures."""
    regions: list[Region] = []
    prefixes = _zones(len(text), definitions)
    index = 0
    for start, end, prefix in prefixes:
        at = start
        while index < len(prose) and prose[index][1] <= end:
            first, last, kind = prose[index]
            index += 1
            first = max(_line_start(text, first, at), at)
            if first > at:
                regions.append(Region(at, first, "code", {}, prefix))
            if last > first:
                regions.append(Region(first, last, kind, {}, prefix))
            at = max(at, last)
        if at < end:
            regions.append(Region(at, end, "code", {}, prefix))
        while index < len(prose) and prose[index][0] < end:
            index += 1  # it crosses the end of a zone
    return regions


def _line_start(text: str, start: int, least: int) -> int:
    """Give the start of the indentation before ``start``, or of the newline before it.

    A region that begins with the newline holds chunks that begin with the line.
    """
    low = max(least, start - 256)
    kept = len(text[low:start].rstrip(" \t"))
    at = low + kept
    return at - 1 if kept and text[at - 1] == "\n" else start


def _zones(size: int, definitions: Sequence[Definition]) -> list[tuple[int, int, str]]:
    """Divide the text by what signatures are around it: ``(start, end, prefix)``, ascending."""
    zones: list[tuple[int, int, str]] = []
    open_: list[tuple[int, str]] = [(size, "")]
    at = 0

    def close(until: int) -> None:
        nonlocal at
        while len(open_) > 1 and open_[-1][0] <= until:
            end, prefix = open_.pop()
            if at < end:
                zones.append((at, end, prefix))
                at = end

    for definition in definitions:
        if not definition.signature:
            continue
        # a zone begins behind the signature, and leaves its last character to the one around it,
        # so that no chunk begins exactly where a zone does
        start, end = definition.head_end, definition.end - 1
        close(start)
        prefix = open_[-1][1]
        if start < at or end <= start or end > open_[-1][0]:
            continue
        if at < start:
            zones.append((at, start, prefix))
            at = start
        indent = _INDENT.match(definition.signature)
        inner = indent.group() if indent else ""
        open_.append((end, f"{prefix}{definition.signature}\n{inner}{_ELISION}"))
    close(size)
    if at < size:
        zones.append((at, size, ""))
    return zones
