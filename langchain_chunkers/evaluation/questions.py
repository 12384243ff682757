"""Questions with the places of their answers: read from files, located in the documents."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from langchain_chunkers._extras import need
from langchain_chunkers.errors import InputError
from langchain_chunkers.evaluation.spans import Pair, size, union

__all__ = ["Question", "locate", "locate_all", "question_from", "read_questions"]

_SHORT = 100  # characters up to which an answer should lie whole in a chunk
_SURE = 85.0  # of 100, how alike an answer and its place must be; a word in seven may differ
_NUMBERS = re.compile(r"\d+")
_SOURCE_KEYS = ("source", "doc_id", "document")
_ANSWER_KEYS = ("answers", "answer")


@dataclass(frozen=True)
class Question:
    """A question and where its answer stands.

    Attributes:
        text: The question.
        source: Name of the document that answers it.
        spans: Places of the answer in that document, half-open, in characters. All of them together
            are the gold that recall is a share of.
        alternatives: Other places, each of which is an answer too.
        evidence: The sentences or passages around the answer; ``spans`` where not given.
        answers: The answer as strings, to be located; see `locate_all`.
        id: A name of the question.
        fuzzy: Whether a place was found by likeness only.
    """

    text: str
    source: str
    spans: tuple[Pair, ...] = ()
    alternatives: tuple[Pair, ...] = ()
    evidence: tuple[Pair, ...] = ()
    answers: tuple[str, ...] = ()
    id: str = ""
    fuzzy: bool = False

    @property
    def gold(self) -> list[Pair]:
        """What should be read: the evidence, or else the answer itself."""
        return list(self.evidence or self.spans)

    def answered_by(self, start: int, end: int, relevance: str = "auto") -> bool:
        """Say whether a chunk of the question's document answers it.

        Args:
            start: Start of the chunk.
            end: Its end.
            relevance: ``"whole"``: it has a place of the answer from end to end. ``"half"``: it
                shares half of its own length, or of the answer's. ``"auto"``: whole for answers of
                up to 100 characters, half for longer ones, which no small chunk could hold.
        """
        places = [*self.spans, *self.alternatives]
        if any(start <= a and b <= end for a, b in places):
            return True
        if relevance == "whole" or (relevance == "auto" and self._longest() <= _SHORT):
            return False
        joined = union(self.spans)
        shared = sum(max(0, min(end, b) - max(start, a)) for a, b in joined)
        return 2 * shared >= min(end - start, size(joined)) > 0

    def _longest(self) -> int:
        return max((b - a for a, b in self.spans), default=0)


def locate(answer: str, text: str, *, fuzzy: bool = True) -> tuple[Pair, bool] | None:
    """Find an answer in a text.

    Args:
        answer: What to look for.
        text: Where.
        fuzzy: Whether to look for what is alike, where the answer itself is not there.

    Returns:
        The first place and whether it is fuzzy: found by likeness (small differences of wording).
        Other white space or case is not fuzzy. ``None`` if nothing is alike enough.

    Raises:
        MissingExtraError: It is not there as it is, and the extra ``evaluation`` is not installed.

    Example:
        >>> locate("seal leaks", "The  seal\\nleaks here.")
        ((5, 15), False)
        >>> locate("the pump has a worn seal", "We saw: the pump had a worn seal. It is old.")
        ((8, 32), True)
        >>> locate("nothing of the kind", "The seal leaks.")
    """
    words = answer.split()
    if not words:
        return None
    at = text.find(answer)
    if at >= 0:
        return (at, at + len(answer)), False
    loose = re.search(r"\s+".join(map(re.escape, words)), text, re.IGNORECASE)
    if loose is not None:
        return loose.span(), False
    if not fuzzy:
        return None
    fuzz = need("rapidfuzz.fuzz", "evaluation", "Locating an answer that is not in the text")
    near = fuzz.partial_ratio_alignment(answer, text, score_cutoff=_SURE)
    if near is None or near.dest_end - near.dest_start < len(answer) / 2:
        return None
    place = near.dest_start, near.dest_end
    # "in 1912" is very like "in 1913", and no answer
    same = _NUMBERS.findall(answer) == _NUMBERS.findall(text[slice(*place)])
    return (place, True) if same else None


def locate_all(
    questions: Iterable[Question], texts: Mapping[str, str]
) -> tuple[list[Question], list[str]]:
    """Give questions the places of their answers.

    Args:
        questions: Those that have spans stay as they are. A question without a source is looked for
            in all texts.
        texts: The text of each document, by name.

    Returns:
        The questions that have a place, and a line on each problem: answers not found, found by
        likeness only, or standing in several places (the first is taken).
    """
    found: list[Question] = []
    notes: list[str] = []
    for number, question in enumerate(questions, 1):
        name = f"question {question.id or number}"
        if question.spans:
            if question.source not in texts:
                notes.append(f"{name}: no document is named {question.source!r}")
            elif _last(question) > len(texts[question.source]):
                notes.append(f"{name}: its answer lies behind the end of {question.source!r}")
            else:
                found.append(question)
            continue
        placed = _placed(question, texts, name, notes)
        if placed is not None:
            found.append(placed)
    return found, notes


def _last(question: Question) -> int:
    return max(b for _, b in [*question.spans, *question.alternatives, *question.evidence])


def _placed(
    question: Question, texts: Mapping[str, str], name: str, notes: list[str]
) -> Question | None:
    """Locate the answers of one question."""
    sources = [question.source] if question.source else list(texts)
    if question.source and question.source not in texts:
        notes.append(f"{name}: no document is named {question.source!r}")
        return None
    # an answer that stands in a later document is better than one that is alike in an earlier one
    for source, likeness in [(source, way) for way in (False, True) for source in sources]:
        places = [locate(answer, texts[source], fuzzy=likeness) for answer in question.answers]
        if places and all(places):
            spans = tuple(place[0] for place in places if place)
            fuzzy = any(place[1] for place in places if place)
            if fuzzy:
                notes.append(f"{name}: its answer was found by likeness only")
            elif any(texts[source].count(answer) > 1 for answer in question.answers):
                notes.append(f"{name}: its answer stands in several places; the first is taken")
            return Question(
                question.text,
                source,
                spans,
                question.alternatives,
                question.evidence,
                question.answers,
                question.id,
                fuzzy,
            )
    notes.append(f"{name}: its answer is in no document")
    return None


# ------------------------------------------------------------------ files


def read_questions(path: str | Path) -> list[Question]:
    """Read questions from a file of JSON Lines (``.jsonl``), JSON (a list) or CSV.

    Each has ``question``; ``source`` (or ``doc_id``), the name of its document; and ``answer`` or
    ``answers``, strings to be located, or ``spans``, pairs of character offsets. ``id``,
    ``evidence`` (or ``evidence_spans``) and ``alternatives`` (or ``alt_spans``) may be there.

    Raises:
        InputError: A line has no question, or neither answer nor spans; the message names the line.
    """
    path = Path(path)
    text = path.read_text("utf-8-sig")
    rows: Iterator[Any]
    if path.suffix == ".csv":
        rows = iter(csv.DictReader(text.splitlines(keepends=True)))
    elif text.lstrip().startswith("["):
        rows = iter(json.loads(text))
    else:
        rows = (json.loads(line) for line in text.split("\n") if line.strip())
    return [question_from(row, f"{path.name}, question {n}") for n, row in enumerate(rows, 1)]


def question_from(row: Any, where: str) -> Question:
    """Make a question of a row of a file; ``where`` names the row in messages."""
    if not isinstance(row, Mapping) or not isinstance(row.get("question"), str):
        msg = f"{where}: an object with 'question' is wanted, got {row!r:.100}."
        raise InputError(msg)
    spans = _pairs(row.get("spans"), where)
    given = next((row[key] for key in _ANSWER_KEYS if row.get(key)), ())
    answers = (given,) if isinstance(given, str) else tuple(map(str, given))
    if not spans and not answers:
        msg = f"{where}: it has neither 'answer' (a text) nor 'spans' (pairs of offsets)."
        raise InputError(msg)
    return Question(
        row["question"],
        str(next((row[key] for key in _SOURCE_KEYS if row.get(key)), "")),
        spans,
        _pairs(row.get("alternatives") or row.get("alt_spans"), where),
        _pairs(row.get("evidence") or row.get("evidence_spans"), where),
        answers,
        str(row.get("id") or row.get("qid") or ""),
    )


def _pairs(value: Any, where: str) -> tuple[Pair, ...]:
    """Read pairs of offsets; those of CSV are JSON."""
    if not value:
        return ()
    if isinstance(value, str):
        value = json.loads(value)
    pairs: Sequence[Any] = value
    if any(
        not isinstance(pair, list | tuple) or len(pair) != 2 or not 0 <= pair[0] < pair[1]
        for pair in pairs
    ):
        msg = f"{where}: spans are pairs [start, end] with 0 <= start < end, got {value!r:.100}."
        raise InputError(msg)
    return tuple((int(start), int(end)) for start, end in pairs)
