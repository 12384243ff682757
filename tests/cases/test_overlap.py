"""Overlap: delivered, at most as asked, inside the cap, and it always moves on."""

import itertools

import pytest

from langchain_chunkers import BaseSplitter, SentenceSplitter, SettingError, TiktokenMeasure
from tests.cases.laws import SIZED, check, make

PARAGRAPHS = "\n\n".join(
    f"Paragraph {i} talks about one pump and its seal in some detail." for i in range(6)
)
NINE = " ".join(f"S{i} is a sentence with about nine short words." for i in range(10))
HERE = " ".join(f"Sentence number {i} is right here." for i in range(12))
ANYWHERE = ["fixed", "token", "paragraph", "recursive"]  # "sentence" repeats whole sentences only


def shared(splitter: BaseSplitter, text: str) -> list[str]:
    """Give what each chunk but the first repeats."""
    spans = splitter.split_spans(text)
    return [text[after.start : before.end] for before, after in itertools.pairwise(spans)]


@pytest.mark.parametrize("name", ANYWHERE)
def test_overlap_is_there_across_paragraphs_ovl_01(name):
    splitter = make(name, 80, 20)
    check(splitter, PARAGRAPHS)
    assert all(shared(splitter, PARAGRAPHS))


@pytest.mark.parametrize("name", ANYWHERE)
def test_overlap_is_there_without_any_separator_ovl_02(name):
    assert check(make(name, 5, 2), "abcdefghij") == ["abcde", "defgh", "ghij"]


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("overlap", [1, 10, 30, 50, 59])
def test_cap_holds_with_overlap_ovl_04(name, overlap):
    check(make(name, 60, overlap), NINE)


@pytest.mark.parametrize("name", SIZED)
def test_overlap_is_never_more_than_asked_ovl_05(name):
    splitter = make(name, 80, 10)
    check(splitter, HERE)
    assert max(map(len, shared(splitter, HERE))) <= 10


def test_a_chunk_that_repeats_nothing_is_filled():
    """No sentence fits into an overlap of 10, so none is kept free for it."""
    assert check(SentenceSplitter(80, 10), HERE) == check(SentenceSplitter(80), HERE)
    assert check(SentenceSplitter(5, 2), "abcdefghij") == ["abcde", "fghij"]


def test_sentences_repeat_whole():
    splitter = SentenceSplitter(110, 40)
    check(splitter, HERE)
    repeated = shared(splitter, HERE)
    assert all(found.startswith("Sentence") and found.endswith("here.") for found in repeated)


@pytest.mark.parametrize("name", ANYWHERE)
@pytest.mark.parametrize("size, overlap", [(10, 9), (10, 5), (20, 19), (32, 16)])
@pytest.mark.parametrize(
    "text",
    ["s t umea nooie 6\nL", "r eal  d eedn- 猫byl", "p aïe 好吗d\n#", NINE, PARAGRAPHS],
    ids=["short", "cat", "hash", "nine", "paragraphs"],
)
def test_overlap_is_shortened_before_it_is_dropped(name, size, overlap, text):
    """Where the last character before would fit with what follows, something is repeated."""
    measure = TiktokenMeasure()
    splitter = make(name, size, overlap, length_function=measure)
    check(splitter, text)
    for before, after in itertools.pairwise(splitter.split_spans(text)):
        least = text[before.end - 1 : after.end]
        if before.end <= after.start and before.end - before.start > 1:
            assert measure(least) > size, (before, after)


@pytest.mark.parametrize("name", SIZED)
def test_no_chunk_lies_inside_the_one_before_los_11(name):
    text = " ".join(f"w{i}" for i in range(40))
    splitter = make(name, 32, 16, length_function=TiktokenMeasure())
    check(splitter, text)
    for before, after in itertools.pairwise(splitter.split_spans(text)):
        assert before.start < after.start
        assert before.end < after.end


@pytest.mark.parametrize("overlap", [0.01, "2", 5, -1, True, None])
def test_an_unusable_overlap_is_an_error_when_made_ovl_09(overlap):
    with pytest.raises(SettingError, match="chunk_overlap must be"):
        make("recursive", 5, overlap)


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("overlap", [0, 1])
def test_a_small_overlap_is_no_crash_ovl_09(name, overlap):
    check(make(name, 5, overlap), "hello world and more")
