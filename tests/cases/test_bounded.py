"""Sizes that would never end if anything were quadratic, recursive, or stood still.

No clocks here: the benchmarks measure. What is asserted is that it ends, and ends right.
"""

import itertools

import pytest

from langchain_chunkers import RecursiveSplitter, TiktokenMeasure
from tests.cases.laws import SIZED, check, make

SMALL = {
    "hang-02": ("aZ9_" * 150, 20, 5, "tokens"),
    "hang-03": ("foo  bar   baz    qux", 3, 0, "tokens"),
    "hang-04": (
        "| " + "word " * 30 + "|\n| --- |\n| " + "cell " * 28 + "|",
        32,
        8,
        "tokens",
    ),
    "hang-05": ("abc\n" * 60, 50, 49, "characters"),
}


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", SMALL)
def test_ends_and_moves_on(case, name):
    text, size, overlap, unit = SMALL[case]
    measure = len if unit == "characters" else TiktokenMeasure()
    for tried in {overlap, 0, 1, size - 1}:
        check(make(name, size, tried, length_function=measure), text)


HUGE = {
    "perf-01": "a" * 40_000,
    "rec-02": "a" * 150_000,
    "perf-03": "start" + "\n" * 300_000 + " " * 300_000 + "end",
    "perf-04": "0123456789abcdef" * 6_000,
    "perf-05": "\n\n".join(f"p{i:06d} text text" for i in range(40_000)),
    "brackets": "[" * 100_000,
    "marks": "e" + "\u0301" * 50_000,
    "headings": "# x\n" * 12_000,
    "fences": "```\n" * 12_000,
    "stops": "." * 100_000,
    "quotes": '"' * 100_000,
    "commas": ", " * 25_000,
    "CR": "\r" * 100_000,
    "thai": "ก" * 25_000,
    "flags": "🇵🇹" * 20_000,
    "joiners": "\u200d" * 50_000,
    "hangul": "\u1100" * 50_000,
    "slashes": "a/" * 25_000,
    "dashes": "a\n--\n" * 8_000,
    "indented": (" " * 2_000 + "\n") * 50,
}


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", HUGE)
def test_huge_and_monotonous(case, name):
    text = HUGE[case]
    spans = make(name, 1000, on_oversize="split").split_spans(text)
    assert all(0 < end - start <= 1000 for start, end in spans)
    assert sum(len(text[a:b].strip()) > 0 for a, b in spans) == len(spans)
    done = 0
    for start, end in spans:
        assert not text[done:start].strip()
        done = end
    assert not text[done:].strip()


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", ["perf-03", "perf-04", "perf-05", "rec-02", "flags", "CR"])
def test_huge_in_tokens(case, name):
    text = HUGE[case][:200_000]
    measure = TiktokenMeasure()
    chunks = make(name, 256, length_function=measure).split_text(text)
    assert all(measure(chunk) <= 256 for chunk in chunks[:: max(1, len(chunks) // 50)])
    assert "".join("".join(chunks).split()) == "".join(text.split())


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("size, overlap", [(8000, 0), (8000, 7900), (1000, 900), (1000, 999)])
def test_large_chunks_and_overlaps_perf_01(name, size, overlap):
    text = "a" * (40_000 if overlap <= 900 else 1_300 + overlap)
    spans = make(name, size, overlap).split_spans(text)
    assert spans[0].start == 0
    assert spans[-1].end == len(text)
    assert all(end - start <= size for start, end in spans)
    assert all(a.start < b.start <= a.end < b.end for a, b in itertools.pairwise(spans))


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_tiny_caps(name, size):
    for text in ("hello world. 你好。👍🏽", "a\n\nb\r\nc", "e\u0301" * 5):
        check(make(name, size, size - 1), text)
        check(make(name, size, length_function=TiktokenMeasure()), text)


def test_many_separators_do_not_recurse():
    separators = [chr(0x4E00 + i) for i in range(1_500)]
    check(RecursiveSplitter(10, separators=separators), "abc def ghi jkl mno pqr" * 5)


def test_a_separator_that_matches_nothing_ends_hang():
    for pattern in ("", "x*", r"\b", "(?=a)", "(?:)", "^", "$"):
        splitter = RecursiveSplitter(5, separators=[pattern], is_separator_regex=True)
        check(splitter, "banana bandana cabana")
