"""The reader of Markdown: CommonMark, and GitHub's tables and footnotes.

Its boundaries, strongest first: front matter (DOCUMENT), headings (SECTION1 to SECTION6), blocks (BLOCK),
what blocks hold (PARAGRAPH: items of a list, blocks of a quote, rows of a table, parts of code),
and one strength less for each level of nesting, down to WORD. So a block that fits is never opened.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_chunkers.ladder import content_start
from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.markdown_blocks import find_tables, read_fence
from langchain_chunkers.readers.markdown_front import front_matter_end, parse_front_matter
from langchain_chunkers.readers.markdown_headings import CustomHeadings, Heading, Headings
from langchain_chunkers.readers.markdown_parse import Block, flatten, parse

__all__ = ["Style", "read_markdown"]

# Strengths of what nests, by depth; sentences and words of the ladder are weaker whatever the name.
_DEPTHS = (
    Strength.BLOCK,
    Strength.PARAGRAPH,
    Strength.LINE,
    Strength.SENTENCE,
    Strength.CLAUSE,
    Strength.WORD,
)


def _is_short(code: str) -> bool:
    return len(code) <= 2_000


@dataclass(frozen=True, slots=True)
class Style:
    """How Markdown is read.

    Attributes:
        names: Metadata keys of the levels of headings that begin sections.
        custom: Lines that are headings by the user's own patterns.
        strip_headings: Blank out the headings that begin sections.
        front_matter: ``"chunk"``, ``"metadata"`` or ``"text"``.
        each_block: Blocks between blank lines are chunks of their own.
        fits: Says of a code block whether it fits; if not, the reader of its language divides it.
    """

    names: Mapping[int, str | None] = field(
        default_factory=lambda: {level: f"Header {level}" for level in range(1, 7)}
    )
    custom: CustomHeadings | None = None
    strip_headings: bool = False
    front_matter: str = "chunk"
    each_block: bool = False
    fits: Callable[[str], bool] = _is_short

    @property
    def levels(self) -> list[int]:
        """Give the levels of the headings that begin sections."""
        return [*self.names, *(self.custom.levels if self.custom else ())]


_DEFAULT = Style()


def read_markdown(text: str, style: Style = _DEFAULT) -> Outline:
    """Read Markdown.

    Args:
        text: Any string.
        style: How to read it.

    Returns:
        The outline. Its text is as long as ``text``; blank stand front matter that went into
        metadata and headings that are to be stripped.

    Cost: linear; 20 to 40 MB/s.

    Example:
        >>> outline = read_markdown("# One\\n\\nText.\\n\\n- a\\n- b\\n\\n## Two\\n\\nEnd.")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()]
        [(14, 'PARAGRAPH'), (18, 'PARAGRAPH'), (23, 'SECTION2')]
    """
    flat = flatten(text)
    front = front_matter_end(text)
    facts: Mapping[str, Any] = {}
    hidden: list[tuple[int, int]] = []
    if front:
        flat = _blanked(flat, [(0, front)])
        if style.front_matter == "metadata":
            parsed = parse_front_matter(text[:front])
            if parsed is not None:
                facts, hidden = {"front_matter": parsed}, [(0, front)]
    walk = _Walk(text, flat, style, facts)
    if front:
        kind = Strength.BLOCK if style.front_matter == "text" else Strength.DOCUMENT
        walk.best[content_start(text, front, len(text), keep_indent=True)] = kind
        walk.special.append(Region(0, front, "lines"))
    walk.blocks(parse(flat))
    if style.each_block:
        walk.part_at_blank_lines()
    if style.strip_headings:
        hidden += [(heading.start, heading.end) for heading in walk.headings.listed]
    shown = _blanked(text, hidden) if hidden else text
    return walk.outline(shown)


def _blanked(text: str, spans: Iterable[tuple[int, int]]) -> str:
    """Put spaces for stretches of a text; newlines stay, so that lines keep their numbers."""
    parts, at = [], 0
    for start, end in spans:
        lines = text[start:end].split("\n")
        parts += [text[at:start], "\n".join([" " * len(line) for line in lines])]
        at = end
    parts.append(text[at:])
    return "".join(parts)


class _Walk:
    """Goes through the blocks of a text once, and notes boundaries, regions and sections."""

    def __init__(self, text: str, flat: str, style: Style, facts: Mapping[str, Any]) -> None:
        self.text, self.flat, self.style = text, flat, style
        self.best: dict[int, Strength] = {}
        self.special: list[Region] = []  # code, tables, HTML
        weakest = max(style.levels, default=0)
        self.headings = Headings(
            text, flat, style.names, facts, weakest=weakest, strip=style.strip_headings
        )
        self.glued = self.headings.glued
        self._lines: list[int] = []  # starts of the lines at which blocks begin
        self._depths: list[int] = []  # and how deep what stands there is nested
        self._opaque: list[tuple[int, int]] = []  # code and HTML

    # ------------------------------------------------------------------ blocks

    def blocks(self, blocks: Sequence[Block]) -> None:  # noqa: C901
        """Note each block: its boundary, and what is special of its kind.

        One loop of more than 40 lines, since it runs for each block of each text.
        """
        flat, best, lines, depths = self.flat, self.best, self._lines, self._depths
        add_heading = self.headings.add
        size = len(flat)
        ends: list[tuple[int, int, bool]] = []  # containers: end, depth inside, is an item
        depth, in_item = 0, False
        line = line_end = -1
        glue = behind = -1  # up to where a heading is glued; end of the last block
        definitions = "]:" in flat
        introduced = -1
        for kind, start, end, level in blocks:
            while ends and start >= ends[-1][0]:
                ends.pop()
                depth, in_item = ends[-1][1:] if ends else (0, False)
            if start >= line_end:
                if definitions and not depth and behind < start:
                    self._definitions(behind, start, glue)
                line = flat.rfind("\n", 0, start) + 1
                line_end = flat.find("\n", start)
                if line_end < 0:
                    line_end = size
                if line > glue:
                    # what introduces a list belongs to it more than to what stands before
                    introduces = not depth and kind == "List" and behind == introduced
                    best.setdefault(line, _DEPTHS[min(depth + introduces, 5)])
                lines.append(line)
                depths.append(depth)
            if kind == "Paragraph":
                if not depth:
                    introduced = end
                    if self.style.custom is not None:
                        found = self.style.custom.match(self.text, start, line_end)
                        glue = add_heading(found, line, -1, glue, best) if found else glue
            elif kind == "Item":
                depth, in_item = depth + 1, True
                ends.append((end, depth, True))
            elif kind == "List":
                depth += not in_item  # items of a list inside an item are siblings of its text
                in_item = False
                ends.append((end, depth, False))
            elif kind == "Heading":
                inside = ends[-1][0] if ends else -1
                glue = add_heading(Heading(start, end, level), line, inside, glue, best)
            elif kind == "CodeBlock":
                self._code(line, start, end, depth, fenced=level > 0)
            elif kind == "HtmlBlock":
                self._opaque.append((start, end))
                self.special.append(Region(self._begin(line, start), end, "lines"))
            elif kind != "Rule":
                depth, in_item = depth + 1, False
                ends.append((end, depth, False))
            behind = max(behind, end)
            depths[-1] = depth
        if definitions:
            self._definitions(max(behind, 0), size, glue)
        if "|" in flat:
            self._tables()

    def _begin(self, line: int, start: int) -> int:
        """Give the start of a block's region: that of its line, if only indentation stands before."""
        return start if self.flat[line:start].strip(" \t>") else line

    def _definitions(self, start: int, end: int, glue: int) -> None:
        """Note a boundary before link definitions: the parser gives no block for them."""
        at = content_start(self.flat, start, end, keep_indent=True)
        if at > glue and self.flat[at:end].lstrip(" \t>"):
            self.best.setdefault(at, Strength.BLOCK)

    # ------------------------------------------------------------------ what is special

    def _code(self, line: int, start: int, end: int, depth: int, *, fenced: bool) -> None:
        """Note a code block."""
        self._opaque.append((start, end))
        text, fits = self.text, self.style.fits
        fence = read_fence(text, self.flat, line, start, end, fits) if fenced else None
        if fence is None:
            self.special.append(Region(self._begin(line, start), end, "code"))
            return
        self.special.append(fence.region)
        self.glued.extend(fence.glued)
        ranks = sorted({strength for _, strength in fence.places}, reverse=True)
        inner = {rank: _DEPTHS[min(depth + 1 + i, 5)] for i, rank in enumerate(ranks)}
        self.best.update((at, inner[strength]) for at, strength in fence.places)

    def _tables(self) -> None:
        """Note the tables, their rows and the cells of long rows."""
        starts = [start for start, _ in self._opaque]

        def is_text(at: int) -> bool:
            index = bisect_right(starts, at) - 1
            return index < 0 or self._opaque[index][1] <= at

        for table in find_tables(self.text, self.flat, self._lines, is_text):
            index = bisect_right(self._lines, table.start) - 1
            depth = self._depths[index]
            if self._lines[index] < table.start:  # behind text of the same paragraph
                self.best.setdefault(table.start, _DEPTHS[min(depth, 5)])
            self.best.update(dict.fromkeys(table.places, _DEPTHS[min(depth + 1, 5)]))
            self.best.update(dict.fromkeys(table.cells, _DEPTHS[min(depth + 2, 5)]))
            self.special.append(table.region)
            self.glued.append((table.start, table.rows))

    # ------------------------------------------------------------------ the outline

    def part_at_blank_lines(self) -> None:
        """Let exactly the places behind blank lines be as strong as blocks, sections aside."""
        flat = self.flat
        for at, strength in self.best.items():
            if strength <= Strength.BLOCK:
                before = flat.rfind("\n", 0, at - 1) + 1
                blank = not flat[before:at].strip()
                self.best[at] = Strength.BLOCK if blank else min(strength, Strength.PARAGRAPH)

    def outline(self, shown: str) -> Outline:
        """Put together what was noted."""
        places: dict[Strength, list[int]] = {}
        size = len(shown)
        for at in sorted(self.best):
            if 0 < at < size:
                places.setdefault(self.best[at], []).append(at)
        glued: list[tuple[int, int]] = []
        for start, end in sorted(self.glued):
            if glued and start <= glued[-1][1]:
                glued[-1] = (glued[-1][0], max(end, glued[-1][1]))
            else:
                glued.append((start, end))
        regions = [Region(start, end, "heading") for start, end in glued if end < size]
        regions += self._regions(size)
        regions.sort(key=lambda region: (region.start, -region.end))
        return Outline(shown, places, regions)

    def _regions(self, size: int) -> Iterator[Region]:
        """Give each section's metadata to what is special in it, and to the prose between."""
        special = sorted(self.special, key=lambda region: region.start)
        index = 0
        sections = self.headings.sections
        stops = [*(at for at, _ in sections[1:]), size]
        for (begin, known), stop in zip(sections, stops, strict=True):
            at = begin
            while index < len(special) and special[index].start < stop:
                region = special[index]
                index += 1
                if region.start < at:
                    continue
                if known and at < region.start:
                    yield Region(at, region.start, "prose", known)
                metadata = {**known, **region.metadata} if known else region.metadata
                yield region._replace(metadata=metadata)
                at = region.end
            if known and at < stop:
                yield Region(at, stop, "prose", known)
