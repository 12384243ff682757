"""Pages of loaders joined, and chunks that know their pages."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document

from langchain_chunkers import InputError, RecursiveSplitter, SentenceSplitter
from langchain_chunkers.integrations.pages import JoinPages, MarkPages, split_pages
from tests import generators


def pages(*texts, source="a.pdf", first=1):
    return [
        Document(page_content=text, metadata={"source": source, "page": first + number, "total": 9})
        for number, text in enumerate(texts)
    ]


def joined(*texts, **options):
    (whole,) = JoinPages(**options).transform_documents(pages(*texts))
    return whole


@pytest.mark.parametrize(
    "texts,whole",
    [
        (("The pump was re-", "placed in May."), "The pump was replaced in May."),
        (("The pump was re\u00ad", "placed in May."), "The pump was replaced in May."),
        (("It is well-known. A well-", "known pump."), "It is well-known. A well-known pump."),
        (("The pump failed,", "and nobody saw it."), "The pump failed, and nobody saw it."),
        (("It failed.", "The crew came."), "It failed.\n\nThe crew came."),
        (("A heading", "The crew came."), "A heading\n\nThe crew came."),
        (("水泵坏了，我们", "昨天修好了它。"), "水泵坏了，我们昨天修好了它。"),
        (("The parts:", "- a seal\n- a valve"), "The parts:\n\n- a seal\n- a valve"),
        (("The exam-\nple is here.", ""), "The example is here."),
        (("", "Only this."), "Only this."),
        (("", ""), ""),
    ],
)
def test_what_a_break_parts_is_joined(texts, whole):
    assert joined(*texts).page_content == whole


def test_pages_keep_their_places_and_shared_metadata():
    whole = joined("One is here.", "Two is here.", "three goes on.")
    text, starts = whole.page_content, whole.metadata["page_starts"]
    assert [text[start : start + 5] for start in starts] == ["One i", "Two i", "three"]
    assert whole.metadata["page_labels"] == [1, 2, 3]
    assert whole.metadata["total"] == 9
    assert "page" not in whole.metadata


def body(number):
    letter = "abcdefgh"[number]
    return f"Paragraph {letter} says this.\nIt says more of it.\nAnd a third line\nwith {letter} at its end."


def test_running_lines_and_page_numbers_go_and_are_named():
    texts = [f"THE PUMP MANUAL\n\n{body(n)}\n\nAcme 2024\nPage {n + 1} of 8" for n in range(8)]
    whole = joined(*texts)
    for gone in ("THE PUMP MANUAL", "Acme", "Page 3"):
        assert gone not in whole.page_content
    assert all(line in whole.page_content for n in range(8) for line in body(n).split("\n"))
    assert [1, "THE PUMP MANUAL"] in whole.metadata["removed_lines"]
    assert [3, "Page 3 of 8"] in whole.metadata["removed_lines"]
    assert len(whole.metadata["removed_lines"]) == 24
    kept = joined(*texts, running=False)
    assert "THE PUMP MANUAL" in kept.page_content
    assert "removed_lines" not in kept.metadata


@pytest.mark.parametrize("number", ["- {} -", "{}", "第 {} 页", "Seite {}", "{} / 12", "p. {}"])
def test_page_numbers_of_many_habits(number):
    texts = [f"{body(n)}\n{number.format(n + 1)}" for n in range(5)]
    assert all(
        number.format(n + 1) not in joined(*texts).page_content.split("\n") for n in range(5)
    )


def test_odd_and_even_headers_go():
    texts = [f"{'Chapter One' if n % 2 else 'The Book'}\n{body(n)}" for n in range(8)]
    assert "The Book" not in joined(*texts).page_content
    assert "Chapter One" not in joined(*texts).page_content


def test_what_stands_on_two_pages_only_stays():
    whole = joined("Summary\n" + body(0), "Summary\n" + body(1), body(2), body(3))
    assert whole.page_content.count("Summary") == 2


def test_form_feeds_are_page_breaks():
    (whole,) = JoinPages().transform_documents(
        [Document(page_content="One goes\fon here.\fTwo.\f", metadata={"source": "x"})]
    )
    assert whole.page_content == "One goes on here.\n\nTwo."
    assert whole.metadata["page_labels"] == [1, 2, 3]


def test_sources_are_kept_apart_and_in_order():
    mixed = [
        *pages("One.", source="b"),
        *pages("Two.", source="a"),
        *pages("Three.", source="b", first=2),
    ]
    found = JoinPages().transform_documents(mixed)
    assert [whole.page_content for whole in found] == ["One.\n\nThree.", "Two."]


def test_a_sentence_over_a_break_is_on_both_pages():
    chunks = split_pages(
        SentenceSplitter(None), pages("One is here. Two goes", "on here. Three.", first=7)
    )
    assert [(c.page_content, c.metadata["page"], c.metadata.get("pages")) for c in chunks] == [
        ("One is here.", 7, None),
        ("Two goes on here.", 7, [7, 8]),
        ("Three.", 8, None),
    ]
    assert all("page_starts" not in chunk.metadata for chunk in chunks)


def test_marking_needs_offsets_and_leaves_others_alone():
    whole = JoinPages().transform_documents(pages("One.", "Two."))
    with pytest.raises(InputError, match="add_start_index=True"):
        MarkPages().transform_documents(SentenceSplitter(None).split_documents(whole))
    other = Document(page_content="x", metadata={"page": 3})
    assert MarkPages().transform_documents([other]) == [other]
    with pytest.raises(InputError, match="takes no arguments"):
        JoinPages().transform_documents([], size=3)
    assert JoinPages().transform_documents([]) == []


@given(st.lists(generators.texts(), min_size=1, max_size=4))
def test_nothing_but_white_space_goes_where_nothing_is_asked_for(texts):
    whole = joined(*texts, running=False, hyphens=False)
    text = "".join(t.replace("\f", "") for t in texts)
    assert "".join(whole.page_content.split()) == "".join(text.split())
    starts = whole.metadata["page_starts"]
    assert starts == sorted(starts)
    assert all(0 <= start <= len(whole.page_content) for start in starts)


@given(st.lists(generators.texts(), min_size=1, max_size=4))
def test_letters_go_only_with_lines_that_are_named(texts):
    whole = joined(*texts)
    removed = "".join(line for _, line in whole.metadata.get("removed_lines", []))
    left = "".join(c for c in whole.page_content + removed if c.isalnum())
    before = "".join(c for c in "".join(texts) if c.isalnum())
    assert sorted(left) == sorted(before)


@given(st.lists(generators.texts(), min_size=1, max_size=4))
def test_each_chunk_has_a_page_of_its_document(texts):
    given_ = pages(*(t.replace("\f", " ") for t in texts))
    for chunk in split_pages(RecursiveSplitter(60), given_):
        on = chunk.metadata.get("pages", [chunk.metadata["page"]])
        assert on == sorted(on)
        assert set(on) <= set(range(1, len(texts) + 1))
