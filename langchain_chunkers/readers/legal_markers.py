"""What begins a part of a numbered document: ``Article 5``, ``1.1``, ``(a)``, ``§ 3``, ``第三条``.

Looks at one line at a time. Whether the line really begins a part, and what it is part of, is for
`langchain_chunkers.readers.legal` to say, which knows the lines around.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Marker", "find_marker", "is_contents_line", "is_sentence", "numeral", "run_in_title"]

# Names of parts by rank. Section and article may nest either way round: see the reader.
_NAMES = {
    0: "schedule|annex|appendix|exhibit|attachment|addendum|anlage|anhang|annexe|anexo|allegato|приложение",
    1: "book|buch|livre|libro|книга",
    2: "part|teil|partie|parte|title|titel|titre|título|titolo|часть|раздел",
    3: "chapter|kapitel|chapitre|capítulo|capitolo|глава|division|subpart",
    4: "section|abschnitt|sección|seção|sezione|sec\\.",
    5: "article|artikel|artículo|artigo|articolo|статья|clause|rule|regulation|art\\.",
}
_RANKS = {
    name.replace("\\", ""): rank for rank, names in _NAMES.items() for name in names.split("|")
}
_WORDS = "One|Two|Three|Four|Five|Six|Seven|Eight|Nine|Ten|First|Second|Third|Fourth|Fifth"
_NUMBER = rf"(?:\d{{1,4}}[A-Za-z]?(?:\.\d{{1,3}}[a-z]?)*|[IVXLCDM]{{1,8}}|[A-Z]|(?i:{_WORDS}))"
_HAN = "0-9０-９〇零一二三四五六七八九十百千"

_HAN_ONLY = _HAN.replace("0-9", "")
_OPENED = r"(?:[#]{1,6}[ \t]+)?(?:\*\*|__)?"
_MARKER = re.compile(
    rf"""{_OPENED}(?:
      (?P<name>(?i:{"|".join(_NAMES.values())}))[ \t\u00a0]+(?P<number>{_NUMBER})(?![\w])\)?
    | (?P<bare>(?i:{_NAMES[0]}))(?=[ \t]*[:.–—-])
    | (?P<sign>§{{1,2}})[ \t\u00a0]?(?P<paragraph>\d{{1,4}}[a-z]?(?:\.\d{{1,4}})*)(?!\w)
    | 第(?P<han>[{_HAN}]{{1,8}})(?P<unit>[编編篇部分章节節条條款項项])(?P<of>之[{_HAN}]{{1,3}}|の[{_HAN}]{{1,3}})?
    | 제[ ]?(?P<hangul>\d{{1,4}})[ ]?(?P<korean>[편장절조항])(?:의[ ]?\d{{1,2}})?
    | (?P<decimal>\d{{1,3}}(?:\.\d{{1,3}}){{1,6}})[.)]?(?=[ \t\u00a0\u3000]|\*\*|__|$)
    | (?P<whole>\d{{1,3}})(?P<stop>[.)]|(?=[ \t]))(?=[ \t\u00a0\u3000]|\*\*|__|$)
    | [(（](?P<inner>[a-z]{{1,2}}|[ivxlc]{{1,6}}|[A-Z]{{1,2}}|[IVXLC]{{1,6}}|\d{{1,3}}|[{_HAN_ONLY}]{{1,4}})[)）]
    | (?P<list>[一二三四五六七八九十]{{1,3}})、
    | (?P<letter>[a-z]|[ivx]{{2,6}})[.)](?=[ \t])
    | (?P<capital>[A-Z]|[IVXLC]{{2,7}})[.](?=[ \t]|$)
    )""",
    re.VERBOSE,
)
_UNITS = {
    "编": 1, "編": 1, "篇": 1, "部": 1, "편": 1, "分": 2, "章": 3, "장": 3, "节": 4, "節": 4,
    "절": 4, "条": 5, "條": 5, "조": 5, "款": 6, "項": 6, "项": 6, "항": 6,
}  # fmt: skip
_CONTENTS = re.compile(r"(?:\.{3,}|…{2,}|(?:\. ){3}|[ \t]{4}|\t)[ \t.]*(?:\d{1,4}|[ivxlc]{1,6})$")
# Words by which running text is told from a title, in the languages of the names above.
_VERBS = re.compile(
    r"(?i)\b(?:shall|will|is|are|was|were|means?|may|must|has|have|agrees?|applies|apply|hereby|refers?"
    r"|wird|werden|ist|sind|hat|haben|kann|können|muss|est|sont|doit|peut|es|son|debe|puede|является)\b"
)
_RUNS_ON = re.compile(
    r"(?:of|and|or|to|in|is|are|shall|above|below|hereof|thereof|applies|apply|does|which|that|may|will"
    r"|der|des|und|oder|bis|du|de|et|ou|del|y)(?!\w)|[,;)、，第的至和及或の]|规定|から"
)
_RUN_IN = re.compile(r"([^\W\d_“\"][^.:;。：；]{1,70}?)[.:](?:[ \t]+|[ \t]*[-–—]+[ \t]*)(?=\S)")
_WORD = re.compile(r"[^\W\d_]{4,}")
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100, "d": 500, "m": 1000}
_DIGITS = {sign: value for value, sign in enumerate("零一二三四五六七八九")} | {"〇": 0}


class Marker(NamedTuple):
    """The number at the start of a line.

    Attributes:
        style: What its siblings have in common.
        rank: 0 to 6 for named parts, 10 and more for bare numbers, 20 for letters and brackets.
        value: For telling whether it follows another; 0 where that is unknown.
        label: As it stands.
        number: What of the label goes into the number of a clause.
        end: Behind the number, in the line.
    """

    style: str
    rank: int
    value: int
    label: str
    number: str
    end: int


def numeral(number: str) -> int:
    """Give the value of the last part of a number; 0 for one that is not understood.

    Example:
        >>> [numeral(n) for n in ("5.12", "iv", "IX", "c", "十二", "二十", "one")]
        [12, 4, 9, 3, 12, 20, 0]
    """
    last = number.rpartition(".")[2]
    digits = re.match(r"\d+", last)
    if digits:
        return int(digits[0])
    if last and all(sign in _DIGITS or sign in "十百千" for sign in last):
        return _han_value(last)
    small = last.lower()
    if all(letter in _ROMAN for letter in small) and (len(small) > 1 or small in "ivx"):
        values = [_ROMAN[letter] for letter in small]
        return sum(-v if v < max(values[i:]) else v for i, v in enumerate(values))
    return letter_value(last) if len(last) <= 2 else 0


def letter_value(letters: str) -> int:
    """Give the place in the alphabet: ``a`` is 1, and so is ``aa`` behind ``z``: 27."""
    small = letters.lower()
    if not ("a" <= small[:1] <= "z"):
        return 0
    return ord(small[0]) - 96 + 26 * (len(small) - 1)


def _han_value(number: str) -> int:
    total, digit = 0, 0
    for sign in number:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        else:
            total += (digit or 1) * {"十": 10, "百": 100, "千": 1000}[sign]
            digit = 0
    return total + digit


def find_marker(line: str) -> Marker | None:
    """Find the number with which a line begins.

    Args:
        line: A line without white space at its edges.

    Returns:
        The marker, or ``None``; also for what reads on as a reference ("Section 5 of the Act").

    Example:
        >>> find_marker("Article 5 Scope").number, find_marker("Article 5 of the Treaty")
        ('5', None)
    """
    found = _MARKER.match(line)
    if found is None:
        return None
    rest = line[found.end() :].lstrip()
    kind, label, end = found.lastgroup, found[0].lstrip("#*_ \t"), found.end()
    if found["name"] or found["sign"] or found["unit"] or found["korean"]:
        spaced = not rest or line[end].isspace() or not line[end].isalnum()
        if _RUNS_ON.match(rest) or (rest[:1].islower() and spaced):
            return None
    if found["name"]:
        name = found["name"].lower()
        return Marker(name, _RANKS[name], numeral(found["number"]), label, found["number"], end)
    if found["bare"]:
        return Marker(found["bare"].lower(), 0, 0, label, "", end)
    if found["sign"]:
        return Marker("§", 5, numeral(found["paragraph"]), label, label, end)
    if found["unit"] or found["korean"]:
        unit = found["unit"] or found["korean"]
        value = numeral(found["han"] or found["hangul"])
        return Marker(unit, _UNITS[unit], value, label, label, end)
    if found["decimal"]:
        number = found["decimal"]
        count = number.count(".") + 1
        return Marker(f"decimal {count}", 10 + count, numeral(number), label, number, end)
    if found["whole"]:
        style = "decimal 1" if found["stop"] != ")" else "1)"
        rank = 11 if style == "decimal 1" else 20
        return Marker(style, rank, int(found["whole"]), label, found["whole"], end)
    number = found[kind] if kind else ""
    return Marker(_shape(str(kind), number), 20, numeral(number), label, number, end)


def _shape(kind: str, number: str) -> str:
    """Name the style of a letter, a roman number or one in brackets."""
    if not number.isascii():
        sort = "一"
    elif number.isdigit():
        sort = "1"
    else:
        small = number.lower()
        several = len(small) > 1 and set(small) <= set("ivxlcdm")
        doubled = len(set(small)) == 1 and small[0] not in "ix"  # "cc" is a letter behind "bb"
        sort = "i" if small == "i" or (several and not doubled) else "a"
    return f"{kind} {sort.upper() if number.isupper() else sort}"


def is_contents_line(line: str) -> bool:
    """Say whether a line ends as one of a table of contents does: leaders, or a gap, and a page."""
    return _CONTENTS.search(line[-60:]) is not None


def is_sentence(title: str) -> bool:
    """Say whether words read as running text rather than as a title."""
    return _VERBS.search(title) is not None


def run_in_title(rest: str) -> str:
    """Give the title that stands before the text on one line, as in ``Term. This Agreement …``.

    Example:
        >>> run_in_title("Limitation of Liability. Neither party is liable.")
        'Limitation of Liability'
        >>> run_in_title("The parties agree. They sign.")
        ''
    """
    found = _RUN_IN.match(rest)
    if found is None or is_sentence(found[1]):
        return ""
    words = _WORD.findall(found[1])
    large = sum(not word[0].islower() for word in words)
    return found[1] if words and large >= 0.7 * len(words) else ""
