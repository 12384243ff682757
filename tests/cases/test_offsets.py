"""Offsets are those of this very occurrence, whatever repeats, overlaps or is counted in tokens."""

import pytest

from langchain_chunkers import RecursiveSplitter, TiktokenMeasure
from tests.cases.laws import SIZED, check, make

CASES = {
    "idx-01": (
        "The quick brown fox jumps over the lazy dog while the patient turtle watches from the shade. "
        * 3,
        10,
        5,
        "tokens",
    ),
    "idx-02": (
        " ".join(
            f"Item {i}: stock level is fine and reorder is not required today." for i in range(12)
        ),
        24,
        8,
        "tokens",
    ),
    "idx-03": ("panda panda", 5, 4, "characters"),
    "idx-04": ("ok\n" * 20 + "end", 12, 2, "characters"),
    "idx-06": (
        "Gauge reads low.  Valve opens wide. Pump runs dry. Alarm sounds twice. Crew arrives.",
        4,
        1,
        "words",
    ),
    "idx-08": ("Größe prüfen: äöü ß 猫 🚀 naïve façade. " * 4, 5, 2, "tokens"),
    "idx-09": ("AAA  BBB\tCCC   DDD", 12, 0, "characters"),
    "idx-12": (
        '# café ☕ setup\nimport os\n\ndef one():\n    return "é"\n\ndef two():\n    return 2\n',
        40,
        0,
        "characters",
    ),
}


def words(text):
    return len(text.split())


def measure_of(unit):
    return {"characters": len, "words": words}.get(unit) or TiktokenMeasure()


@pytest.mark.parametrize("strips", [True, False], ids=["", "not stripped"])
@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", CASES)
def test_offsets_are_exact_and_cover_the_text(case, name, strips):
    text, size, overlap, unit = CASES[case]
    splitter = make(name, size, overlap, length_function=measure_of(unit), strip_whitespace=strips)
    check(splitter, text)


def test_two_pandas_are_two_places_idx_03():
    spans = RecursiveSplitter(5, 4, separators=[" ", ""]).split_spans("panda panda")
    assert [tuple(span) for span in spans] == [(0, 5), (6, 11)]


@pytest.mark.parametrize("pattern", [r"\s+", r"(\s)+", r"(?=\s)"])
@pytest.mark.parametrize("keep", [True, False, "start", "end"])
def test_regex_separators_leave_slices_idx_09(pattern, keep):
    splitter = RecursiveSplitter(
        12, separators=[pattern], is_separator_regex=True, keep_separator=keep
    )
    check(splitter, CASES["idx-09"][0])


def test_offsets_of_code_are_characters_not_bytes_idx_12():
    text = CASES["idx-12"][0]
    splitter = RecursiveSplitter.from_language("python", chunk_size=40)
    documents = splitter.create_documents([text], add_start_index=True)
    assert len(documents) > 1
    for document in documents:
        start, end = document.metadata["start_index"], document.metadata["end_index"]
        assert text[start:end] == document.page_content
        assert type(start) is int


@pytest.mark.parametrize("name", SIZED)
def test_sizes_in_words_hold_idx_06(name):
    for overlap in (0, 1, 2, 3):
        check(make(name, 4, overlap, length_function=words), CASES["idx-06"][0])
