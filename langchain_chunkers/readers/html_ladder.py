"""The places inside a block of HTML source: sentences, clauses and words, never inside a tag.

Tags are blanked out, so that the ladder's own rungs see the words alone; a place behind start tags
moves before them, so that ``<b>`` stays with the word that it is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from langchain_chunkers.ladder import Rung, clause_places, sentence_places
from langchain_chunkers.outline import Strength

__all__ = ["SOURCE_LADDER"]

# Quotes are not looked at: a ">" inside one leaves some of an attribute to be read as words.
_TAG = re.compile(r"<[a-zA-Z/!?][^<>]*+>")
_START_TAGS = re.compile(r"(?:\s*+<[a-zA-Z][^<>]*+>)++\s*+")
_WORD = re.compile(r"\s++|(?=<[a-zA-Z])|(?<=>)")

Places = Callable[[str, int, int], list[int]]


def _blanked(text: str, start: int, end: int) -> str:
    return _TAG.sub(lambda found: " " * len(found.group()), text[start:end])


def _outside(find: Places, text: str, start: int, end: int) -> list[int]:
    """List places of a rung as if there were no tags."""
    if text.find("<", start, end) < 0:
        return find(text, start, end)
    blank = _blanked(text, start, end)
    found = [start + at for at in find(blank, 0, len(blank))]
    runs = {run.end() + start: run.start() + start for run in _START_TAGS.finditer(text[start:end])}
    return [at for at in (runs.get(at, at) for at in found) if start < at < end]


def _sentences(text: str, start: int, end: int) -> list[int]:
    return _outside(sentence_places, text, start, end)


def _clauses(text: str, start: int, end: int) -> list[int]:
    return _outside(clause_places, text, start, end)


def _words(text: str, start: int, end: int) -> list[int]:
    """List the places between words and at tags."""
    inside = [
        (found.start() + start, found.end() + start) for found in _TAG.finditer(text[start:end])
    ]
    places, tag = [], 0
    for found in _WORD.finditer(text, start, end):
        at = found.end()
        while tag < len(inside) and inside[tag][1] <= at:
            tag += 1
        if start < at < end and not (tag < len(inside) and inside[tag][0] < at):
            places.append(at)
    return places


SOURCE_LADDER = (
    Rung(Strength.SENTENCE, _sentences, local=False),
    Rung(Strength.CLAUSE, _clauses, local=False),
    Rung(Strength.WORD, _words, local=False),
)
