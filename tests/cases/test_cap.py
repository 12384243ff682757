"""No chunk above the cap, in the user's unit, overlap and all included."""

import itertools

import pytest

from langchain_chunkers import RecursiveSplitter, TiktokenMeasure
from tests.cases.laws import SIZED, check, make

ROWS = [f"Row {i} holds a moderately long line of text for the ledger" for i in range(60)]
BARE = {  # id of the case: text, size, overlap, tokens or characters
    "cap-01": ("alpha beta gamma delta " * 60, 100, 0, "characters"),
    "cap-03": (
        "No full stop here just a long clause that keeps going with many words and never ends " * 4
        + ". Short one.",
        16,
        0,
        "tokens",
    ),
    "cap-04": ("ab   cd   ef   gh   ij   kl   mn   op", 6, 3, "characters"),
    "cap-05": (
        " ".join(f"The kiln is fired at cone six for ten hours number {i}." for i in range(200)),
        200,
        0,
        "tokens",
    ),
    "cap-06": (
        "令和六年度の予算編成において、各部局は歳出の見直しを行うものとする。" * 40,
        500,
        0,
        "tokens",
    ),
    "cap-08": ("\n".join([*ROWS, "w" * 3000]), 32, 4, "tokens"),
    "cap-09": ("supercalifragilistic " * 6 + "end.\n\ntiny tail.", 140, 0, "characters"),
    "cap-10": (
        "| Col 0 | Col 1 |\n|---|---|\n"
        + "".join(f"| cell {i} a | cell {i} b |\n" for i in range(40)),
        64,
        0,
        "tokens",
    ),
    "cap-11": ("const a=1;" * 300, 200, 0, "characters"),
    "cap-18": ("\n".join([*ROWS[:20], "w" * 3000]), 32, 0, "tokens"),
    "emp-03": ("a\n\nb\n\nc\n" + "long enough line of text here " * 6, 64, 0, "characters"),
    "los-05": ("# " + "very long heading word " * 40 + "\n\nBody text.", 32, 0, "tokens"),
}


@pytest.mark.parametrize("least", [0, 4], ids=["", "min_chunk_size"])
@pytest.mark.parametrize("strips", [True, False], ids=["", "not stripped"])
@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", BARE)
def test_cap_holds(case, name, strips, least):
    text, size, overlap, unit = BARE[case]
    measure = len if unit == "characters" else TiktokenMeasure()
    splitter = make(
        name,
        size,
        overlap,
        length_function=measure,
        strip_whitespace=strips,
        min_chunk_size=least,
    )
    count = len if unit == "characters" else splitter._measure._encoding.encode_ordinary
    for chunk in check(splitter, text):
        assert (len(chunk) if unit == "characters" else len(count(chunk))) <= size


@pytest.mark.parametrize("separators", [["\n\n"], ["#"], [], [""]], ids=repr)
def test_an_absent_separator_does_not_lift_the_cap_cap_01(separators):
    chunks = check(RecursiveSplitter(100, separators=separators), BARE["cap-01"][0])
    assert all(len(chunk) <= 100 for chunk in chunks)
    assert set(" ".join(chunks).split(" ")) == {"alpha", "beta", "gamma", "delta"}


@pytest.mark.parametrize("language", ["js", "ts", "python", "html", "markdown", "cobol", "perl"])
def test_minified_code_is_divided_cap_11(language):
    chunks = check(RecursiveSplitter.from_language(language, chunk_size=200), "const a=1;" * 300)
    assert max(map(len, chunks)) <= 200


@pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
def test_a_small_tail_joins_by_the_same_measure_cap_09(name):
    text = BARE["cap-09"][0]
    assert len(check(make(name, 140, min_chunk_size=40), text)) == 2
    assert len(check(make(name, len(text) - 1, min_chunk_size=40), text)) == 2
    assert check(make(name, len(text), min_chunk_size=40), text) == [text]


@pytest.mark.parametrize("name", ["paragraph", "recursive"])
def test_a_small_tail_joins_its_neighbour_where_both_fit(name):
    paragraphs = ["First paragraph, quite long enough.", "Second, also long enough here.", "End."]
    text = "# Long\n\n" + "\n\n".join(paragraphs) + "\n\n# Tiny\n\nx"
    for chunk in check(make(name, 80, min_chunk_size=20), text):
        assert len(chunk) >= 20


@pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive", "token"])
def test_no_runt_at_the_end(name):
    """Nine sentences of which eight fit: 5 and 4, not 8 and 1."""
    text = " ".join(["Nineteen characters"[:18] + "."] * 9)
    lengths = [len(chunk) for chunk in check(make(name, 160), text)]
    assert len(lengths) == 2
    assert min(lengths) > 60


def test_the_last_word_of_a_heading_is_not_lost_los_05():
    text, size, overlap, _ = BARE["los-05"]
    chunks = check(make("recursive", size, overlap, length_function=TiktokenMeasure()), text)
    assert "Body text." in chunks[-1]
    assert "".join("".join(chunks).split()) == "".join(text.split())


def test_chunks_are_as_few_as_whole_rows_allow():
    measure = TiktokenMeasure()
    chunks = check(make("recursive", 32, length_function=measure), "\n".join(ROWS))
    assert all(row in chunk for chunk in chunks for row in chunk.split("\n") if row)
    for before, after in itertools.pairwise(chunks):
        assert measure(before + "\n" + after) > 32
