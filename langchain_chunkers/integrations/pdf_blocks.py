"""From rows of print to headings, paragraphs, list items and page furniture.

What a PDF does not say is read off its look, as a person does: what is larger than the text, or bold and
alone, is a heading; what stands at the same height on page after page is a running header; a line that is
full goes on in the next. Longer than others: each rule needs the others' words.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from langchain_chunkers.integrations.pdf_order import Row
from langchain_chunkers.integrations.pdf_text import HYPHEN, Segment

__all__ = ["Look", "Paragraph", "furniture", "look_of", "paragraphs", "words_of"]

_ZONE = 0.12  # share of the page, at its top and bottom, in which running headers stand
_WIDE_ZONE = 0.25  # of a page with wide margins, whose first and last lines alone are looked at
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"[ivxlc]+|[IVXLC]+")
_BULLET = re.compile(r"([•·∙◦‣⁃▪▫●○■□\uf0b7\uf0a7–—*-])\s+(?=\S)")
_NUMBER = re.compile(r"(\(?(?:\d{1,3}|[a-zA-Z]|[ivxIVX]{1,5})[.)])\s+(?=\S)")
_SECTION = re.compile(r"(?:(?:[A-Z](?=\.|\s+[A-Z\d])|\d{1,3})(?:\.\d{1,3}){0,5})\.?\s+\S")
_NAMED = re.compile(
    r"(?:Chapter|Appendix|Part|Kapitel|Anhang|Teil|Chapitre|Capítulo)\s+\S", re.IGNORECASE
)
_PAGE_NUMBER = re.compile(
    r"(?:[-–—|\s]*(?:page|seite|p\.|s\.)?\s*#(?:\s*(?:/|of|von|de|sur)\s*#)?[-–—|\s]*)",
    re.IGNORECASE,
)
_LEADERS = re.compile(r"(?:\s?\.){4,}\s*")
_ENDS = tuple('.!?:;。！？：；…"”»)]')
_WORD = re.compile(r"[^\W\d_]{2,}(?:-[^\W\d_]{2,})*")
_LONGEST = 160  # characters of a heading


@dataclass(frozen=True, slots=True)
class Look:
    """How the text of a document looks.

    Attributes:
        size: Font size of running text.
        leading: Distance of its lines, in font sizes.
        bold: Running text is bold, so bold says nothing.
        levels: ``{font size: level}`` of headings.
        outline: ``{(page, title): level}`` from the bookmarks.
    """

    size: float
    leading: float
    bold: bool
    levels: Mapping[float, int]
    outline: Mapping[tuple[int, str], int]


@dataclass(slots=True)
class Paragraph:
    """A block of a page.

    Attributes:
        label: ``"section_header"``, ``"text"`` or ``"list_item"``.
        rows: Its rows.
        level: Of a heading.
        marker: Of a list item.
        text: Its text, hyphens at line ends mended.
    """

    label: str
    rows: list[Row]
    level: int = 0
    marker: str = ""
    text: str = ""
    ends: list[int] = field(default_factory=list)  # behind the text of each row


def furniture(pages: Sequence[Sequence[Segment]], heights: Sequence[float]) -> list[set[int]]:
    """Find running headers, footers and page numbers.

    Args:
        pages: The segments of each page.
        heights: The height of each page.

    Returns:
        For each page, which segments are furniture: those near an edge that stand at the same height,
        with the same text but for numbers, on several pages; page numbers; and what stands beside them.
    """
    seen: dict[tuple[str, int], set[int]] = defaultdict(set)
    keys: list[dict[int, tuple[str, int]]] = []
    for number, (segments, height) in enumerate(zip(pages, heights, strict=True)):
        own: dict[int, tuple[str, int]] = {}
        baselines = [segment.baseline for segment in segments]
        outer = (min(baselines, default=0.0), max(baselines, default=0.0))
        for index, segment in enumerate(segments):
            share = _WIDE_ZONE if segment.baseline in outer else _ZONE
            if segment.bottom < height * share or segment.top > height * (1 - share):
                text = segment.text.strip()
                text = "#" if _ROMAN.fullmatch(text) else _DIGITS.sub("#", text)
                own[index] = (text[:80].lower(), round(segment.baseline / 6))
                seen[own[index]].add(number)
        keys.append(own)
    least = max(2, min(len(pages) // 4, 6))
    found = []
    for own, segments, height in zip(keys, pages, heights, strict=True):
        margin = height * _ZONE
        running = {
            index
            for index, key in own.items()
            if _count(seen, key) >= least
            or (
                _PAGE_NUMBER.fullmatch(key[0])
                and not margin <= segments[index].baseline <= height - margin
            )
        }
        lines = {round(segments[index].baseline) for index in running}
        beside = {i for i in own if any(abs(segments[i].baseline - line) <= 2 for line in lines)}
        found.append(running | beside)
    return found


def _count(seen: Mapping[tuple[str, int], set[int]], key: tuple[str, int]) -> int:
    text, height = key
    near = (seen.get((text, height + step), set()) for step in (-1, 0, 1))
    return len(set().union(*near))


def look_of(rows: Iterable[Row], pages: int, outline: Mapping[tuple[int, str], int]) -> Look:
    """Find out what running text looks like, and which sizes are those of headings."""
    rows = list(rows)
    sizes: Counter[float] = Counter()
    bold = total = 0
    for row in rows:
        sizes[row.size] += len(row.text)
        bold += len(row.text) * row.bold
        total += len(row.text)
    size = sizes.most_common(1)[0][0] if sizes else 10.0
    gaps: Counter[float] = Counter()
    for before, row in pairwise(rows):
        gap = (row.cells[0].baseline - before.cells[0].baseline) / size
        if row.size == before.size == size and row.column == before.column and 0.8 < gap < 2.5:
            gaps[round(gap, 1)] += 1
    leading = gaps.most_common(1)[0][0] if gaps else 1.2
    # a size is that of headings if little is written in it
    larger = sorted(
        (s for s, n in sizes.items() if s >= size * 1.08 + 0.25 and n < 0.2 * total), reverse=True
    )
    levels: dict[float, int] = {}
    level = 0
    last = 0.0
    for candidate in larger:
        if not last or last - candidate > 0.04 * last:
            level += 1
        last = candidate
        levels[candidate] = min(level, 5)
    del pages
    return Look(size, leading, bold * 2 > total, levels, outline)


def words_of(rows: Iterable[Row]) -> frozenset[str]:
    """Collect the words of a document: they say whether a hyphen belongs to a word."""
    words: set[str] = set()
    for row in rows:
        found = _WORD.findall(row.text)
        if found and row.text.rstrip().endswith((HYPHEN, "-")):
            found = found[:-1]
        words.update(word.lower() for word in found)
        words.update(part for word in found for part in word.lower().split("-"))
    return frozenset(words)


def paragraphs(rows: Sequence[Row], look: Look, words: frozenset[str]) -> list[Paragraph]:
    """Put rows together.

    Args:
        rows: The rows of a page, in reading order.
        look: What running text looks like.
        words: The words of the document.
    """
    edges: dict[int, tuple[float, float]] = {}
    for row in rows:
        left, _, right, _ = row.box
        low, high = edges.get(row.column, (left, right))
        edges[row.column] = min(low, left), max(high, right)
    blocks: list[Paragraph] = []
    for index, row in enumerate(rows):
        before = rows[index - 1] if index else None
        level = _heading_level(rows, index, look)
        if level:
            last = blocks[-1] if blocks else None
            if (
                last
                and last.label == "section_header"
                and before
                and _same_heading(before, row, last, level, look)
            ):
                last.rows.append(row)
            else:
                blocks.append(Paragraph("section_header", [row], level))
            continue
        marker = _marker(row.text)
        last = blocks[-1] if blocks else None
        if last is None or before is None or last.label == "section_header" or (
            _begins(before, row, look, edges[before.column], marker, last)
        ):  # fmt: skip
            blocks.append(Paragraph("list_item" if marker else "text", [row], 0, marker))
        else:
            last.rows.append(row)
    for block in blocks:
        _join(block, words)
    return [block for block in blocks if block.text]


def _heading_level(rows: Sequence[Row], index: int, look: Look) -> int:
    """Give the level of the heading that a row is; 0 for none."""
    row = rows[index]
    text = row.text.strip()
    key = "".join(text.lower().split())
    page = row.cells[0].page
    for at in (page, page - 1, page + 1):
        level = look.outline.get((at, key))
        if level:
            return level
    if len(text) > _LONGEST or _LEADERS.search(text) or not _says_something(text):
        return 0
    level = look.levels.get(row.size, 0)
    if level:
        return level
    numbered = bool(_SECTION.match(text) or _NAMED.match(text))
    if not row.bold or look.bold or row.size < look.size * 0.95 or len(text) > 100:
        return 0
    above = rows[index - 1] if index else None
    apart = above is None or above.column != row.column or _gap(above, row) > look.leading * 1.25
    # a sentence, or a part of one: a definition in a paper is bold as well
    if not numbered and (text.endswith((".", ",", ";")) or _goes_on(rows, index)):
        return 0
    if apart or numbered or _heading_level_of_bold(above, look):
        return max(look.levels.values(), default=0) + 1
    return 0


def _goes_on(rows: Sequence[Row], index: int) -> bool:
    """Say whether the next line goes on with the sentence of this one."""
    below = rows[index + 1] if index + 1 < len(rows) else None
    return below is not None and not below.bold and below.text.lstrip()[:1].islower()


def _says_something(text: str) -> bool:
    """Say whether a line has a word, as letters in drawings have not."""
    letters = [character for character in text if character.isalpha()]
    return len(letters) > 2 or any(_is_wide(character) for character in letters)


def _heading_level_of_bold(row: Row | None, look: Look) -> bool:
    return bool(row and row.size in look.levels)


def _same_heading(before: Row, row: Row, last: Paragraph, level: int, look: Look) -> bool:
    """Say whether a heading goes on in the next line."""
    text = row.text.strip()
    return (
        level == last.level
        and before.size == row.size
        and before.column == row.column
        and _gap(before, row) * look.size < 1.6 * row.size
        and not _SECTION.match(text)
        and sum(len(part.text) for part in last.rows) + len(text) <= _LONGEST
        and "".join(text.lower().split()) not in {title for _, title in look.outline}
    )


def _gap(before: Row, row: Row) -> float:
    """Give the distance of two baselines, in font sizes of the larger row."""
    return (row.cells[0].baseline - before.cells[0].baseline) / max(before.size, row.size, 1.0)


def _marker(text: str) -> str:
    found = _BULLET.match(text) or _NUMBER.match(text)
    return found.group(1) if found else ""


def _begins(
    before: Row,
    row: Row,
    look: Look,
    edges: tuple[float, float],
    marker: str,
    last: Paragraph,
) -> bool:
    """Say whether a row begins a paragraph; ``edges`` are those of its column."""
    left, _, _, _ = row.box
    other_left, _, other_right, _ = before.box
    ended = before.text.rstrip().endswith(_ENDS)
    if row.column != before.column:
        return ended or marker != "" or abs(row.size - before.size) > 0.6
    if (
        abs(row.size - before.size) > 0.12 * before.size
        and len(row.text) > 3
        and len(before.text) > 3
    ):
        return True
    if _gap(before, row) > look.leading * 1.3:
        return True
    if marker:
        # a number may stand at a line's start by chance
        bullet = marker in "•·∙◦‣⁃▪▫●○■□\uf0b7\uf0a7"
        return bullet or last.label == "list_item" or ended
    right = edges[1]
    width = right - edges[0]
    if ended and other_right < right - max(3 * row.size, 0.1 * width):
        return True
    if (
        other_right < right - 0.4 * width
        and not row.text[:1].islower()
        and not _is_wide(row.text[0])
    ):
        return True  # lines that end long before they must: an address, a form
    first = last.rows[0] is before
    indented = left - other_left > 0.8 * row.size
    # the first line of a paragraph may hang in or out; all others stand at the margin
    return bool(indented and not (first and last.label == "list_item") and ended)


def _join(block: Paragraph, words: frozenset[str]) -> None:
    """Write the text of a block; mend the hyphens at its line ends."""
    text = ""
    for row in block.rows:
        line = _LEADERS.sub(" … ", row.text).strip()
        if block.marker and not text:
            line = line[len(block.marker) :].strip()
        # the lines of a table of contents stay lines
        text = f"{text}\n{line}" if text and "…" in line else join_lines(text, line, words)
        block.ends.append(len(text))
    block.text = text.replace(HYPHEN, "-") if text.endswith(HYPHEN) else text


def join_lines(text: str, line: str, words: frozenset[str]) -> str:
    """Join a line to the text before it.

    A hyphen at the end of a line goes, if the word without it stands elsewhere in the document, or if none
    of the two says more and the next line goes on in lower case. Chinese and Japanese need no space.

    Example:
        >>> join_lines("An exam-", "ple.", frozenset())
        'An example.'
        >>> join_lines("A state-of-the-", "art pump", frozenset())
        'A state-of-the-art pump'
        >>> join_lines("It is well-", "known.", frozenset({"well-known"}))
        'It is well-known.'
    """
    if not text or not line:
        return text or line
    if text.endswith((HYPHEN, "-", "\u2010")) and line[0].isalnum():
        tail = text[:-1].rpartition(" ")[2]
        first = tail.rpartition("-")[2] or tail
        head = re.match(r"[^\W\d_]*", line)
        second = head.group() if head else ""
        whole, hyphened = (first + second).lower(), f"{tail}-{second}".lower()
        # "-" elsewhere in the word, or two words that both stand alone: a compound keeps its hyphen
        both = len(first) > 2 and first.lower() in words and second.lower() in words
        compound = "-" in tail or hyphened in words or both
        if second and line[0].islower() and first.isalpha() and (whole in words or not compound):
            return text[:-1] + line
        return f"{text[:-1]}-{line}"
    if _is_wide(text[-1]) and _is_wide(line[0]):
        return text + line
    return f"{text} {line}"


def _is_wide(character: str) -> bool:
    return (
        "\u3000" <= character <= "\u9fff"
        or "\uf900" <= character <= "\ufaff"
        or "\uff00" <= character <= "\uffef"
    )
