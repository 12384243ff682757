"""Sentence windows by offsets, and the neighbours of hits."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.retrievers import ContextualCompressionRetriever
from langchain_classic.retrievers.document_compressors import DocumentCompressorPipeline
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from langchain_chunkers import InputError, SentenceSplitter, SettingError
from langchain_chunkers.retrieval import NeighbourExpander, Stitcher, expand, stitch, with_ids
from langchain_chunkers.testing.fakes import LetterEmbeddings
from langchain_chunkers.wrappers.window import SentenceWindowSplitter
from tests import generators

TEXT = "One is here. Two is here. Three is here. Four is here. Five is here. Six is here."


def windows(before: int, after: int, **options: Any) -> list[Document]:
    splitter = SentenceWindowSplitter(before, after, **options)
    return splitter.create_documents([TEXT], [{"source": "t"}])


# ------------------------------------------------------------------ windows


def test_a_window_is_the_sentences_around() -> None:
    chunks = windows(1, 2)
    assert [chunk.page_content for chunk in chunks][1] == "Two is here."
    shown = [TEXT[c.metadata["window_start"] : c.metadata["window_end"]] for c in chunks]
    assert shown[1] == "One is here. Two is here. Three is here. Four is here."
    assert shown[0] == "One is here. Two is here. Three is here."
    assert shown[5] == "Five is here. Six is here."


def test_nothing_is_copied_unless_asked() -> None:
    assert "window" not in windows(1, 1)[0].metadata
    copies = windows(1, 1, window="text")
    assert copies[2].metadata["window"] == "Two is here. Three is here. Four is here."


@given(text=generators.texts(), before=st.integers(0, 4), after=st.integers(0, 4))
def test_windows_hold_their_sentence(text: str, before: int, after: int) -> None:
    chunks = SentenceWindowSplitter(before, after).create_documents([text])
    plain = [chunk.page_content for chunk in chunks]
    sentences = SentenceSplitter(None).split_spans(text)
    ends = {span.end for span in sentences}
    assert {
        chunk.metadata["end_index"] for chunk in chunks
    } <= ends  # a heading goes with a sentence
    assert "".join("".join(plain).split()) == "".join(
        "".join(text[span.start : span.end] for span in sentences).split()
    )
    for number, chunk in enumerate(chunks):
        place = chunk.metadata
        assert place["window_start"] <= place["start_index"]
        assert place["end_index"] <= place["window_end"]
        window = text[place["window_start"] : place["window_end"]]
        inside = plain[max(0, number - before) : number + after + 1]
        assert window.split() == " ".join(inside).split() or "".join(window.split()) == "".join(
            "".join(inside).split()
        )


def test_a_heading_goes_with_the_sentence_below_it() -> None:
    text = "# Pumps\n\nThey leak. They are old.\n\n# Kilns\n\nThey are hot."
    assert SentenceWindowSplitter().split_text(text) == [
        "# Pumps\n\nThey leak.", "They are old.", "# Kilns\n\nThey are hot.",
    ]  # fmt: skip


def test_sentences_over_the_cap_are_divided_and_short_ones_are_not_packed() -> None:
    text = "Short. A longer sentence, which has a clause, and another."
    assert SentenceWindowSplitter(chunk_size=30).split_text(text) == [
        "Short.", "A longer sentence,", "which has a clause,", "and another.",
    ]  # fmt: skip


def test_settings_of_windows() -> None:
    with pytest.raises(SettingError, match="before must be an integer"):
        SentenceWindowSplitter(-1)
    with pytest.raises(SettingError, match="window must be"):
        SentenceWindowSplitter(window="copy")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="must be a str"):
        SentenceWindowSplitter().split_text(7)  # type: ignore[call-overload]


def test_windows_that_meet_become_one() -> None:
    chunks = windows(1, 1)
    found = stitch(
        [chunks[5], chunks[0], chunks[4]], sources={"t": TEXT}, windows=True, per="passage"
    )
    assert [window.page_content for window in found] == [
        "Four is here. Five is here. Six is here.",
        "One is here. Two is here.",
    ]
    assert found[0].metadata["hits"] == [[55, 68], [69, 81]]
    assert found[0].metadata["start_index"] == 41
    assert "window_start" not in found[0].metadata


@given(
    text=generators.sentences(),
    picked=st.lists(st.integers(0, 30), max_size=8),
    size=st.integers(0, 2),
    copies=st.booleans(),
)
def test_opened_windows_are_slices_and_never_overlap(
    text: str, picked: list[int], size: int, copies: bool
) -> None:
    splitter = SentenceWindowSplitter(size, size, window="text" if copies else "offsets")
    chunks = splitter.create_documents([text], [{"source": "t"}])
    hits = [chunks[number % len(chunks)] for number in picked] if chunks else []
    sources = None if copies else {"t": text}.get
    found = stitch(hits, sources=sources, windows=True, per="passage", bridge=0)
    covered: set[int] = set()
    for window in found:
        start, end = window.metadata["start_index"], window.metadata["end_index"]
        assert window.page_content == text[start:end]
        assert not covered & set(range(start, end))
        covered |= set(range(start, end))
    wanted = {
        at for hit in hits for at in range(hit.metadata["window_start"], hit.metadata["window_end"])
    }
    assert wanted <= covered
    assert all(text[at].isspace() for at in covered - wanted)
    shown = [tuple(hit) for window in found for hit in window.metadata["hits"]]
    assert sorted(shown) == sorted(
        {(hit.metadata["start_index"], hit.metadata["end_index"]) for hit in hits}
    )


def test_windows_fill_a_budget_by_relevance() -> None:
    chunks = windows(1, 1)
    stitcher = Stitcher(sources={"t": TEXT}, windows=True, max_size=45, length_function=len)
    (found,) = stitcher.compress_documents([chunks[2], chunks[0], chunks[5]], "three")
    assert found.page_content == "Two is here. Three is here. Four is here."


def test_a_source_that_is_gone_leaves_the_sentence() -> None:
    chunks = windows(1, 1)
    (found,) = stitch(chunks[:1], sources={}, windows=True)
    assert found.page_content == "One is here."
    (stale,) = stitch(chunks[:1], sources={"t": "Another text."}, windows=True)
    assert stale.page_content == "One is here."
    assert "start_index" not in stale.metadata
    plain = Document(page_content="No window.")
    assert stitch([plain], windows=True)[0].page_content == "No window."
    with pytest.raises(InputError, match="needs the texts"):
        stitch(chunks, windows=True)


# ------------------------------------------------------------------ neighbours


def linked(*names: str) -> list[Document]:
    splitter = SentenceSplitter(
        None, add_metadata=names or ("chunk_id", "previous", "next"), add_start_index=True
    )
    return splitter.create_documents([TEXT], [{"source": "t"}])


def contents(documents: Any) -> list[str]:
    return [document.page_content.split()[0] for document in documents]


def vector_store(chunks: list[Document]) -> InMemoryVectorStore:
    store = InMemoryVectorStore(LetterEmbeddings())
    store.add_documents(with_ids(chunks))
    return store


def test_neighbours_by_id_from_each_kind_of_store() -> None:
    chunks = linked()
    docstore = InMemoryStore()
    docstore.mset([(chunk.metadata["chunk_id"], chunk) for chunk in chunks])
    for store in (vector_store(chunks), docstore, docstore.mget):
        found = expand([chunks[3], chunks[0]], store, before=2, after=1)
        assert contents(found) == ["Four", "One", "Three", "Five", "Two"]


def test_hits_next_to_each_other_come_once() -> None:
    chunks = linked()
    assert contents(expand(chunks[1:3], vector_store(chunks))) == ["Two", "Three", "One", "Four"]


@given(
    picked=st.lists(st.integers(0, 5), unique=True),
    before=st.integers(0, 6),
    after=st.integers(0, 6),
)
def test_both_ways_find_what_lies_around(picked: list[int], before: int, after: int) -> None:
    chunks = linked("chunk_id", "previous", "next", "chunk_index")

    def fetch(source: str, first: int, last: int) -> list[Document]:
        assert source == "t"
        return chunks[first : last + 1]

    by_id = {chunk.metadata["chunk_id"]: chunk for chunk in chunks}
    hits = [chunks[number] for number in picked]
    wanted = {
        at for number in picked for at in range(number - before, number + after + 1) if 0 <= at < 6
    }
    for found in (
        expand(hits, lambda ids: [by_id.get(key) for key in ids], before, after),
        expand(hits, None, before, after, fetch=fetch),
    ):
        assert found[: len(hits)] == hits
        numbers = [document.metadata["chunk_index"] for document in found]
        assert sorted(numbers) == sorted(wanted)
        near = [min(abs(number - hit) for hit in picked) for number in numbers]
        assert before != after or near == sorted(near), "the nearest first"


def test_by_a_filter_of_the_store() -> None:
    chunks = linked("chunk_id", "chunk_index")
    store = vector_store(chunks)

    def fetch(source: str, first: int, last: int) -> list[Document]:
        def near(document: Document) -> bool:
            place = document.metadata
            return place["source"] == source and first <= place["chunk_index"] <= last

        return store.similarity_search("any", k=last - first + 1, filter=near)

    assert contents(expand(chunks[2:3], fetch=fetch)) == ["Three", "Two", "Four"]
    # what a store gives beyond what it was asked for is left out
    assert contents(expand(chunks[2:3], fetch=lambda *_: chunks)) == ["Three", "Two", "Four"]


def test_chunks_that_are_gone_end_the_walk() -> None:
    chunks = linked()
    store = vector_store(chunks)
    store.delete([chunks[1].metadata["chunk_id"]])
    assert contents(expand(chunks[2:3], store, before=2, after=0)) == ["Three"]


def test_what_expand_refuses() -> None:
    class Blind(InMemoryVectorStore):
        get_by_ids = VectorStore.get_by_ids  # type: ignore[assignment]

    chunks, plain = linked(), SentenceSplitter(None).create_documents([TEXT])
    with pytest.raises(InputError, match="cannot fetch by id"):
        expand(chunks, Blind(LetterEmbeddings()))
    with pytest.raises(InputError, match="chunk_id, previous and next"):
        expand(plain, vector_store(chunks))
    with pytest.raises(InputError, match="chunk_index"):
        expand(plain, fetch=lambda *_: [])
    with pytest.raises(InputError, match="must be a vector store"):
        expand(chunks, 7)
    with pytest.raises(SettingError, match="either store"):
        expand(chunks)
    with pytest.raises(SettingError, match="after must be"):
        expand(chunks, vector_store(chunks), after=-1)


def test_in_a_pipeline_of_compressors() -> None:
    chunks = linked()
    store = vector_store(chunks)
    retriever = ContextualCompressionRetriever(
        base_retriever=store.as_retriever(search_kwargs={"k": 1}),
        base_compressor=DocumentCompressorPipeline(
            transformers=[NeighbourExpander(store=store), Stitcher(sources={"t": TEXT})]
        ),
    )
    (found,) = retriever.invoke("Four is here.")
    assert found.page_content == "Three is here. Four is here. Five is here."
    assert found.metadata["citations"][0]["start_index"] == 26
