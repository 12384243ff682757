"""Where sentences end: a gold set in 27 languages, and laws that hold for any text."""

from __future__ import annotations

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
import regex
from hypothesis import example, given
from hypothesis import strategies as st

from langchain_chunkers.sentences import sentence_places

GOLD = json.loads((Path(__file__).parent / "data" / "sentences.json").read_text("utf-8"))
LANGUAGES = sorted({entry["lang"] for entry in GOLD})

KNOWN_WRONG: dict[str, str] = {}
"""Texts of the gold set that come out wrong, and why. An improvement must take its entry out."""

# What ordinary documents have and the gold set has not; "‖" is where a sentence begins.
ORDINARY = [
    ("api-03", "Dr. Rao met Mr. Silva at 5.30 p.m. in St. Ives. ‖They left."),
    ("a citation", "It was seen before (Benson et al. 2002). ‖We saw it too (see Fig. 2)."),
    ("an author's initial", "By Michael E. Mann, Raymond S. Bradley and H. Simon. ‖They agreed."),
    (
        "a word like an abbreviation",
        "He wore red. ‖The sun was up. ‖It was a gem. ‖She is 25. ‖He is 3.",
    ),
    ("an answer", "Is it so? ‖No. ‖I think not. ‖Yes. ‖OK. ‖I see. ‖Mm. ‖So be it."),
    (
        "capitals, no title",
        "Europa era bosque en 13.000 BP. ‖Para 9.000 BP ya no. ‖She has MS. ‖It hurts.",
    ),
    ("a spaced ellipsis", "I am here to . . . submit. ‖I will . . . go now."),
    ("an ellipsis at the start", "He stopped. ‖...and then he spoke."),
    ("a reference mark", "Cats sleep.[1] ‖Dogs do not.[12][a] ‖They bark."),
    ("items in a line", "They had to (a) wait. ‖(b) They left. ‖Steps: 1. Open it. ‖2. Close it."),
    ("an item of a list", "To buy\n- milk\n‖- bread\n‖- eggs"),
    ("a numbered list", "Then:\n‖1. Open the file.\n‖2. Close it.\n‖10. Rest."),
    ("a wrapped dash", "He went to the house\n- an old one - and sat down."),
    ("a wrapped number", "It was written in\n1914. ‖Nobody read it."),
    ("a table row", "All is well.\n‖| a | b |"),
    ("a title inside a paragraph", "We went to\nGreat Britain\nIt rained."),
    ("lines of old Macs", "Introduction\r\r‖It is short. ‖It\rends."),
    ("no capitals", "the company grew. ‖revenue rose in 2003. ‖costs fell, e.g. those of food."),
    ("a small name", "She likes tea. ‖macOS is new. ‖„iPhone“ auch."),
    ("a small letter in Japanese", "図は移り変わりを表している。‖hは高さである。‖radikoで聴ける。"),
    ("an open quotation", "「日本共産党万歳!」と声明した。‖「二度と呼ぶな！」とアルマに言った。"),
    ("two scripts of marks", "问题是什么？！‖“走吧！”的声音很大。‖好！‖完。"),
    ("Vietnamese words of one letter", "Họ ở ngoại ô. ‖Sau đó họ về nhà ở. ‖Xây nhà."),
    ("Korean words of one letter", "네. ‖알겠습니다. ‖또. ‖그는 갔다."),
    ("Hindi with full stops", "राम घर गया. ‖सीता वहीं रही. ‖सब खुश थे."),
    ("Georgian, all small to Unicode", "ეს სახლია. ‖ის დიდია. ‖კარგი."),
    ("German ordinals", "Am 20. September kam er. ‖Der 3. und 4. Band fehlen. ‖Es sind 5. ‖Gut."),
    ("Russian units", "Он жил до 1837 г. ‖Потом в г. Москве. ‖Закон принят им. ‖Он ушёл."),
    ("an Ethiopic stop of two signs", "ሰላም ነው፡፡ ‖ደህና ነኝ፡፡"),
    ("emoji, no space", "Done!👍🏽 ‖Next. 🇩🇪 ‖Ja."),
    ("markdown", "It is **bold.** ‖Then *e.g.* this. ‖Use `a.b`. ‖`x` is set."),
    (
        "a web address",
        "See https://a.b/c.d?e=f. ‖Write to a.b@c.d! ‖It is 10:30 a.m. ‖The bus left.",
    ),
]

# Ends that are not found, or found where none is: what the module's limits cost. A change of the
# rules that mends one moves it up.
LIMITS = [
    ("a letter is an initial", "It was caused by toxin B. Rho proteins matter."),
    ("a name, not an end", "Es war in EE. UU. ‖Shaun Donovan kam."),
    ("Thai marks no sentences", "เขามา. เธอไป."),
    ("an ellipsis behind a stop is one run with it", "他停了。……然后说话。"),
    ("chat beside capitals", "I think so. yeah me too."),
]


def split(text: str) -> list[str]:
    places = [0, *sentence_places(text, 0, len(text)), len(text)]
    return [text[a:b] for a, b in pairwise(places)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_gold_set(language: str) -> None:
    entries = [entry for entry in GOLD if entry["lang"] == language]
    wrong = {e["text"]: (split(e["text"]), e["note"]) for e in entries}
    for entry in entries:
        if entry["text"] in KNOWN_WRONG or wrong[entry["text"]][0] == entry["sentences"]:
            del wrong[entry["text"]]
    assert not wrong


def test_the_known_wrong_are_wrong() -> None:
    gold = {entry["text"]: entry["sentences"] for entry in GOLD}
    assert set(KNOWN_WRONG) <= set(gold)
    right = [text for text in KNOWN_WRONG if split(text) == gold[text]]
    assert not right, "right by now: take them out of KNOWN_WRONG"


@pytest.mark.parametrize("marked", [m for _, m in ORDINARY], ids=[n for n, _ in ORDINARY])
def test_ordinary_text(marked: str) -> None:
    assert "‖".join(split(marked.replace("‖", ""))) == marked


@pytest.mark.parametrize("marked", [m for _, m in LIMITS], ids=[n for n, _ in LIMITS])
def test_limits(marked: str) -> None:
    """What is known to come out so, though a reader would say otherwise."""
    assert "‖".join(split(marked.replace("‖", ""))) == marked


# ------------------------------------------------------------------ laws

PIECES = st.sampled_from(
    [entry["text"] for entry in GOLD]
    + [
        ". ",
        "! ",
        "...",
        " . ",
        "… ",
        "\n",
        "\r\n",
        "\r",
        "\n\n",
        "\u2029",
        " ",
        "—",
        "- ",
        "• ",
        "1. ",
    ]
    + [
        "A",
        "Dr",
        "z",
        "12",
        "2020",
        "word",
        "Word",
        "i",
        "“",
        "”",
        "’s",
        "«",
        "»",
        "(",
        ")",
        "[12]",
    ]
    + [
        "。",
        "！",
        "」",
        "「",
        "《",
        "你",
        "と",
        "다",
        "की",
        "।",
        "د",
        "ა",
        "፡",
        "၁",
        "။",
        "α;",
        ":-)",
        "😀",
    ]
    + [
        "👍🏽",
        "🇩🇪",
        "\u0301",
        "\ufe0f",
        "\u200d",
        "\u0e33",
        "\uff9e",
        "\ud800",
        "\0",
        "Getting Started\n",
    ]
    + [
        "\r" + " " * 70,
        " " * 300,
        "\n" + " " * 260,
        "." * 330,
        '"' * 330,
        "small letters here. only",
    ]
)
HOSTILE_TEXT = st.lists(PIECES | st.text(max_size=4), max_size=30).map("".join)

FAR = "word " * 70  # so that what is looked at does not reach the start of the text


@given(HOSTILE_TEXT, st.data())
@example(FAR + "a." + " " * 300 + "B", None)
@example(FAR + "a" + "." * 400 + " B", None)
@example(FAR + "a." + '"' * 310 + " B", None)
@example(FAR + "a\n" + " " * 300 + "\n" + " " * 100 + "b", None)
@example(FAR + "a:\n" + " " * 260 + "\n- c", None)
@example(FAR + "a.[123] B", None)
def test_the_same_in_each_window(text: str, data: st.DataObject | None) -> None:
    whole = sentence_places(text, 0, len(text))
    if data is None:
        windows = [(at, len(text)) for at in range(len(text))]
    else:
        at = st.integers(0, len(text))
        windows = [tuple(sorted(data.draw(st.tuples(at, at)))) for _ in range(5)]
    for start, end in windows:
        assert sentence_places(text, start, end) == [p for p in whole if start < p < end]


@given(HOSTILE_TEXT)
def test_places_ascend_inside(text: str) -> None:
    places = sentence_places(text, 0, len(text))
    assert places == sorted(set(places))
    assert all(0 < place < len(text) for place in places)


@given(HOSTILE_TEXT)
@example("Ja. \u0301b")
@example("x\n\n \u0301b")
@example("。\uff9e好")
def test_no_place_is_inside_a_grapheme_cluster(text: str) -> None:
    ends = {cluster.end() for cluster in regex.finditer(r"\X", text)}
    assert set(sentence_places(text, 0, len(text))) <= ends


@given(HOSTILE_TEXT)
def test_a_blank_line_ends_a_sentence(text: str) -> None:
    joined = text + "x\n\nA"
    assert len(joined) - 1 in sentence_places(joined, 0, len(joined))


@pytest.mark.parametrize(
    "unit",
    [
        ".",
        '?"',
        " . . .",
        "a.b.c.",
        "1. ",
        ". ",
        "A. ",
        "z. B. ",
        "etc. ",
        "... ",
        ".\n",
        "\n",
        "\n- a",
        "A.\n- ",
        "\r",
        " ",
        '"',
        ".)",
        "。",
        "《。",
        "。」",
        "“‘",
        "ល។",
        "၁။",
        "न. ",
        "፡",
        ".😀",
        ":-) ",
        ".[1]",
        "�. ",
        "\x00. ",
        "a.́ ",
        "word. word ",
        "." + " " * 300,
        "Aa ",
        "(a. ",
    ],
)
def test_hostile_text_takes_linear_time(unit: str) -> None:
    """A text four times as long may take four times as long, and some for the noise; never 16."""
    seconds = []
    for length in (50_000, 200_000):
        text = unit * (length // len(unit))
        begun = time.process_time()
        sentence_places(text, 0, len(text))
        seconds.append(time.process_time() - begun)
    # Squares would take minutes; the rest is room for other work on the machine.
    assert seconds[1] < 10 * seconds[0] + 0.5
    assert seconds[1] < 10
