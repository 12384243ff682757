"""Stitching: every retrieved character once for each place, in order; gaps, budgets, citations."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_core.documents import Document
from langchain_core.vectorstores import InMemoryVectorStore
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_chunkers import (
    MarkdownSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    SettingError,
    TiktokenMeasure,
)
from langchain_chunkers.retrieval import Stitcher, stitch
from langchain_chunkers.testing.fakes import LetterEmbeddings
from tests import generators

GAP = "\x01"
SETTINGS = st.builds(
    lambda size, overlap, strips: RecursiveSplitter(
        size, min(overlap, size - 1), strip_whitespace=strips, add_start_index=True
    ),
    st.integers(3, 60),
    st.integers(0, 20),
    st.booleans(),
)


def chunk(start: int, text: str, **metadata: Any) -> Document:
    return Document(
        page_content=text,
        metadata={"start_index": start, "end_index": start + len(text), **metadata},
    )


@given(text=generators.texts(), splitter=SETTINGS)
def test_all_chunks_are_the_text_again(text: str, splitter: RecursiveSplitter) -> None:
    chunks = splitter.create_documents([text])
    found = stitch(chunks[::-1], sources={"": text}, gap=GAP)
    if not chunks:
        assert found == []
        return
    start, end = found[0].metadata["start_index"], found[0].metadata["end_index"]
    assert found[0].page_content == text[start:end]
    if not splitter._strip_whitespace:
        assert found[0].page_content == text
        assert stitch(chunks, bridge=0)[0].page_content == text, "without the source too"


@given(
    text=generators.texts(),
    splitter=SETTINGS,
    picked=st.lists(st.integers(0, 1000), min_size=1, max_size=12),
    known=st.booleans(),
)
def test_each_retrieved_character_is_there_once(
    text: str, splitter: RecursiveSplitter, picked: list[int], known: bool
) -> None:
    chunks = splitter.create_documents([text])
    if not chunks:
        return
    hits = [chunks[number % len(chunks)] for number in picked]
    covered = {
        at for hit in hits for at in range(hit.metadata["start_index"], hit.metadata["end_index"])
    }
    passages = stitch(hits, per="passage", bridge=0, sources={"": text} if known else None)
    found: list[int] = []
    for passage in sorted(passages, key=lambda each: each.metadata["start_index"]):
        start, end = passage.metadata["start_index"], passage.metadata["end_index"]
        assert passage.page_content == text[start:end]
        found += range(start, end)
    assert found == sorted(set(found))
    assert all(text[at].isspace() for at in set(found) - covered)
    assert covered <= set(found)
    (whole,) = stitch(hits, bridge=0, gap=GAP, sources={"": text} if known else None)
    ordered = sorted(passages, key=lambda each: each.metadata["start_index"])
    assert whole.page_content == GAP.join(passage.page_content for passage in ordered)
    for citation in whole.metadata["citations"]:
        shown = whole.page_content[citation["text_start"] : citation["text_end"]]
        assert shown == text[citation["start_index"] : citation["end_index"]]


def test_repeated_text_is_kept_each_time() -> None:
    text = "go. go. go. go. "
    chunks = SentenceSplitter(None, strip_whitespace=False, add_start_index=True)
    assert stitch(chunks.create_documents([text]))[0].page_content == text
    # the end of one and the start of the next are alike, and yet two places
    assert stitch([chunk(0, "ab ab "), chunk(6, "ab ab")])[0].page_content == "ab ab ab ab"


def test_overlap_goes_by_offsets() -> None:
    (found,) = stitch([chunk(4, "efgh"), chunk(0, "abcdef"), chunk(2, "cd")])
    assert found.page_content == "abcdefgh"
    assert found.metadata["start_index"] == 0
    assert found.metadata["end_index"] == 8


def test_gaps_are_marked_and_cited() -> None:
    (found,) = stitch([chunk(100, "later", source="a"), chunk(0, "first", source="a")], gap=" […] ")
    assert found.page_content == "first […] later"
    assert found.metadata == {
        "source": "a",
        "citations": [
            {"start_index": 0, "end_index": 5, "text_start": 0, "text_end": 5},
            {"start_index": 100, "end_index": 105, "text_start": 10, "text_end": 15},
        ],
    }


def test_white_space_left_out_is_no_gap() -> None:
    text = "One line.\nTwo lines.\n\n\n\n\n\nFar below. Same line."
    names = ["chunk_index", "line_start", "line_end"]
    splitter = SentenceSplitter(None, add_start_index=True, add_metadata=names)
    chunks = splitter.create_documents([text])
    assert stitch(chunks, sources={"": text})[0].page_content == text
    # lines are known, and so is who is next to whom
    assert stitch(chunks)[0].page_content == "One line.\nTwo lines.\n\nFar below. Same line."
    assert stitch([chunks[0], chunks[2]])[0].page_content == "One line.\n\n[…]\n\nFar below."
    # nothing is known but the distance
    bare = SentenceSplitter(None, add_start_index=True).create_documents([text])
    assert stitch(bare, gap="|")[0].page_content == "One line.\nTwo lines.|Far below.\nSame line."


def test_lines_are_cited() -> None:
    text = "one\ntwo\nthree\nfour\nfive"
    chunks = [chunk(4, "two\nthree"), chunk(19, "five")]
    cited = stitch(chunks, sources={"": text})[0].metadata["citations"]
    assert [(c["line_start"], c["line_end"]) for c in cited] == [(2, 3), (5, 5)]
    by_chunks = RecursiveSplitter(
        10, add_metadata=["start_index", "end_index", "line_start", "line_end"]
    ).create_documents([text])
    found = stitch([by_chunks[1], by_chunks[0]])[0].metadata
    assert (found["line_start"], found["line_end"]) == (1, 3)
    assert "line_start" not in stitch(chunks)[0].metadata["citations"][0]


@given(
    text=generators.prose(),
    picked=st.lists(st.integers(0, 50), min_size=1, max_size=10),
    most=st.integers(0, 60),
    per=st.sampled_from(["source", "passage"]),
)
def test_the_budget_holds(text: str, picked: list[int], most: int, per: Any) -> None:
    chunks = SentenceSplitter(None, add_start_index=True).create_documents([text])
    hits = [chunks[number % len(chunks)] for number in picked]
    count = TiktokenMeasure()
    found = stitch(hits, per=per, max_size=most)
    assert sum(count(document.page_content) for document in found) <= most
    if count(hits[0].page_content) <= most:
        assert any(hits[0].page_content in document.page_content for document in found)


def test_the_most_relevant_come_first_within_a_budget() -> None:
    hits = [chunk(50, "x" * 30), chunk(200, "y" * 40), chunk(0, "z" * 20)]
    (found,) = stitch(hits, max_size=55, length_function=len, gap="|")
    assert found.page_content == "z" * 20 + "|" + "x" * 30
    assert stitch(hits, max_size=0) == []


def test_sources_stay_apart_and_in_the_order_of_relevance() -> None:
    hits = [
        chunk(10, "b", source="2"), chunk(0, "c", source="1"), chunk(0, "a", source="2"),
    ]  # fmt: skip
    found = stitch(hits, gap="-")
    assert [document.page_content for document in found] == ["a-b", "c"]
    assert [document.metadata["source"] for document in found] == ["2", "1"]
    assert [d.page_content for d in stitch(hits, per="passage")] == ["b", "c", "a"]


def test_pages_of_one_file_count_from_their_own_start() -> None:
    hits = [chunk(0, "page one", source="f", page=0), chunk(4, "t two", source="f", page=1)]
    assert [document.page_content for document in stitch(hits)] == ["page one", "t two"]


def test_chunks_of_two_texts_under_one_name_are_not_mixed() -> None:
    (found,) = stitch([chunk(0, "page one"), chunk(3, "XYZ and more")], gap="|")
    assert found.page_content == "page one|XYZ and more"


def test_a_chunk_of_another_text_inside_a_longer_one_is_not_lost() -> None:
    hits = [chunk(0, "0123456789"), chunk(2, "23"), chunk(5, "XYZ")]
    (found,) = stitch(hits, gap="|")
    assert found.page_content == "0123456789|XYZ"


def test_two_characters_may_be_a_sentence() -> None:
    text = "他来了吗？不。我走了。"
    chunks = SentenceSplitter(None, add_start_index=True).create_documents([text])
    assert [each.page_content for each in chunks] == ["他来了吗？", "不。", "我走了。"]
    assert stitch([chunks[0], chunks[2]], gap="|")[0].page_content == "他来了吗？|我走了。"
    assert stitch(chunks[:2])[0].page_content == "他来了吗？不。"


def test_offsets_that_do_not_hold_in_the_source_are_not_cited() -> None:
    hits = [chunk(4, "worn"), chunk(20, "stale")]
    (found,) = stitch(hits, sources={"": "was worn"}, gap="|")
    assert found.page_content == "worn|stale"
    assert found.metadata["citations"] == [
        {
            "start_index": 4, "end_index": 8, "line_start": 1, "line_end": 1,
            "text_start": 0, "text_end": 4,
        },
        {"text_start": 5, "text_end": 10},
    ]  # fmt: skip


def test_text_repeated_around_chunks_is_there_once() -> None:
    rows = "\n".join(f"| row {n} | {n} |" for n in range(12))
    text = f"| name | n |\n|---|---|\n{rows}\n"
    splitter = MarkdownSplitter(90, add_start_index=True)
    chunks = splitter.create_documents([text])
    assert len(chunks) > 2
    assert all("| name | n |" in each.page_content for each in chunks)
    whole = stitch(chunks, sources={"": text})[0]
    assert whole.page_content == text.strip()
    (tail,) = stitch(chunks[1:], sources={"": text})
    assert tail.page_content.count("| name | n |") == 1
    start, end = tail.metadata["start_index"], tail.metadata["end_index"]
    assert tail.page_content == tail.metadata["prefix"] + text[start:end]


def test_a_fence_is_closed_once() -> None:
    text = "```python\n" + "\n".join(f"line_{n} = {n}" for n in range(12)) + "\n```\n\nEnd."
    chunks = MarkdownSplitter(70, add_start_index=True).create_documents([text])
    (found,) = stitch(chunks[:2], sources={"": text})
    assert found.page_content.count("```") == 2
    assert found.page_content.endswith("```")


def test_chunks_without_a_place_come_whole() -> None:
    plain = [
        Document(page_content="same", metadata={}),
        Document(page_content="same", metadata={}),
        Document(page_content="lost", metadata={"start_index": -1}),
        Document(page_content="no slice", metadata={"start_index": 3, "end_index": 5}),
        Document(page_content="twice", metadata={}, id="7"),
        Document(page_content="twice", metadata={}, id="7"),
    ]
    (found,) = stitch([*plain, chunk(0, "placed")], gap="|")
    assert found.page_content == "placed|same|same|lost|no slice|twice"
    assert found.metadata["citations"][1] == {"text_start": 7, "text_end": 11}


def test_chunks_of_langchain_have_no_end_and_work() -> None:
    text = "One two three. " * 20
    splitter = RecursiveCharacterTextSplitter(
        chunk_size=50, chunk_overlap=0, add_start_index=True, strip_whitespace=False
    )
    assert stitch(splitter.create_documents([text]))[0].page_content == text


def test_settings() -> None:
    with pytest.raises(SettingError, match="per must be"):
        stitch([], per="page")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="max_size must be"):
        stitch([], max_size=-1)
    with pytest.raises(ValueError, match="max_size must be"):
        Stitcher(max_size=-1)
    with pytest.raises(SettingError, match="bridge must be"):
        stitch([], bridge=True)
    assert stitch([]) == []


def test_metadata_is_what_all_agree_on() -> None:
    hits = [
        chunk(0, "a", source="s", tags=["x"], section="1"),
        chunk(1, "b", source="s", tags=["x"], section="2"),
    ]
    (found,) = stitch(hits)
    assert found.metadata["tags"] == ["x"]
    assert "section" not in found.metadata
    found.metadata["tags"].append("y")
    assert hits[0].metadata["tags"] == ["x"]


def test_in_contextual_compression_retriever() -> None:
    text = "The seal was worn. The valve leaked. Zebras zigzag. The seal was worn again."
    store = InMemoryVectorStore(LetterEmbeddings())
    splitter = SentenceSplitter(None, add_start_index=True)
    store.add_documents(splitter.create_documents([text], [{"source": "t"}]))
    retriever = ContextualCompressionRetriever(
        base_retriever=store.as_retriever(search_kwargs={"k": 3}),
        base_compressor=Stitcher(sources={"t": text}, gap=" … ", max_size=40),
    )
    (found,) = retriever.invoke("The seal was worn")
    assert found.page_content == "The seal was worn. The valve leaked. … The seal was worn again."
    assert asyncio.run(retriever.ainvoke("The seal was worn")) == [found]
