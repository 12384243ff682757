"""What all readers of dialogue share: the turn, and how times and names are written."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["STAMP", "Turn"]


class Turn(NamedTuple):
    """A turn: what one speaker says at a time; or a cue of it.

    Attributes:
        start: Where it begins.
        body: Where what is said begins.
        speaker: Who speaks; "" where that is not said.
        time: When it begins, as it stands; "" where that is not said.
        time_end: When it ends, as it stands.
        prefix: What a chunk repeats that goes on with it; "" for the text before ``body``.
        flows: It goes on with the turn before: a cue of the same speaker.
        answers: It answers the turn before, as a reply under a quotation does.
        opens: A new conversation begins with it.
    """

    start: int
    body: int
    speaker: str = ""
    time: str = ""
    time_end: str = ""
    prefix: str = ""
    flows: bool = False
    answers: bool = False
    opens: bool = False


_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez)[a-zé]{0,7}\.?"
_DATE = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}|\d{4}\. ?\d{1,2}\. ?\d{1,2}\."
    rf"|\d{{1,2}}\.?[- ]{_MONTH}[- ,]{{1,2}}\d{{2,4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}"
    r"|\d{4}年\d{1,2}月\d{1,2}日)"
)
_HALF = r"[ \u00a0\u202f]?(?:[AaPp]\.?[ \u00a0\u202f]?[Mm]\.?(?![A-Za-z]))"
_TIME = (
    rf"(?:(?:上午|下午|午前|午後|오전|오후|凌晨|晚上) ?)?\d{{1,3}}[:.h]\d{{2}}(?:[:.]\d{{2}})?(?:[.,]\d{{1,6}})?"
    rf"(?:Z|[+-]\d\d:?\d\d)?(?:{_HALF})?"
)
_STAMP = rf"(?:{_DATE}(?:,? (?:um|at|à|alle|às) |[,T \u00a0\u202f]{{1,3}})?)?{_TIME}"
STAMP = _STAMP.replace(" ", r"\ ")
"""A time, with or without its date, as chat programs of many languages write them.

Spaces are escaped, so that it can stand in verbose patterns.
"""
