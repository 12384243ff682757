"""Edit-stable packing: an edit changes the chunks near it, and few others."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable
from statistics import mean, median

import pytest

from langchain_chunkers import (
    BaseSplitter,
    JSONSplitter,
    MarkdownSplitter,
    RecursiveSplitter,
    SentenceSplitter,
)
from langchain_chunkers.stable import StablePacker

WORDS = "time stone river cold small green house walk under bright slow field iron lamp".split()


def sentences(count: int, seed: int = 1) -> list[str]:
    dice = random.Random(seed)
    return [
        " ".join(dice.choices(WORDS, k=dice.randint(4, 14))).capitalize() + "."
        for _ in range(count)
    ]


def paragraph() -> str:
    return " ".join(sentences(600))


def short_lines() -> str:
    return "\n".join(sentences(600))


def words() -> str:
    return " ".join(random.Random(2).choices(WORDS, k=6_000))


def letters() -> str:
    return "".join(random.Random(3).choices("abcdefghijklmnopqrstuvwxyz", k=30_000))


def markdown() -> str:
    return "\n\n".join(
        f"{'#' * (2 + n % 2)} Part {n}\n\n{sentence}" for n, sentence in enumerate(sentences(400))
    )


def json_list() -> str:
    return json.dumps([{"id": n, "text": text} for n, text in enumerate(sentences(1000))])


CASES: dict[str, tuple[Callable[[], str], Callable[..., BaseSplitter]]] = {
    "a paragraph": (paragraph, RecursiveSplitter),
    "sentences": (paragraph, SentenceSplitter),
    "lines": (short_lines, RecursiveSplitter),
    "words": (words, RecursiveSplitter),
    "a long word": (letters, RecursiveSplitter),
    "sections": (markdown, lambda size, **o: MarkdownSplitter(size, split_on_headings=False, **o)),
}


def edited(text: str, seed: int) -> str:
    dice = random.Random(seed)
    at, size = dice.randrange(len(text) - 40), dice.randint(1, 40)
    other = dice.randrange(len(text) - 40)
    kind = seed % 3  # insert, delete, replace
    new = "" if kind == 1 else text[other : other + size]
    return text[:at] + new + text[at + (size if kind else 0) :]


def changed(splitter: BaseSplitter, text: str, *news: str) -> list[int]:
    """Count the chunks that each of the new texts has and the old one has not."""
    before = Counter(splitter.split_text(text))
    return [(Counter(splitter.split_text(new)) - before).total() for new in news]


@pytest.mark.parametrize("case", CASES)
def test_an_edit_changes_few_chunks(case: str) -> None:
    make, splitter_class = CASES[case]
    text = make()
    news = [edited(text, seed) for seed in range(30)]
    found = sorted(changed(splitter_class(400, stable=True), text, *news))
    others = changed(splitter_class(400), text, *news[:10])
    assert median(found) <= 2
    assert found[28] <= 6, "29 of 30"
    assert mean(found) < mean(others)


def test_in_json_too() -> None:
    text = json_list()
    splitter = JSONSplitter(400, stable=True)
    for number in (3, 500, 990):
        at = text.index(f'"id": {number}')
        new = text[:at] + '"new": "Some words.", ' + text[at:]
        assert 1 <= changed(splitter, text, new)[0] <= 4


@pytest.mark.parametrize("case", CASES)
def test_chunks_are_full_enough(case: str) -> None:
    make, splitter_class = CASES[case]
    sizes = list(map(len, splitter_class(400, stable=True).split_text(make())))
    assert mean(sizes) >= 240
    assert min(sizes) >= 100 - max(map(len, sentences(1500))), "no runts, a sentence aside"


def test_no_runt_at_the_end_of_a_run() -> None:
    for count in range(20, 60):
        text = " ".join(sentences(count, seed=count))
        sizes = list(map(len, SentenceSplitter(400, stable=True).split_text(text)))
        assert sizes[-1] >= 100 - 14 * 8, sizes


def test_windows_of_a_very_long_stretch_end_where_they_did() -> None:
    text = "\n".join(sentences(15_000))
    assert len(text) > 2.5 * (1 << 18), "more than two windows"
    splitter = RecursiveSplitter(1000, stable=True)
    new = "An added sentence at the very start, and some words more.\n" + text
    assert changed(splitter, text, new)[0] <= 6


def test_a_rank_moves_with_the_text() -> None:
    text = paragraph()
    splitter = RecursiveSplitter(400, stable=True)
    packers = [
        StablePacker(
            splitter.read(t), splitter._measure.scale(t), splitter._limits, splitter.ladder
        )
        for t in (text, "Before. " + text)
    ]
    at = text.index(". ", 5000) + 2
    assert packers[0]._rank(at) == packers[1]._rank(at + len("Before. "))


def test_a_rank_of_any_text() -> None:
    text = "\ud800\udc00 \udfff" * 200
    assert (
        "".join(RecursiveSplitter(7, stable=True, strip_whitespace=False).split_text(text)) == text
    )
