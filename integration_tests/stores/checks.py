"""What holds in every store."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import VectorStore

from integration_tests.stores.kinds import Kind
from langchain_chunkers import MarkdownSplitter, embedded_text, with_context
from langchain_chunkers.retrieval import (
    add_with_context,
    build_parent_retriever,
    expand,
    flat_metadata,
    stitch,
    with_ids,
)

PUMPS = """# Pump house

Repeated. Repeated. Repeated.

## Failure

The pump failed at noon 🔧. Nobody noticed for an hour. The seal was worn, and the valve leaked.
Repeated. The crew came at one o'clock. They replaced the seal and tested the valve.

## 零件

泵在中午坏了。没有人注意到。密封圈磨损了，阀门漏水。修理组一点钟到了。

## Parts

| part | price | stock |
|---|---|---|
| seal | 3.50 | 12 |
| valve | 80.00 | 2 |
| gauge | 19.00 | 5 |
| hose | 7.25 | 30 |
"""
BIRDS = "# Birds\r\n\r\n## Failure\r\n\r\nThe nest fell. Repeated.\r\n\r\n## Song\r\n\r\nIt sings at dawn.\r\n"
TEXTS = {"pumps.md": PUMPS, "birds.md": BIRDS}
FACTS = ("chunk_id", "previous", "next", "chunk_index", "line_start", "line_end")
SPLITTER = MarkdownSplitter(90, add_start_index=True, add_metadata=FACTS)


def documents() -> list[Document]:
    return [
        Document(page_content=text, metadata={"source": name, "tags": ["wet", "old"]})
        for name, text in TEXTS.items()
    ]


def chunks() -> list[Document]:
    """Give the chunks of all sources, with names that every store can filter by (``Header_2``)."""
    return with_ids(flat_metadata(SPLITTER.split_documents(documents()), keys="identifiers"))


def check_cited(found: Iterable[Document]) -> None:
    """Each chunk that comes back is a slice of its source, what is repeated around it aside."""
    for document in found:
        own = document.metadata
        prefix, suffix = own.get("prefix") or "", own.get("suffix") or ""
        place = TEXTS[own["source"]][int(own["start_index"]) : int(own["end_index"])]
        assert document.page_content == prefix + place + suffix


def keys(found: Iterable[Document]) -> set[str]:
    return {document.metadata["chunk_id"] for document in found}


class StoreChecks:
    """The tests of one kind of store; a subclass gives the fixtures ``kind`` and ``store``."""

    @pytest.fixture
    def full(self, store: VectorStore) -> VectorStore:
        store.add_documents(chunks())
        return store

    @pytest.fixture
    def async_store(self, store: VectorStore) -> VectorStore:
        """Most stores are one for both ways."""
        return store

    def test_what_comes_back_is_a_slice_of_its_source(self, full: VectorStore) -> None:
        wanted = chunks()
        found = full.similarity_search("The pump failed", k=len(wanted) + 5)
        check_cited(found)
        assert keys(found) == keys(wanted)
        assert any(document.metadata.get("prefix") for document in found), "a table is among them"

    def test_filter_by_heading(self, full: VectorStore, kind: Kind) -> None:
        for wanted in ({"Header_2": "Failure", "source": "pumps.md"}, {"Header_2": "零件"}):
            found = full.similarity_search("anything", k=50, **kind.filtered(wanted))
            assert keys(found) == keys(
                chunk for chunk in chunks() if chunk.metadata.items() >= wanted.items()
            )
            assert found
            check_cited(found)

    def test_adding_again_stores_once(self, full: VectorStore, kind: Kind) -> None:
        if not kind.by_id:
            return  # such a store appends whatever it is given
        if type(full).__name__ == "FAISS":
            full.delete([str(chunk.id) for chunk in chunks()])  # it refuses ids that it has
        full.add_documents(chunks())
        assert len(full.similarity_search("pump", k=100)) == len(chunks())

    def test_delete_by_source(self, full: VectorStore, kind: Kind) -> None:
        kind.delete(full, "pumps.md")
        found = full.similarity_search("pump", k=100)
        assert {document.metadata["source"] for document in found} == {"birds.md"}
        assert len(found) == sum(chunk.metadata["source"] == "birds.md" for chunk in chunks())

    def test_neighbours_by_id_are_stitched(self, full: VectorStore, kind: Kind) -> None:
        hits = full.similarity_search("They replaced the seal and tested the valve.", k=1)
        if kind.by_id:
            found = expand(hits, full, before=50, after=50)
        else:
            found = expand(hits, None, 50, 50, fetch=self.by_place(full, kind))
        (whole,) = stitch(found, sources=TEXTS)
        assert whole.page_content == PUMPS.strip()

    def test_neighbours_by_filter(self, full: VectorStore, kind: Kind) -> None:
        (hit,) = full.similarity_search(
            "Nobody", k=1, **kind.filtered({"chunk_index": 2, "source": "pumps.md"})
        )
        found = expand([hit], None, 1, 1, fetch=self.by_place(full, kind))
        assert [int(document.metadata["chunk_index"]) for document in found] == [2, 1, 3]

    def by_place(self, store: VectorStore, kind: Kind) -> Any:
        """Ask for each place alone: equality is what every store can filter by."""

        def fetch(source: str, first: int, last: int) -> list[Document]:
            found = []
            for index in range(first, last + 1):
                wanted = kind.filtered({"source": source, "chunk_index": index})
                found += store.similarity_search("any", k=1, **wanted)
            return found

        return fetch

    def test_parents_are_found_through_children(self, store: VectorStore) -> None:
        retriever = build_parent_retriever(
            store, InMemoryStore(), MarkdownSplitter(200), 60, search_kwargs={"k": 3}
        )
        retriever.add_documents(documents())
        found = retriever.invoke("They replaced the seal and tested the valve.")
        assert "They replaced the seal" in found[0].page_content
        assert found[0].metadata["tags"] == ["wet", "old"], (
            "the docstore has all, the store scalars"
        )
        check_cited(found)

    def test_vectors_of_more_than_the_text(self, store: VectorStore, kind: Kind) -> None:
        if not kind.apart:
            return
        splitter = with_context(SPLITTER, content="source")
        apart = with_ids(flat_metadata(splitter.split_documents(documents())))
        assert add_with_context(store, apart) == [chunk.id for chunk in apart]
        found = store.similarity_search(embedded_text(apart[3]), k=1)
        check_cited(found)
        assert found[0].metadata["chunk_id"] == apart[3].id
        assert found[0].page_content == apart[3].page_content

    async def test_async(self, async_store: VectorStore, kind: Kind) -> None:
        wanted = chunks()
        await async_store.aadd_documents(wanted)
        found = await async_store.asimilarity_search("The pump failed", k=len(wanted))
        check_cited(found)
        assert keys(found) == keys(wanted)
        failure = kind.filtered({"Header_2": "Failure"})
        found = await async_store.asimilarity_search("any", k=50, **failure)
        assert {document.metadata["source"] for document in found} == set(TEXTS)
        retriever = async_store.as_retriever(search_kwargs={"k": 2})
        check_cited(await retriever.ainvoke("valve"))
        if kind.by_id:
            assert len(await async_store.aget_by_ids([str(wanted[0].id)])) == 1
            await async_store.adelete([str(chunk.id) for chunk in wanted])
            assert not await async_store.asimilarity_search("pump", k=5)
