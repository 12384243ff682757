"""The reader of plain text: paragraphs, and the headings that plain text and Markdown habits give.

Knows blank lines (LF, CRLF, CR), form feeds, ``#`` headings and underlined ones (not inside code
fences), numbered headings ("2.1 Scope", "Chapter 3", "第三章"), and short lines that stand alone
before a longer paragraph. Not a Markdown parser: tables, lists and quotes are lines of text here.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from langchain_chunkers.outline import Outline, Region, Strength

__all__ = [
    "ATX",
    "LONGEST_BLOCK",
    "alone_strength",
    "begins_line",
    "fences",
    "paragraph_places",
    "read_plain",
    "underlined",
    "unglued",
]

_BLANK = re.compile(r"\n[^\S\n]*\n\s*")
# slower, so only where such characters occur
_BLANK_RARE = re.compile("(?:\n[^\\S\n]*\n|\r[^\\S\n\r]*\r|[\f\u2029]|\x85[^\\S\x85]*\x85)\\s*")
_RARE = "\f\u2029\x85"
ATX = re.compile(r"(#{1,6})(?:[ \t\u3000][^\n]*|(?=[\r\n]|\Z))")
_UNDERLINE = re.compile(r"\n(=+|-{2,})[ \t]*\r?(?=\n|\Z)")
_BLANK_BEFORE = re.compile(r"\n[ \t\r]*\n\Z")
_FENCE = re.compile(r"^[ ]{0,3}(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)
_ENDED = re.compile("[.!?,;:。！？，；：…।؟۔、](?:[\"'”’」』）)»]*)$")
_ITEM = re.compile(r"[-*+•>|]|\(?[A-Za-z0-9]{1,3}[.)]\s")
_NUMBERED = re.compile(
    r"(?P<number>\d{1,3}(?:\.\d{1,3}){0,5})\.?[ \t\u3000]+[^\W\d_]"
    r"|(?P<part>(?i:chapter|part|book|appendix|annex|kapitel|chapitre|capítulo|глава)[ \t]+[\dIVXLCivxlcA-Z]+\b)"
    r"|(?P<section>(?i:section|article|abschnitt|artikel|sección|artículo|статья|§)[ \t]*[\dIVXLC]+\b)"
    r"|第[0-9０-９一二三四五六七八九十百千零〇]{1,8}(?:(?P<first>[章编編篇部卷])|(?P<second>[节節条條款项項]))"
)
_CHAPTER = re.compile(
    r"(?i:chapter|part|book|act|scene|kapitel|chapitre)[ \t]+[\dIVXLCivxlc]+\.?\s*$"
)
_LONGEST = 84  # characters of a heading without a mark of its own: a line of print at most
LONGEST_BLOCK = _LONGEST + 8  # with the white space around it


class _Heading(NamedTuple):
    at: int
    end: int
    strength: Strength


def paragraph_places(text: str) -> list[int]:
    """List the places at which a paragraph begins: behind blank lines and form feeds."""
    rare = any(character in text for character in _RARE)
    old_mac = "\r" in text and text.count("\r") != text.count("\r\n")
    pattern = _BLANK_RARE if rare or old_mac else _BLANK
    size = len(text)
    return [found.end() for found in pattern.finditer(text) if found.end() < size]


def read_plain(text: str, line_breaks: str = "auto") -> Outline:
    """Read plain text.

    Args:
        text: Any string.
        line_breaks: What a lone newline means: ``"auto"`` (found out for each stretch that does not
            fit), ``"wrapped"``, ``"paragraphs"`` or ``"lines"``.

    Returns:
        PARAGRAPH at blank lines, SECTIONn at headings, a ``"heading"`` region from each heading to
        the text that follows it.

    Cost: linear, some 300 MB/s.

    Example:
        >>> outline = read_plain("# One\\n\\nText.\\n\\nMore text.\\n\\n## Two\\n\\nEnd.")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()]
        [(14, 'PARAGRAPH'), (26, 'SECTION2')]
    """
    ats = paragraph_places(text)
    fences = _fences(text) if "```" in text or "~~~" in text else []
    headings = _headings(text, ats, fences)
    regions = [] if line_breaks == "auto" else [Region(0, len(text), line_breaks)]
    closed = [(start, end) for start, end in fences if end < len(text) or _is_closed(text, start)]
    if closed:  # a blank line inside code is no end of a paragraph
        ats = [at for at in ats if not _inside(closed, at)]
        if line_breaks == "auto":
            regions = [Region(start, end, "code") for start, end in closed]
    if not headings:
        return Outline(text, {Strength.PARAGRAPH: ats} if ats else {}, regions)
    glued = _glue(text, headings)
    strengths = dict.fromkeys(ats, Strength.PARAGRAPH)
    strengths.update((heading.at, heading.strength) for heading in headings)
    kept = unglued(sorted(strengths), glued)
    return Outline.of(text, [(at, strengths[at]) for at in kept], [*regions, *glued])


def unglued(ats: Sequence[int], regions: Sequence[Region]) -> list[int]:
    """Leave out the places inside a heading and right behind it.

    Args:
        ats: Ascending places.
        regions: Regions; only headings matter.
    """
    glued = [region for region in regions if region.kind == "heading"]
    starts = [region.start for region in glued]
    return [at for at in ats if (index := bisect_left(starts, at) - 1) < 0 or glued[index].end < at]


def _headings(text: str, ats: Sequence[int], fences: Sequence[tuple[int, int]]) -> list[_Heading]:
    found: dict[int, _Heading] = {}
    for heading in _alone(text, ats):
        found[heading.at] = heading
    if "#" in text or "\n==" in text or "\n--" in text:
        for heading in _marked(text):
            index = bisect_right(fences, (heading.at, len(text))) - 1
            if index < 0 or fences[index][1] <= heading.at:
                found[heading.at] = heading
        if fences:
            found = {at: h for at, h in found.items() if not _within(fences, at)}
    return [found[at] for at in sorted(found)]


def _within(fences: Sequence[tuple[int, int]], at: int) -> bool:
    index = bisect_right(fences, (at, 1 << 62)) - 1
    return index >= 0 and at < fences[index][1]


def _inside(spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Say whether a place lies in a span, but not at its start."""
    index = bisect_left(spans, (at, 0)) - 1
    return index >= 0 and at < spans[index][1]


def _marked(text: str) -> list[_Heading]:
    """Find headings that a mark makes: ``#`` in front, or a line of ``=`` or ``-`` below."""
    marked = []
    at = text.find("#")
    while at >= 0:
        found = ATX.match(text, at)
        if found is not None and begins_line(text, at):
            marked.append(_Heading(at, found.end(), Strength.section(len(found.group(1)))))
        at = text.find("#", found.end() if found else at + 1)
    if "\n==" in text or "\n--" in text:
        marked.extend(underlined(text))
    return marked


def begins_line(text: str, at: int) -> bool:
    """Say whether no more than three spaces (or a byte order mark) stand before ``at`` in its line."""
    before = text[max(0, at - 4) : at].rstrip(" \ufeff")
    return before[-1:] in ("\n", "\r") if before else at <= 3


def underlined(text: str) -> Iterator[_Heading]:
    """Find lines that stand alone above a line of ``=`` or ``-``."""
    for found in _UNDERLINE.finditer(text):
        start = text.rfind("\n", 0, found.start()) + 1
        line = text[start : found.start()].strip()
        # the line stands behind a blank line, or begins the text
        alone = (
            not text[:start].strip() if start < 8 else _BLANK_BEFORE.search(text, start - 8, start)
        )
        if alone and line and line[0] not in "-=#>|" and "|" not in line:
            level = 1 if found.group(1)[0] == "=" else 2
            yield _Heading(start, found.end(), Strength.section(level))


def _fences(text: str) -> list[tuple[int, int]]:
    """List code fences from opening to closing line; an unclosed one runs to the end."""
    fences, opened, mark = [], -1, ""
    for found in _FENCE.finditer(text):
        if opened < 0:
            if "`" not in found.group(2) or found.group(1)[0] == "~":
                opened, mark = found.start(), found.group(1)
        elif found.group(1).startswith(mark) and not found.group(2).strip():
            fences.append((opened, found.end()))
            opened = -1
    if opened >= 0:
        fences.append((opened, len(text)))
    return fences


def fences(text: str) -> tuple[list[tuple[int, int]], bool]:
    """List code fences, each from its opening to its closing line, and whether the last one is open."""
    found = _fences(text) if "```" in text or "~~~" in text else []
    last = found[-1] if found else (0, 0)
    return found, bool(found) and last[1] == len(text) and not _is_closed(text, last[0])


def _is_closed(text: str, start: int) -> bool:
    """Say whether a fence that reaches to the end of the text has a closing line there."""
    return (
        text.rstrip()[-3:] == text[start : start + 8].lstrip()[:3] and text.count("\n", start) > 0
    )


def _alone(text: str, ats: Sequence[int]) -> list[_Heading]:
    """Find short lines that stand alone between blank lines, before something longer."""
    edges = [0, *ats, len(text)]
    headings = []
    for at, after, beyond in zip(edges, edges[1:], edges[2:], strict=False):
        if after - at <= LONGEST_BLOCK:
            strength = alone_strength(text, at, after, beyond)
            if strength is not None:
                headings.append(_Heading(at, at + len(text[at:after].rstrip()), strength))
    return headings


def alone_strength(text: str, at: int, after: int, beyond: int) -> Strength | None:
    """Say how strong the paragraph ``text[at:after]`` is as a heading of what reaches to ``beyond``."""
    if beyond - after < 2 * (after - at):
        return None
    block = text[at:after].strip()
    line, _, below = block.partition("\n")
    chapter = _CHAPTER.match(line)
    if not line or len(block) > _LONGEST or (not chapter and _ENDED.search(line)):
        return None
    if below and (not chapter or "\n" in below or _ENDED.search(below.strip())):
        return None  # only a chapter has its title on a line of its own
    return _line_strength(line)


def _line_strength(line: str) -> Strength | None:
    """Say how strong a line is as a heading; ``None`` if it is none."""
    numbered = _NUMBERED.match(line)
    if numbered is not None:
        number = numbered.group("number")
        if number is not None:
            return Strength.section(number.count(".") + 1)
        first = numbered.group("part") or numbered.group("first")
        return Strength.SECTION1 if first else Strength.SECTION2
    if _ITEM.match(line) or line[0].islower() or not any(map(str.isalpha, line)):
        return None
    return Strength.SECTION6 if line.isupper() and len(line) > 3 else Strength.PARAGRAPH


def _glue(text: str, headings: Sequence[_Heading]) -> list[Region]:
    """Make the regions from each heading to the text that it is about.

    A heading followed by one of its own rank or a higher one has no text, and is glued to nothing.
    """
    regions: list[Region] = []
    size = len(text)
    for index, heading in enumerate(headings):
        line_end = text.find("\n", heading.end)
        at = size if line_end < 0 else line_end
        while at < size and text[at].isspace():
            at += 1
        if at >= size:
            continue
        after = headings[index + 1] if index + 1 < len(headings) else None
        if after is not None and after.at <= at and after.strength >= heading.strength:
            continue
        if regions and regions[-1].end >= heading.at:
            # a heading right below another one: both go with the text
            regions[-1] = regions[-1]._replace(end=at)
        else:
            regions.append(Region(heading.at, at, "heading"))
    return regions
