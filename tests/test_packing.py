"""The packers: worked examples, an oracle that tries all divisions, and each promise by itself."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any

import pytest
import regex
from hypothesis import assume, given
from hypothesis import strategies as st

from langchain_chunkers import (
    BaseSplitter,
    FixedSizeSplitter,
    Outline,
    OversizeError,
    ParagraphSplitter,
    RecursiveSplitter,
    Region,
    SentenceSplitter,
    Strength,
    TiktokenMeasure,
    TokenCountSplitter,
    filling,
    ladder,
    testing,
)
from langchain_chunkers.base import registry
from langchain_chunkers.ladder import LADDERS
from langchain_chunkers.length import CallableMeasure
from langchain_chunkers.testing import CountingMeasure, huge, lying_measure, zero
from langchain_chunkers.testing.texts import runs_of
from tests import generators
from tests.test_grouping import oracle as grouped

CLUSTER = regex.compile(r"\X")
FAMILY = "👨‍👩‍👧‍👦"  # one grapheme cluster of seven code points
PACKERS = (RecursiveSplitter, ParagraphSplitter, SentenceSplitter)
FILLERS = (FixedSizeSplitter, TokenCountSplitter)


# ------------------------------------------------------------------ worked examples


@pytest.mark.parametrize(
    "size, text, chunks",
    [
        # what fits is one chunk, and white space inside it is left alone
        (40, "One.\n\n\n  Two.", ["One.\n\n\n  Two."]),
        # evenly, not fullest first: no runt
        (17, "Aaa aaa. Bbb bbb. Ccc ccc. Ddd ddd.", ["Aaa aaa. Bbb bbb.", "Ccc ccc. Ddd ddd."]),
        (26, "Aaa aaa. Bbb bbb. Ccc ccc. Ddd ddd.", ["Aaa aaa. Bbb bbb.", "Ccc ccc. Ddd ddd."]),
        # whole paragraphs before sentences: the second paragraph does not fit and is opened alone
        (
            20,
            "Aaa aaa.\n\nBbb bbb. Ccc ccc. Ddd ddd.\n\nEee.",
            ["Aaa aaa.", "Bbb bbb.", "Ccc ccc. Ddd ddd.", "Eee."],
        ),
        # sections hold together, strongest first
        (
            24,
            "# A\n\nOne.\n\n## B\n\nTwo.\n\n# C\n\nThree.",
            ["# A\n\nOne.\n\n## B\n\nTwo.", "# C\n\nThree."],
        ),
        # sentences, then clauses, then words, then characters
        (12, "Red, green, blue and black.", ["Red, green,", "blue and", "black."]),
        (4, "abcdefghij", ["abcd", "efg", "hij"]),
        # scripts without spaces
        (8, "今天天气很好，我们去公园。你呢？", ["今天天气很好，", "我们去公园。", "你呢？"]),
        # wrapped text: a newline is a space
        (
            60,
            "The pump failed at noon and nobody\nnoticed until the crew returned\nfrom lunch. It was hot.",
            [
                "The pump failed at noon and nobody\nnoticed",
                "until the crew returned\nfrom lunch.",
                "It was hot.",
            ],
        ),
    ],
)  # fmt: skip
def test_packed_by_structure(size: int, text: str, chunks: list[str]) -> None:
    assert RecursiveSplitter(size).split_text(text) == chunks


@pytest.mark.parametrize(
    "size, text, chunks",
    [
        (26, "Aaa aaa. Bbb bbb. Ccc ccc. Ddd ddd.", ["Aaa aaa. Bbb bbb. Ccc ccc.", "Ddd ddd."]),
        (20, "Aaa aaa.\n\nBbb bbb. Ccc ccc. Ddd", ["Aaa aaa.\n\nBbb bbb.", "Ccc ccc. Ddd"]),
        (10, "aaaa bbbb cccc", ["aaaa bbbb", "cccc"]),
        (4, "abcdefghij", ["abcd", "efgh", "ij"]),
    ],
)
def test_filled_to_the_cap(size: int, text: str, chunks: list[str]) -> None:
    assert RecursiveSplitter(size, packing="fill").split_text(text) == chunks


def test_overlap_begins_at_the_best_place_of_its_window() -> None:
    text = "Aaa aaa. Bbb bbb. Ccc ccc. Ddd ddd. Eee eee."
    assert RecursiveSplitter(27, 9).split_text(text) == [
        "Aaa aaa. Bbb bbb. Ccc ccc.", "Ccc ccc. Ddd ddd. Eee eee.",
    ]  # fmt: skip
    assert FixedSizeSplitter(6, 2).split_text("abcdefghij") == ["abcdef", "efghij"]


# ------------------------------------------------------------------ the oracle


def oracle(
    text: str, outline: Outline, kind: str, size: int
) -> tuple[set[tuple[int, int]], list[tuple[int, int]]]:
    """Pack by the definition, trying all divisions: the chunks, and the stretches left to words.

    A stretch that fits is one chunk. One that does not is divided at its strongest places, runs of
    parts that fit are shared out (`tests.test_grouping.oracle`), and the others are opened again.
    """
    glued = [(r.start, r.end) for r in outline.regions if r.kind == "heading"]
    levels: list[Callable[[int, int], Sequence[int]]] = [
        lambda start, end, ats=ats: ats for _, ats in sorted(outline.places.items(), reverse=True)
    ]
    levels += [
        lambda start, end, rung=rung: rung.places(text, start, end) for rung in LADDERS[kind]
    ]
    chunks, words = set(), []
    todo = [(0, len(text))]
    while todo:
        start, end = trimmed(text, *todo.pop())
        if end - start <= size:
            chunks.update([(start, end)] if start < end else [])
            continue
        for places in levels:
            inner = [at for at in places(start, end) if not any(a < at <= b for a, b in glued)]
            ats = sorted({at + blanks(text, at) for at in inner if start < at < end})
            ats = [at for at in ats if start < at < end]
            if ats:
                break
        else:
            words.append((start, end))
            continue
        assume(len(ats) < 10)
        starts = [start, *ats, end]
        ends = [start, *(trimmed(text, start, at)[1] for at in starts[1:])]
        for first, last, fits in grouped(starts, ends, lambda part: size, lambda part: False):
            if fits:
                chunks.add(trimmed(text, starts[first], starts[last]))
            else:
                todo.append((starts[first], starts[last]))
    return chunks, words


def trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    start += blanks(text[:end], start)
    return start, start + len(text[start:end].rstrip())


def blanks(text: str, at: int) -> int:
    return len(text[at:]) - len(text[at:].lstrip())


SMALL = (
    "Ab. ", "Cd ef. ", "Gh, ij. ", "Kl mn op qr. ", "\n\n", "\n", "# H\n\n", "## Sub\n\n", "\n\n\n",
    "中文。", "长一点的句子，有逗号。", "Stu vwx yz, and more words than that. ", "- item\n",
)  # fmt: skip


@given(
    runs_of(SMALL, 3, 18), st.integers(4, 60), st.sampled_from(("wrapped", "paragraphs", "lines"))
)
def test_pack_is_what_the_oracle_finds(text: str, size: int, kind: Any) -> None:
    splitter = RecursiveSplitter(size, line_breaks=kind)
    spans = [tuple(span) for span in splitter.split_spans(text)]
    chunks, words = oracle(text, splitter.read(text), kind, size)
    assert chunks <= set(spans)
    rest = sorted(set(spans) - chunks)
    for start, end in words:
        mine = [span for span in rest if start <= span[0] < end]
        assert (mine[0][0], mine[-1][1]) == (start, end)
        rest = [span for span in rest if span not in mine]
    assert not rest


@given(runs_of(SMALL, 1, 30), st.integers(1, 60), st.integers(0, 10), st.sampled_from(PACKERS))
def test_no_two_siblings_could_have_been_one(text: str, size: int, overlap: int, cls: Any) -> None:
    splitter = cls(size, min(overlap, size - 1))
    testing.check_filled(splitter, text)
    testing.check_nested(splitter, text)
    testing.check_capped(splitter, text)


# ------------------------------------------------------------------ headings

HEADED = (
    "# Head\n\n", "## Sub head\n\n", "### Third\n", "Under\n=====\n\n", "2.1 Scope\n\n", "第一章 总则\n\n",
    "Text of one sentence. ", "More text, with a comma. ", "\n\n", "中文的句子。", "word ", "\n",
)  # fmt: skip


@given(runs_of(HEADED, 2, 25), st.integers(10, 80), st.sampled_from(PACKERS))
def test_a_heading_never_ends_a_chunk_when_its_text_could_follow(
    text: str, size: int, cls: Any
) -> None:
    testing.check_nested(cls(size), text)


@pytest.mark.parametrize("cls", PACKERS)
@pytest.mark.parametrize("size", range(47, 70))
def test_stacked_headings_go_with_the_text(cls: Any, size: int) -> None:
    text = (
        "## naive crew reed\n### failed and replaced\nCrew signed the flow of it."  # 47 to "Crew"
    )
    assert "Crew" in cls(size).split_text(text)[0]


# ------------------------------------------------------------------ small chunks


@given(runs_of(SMALL, 1, 30), st.integers(8, 60), st.integers(1, 8), st.sampled_from(PACKERS))
def test_a_small_chunk_stays_alone_only_where_no_neighbour_has_room(
    text: str, size: int, least: int, cls: Any
) -> None:
    splitter = cls(size, min_chunk_size=least)
    spans = splitter.split_spans(text)
    testing.check_capped(splitter, text)
    testing.check_lossless(splitter, text)
    for before, after in pairwise(spans):
        if min(before.end - before.start, after.end - after.start) < least:
            assert after.end - before.start > size


def test_a_small_chunk_joins_the_neighbour_behind_the_weaker_boundary() -> None:
    text = "# One\n\nAaaa aaaa aaaa.\n\nB.\n\n# Two\n\nCccc cccc cccc."
    chunks = RecursiveSplitter(27, min_chunk_size=5).split_text(text)
    assert chunks == ["# One\n\nAaaa aaaa aaaa.\n\nB.", "# Two\n\nCccc cccc cccc."]


# ------------------------------------------------------------------ larger than the cap


@pytest.mark.parametrize("cls", [*PACKERS, *FILLERS])
def test_a_cluster_above_the_cap(cls: Any) -> None:
    size: Any = {"chunk_size": 3, "length_function": len}
    text = f"ab {FAMILY} cd"
    assert FAMILY in cls(**size, on_oversize="keep").split_text(text)
    split = cls(**size).split_text(text)
    assert "".join(split).replace(" ", "") == f"ab{FAMILY}cd"
    assert max(map(len, split)) <= 3
    with pytest.raises(OversizeError, match=r"at 3\) has 7 units, but chunk_size is 3"):
        cls(**size, on_oversize="raise").split_text(text)


@pytest.mark.parametrize("cls", [*PACKERS, *FILLERS])
@given(text=generators.clusters())
def test_raise_raises_for_clusters_above_the_cap_only(cls: Any, text: str) -> None:
    splitter = cls(chunk_size=12, length_function=len, on_oversize="raise")
    largest = max((len(found) for found in CLUSTER.findall(text)), default=0)
    if largest <= 12:
        splitter.split_text(text)


# ------------------------------------------------------------------ measures that lie


@pytest.mark.parametrize("cls", [*PACKERS, *FILLERS])
@pytest.mark.parametrize("measure", [lying_measure, huge, zero])
@given(
    text=runs_of(testing.texts.FRAGMENTS, 1, 14), size=st.integers(1, 30), part=st.integers(0, 3)
)
def test_a_lying_measure_ends(cls: Any, measure: Any, text: str, size: int, part: int) -> None:
    counting = CountingMeasure(measure)
    splitter = cls(chunk_size=size, chunk_overlap=size * part // 4, length_function=counting)
    splitter.split_text(text)
    # each character may become a chunk, and a chunk is counted a few dozen times at most
    assert counting.calls <= 60 * len(text) + 60
    testing.check_lossless(splitter, text)
    testing.check_sliced(splitter, text)
    testing.check_capped(splitter, text)


def test_overlap_is_counted_with_the_separator_that_stays() -> None:
    text = (
        "Manager: 今天天气很好，我们去公园散步。他说：“走吧！”\n\n"
        "Anna: The pump failed at noon. Nobody noticed!\n\n"
    )
    splitter = RecursiveSplitter(
        5,
        4,
        ["\n\n", "\n", "|", " "],
        keep_separator=False,
        length_function=testing.lying_measure,
        strip_whitespace=False,
    )
    for lead in range(40):  # what lies is a matter of where the text begins
        testing.check_capped(splitter, "x" * lead + text)


# ------------------------------------------------------------------ text repeated in front


class Turns(BaseSplitter):
    """One turn of a dialogue a region; the speaker is repeated in front of what continues a turn."""

    def read(self, text: str) -> Outline:
        found = list(re.finditer(r"^(\w[\w ]*): ", text, re.MULTILINE))
        ends = [*(turn.start() for turn in found[1:]), len(text)][: len(found)]
        regions = [
            Region(turn.start(), end, "prose", {"speaker": turn[1]}, turn[0])
            for turn, end in zip(found, ends, strict=True)
        ]
        return Outline.of(text, [(turn.start(), Strength.BLOCK) for turn in found], regions)


def test_a_prefix_is_repeated_and_counted() -> None:
    text = "Ann: One two three four. Five six seven eight.\nBob: Yes."
    documents = Turns(30).create_documents([text], add_start_index=True)
    assert [d.page_content for d in documents] == [
        "Ann: One two three four.", "Ann: Five six seven eight.", "Bob: Yes.",
    ]  # fmt: skip
    assert [d.metadata["speaker"] for d in documents] == ["Ann", "Ann", "Bob"]
    assert "".join(Turns(30)(text)) == text


@given(generators.transcripts(), st.integers(1, 60), st.integers(0, 3), st.booleans())
def test_a_prefix_keeps_the_contract(text: str, size: int, part: int, strip: bool) -> None:
    splitter = Turns(size, size * part // 4, strip_whitespace=strip)
    testing.check_sliced(splitter, text)
    testing.check_lossless(splitter, text)
    testing.check_capped(splitter, text)
    testing.check_whole_characters(splitter, text)
    testing.check_nested(splitter, text)
    testing.check_overlap(splitter, text, always=False)


# ------------------------------------------------------------------ white space


@given(generators.texts(), st.integers(1, 40), st.sampled_from([*PACKERS, FixedSizeSplitter]))
def test_stripped_chunks_have_no_white_space_at_their_edges(text: str, size: int, cls: Any) -> None:
    for chunk in cls(size).split_text(text):
        # a mark may stand on white space, and a prepended sign before it: then that is a character
        first, *_, last = CLUSTER.findall(chunk) * 2
        assert not first.isspace()
        assert not last.isspace()


def test_indentation_can_be_kept() -> None:
    text = "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n"
    splitter = RecursiveSplitter.from_language("python", chunk_size=45)
    assert splitter.split_text(text) == [
        "class A:\n    def f(self):\n        return 1",
        "    def g(self):\n        return 2",
    ]


# ------------------------------------------------------------------ time

UNITS = {
    "no space": "x", "newlines": "\n", "spaces": " ", "brackets": "([", "one token": " the",
    "marks": "\u0301", "joiners": "\u200d👩", "flags": "🇩", "stops": ".", "quotes": '."',
    "dashes": "a\n---\n", "hashes": "# ", "headings": "# a\n", "fences": "```\n", "pipes": "| a ",
    "Chinese": "中文，", "Thai": "ภาษาไทย", "CR": "\r", "blanks": "\n \n", "surrogates": "\ud800",
    "numbers": "1. ", "dialogue": '"No." ', "lines": "one line\n", "tags": "<b>", "digits": "1,",
}  # fmt: skip
LONG = {name: "a" + unit * (8_000 // len(unit)) for name, unit in UNITS.items()}


def seconds(work: Callable[[], object]) -> float:
    def once() -> float:
        start = time.process_time()
        work()
        return time.process_time() - start

    return min(once() for _ in range(2))


@pytest.mark.parametrize("name", LONG)
@pytest.mark.parametrize("cls", [*PACKERS, FixedSizeSplitter])
def test_eight_times_the_text_takes_about_eight_times_as_long(name: str, cls: Any) -> None:
    """A coarse net for what is quadratic: 64 times. 24 leaves room for a busy machine."""
    splitter = cls(100, 20)
    text = LONG[name]
    once = seconds(lambda: splitter.split_text(text))
    assert seconds(lambda: splitter.split_text(text * 8)) <= 24 * once + 0.2


@pytest.mark.parametrize("name", LONG)
def test_and_in_tokens(name: str) -> None:
    splitter = TokenCountSplitter(10, 100, chunk_overlap=20)
    text = LONG[name]
    once = seconds(lambda: splitter.split_text(text))
    assert seconds(lambda: splitter.split_text(text * 8)) <= 24 * once + 0.2


def test_the_measure_is_asked_for_no_more_than_the_text_and_its_chunks() -> None:
    text = "The pump failed at noon. Nobody noticed it until the crew returned.\n\n" * 300
    counting = CountingMeasure(TiktokenMeasure())
    chunks = RecursiveSplitter(60, length_function=counting).split_text(text)
    assert counting.characters <= 8 * len(text)
    assert counting.calls <= 6 * len(chunks) + len(text) // 500


@pytest.mark.parametrize(
    "text", ["\n" * 20_000, " " * 20_000, "word" + "\n" * 20_000 + "word", " \n\t" * 9000]
)
@pytest.mark.parametrize("name", ["recursive", "sentence", "paragraph", "token", "fixed"])
def test_white_space_that_is_kept_is_counted_a_few_times_only(name, text):
    """A run of white space above the cap belongs to the place behind it, whatever the limit in it."""
    counted = 0

    class Counting(CallableMeasure):
        def __call__(self, some):
            nonlocal counted
            counted += len(some)
            return super().__call__(some)

    measure = Counting(lambda some: -(-len(some) // 30))
    settings = {"max_tokens": 100} if name == "token" else {"chunk_size": 100}
    splitter = registry()[name](length_function=measure, strip_whitespace=False, **settings)
    chunks = splitter.split_text(text)
    assert "".join(chunks) == text
    assert len(chunks) <= 4 * len(text) / 3000
    assert counted < 60 * len(text)


@pytest.mark.parametrize("text", [" " * 50_000, "\n" * 50_000, "word" + " \n" * 25_000 + "word"])
@pytest.mark.parametrize(
    "splitter",
    [
        RecursiveSplitter(100, packing="fill", strip_whitespace=False),
        RecursiveSplitter(100, packing="fill", keep_indentation=True),
        TokenCountSplitter(
            max_tokens=100, min_tokens=0, length_function=len, strip_whitespace=False
        ),
    ],
    ids=["fill", "fill, indented", "token"],
)
def test_white_space_is_looked_at_a_few_times_only(splitter, text, monkeypatch):
    """Filling does not look for the end of a run of white space from each limit in it."""
    looked = 0

    def start_of_content(*arguments: Any, **options: Any) -> int:
        nonlocal looked
        at = content_start(*arguments, **options)
        looked += at - arguments[1]
        return at

    def end_of_run(*arguments: Any) -> Any:
        nonlocal looked
        found = space.match(*arguments)
        looked += len(found.group()) if found else 0
        return found

    content_start, space = filling.content_start, ladder._SPACE
    monkeypatch.setattr(filling, "content_start", start_of_content)
    monkeypatch.setattr(ladder, "_SPACE", SimpleNamespace(match=end_of_run, search=space.search))
    assert "".join("".join(splitter.split_text(text)).split()) == "".join(text.split())
    assert looked < 20 * len(text)
