"""Dialogue: turns in every format, whole, with their speakers; and what is no dialogue."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, HumanMessage, SystemMessage

from langchain_chunkers import testing
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.readers.dialogue import Turns, read_dialogue
from langchain_chunkers.strategies.dialogue import DialogueSplitter
from tests.generators_documents import dialogues
from tests.golden_documents import check_golden, prove, text_of

GOLDEN: dict[str, dict[str, Any]] = {
    "meeting.txt": {"chunk_size": 400, "overlap_turns": 1},
    "ultrachat_torn.txt": {"chunk_size": 600},
    "captions.vtt": {"chunk_size": 110},
    "subtitles.srt": {"chunk_size": 110},
    "thread.eml.txt": {"chunk_size": 160},
    "outlook.txt": {"chunk_size": 140},
    "whatsapp_en.txt": {"chunk_size": 120},
    "interview.txt": {"chunk_size": 130},
    "slack_copy.txt": {"chunk_size": 60},
}


@pytest.mark.parametrize("document", GOLDEN)
def test_golden_documents(document: str) -> None:
    text = text_of("dialogue", document)
    prove(
        lambda **params: DialogueSplitter(**{**GOLDEN[document], **params}),
        text[:3_000] if document == "meeting.txt" else text,
    )
    check_golden("dialogue", document, DialogueSplitter(**GOLDEN[document]))


def turns(text: str) -> list[tuple[str, str]]:
    """List speaker and words of each turn."""
    outline = read_dialogue(text)
    if not isinstance(outline.notes, Turns):
        return []
    found = outline.notes.turns
    ends = [*(turn.start for turn in found[1:]), len(outline.text)]
    return [
        (turn.speaker, outline.text[turn.body : end].strip())
        for turn, end in zip(found, ends, strict=True)
    ]


SPEAKERS = {
    "whatsapp_en.txt": ["", "", "Ana", "Ben Okafor", "+351 912 345 678", "Ana"],
    "whatsapp_ios_de.txt": ["Ana", "Ana", "Ben", "Clara"],
    "whatsapp_es.txt": ["Ana", "Benito", "Ana"],
    "kakao_ko.txt": ["지은", "민수", "지은"],
    "irc.txt": ["", "ann", "ben", "carol", "ann"],
    "irc_plain.txt": ["ann", "ben", "carol", "carol", "ben"],
    "slack_copy.txt": ["Ann Bell", "Ben Okafor", "Ann Bell"],
    "discord_copy.txt": ["ann", "ben", "ann"],
    "discord_export.txt": ["ann#1234", "ben#0001"],
    "zoom.txt": ["Ann Bell", "Ben Okafor", "Ann Bell"],
    "interview.txt": ["INTERVIEWER", "MS. BELL", "INTERVIEWER", "MS. BELL"],
    "bold.md": ["Moderator", "Dr. Ruiz", "Moderator", "Dr. Ruiz"],
    "chinese.txt": ["主持人", "王女士", "主持人", "王女士"],
    "captions.vtt": ["Ann Bell", "Ann Bell", "Ben"],
    "subtitles.srt": ["", "", ""],
    "thread.eml.txt": ["Ann Bell", "Ben Okafor", "Ann Bell", "Ben Okafor", "Ann Bell", "Ben Okafor", "Ann Bell"],
    "outlook.txt": ["", "Ben Okafor", "Ann Bell"],
    "openai.json": ["system", "user", "assistant", "assistant"],
    "slack_export.json": ["Ann Bell", "U02"],
    "discord_export.json": ["ann", "Ben O."],
    "conversations.jsonl": ["user", "assistant", "user", "assistant"],
    "chatml.txt": ["system", "user", "assistant"],
    "whisper.txt": ["", "", ""],
    "two_lines.txt": ["Anna", "Ben"],
}  # fmt: skip


@pytest.mark.parametrize("document", SPEAKERS)
def test_every_format_is_found(document: str) -> None:
    assert [speaker for speaker, _ in turns(text_of("dialogue", document))] == SPEAKERS[document]


def test_what_is_said() -> None:
    assert turns(text_of("dialogue", "whatsapp_en.txt"))[3] == (
        "Ben Okafor",
        "I do.\nIt is the blue one: see the photo.",
    )
    assert turns(text_of("dialogue", "slack_copy.txt"))[1][1] == "Both. The list:\n• black\n• green"
    assert turns(text_of("dialogue", "openai.json"))[1:] == [
        ("user", 'Is there tea?\nAnd "milk"?'), ("assistant", "Yes: black, green."), ("assistant", 'pour({"tea": "green"})'),
    ]  # fmt: skip
    assert turns(text_of("dialogue", "thread.eml.txt"))[4] == ("Ann Bell", "Green, as I said.")


@pytest.mark.parametrize(
    "text",
    [
        "", "Hello", "Note: mind the gap.\nSee http://a.b and https://c.d.\n", "Dear Sir:\n\nI write to you.\n\nYours\n",
        "Name: John\nAge: 30\nCity: Paris\n", "Ingredients:\n- tea\n\nSteps:\n1. Brew.\n", "Figure 1: A pot.\nText.\nFigure 2: A cup.\n",
        "10:30 Coffee\n11:00 Tea\n12:00 Lunch\n", "# Title: one\n\nText.\n\n# Title: two\n\nText.\n", "key: value\nother: value\n",
        "He said this: go.\nShe said that: stay.\nIt was late and they went home.\n", "<p> a\n</p> b\n", "The only one: it stands alone.\n",
        "Warning: hot.\nWarning: very hot.\nThe rest is prose that goes on and on.\n", "* item one\n* item two\n", "> quoted\n\nand text\n",
        '{"a": [1, 2, {"content": "x"}]}', '[{"role": "user"', "[" * 500, '{"text": "x", "name": "y"}',
        "Input: 3\nOutput: 4\n\nInput: 5\nOutput: 6\n", "TODO: this\nFIXME: that\nTODO: these\n", "a --> b\nb --> c\n",
    ],
)  # fmt: skip
def test_what_is_no_dialogue(text: str) -> None:
    assert turns(text) == []
    assert "".join(DialogueSplitter(20, strip_whitespace=False)(text)) == text


def test_turns_are_whole_and_a_question_stays_with_its_answer() -> None:
    text = "Ann: I am here now.\nBen: So am I.\nAnn: Is there tea?\nBen: Yes, there is.\n"
    assert DialogueSplitter(55).split_text(text) == [
        "Ann: I am here now.\nBen: So am I.", "Ann: Is there tea?\nBen: Yes, there is.",
    ]  # fmt: skip
    text = "Ann: Hello.\nBen: Is there any tea?\nAnn: Yes, there is.\n"
    assert DialogueSplitter(45).split_text(text) == [
        "Ann: Hello.",
        "Ben: Is there any tea?\nAnn: Yes, there is.",
    ]
    assert (
        DialogueSplitter(45, keep_questions=False).split_text(text)[0]
        == "Ann: Hello.\nBen: Is there any tea?"
    )


def test_a_long_turn_goes_on_with_its_speaker() -> None:
    text = "Ann: Tea?\nBen: " + "I said it before. " * 8 + "\nAnn: Yes.\n"
    documents = DialogueSplitter(60).create_documents([text])
    long = [d for d in documents if d.metadata["turn_start"] == 2]
    assert len(long) > 2
    assert all(d.page_content.startswith("Ben: I said") for d in long)
    assert [d.metadata.get("prefix") for d in long[1:]] == ["Ben: "] * (len(long) - 1)


def test_no_cap_is_a_chunk_a_turn() -> None:
    text = text_of("dialogue", "meeting.txt")
    chunks = DialogueSplitter(None).split_text(text)
    assert len(chunks) == len(text.strip().splitlines())


def test_overlap_is_whole_turns() -> None:
    text = "".join(f"{name}: Words number {i}.\n" for i, name in enumerate(["Ann", "Ben"] * 10))
    for count in (1, 2):
        spans = DialogueSplitter(160, chunk_overlap=60, overlap_turns=count).split_spans(text)
        for span in spans[1:]:
            assert text[span.start : span.fresh].count("\n") == count
    one = DialogueSplitter(160, overlap_turns=1).split_spans(text)
    assert all(text[s.start : s.fresh].count("\n") == 1 for s in one[1:])
    assert all(
        s.start == s.fresh for s in DialogueSplitter(160, 60, overlap_turns=0).split_spans(text)
    )


def test_metadata() -> None:
    documents = DialogueSplitter(110).create_documents([text_of("dialogue", "captions.vtt")])
    assert documents[-1].metadata == {
        "speakers": ["Ben"], "turn_start": 2, "turn_end": 2, "time_start": "00:00:04.200", "time_end": "00:00:06.000",
    }  # fmt: skip
    one = (
        DialogueSplitter(5_000)
        .create_documents([text_of("dialogue", "whatsapp_en.txt")])[0]
        .metadata
    )
    assert one["speakers"] == ["Ana", "Ben Okafor", "+351 912 345 678"]
    assert (one["turn_start"], one["turn_end"]) == (1, 6)
    assert (one["time_start"], one["time_end"]) == ("12/31/23, 11:58 PM", "1/1/24, 12:03 AM")


def test_a_pattern_of_ones_own() -> None:
    text = "#ann@10 Is it?\n#ben@11 It is.\n"
    documents = DialogueSplitter(
        20, turn_pattern=r"^#(?P<speaker>\w+)@(?P<time>\d+) "
    ).create_documents([text])
    assert [(d.page_content, d.metadata["speakers"], d.metadata["time_start"]) for d in documents] == [
        ("#ann@10 Is it?", ["ann"], "10"), ("#ben@11 It is.", ["ben"], "11"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "settings",
    [
        {"turn_pattern": "("},
        {"turn_pattern": ""},
        {"turn_pattern": 3},
        {"overlap_turns": -1},
        {"overlap_turns": True},
        {"overlap_turns": 1, "chunk_size": None},
    ],
)
def test_bad_settings_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(SettingError, match=next(iter(settings))):
        DialogueSplitter(**settings)


def test_messages_become_text() -> None:
    messages = [
        SystemMessage("Be kind."),
        HumanMessage([{"type": "text", "text": "Tea?"}]),
        AIMessage("Yes."),
        {"role": "user", "content": "Now."},
    ]
    text = DialogueSplitter.text_of(messages)
    assert turns(text) == [
        ("system", "Be kind."),
        ("human", "Tea?"),
        ("ai", "Yes."),
        ("user", "Now."),
    ]
    with pytest.raises(InputError, match="int"):
        DialogueSplitter.text_of([3])


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["user", "assistant", "ann"]),
            st.text(st.characters(exclude_categories=("Cs",))),
        ),
        min_size=2,
    )
)
def test_json_is_read_as_it_was_written(said: list[tuple[str, str]]) -> None:
    messages = [{"role": role, "content": words} for role, words in said]
    expected = "\n\n".join(f"{role}: {words.strip()}" for role, words in said)
    for written in (
        json.dumps(messages),
        json.dumps(messages, ensure_ascii=False, indent=1),
        "\n".join(map(json.dumps, messages)),
        repr(messages),
    ):
        outline = read_dialogue(written)
        assert outline.text == expected
        assert len(outline.notes.turns) == len(said)


@given(
    st.lists(
        st.sampled_from(["Yes.", "Is there tea?", "One.\n\nTwo.", "Words. " * 5]),
        min_size=2,
        max_size=12,
    ),
    st.integers(45, 120),
)
def test_turns_that_fit_are_never_cut(said: list[str], size: int) -> None:
    text = "\n".join(
        f"{'Ann' if i % 2 else 'Ben'}: {words}" for i, words in enumerate(said + ["Yes."] * 4)
    )
    spans = DialogueSplitter(size).split_spans(text)
    found = [m.start() for m in re.finditer(r"^(?:Ann|Ben): ", text, re.MULTILINE)]
    for start, end in zip(found, [*found[1:], len(text)], strict=True):
        assert any(
            s.start <= start and start + len(text[start:end].rstrip()) <= s.end for s in spans
        )


def test_depth_costs_no_recursion() -> None:
    for text in (
        "[" * 100_000,
        '{"content":' * 50_000,
        ">" * 100_000 + " a\n" + "b\n",
        '[{"role": "a", "content": ' + "[" * 50_000,
    ):
        assert DialogueSplitter(50, strip_whitespace=False)(text)[0]


@given(dialogues())
def test_reading_is_pure(text: str) -> None:
    assert read_dialogue(text) == read_dialogue(text)


@given(dialogues(), st.integers(1, 120))
def test_without_overlap_no_two_chunks_could_have_been_one(text: str, size: int) -> None:
    testing.check_filled(DialogueSplitter(size), text)


@pytest.mark.parametrize("document", SPEAKERS)
def test_windows_newlines_change_nothing(document: str) -> None:
    text = text_of("dialogue", document).replace("\n", "\r\n")
    assert [speaker for speaker, _ in turns(text)] == SPEAKERS[document]
