"""The places for dividing that every text has: lines, sentences, clauses, words, characters.

Readers give what their format knows; what lies below, the engine finds here, lazily and only
inside a stretch that does not fit. A **rung** lists all places of one strength in a stretch; a
**ladder** is the rungs of one kind of text, strongest first. Below the last rung the engine
asks for single places near a limit (`word_place`, `grapheme_place`), so that no object is made
for each word of a text.

All functions are total, linear, and give the same places whatever window they are asked for.
More than 300 lines, since each rung leans on the ones below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple

from langchain_chunkers.outline import Strength

__all__ = [
    "LADDERS",
    "Rung",
    "clause_places",
    "content_end",
    "content_start",
    "grapheme_place",
    "is_between",
    "line_kind",
    "line_places",
    "next_grapheme",
    "sentence_places",
    "word_place",
]


class Rung(NamedTuple):
    """One strength of place, and how to list those with ``start < at < end``, ascending.

    Attributes:
        strength: How strong the places are.
        places: ``(text, start, end) -> [at, ...]``.
        local: The places in a window are those of the whole stretch, so that a few windows will do.
    """

    strength: Strength
    places: Callable[[str, int, int], list[int]]
    local: bool = True


# ------------------------------------------------------------------ white space at edges


def content_end(text: str, start: int, at: int) -> int:
    """Give the end of ``text[start:at]`` without white space at its end; ``start`` if all is white."""
    if at > start and not text[at - 1].isspace():
        return at
    step = 16
    while at > start:
        low = max(start, at - step)
        kept = len(text[low:at].rstrip())
        if kept:
            place = low + kept
            # a sign that reaches forward (Arabic number signs) makes one character with the space
            reaches = place < at and not (
                text[place - 1] < "\u0600" or "\u0e00" <= text[place - 1] < "\U00010000"
            )
            return place if not reaches or is_between(text, place - 1, place) else place + 1
        at, step = low, step * 8
    return start


def content_start(text: str, at: int, end: int, *, keep_indent: bool = False) -> int:
    """Give the first place of ``text[at:end]`` that is not white; ``end`` if all is white.

    With ``keep_indent`` only whole blank lines are passed over, so that the first line of code
    keeps its indentation.
    """
    if at < end and not text[at].isspace():
        return at
    first, step = at, 16
    while at < end:
        high = min(end, at + step)
        left = len(text[at:high].lstrip())
        if left:
            at = high - left
            break
        at, step = high, step * 8
    if first < at < end and text[at] >= "\u0300" and not is_between(text, at - 1, at):
        at -= 1  # a combining mark on the white space: one character
    if keep_indent and first < at < end:
        line = max(text.rfind("\n", first, at), text.rfind("\r", first, at)) + 1
        return max(line, first)
    return at


# ------------------------------------------------------------------ lines

_NEWLINE = re.compile("\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]")
_LF = re.compile(r"\n(?![ \t\r]*\n)")  # the last one of a blank line
_ITEM = re.compile(r"[ \t]*(?:[-*+•‣◦·–]|\(?\d{1,3}[.)]|[A-Za-z][.)])[ \t]")
_FIRST_WORD = re.compile(r"\S*")
_ENDS = re.compile("[.!?:;。！？：；…።।۔؟][\"'”’」』）)»]*\\s*$")
_TAIL = 16  # characters of a line in which its stop is looked for, with what closes behind it
_COLUMN = 140  # a longer line is not wrapped at a column by any habit known


def line_kind(text: str, start: int, end: int) -> str:
    """Tell what a lone newline means in a stretch: ``"wrapped"``, ``"paragraphs"`` or ``"lines"``.

    Wrapped at a column: the first word of the next line would not have fitted on this one, for
    nearly all lines, or lines break in the middle of sentences. Paragraphs: lines are long or end
    as sentences do. Else lines mean lines: lists, tables, verse, logs.

    Looks at no more than the first 20,000 characters.

    Example:
        >>> text = (
        ...     "It was the best of times, it was the\\nworst of times, it was the age of\\nwisdom."
        ... )
        >>> line_kind(text, 0, len(text))
        'wrapped'
        >>> line_kind("milk\\nbread\\na dozen eggs", 0, 23)
        'lines'
    """
    lines = [line.strip() for line in text[start : min(end, start + 20_000)].splitlines()]
    lines = [line for line in lines if line]
    if len(lines) < 2:
        return "paragraphs"
    width = max(map(len, lines))
    # most lines end with a letter, which a look tells faster than a pattern
    ends = [not line[-1].isalnum() and _ENDS.search(line[-_TAIL:]) is not None for line in lines]
    pairs = list(pairwise(lines))
    ended = sum(ends)
    if width <= _COLUMN:
        full = 0
        for line, after in pairs:
            if len(line) + 1 + len(after) <= width:
                continue  # all of the next line would have fitted
            word = _FIRST_WORD.match(after)
            reach = len(word.group()) if word else 0
            if after[0] > "\u2e80":  # scripts without spaces break at any character
                reach = 1
            full += len(line) + 1 + reach > width and not _ITEM.match(after + " ")
        middle = sum(
            not end and after[0].islower() for end, (_, after) in zip(ends, pairs, strict=False)
        )
        enough = 40 if len(pairs) < 3 else 20  # two short lines say nothing
        if width >= enough and (full >= 0.8 * len(pairs) and ended < len(lines)):
            return "wrapped"
        if width >= 20 and middle >= 0.5 * len(pairs):
            return "wrapped"
    if ended >= 0.6 * len(lines) or sum(map(len, lines)) > 100 * len(lines):
        return "paragraphs"
    return "lines"


def line_places(text: str, start: int, end: int) -> list[int]:
    """List the places behind newlines."""
    if not _has_rare_newline(text, start, end):
        return [at for found in _LF.finditer(text, start, end) if (at := found.end()) < end]
    limit = min(len(text), end + 1)  # so that \r\n is not taken apart at the end
    return [
        found.end()
        for found in _NEWLINE.finditer(text, start, limit)
        if start < found.end() < end and text[found.end()] not in "\r\n"
    ]


def _has_rare_newline(text: str, start: int, end: int) -> bool:
    """Say whether a newline other than LF occurs: written out, faster by far than a pattern."""
    find = text.find
    return (
        find("\r", start, end) >= 0
        or find("\x0b", start, end) >= 0
        or find("\x0c", start, end) >= 0
        or find("\x85", start, end) >= 0
        or find("\u2028", start, end) >= 0
        or find("\u2029", start, end) >= 0
    )


def item_places(text: str, start: int, end: int) -> list[int]:
    """List the places behind newlines at which an item of a list begins."""
    return [at for at in line_places(text, start, end) if _ITEM.match(text, at)]


def _prose_line_places(text: str, start: int, end: int) -> list[int]:
    """List line places by what newlines mean here."""
    stop = content_end(text, start, end)  # most often the blank line at the end has all newlines
    if text.find("\n", start, stop) < 0 and not _has_rare_newline(text, start, stop):
        return []
    if line_kind(text, start, end) == "wrapped":
        return item_places(text, start, end)
    return line_places(text, start, end)


# ------------------------------------------------------------------ sentences


def sentence_places(text: str, start: int, end: int) -> list[int]:
    """List the places at which a sentence begins; see `langchain_chunkers.sentences`."""
    from langchain_chunkers import sentences  # its patterns take 30 ms to make

    return sentences.sentence_places(text, start, end)


# ------------------------------------------------------------------ clauses

# One set of characters first, so that a search skips all others fast; what each needs stands behind it.
_CLAUSE = re.compile(
    "[,;:!?،؛，；：、﹐﹔﹕､\\-–—….](?:"
    "(?<=[,;:!?،؛])[\"'”’)\\]»]*\\s+|(?<=[，；：、﹐﹔﹕､])[”’」』）】》]*\\s*"
    "|(?<=[-–—])(?<![-–—][-–—])[-–—]*\\s+|(?<=—)—|(?<=…)…*\\s*|(?<=\\.)\\s+)"
)
_PHRASED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff"  # Thai, Lao, Burmese, Khmer
_PHRASE = re.compile(f"(?<=[{_PHRASED}])\\s+(?=[{_PHRASED}])")
_HAS_PHRASES = re.compile(f"[{_PHRASED}]")


def clause_places(text: str, start: int, end: int) -> list[int]:
    """List the places behind commas, semicolons, colons and dashes of all scripts, not in numbers.

    Also behind a stop that ends no sentence but follows a word of four letters or more, and, in
    Thai, Lao, Burmese and Khmer, which write spaces between phrases only, behind spaces.
    """
    limit = min(len(text), end + 64)
    places = [
        found.end()
        for found in _CLAUSE.finditer(text, start, limit)
        if found.end() < end and _parts_clauses(text, found.start())
    ]
    if _HAS_PHRASES.search(text, start, end):
        spaces = (found.end() for found in _PHRASE.finditer(text, start, limit))
        places = sorted({*places, *(at for at in spaces if at < end)})
    return places


def _parts_clauses(text: str, at: int) -> bool:
    mark = text[at]
    if mark == ".":
        return at > 4 and text[at - 4 : at].isalpha()
    if mark in "-–—":
        return text[at : at + 2] == "——" or (at > 0 and text[at - 1].isspace())
    return True


# ------------------------------------------------------------------ words

_SPACE = re.compile(r"\s+")
# Scripts without spaces: a line may break between any two of these characters, except before
# closing and after opening punctuation and before small kana.
_IDEOGRAPH = "\u2e80-\u2fff\u3041-\u3096\u30a1-\u30fa\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_SMALL = "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮヵヶ"
_BETWEEN = (
    f"[{_IDEOGRAPH}、。，；：！？」』）】》〉”’](?=[{_IDEOGRAPH}「『（【《〈“‘])(?![{_SMALL}])"
)
_SOFT = r"[/\\\-_.,;:|&?=+)\]}>#%@~](?=[^\s/\\\-_.,;:|&?=+)\]}>#%@~])"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    """Compile at the first use: these take milliseconds, and most texts need none of them."""
    return re.compile(pattern)


@cache
def _reverse(pattern: str) -> Any:
    import regex

    return regex.compile(f"(?r){pattern}")


def word_place(text: str, start: int, want: int, limit: int) -> int | None:
    """Find a place between words with ``start < place``, whose content ends at or before ``limit``.

    Prefers the first one from ``want`` on, so that shares stay even; else the last one before.
    Words are what white space parts; in scripts without spaces, a character (Chinese, Japanese)
    or what a dictionary says (Thai, Lao, Khmer, Burmese).

    Returns:
        The place behind the white space, or ``None`` where no word ends within the limit.
    """
    near = max(want, start + 1)
    after = _SPACE.search(text, near, min(limit + 1, len(text)))
    if after is not None:
        if after.end() > limit and not text[start : after.start()].strip():
            return None  # white space alone up to the limit: where it ends would be looked for each time
        space = _SPACE.match(text, after.start())  # white space may go on behind the limit
        at = space.end() if space else after.end()
        if is_between(text, start, at):
            return at
    between = _compiled(_BETWEEN).search(text, near - 1, limit + 1)
    if between is not None and start < between.end() <= limit:
        return between.end()
    if near < len(text) and _HAS_PHRASES.match(text, near):
        at = _dictionary_place(text, start, near, limit)
        if at > start:
            return at
    before = _reverse(rf"\s+|{_BETWEEN}").search(text, start + 1, near)
    if before is not None and content_end(text, start, before.end()) > start:
        space = _SPACE.match(text, before.end())
        at = space.end() if space else before.end()
        if is_between(text, start, at):
            return at
    return None


def next_word_place(text: str, start: int, end: int) -> int:
    """Find the first place between words behind ``start``; ``end`` if there is none."""
    for found in _compiled(rf"\s+|{_BETWEEN}").finditer(text, start, end):
        at = found.end()
        if at >= end or (at > start and is_between(text, start, at)):
            return at
    return end


def soft_place(text: str, start: int, want: int, limit: int) -> int | None:
    """Find a place inside a long word: behind a slash, hyphen, dot, bracket; as `word_place`."""
    near = max(want, start + 1)
    found = _compiled(_SOFT).search(text, near - 1, limit)
    if found is None:
        found = _reverse(_SOFT).search(text, start, near)
    if found is None or found.end() <= start or not is_between(text, start, found.end()):
        return None
    return found.end()


@cache
def _breaker() -> Any:
    """Give ICU's breaker class; ``None`` where the package has no wheel for the machine."""
    try:
        from icu4py.breakers import WordBreaker
    except ImportError:
        return None
    return WordBreaker


def _dictionary_place(text: str, start: int, want: int, limit: int) -> int:
    """Find the end of a word by ICU's dictionaries: the first from ``want`` on, else the last before.

    Only some characters around are looked at: a dictionary finds its way within a word or two.
    """
    breaker = _breaker()
    low = max(start, want - 40)
    if breaker is None:
        return start
    window = text[low : min(len(text), limit + 16, want + 40)]
    best = start
    at = low
    # summed lengths, since ICU's own indexes count UTF-16
    for segment in breaker(re.sub("[\ud800-\udfff]", "\ufffd", window), "en"):
        at += len(segment)
        if at > limit or at >= low + len(window):
            break
        if at > start and is_between(text, start, at):
            best = at
            if at >= want:
                break
    return best


# ------------------------------------------------------------------ grapheme clusters


@cache
def _sure() -> Any:
    """Match a character before which a cluster ends whatever stands around.

    That is one that continues no cluster, is no emoji and no Indic consonant (which may join what
    is before), behind one that reaches for nothing (CR, and the rare prepended signs).
    """
    import regex

    return regex.compile(
        r"(?rV1)(?<=[^\p{GCB=Prepend}\r])"
        r"[[\p{GCB=Other}\t\r]--\p{Extended_Pictographic}--\p{InCB=Consonant}]"
    )


@cache
def _cluster() -> Any:
    import regex

    return regex.compile(r"\X")


def grapheme_place(text: str, start: int, at: int) -> int:
    """Give the last end of a grapheme cluster at or before ``at``.

    Args:
        text: The text.
        start: A place known to be between clusters, before ``at``.
        at: The limit, ``start < at <= len(text)``.

    Returns:
        The place; ``start`` if the first cluster reaches beyond ``at``.

    Cost: linear in the distance to the last plain letter before ``at``, at most ``at - start``.

    Source: Unicode Standard Annex 29.
    """
    if at >= len(text):
        return len(text)
    if _is_plain(text, at):
        return at
    sure = _sure().search(text, start + 1, at + 1)
    place = sure.start() if sure is not None else start
    # a slice, since the pattern would count flags back to where their run begins
    for found in _cluster().finditer(text[place : at + 1]):
        if place + found.end() > at:
            return place + found.start() if found.end() > 0 else place
    return at


def is_between(text: str, start: int, at: int) -> bool:
    """Say whether ``at`` lies between grapheme clusters; ``start`` before it is known to."""
    return at >= len(text) or _is_plain(text, at) or grapheme_place(text, start, at) == at


def _is_plain(text: str, at: int) -> bool:
    """Say whether ``at`` is between clusters by a look at two characters of the common scripts."""
    character, before = text[at], text[at - 1]
    if before >= "\u0600" and not "\u2010" <= before < "\ud800":
        return False  # among these are signs that reach forward
    if character < "\u0300":
        return character != "\n" or before != "\r"
    # dashes and quotes, Chinese punctuation, kana, ideographs, wide forms: all that join nothing;
    # marks and emoji among them are left to the rules
    return (
        "\u3400" <= character <= "\u9fff"
        or "\u3041" <= character <= "\u3096"
        or "\u309b" <= character <= "\u30ff"
        or "\u3001" <= character <= "\u3029"
        or "\u2010" <= character <= "\u2027"
        or "\uff01" <= character <= "\uff5e"
    )


def next_grapheme(text: str, start: int) -> int:
    """Give the end of the grapheme cluster that begins at ``start``."""
    size = 64
    while True:
        found = _cluster().match(text[start : start + size])
        if found is None:
            return min(len(text), start + 1)
        if found.end() < size or start + size >= len(text):
            return start + int(found.end())
        size *= 8  # a letter with that many marks on it


# ------------------------------------------------------------------ ladders

_CLAUSES = Rung(Strength.CLAUSE, clause_places)
_SENTENCES = Rung(Strength.SENTENCE, sentence_places)
_LINES = Rung(Strength.LINE, line_places)
_BLANK = re.compile(r"\n[ \t]*\r?\n\s*")


def blank_line_places(text: str, start: int, end: int) -> list[int]:
    """List the places behind blank lines, before the indentation of the next line."""
    found = (
        max(text.rfind("\n", match.start(), match.end()) + 1, match.start() + 1)
        for match in _BLANK.finditer(text, start, end)
    )
    return [at for at in found if start < at < end]


LADDERS: dict[str, tuple[Rung, ...]] = {
    "prose": (Rung(Strength.LINE, _prose_line_places, local=False), _SENTENCES, _CLAUSES),
    "wrapped": (Rung(Strength.LINE, item_places), _SENTENCES, _CLAUSES),
    "paragraphs": (Rung(Strength.PARAGRAPH, line_places), _SENTENCES, _CLAUSES),
    "lines": (_LINES, _SENTENCES, _CLAUSES),
    "code": (Rung(Strength.PARAGRAPH, blank_line_places), _LINES),
    "verbatim": (_LINES,),
}
"""The rungs of each kind of text, strongest first."""
