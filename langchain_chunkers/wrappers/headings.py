"""The path of headings above a place, from what a reader said of a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from typing import NamedTuple

from langchain_chunkers.outline import Outline, Strength

__all__ = ["HeadingPaths"]

_LINE = re.compile(r"[^\r\n]+")
_MARK = re.compile(r"#{1,6}(?=[ \t]|$)")
_UNDERLINE = re.compile(r"(?:=+|-{2,})\s*\Z")
_LONGEST = 120  # characters of a heading in a path


class _Heading(NamedTuple):
    at: int
    strength: int
    path: tuple[str, ...]


class HeadingPaths:
    """Finds the headings that a place stands under. Linear to make, O(log headings) to ask.

    Example:
        >>> from langchain_chunkers.plain import read_plain
        >>> text = "# Manual\\n\\nHello.\\n\\n## Safety\\n\\nUnplug it.\\n\\nWait."
        >>> HeadingPaths(read_plain(text)).above(text.index("Wait"))
        ('Manual', 'Safety')
    """

    def __init__(self, outline: Outline) -> None:
        strengths = {at: strength for strength, ats in outline.places.items() for at in ats}
        stack: list[tuple[int, str]] = []
        self._headings: list[_Heading] = []
        for region in outline.regions:
            if region.kind != "heading":
                continue
            # the first heading of a text stands at no boundary
            strength = int(strengths.get(region.start, Strength.SECTION1))
            for number, title in enumerate(_titles(outline.text[region.start : region.end])):
                rank = strength - number  # headings right below each other: each is one deeper
                while stack and stack[-1][0] <= rank:
                    stack.pop()
                stack.append((rank, title))
                path = tuple(name for _, name in stack)
                self._headings.append(_Heading(region.start, rank, path))
        self._starts = [heading.at for heading in self._headings]

    def above(self, at: int) -> tuple[str, ...]:
        """Give the headings before ``at`` that it stands under, from the outermost."""
        index = bisect_left(self._starts, at) - 1
        return self._headings[index].path if index >= 0 else ()


def _titles(text: str) -> Sequence[str]:
    """Give the headings in a heading region, one a line, without their marks."""
    lines = [found.group() for found in _LINE.finditer(text[:4_000])]
    titles = [
        _MARK.sub("", line.strip().rstrip("#"), count=1).strip()[:_LONGEST]
        for line in lines
        if not _UNDERLINE.match(line)
    ]
    return [title for title in titles if title]
