"""Where sentences end, in every script, without a model and without knowing the language.

One pattern finds the candidates: a run of stops, what closes behind it, emoji, white space. Rules
then say which of them do not end a sentence: abbreviations, initials, ordinals, numbering, a
sentence that goes on behind a quotation. Scripts with stops of their own (Chinese, Hindi, Urdu,
Armenian, Ethiopic, Khmer, Burmese and others) need no space behind them. A lone newline is white
space, as in text wrapped at a column, but for items of lists, lines of dialogue and a short title;
a blank line always ends a sentence.

Limits:
    - Thai and Lao mark no sentences; only blank lines, "!" and "?" divide them here.
    - A small letter begins a sentence only in text without capitals near (and "iPhone" does).
    - An abbreviation that is an ordinary word elsewhere is told by its capital or by the number
      behind it: some ends are missed ("grade C. Students"), some are seen where none is.
    - Where letters have no capitals, an ellipsis goes on, and one letter with a stop is an initial.
    - Sentences inside a quotation are sentences; inside 《 》 they are part of a title.
    - Each decision looks a bounded way around, to be the same in each window: a stop with more
      than 320 characters of stops, quotes and white space to its end is none.

Rejected: a language argument (texts mix languages, callers do not know), a trained model (size,
speed, no reason to give), Unicode's rules (229 of the 380 texts of the gold set).

A few lines over 300: rules that are read against each other. Measured on
``tests/data/sentences.json`` beside six libraries by
``integration_tests/benchmarks/sentences.py``.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from langchain_chunkers._abbreviations import (
    CLOSE,
    HAN,
    KINDS,
    OPEN,
    full_stop_ends,
    is_han,
    is_head,
    starts,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["sentence_places"]

_GAP = 256  # white space and lines: wider than any padding to a column, longer than a wrapped line
_REACH = _GAP + 64  # a stop with all that follows it up to the next sentence
_NEAR = 64  # an opening bracket; letters that show whether a text has capitals

_SPACED = ".!?…‥‽؟⁇⁈⁉"  # stops that need white space behind them
_FULL = "。！？｡．"  # stops that need none: Chinese, Japanese
_OWN = "։۔।॥።፧፨။។៕᙮᠃᠉᱾᱿꓿꛳꛷꫰꫱꯫፡"  # and those of other scripts
_STOPS = _SPACED + _FULL + _OWN.rstrip("፡")
_SHUT = CLOSE.replace("]", "\\]")
_EMOJI = "\u2600-\u2604\u2639-\u2653\u2660-\u2668\u2728\u2763\u2764\u2b50\U0001f000-\U0001faff"

_CANDIDATE = re.compile(
    # One class first, which the engine looks for quickly. A run begins only where no stop stands
    # before, else a megabyte of them would be read from each anew. The Greek question mark looks
    # like a semicolon, and is one once normalised; Ethiopic often writes two word spaces.
    f"[{_STOPS};\u037e፡](?:(?<=[{_STOPS}])(?<![{_STOPS}].)[{_STOPS}]*+"
    "|(?<=[\u0370-\u03ff\u1f00-\u1fff][;\u037e])|(?<=፡)(?<!፡.)፡)"
    # what closes: also « Oui. » behind a space, German “ and a reference mark
    f"((?:[{_SHUT}]|[ \u00a0\u202f][»›](?!\\w)|[“‘](?=[\\s,;:.])|\\[(?:\\d{{1,3}}|[a-z])\\])*+)"
    f"(?: ?+(?:[{_EMOJI}][{_EMOJI}\ufe0f\u200d]*+|[:;]-?[()DP](?=\\s)))*+"
    f"(?>\\s++|(?<=[{_FULL}{_OWN}{_SHUT}{_EMOJI}\ufe0f])|(?<=[!?])(?=[{HAN}“「『（]))"
    # what goes on, said here because here it costs least: another stop (but "...and" begins), a
    # comma, a small letter
    f"(?!(?!(?:…{{1,2}}|\\.{{2,3}})\\w)[{_SPACED}{_FULL}]|[,:)\\]}}）】》」』，、；：،؛·]|;(?!\\))"
    f"|(?<![{_FULL}{_OWN}])[a-z](?:[^A-Za-z]|[a-z]{{3}}))",
    re.DOTALL,
)
_SMALL = re.compile(r"\.\s{1,64}+(?=[a-z])")
_BREAK = re.compile(r"\n\s*+")
_ANY_BREAK = re.compile(r"[\n\r\u2029]\s*+")
_ITEM = re.compile(r"[-*+]\s|[–—]|\(?\d{1,3}[.)]\s|[•‣◦▪●■]")
_LINE_ENDS = re.compile(f"[{_STOPS}:：][{_SHUT}“]*$")
_BRAND = re.compile("[a-z]{1,3}[A-Z]")  # iPhone, macOS
_DUTCH = re.compile("['’][stnkm]\\b")  # ’s Avonds
_LETTERED = re.compile(r"\([a-z]{1,3}\)\s")  # (b) second
_NAMES = ("Yahoo!", "Jeopardy!", "Panic!", "Joomla!", "モーニング娘。")
_BRACKETS = ("(", "[", "（")

# Behind a quotation the sentence goes on: particles; in scripts without capitals verbs of saying.
_PARTICLE = re.compile(
    "と(?!ころ|ても|もかく|にかく)|って|は(?!い|じめ)|が(?!、)|を|に(?!わか)|の(?!ち)|も(?!う|し)|など"
    "|[的等]|[가-힣]|ဟု|ဟူ"
)
_SAYS = re.compile(
    f"[{HAN}]{{0,4}}(?:问|問|说|说|說|道|喊|叫|答)[道着著了]?[。，,！]"
    "|\\S+ (?:ने )?(?:पूछ|कहा|बोल|জিজ্ঞাসা|বলল)"
)
_FINAL = tuple("다요죠까네지나")  # the endings of Korean sentences


def sentence_places(text: str, start: int, end: int) -> list[int]:
    """List the places at which a sentence begins, ``start < at < end``, ascending.

    White space between sentences belongs to the one before.

    Guarantees: total; the same in each window; never inside a grapheme cluster.

    Cost: linear; 12 MB/s of English and more, 15 of Chinese.

    Example:
        >>> text = "Dr. Rao paid 3.50. “Why?” she asked. 好。再见！"
        >>> places = sentence_places(text, 0, len(text))
        >>> [text[a:b] for a, b in zip([0, *places], [*places, len(text)])]
        ['Dr. Rao paid 3.50. ', '“Why?” she asked. ', '好。', '再见！']
    """
    # A candidate may begin before the window and end in it, but has no two letters side by side.
    first, low = start, max(0, start - _REACH)
    while first > low and not text[first - 1 : first + 1].isalpha():
        first -= 1
    limit = min(len(text), end + _GAP)  # the rules look at what follows
    places = []
    for found in _candidates(text, first, end, limit):
        at = found.end()
        if start < at < end and _ends(text, found):
            places.append(at)
    more = [*_small_places(text, first, end, limit), *_break_places(text, first, end, limit)]
    return sorted({*places, *(at for at in more if at > start)}) if more else sorted(places)


def _candidates(text: str, first: int, end: int, limit: int) -> Iterator[re.Match[str]]:
    """Find stops behind which a sentence may begin before ``end``, in any order."""
    if not text[first:end].isascii():
        for found in _CANDIDATE.finditer(text, first, limit):
            if found.end() >= end:
                return
            yield found
        return
    # in the most frequent texts only three signs can be one, and each is found fast
    for mark in ".!?":
        at = text.find(mark, first, end)
        while at >= 0:
            match = _CANDIDATE.match(text, at, limit)
            if match is not None:
                yield match
            at = text.find(mark, at + 1, end)


def _small_places(text: str, start: int, end: int, limit: int) -> Iterator[int]:
    """Find sentences that begin with a small letter, in chats and texts without capitals.

    Only behind a word of four letters that is no abbreviation, or a year: shorter ones are too
    often abbreviations that no list has.
    """
    for found in _SMALL.finditer(text, start, limit):
        stop, at = found.span()
        if at >= end:
            break
        if not text[max(0, stop - 4) : stop].isalnum():
            continue
        low = max(0, stop - _NEAR)
        if text[low : at + _NEAR].islower():
            word = text[low:stop].rsplit(None, 1)[-1]
            if len(word) > 3 and word not in KINDS and (word.isalpha() or word.isdecimal()):
                yield at


# ------------------------------------------------------------------ newlines


def _break_places(text: str, start: int, end: int, limit: int) -> Iterator[int]:
    """Find sentences that begin behind newlines without a stop."""
    rare = text.find("\r", start, limit) >= 0 or text.find("\u2029", start, limit) >= 0
    if not rare and text.find("\n", start, end) < 0:
        return
    for found in (_ANY_BREAK if rare else _BREAK).finditer(text, start, limit):
        at = found.end()
        if at >= end:
            break
        if _joins(text[at]):
            continue
        low = max(found.start(), at - _GAP)  # no further back: a window may begin inside the gap
        gap = text[low:at]
        newline = text.find("\n", low, at)
        blank = gap.count("\n") > 1 or gap.count("\r") > 1 or "\u2029" in gap
        if blank or (newline >= 0 and _begins_line(text, newline, at)):
            yield at


def _begins_line(text: str, newline: int, at: int) -> bool:
    """Say whether a sentence begins with a line without a stop or blank line before it."""
    if text[at].isupper():
        return _is_below_title(text, newline)
    return _ITEM.match(text, at) is not None and _is_item(text, newline, at)


def _is_item(text: str, newline: int, at: int) -> bool:
    """Say whether an item of a list begins, or only a wrapped line with a dash or number."""
    low = max(0, newline - _GAP)
    start = text.rfind("\n", low, newline) + 1
    if (low > 0 and start == 0) or text[at] in "•‣◦▪●■":  # no such line was wrapped at a column
        return True
    line = text[start:newline].strip()
    return _ITEM.match(line) is not None or _LINE_ENDS.search(line[-8:]) is not None


def _is_below_title(text: str, newline: int) -> bool:
    """Say whether the line before opens a paragraph and is one such as "Getting Started"."""
    low = max(0, newline - _NEAR)
    start = max(low, text.rfind("\n", low, newline) + 1)
    if start > 0 and not text.endswith(("\n\n", "\n\r\n"), 0, start):
        return False
    words = text[start:newline].split()
    return 1 < len(words) < 9 and all(word.isalpha() and word.istitle() for word in words)


# ------------------------------------------------------------------ stops


def _ends(text: str, found: re.Match[str]) -> bool:
    """Decide whether the stop of a candidate ends a sentence, the next one beginning behind it."""
    stop, at = found.span()
    run, closed = found.span(1)  # the run of stops ends at the one, what closes it at the other
    mark, head = text[stop], text[at]
    if at - stop > _REACH or (head > "\u02ff" and _joins(head)):
        return False
    tight = not text[at - 1].isspace()
    if mark not in _FULL and mark not in _OWN:
        if tight and not _ends_tight(text[at - 1], head):
            return False
        if (head.islower() or not head.isalnum()) and not _may_begin(text, closed, at):
            return False
    if closed > run:
        if _goes_on(text, stop, closed, at, tight=tight):
            return False
        return mark != "." or text[closed - 1] != ")" or full_stop_ends(text, stop, at)
    if mark == "." and run - stop == 1 and text[stop - 2 : stop] != ". ":
        return full_stop_ends(text, stop, at)
    if mark in ".…‥":
        return _ellipsis_ends(text, stop, mark, head)
    if text.endswith(_NAMES, 0, run):
        return not tight and starts(text, at)
    return not _is_inside(text, stop, at)


def _joins(head: str) -> bool:
    """Say whether a sign belongs to the character before it, be that a space."""
    # Of letters only these four do; looking at the others would cost most of the time for Chinese.
    if head.isalnum() and head not in "\u0e33\u0eb3\uff9e\uff9f":
        return False
    return _extender().match(head) is not None


@cache
def _extender() -> Any:
    import regex

    return regex.compile(r"[\p{GCB=Extend}\p{GCB=SpacingMark}\p{GCB=ZWJ}]")


def _ends_tight(last: str, head: str) -> bool:
    """Say whether a stop may end a sentence without a space: behind emoji, before Chinese."""
    emoji = last > "\u2190" and last not in CLOSE
    return emoji or last in "!?" or head in "“「『（《" or is_han(head)


def _is_small(character: str) -> bool:
    # Georgian letters count as small, but no sentence begins with their capitals.
    return character.islower() and not "\u10d0" <= character <= "\u10ff"


def _may_begin(text: str, closed: int, at: int) -> bool:
    """Say whether a sentence may begin with what is no capital."""
    head = text[at]
    if head in "&+=/|%^~\\":  # formulas; but in lines they are markup
        return "\n" in text[closed:at]
    if head not in OPEN:
        return not _is_small(head) or _BRAND.match(text, at) is not None
    rest = text[at : at + 16].lstrip(OPEN + " \u00a0\u202f").lstrip("`")
    if not _is_small(rest[:1]) or _BRAND.match(rest):
        return True
    if _DUTCH.match(text, at) or _LETTERED.match(text, at):
        return True
    # "— Yes? — he asked" goes on; but lists and dialogues have their lines.
    return head in "-–—•*" and "\n" in text[closed:at]


def _goes_on(text: str, stop: int, closed: int, at: int, *, tight: bool) -> bool:
    """Say whether the sentence goes on behind a quotation or bracket."""
    if text[max(0, stop - 1) : stop] in _BRACKETS:  # (!)
        return True
    if tight and _PARTICLE.match(text, at):
        return True
    if text[stop] in "!?！？" and _SAYS.match(text, at):
        return True
    # ‘ ’ inside “ ” is a part of what is said
    return tight and text[closed - 1] == "’" and _is_open(text, "“", "”", stop)


def _is_open(text: str, opening: str, closing: str, at: int) -> bool:
    low = max(0, at - _NEAR)
    last = text.rfind(opening, low, at)
    return last >= 0 and last > text.rfind(closing, low, at)


def _is_inside(text: str, stop: int, at: int) -> bool:
    """Say whether a stop of Asian scripts stands inside a title, number or abbreviation."""
    mark = text[stop]
    if mark == "．":
        return text[max(0, stop - 1) : stop].isdecimal() and text[at].isdecimal()
    if mark == "។":
        return text.startswith("ល។", at)  # ។ល។, and so on
    if mark == "။":  # ၁။ is the number of an item
        kept = text[max(0, stop - 3) : stop].rstrip("၀၁၂၃၄၅၆၇၈၉")
        number = min(3, stop) - len(kept)
        return 0 < number < 4 and is_head(text, stop - number)
    return _is_open(text, "《", "》", stop)


def _ellipsis_ends(text: str, stop: int, mark: str, head: str) -> bool:
    """Decide before letters without capitals; small ones are decided already."""
    if "가" <= head <= "힣":
        return text[max(0, stop - 1) : stop] in _FINAL
    if "\u0590" <= head <= "\u17ff":
        return False
    return mark == "." or not is_han(head)
