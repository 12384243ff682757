"""Stable ids, what an edit changed, and indexing only that; whatever happens in the middle of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.indexes import SQLRecordManager
from langchain_core.documents import Document
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from langchain_chunkers import (
    InputError,
    MarkdownSplitter,
    SentenceSplitter,
    SettingError,
    embedded_text,
    with_context,
)
from langchain_chunkers.retrieval import (
    chunk_ids,
    chunk_key,
    diff,
    flat_metadata,
    sync,
    with_ids,
)
from langchain_chunkers.testing.fakes import LetterEmbeddings
from langchain_chunkers.wrappers.parents import HierarchicalSplitter
from tests import generators

SENTENCES = SentenceSplitter(None, add_start_index=True, add_metadata=["chunk_id"])


class Counting(LetterEmbeddings):
    """Notes what is embedded."""

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        self.texts += texts
        return super().embed_documents(texts)


def note(text: str, source: str = "note.txt", **metadata: Any) -> Document:
    return Document(page_content=text, metadata={"source": source, **metadata})


# ------------------------------------------------------------------ ids


def test_ids_are_those_of_the_splitter() -> None:
    chunks = SENTENCES.split_documents([note("One. Two. One. One.")])
    assert chunk_ids(chunks) == [chunk.metadata["chunk_id"] for chunk in chunks]
    assert len(set(chunk_ids(chunks))) == 4


@given(text=generators.sentences(), number=st.integers(0, 20))
def test_an_edit_changes_only_the_ids_of_what_it_changes(text: str, number: int) -> None:
    parts = SENTENCES.split_text(text)
    at = number % (len(parts) + 1)
    before = chunk_ids(note(part) for part in parts)
    after = chunk_ids(note(part) for part in [*parts[:at], "A new one", *parts[at:]])
    assert len(set(after) - set(before)) == 1
    assert not set(before) - set(after)


def test_pages_that_share_a_source_are_numbered_together() -> None:
    pages = [note("Confidential.", "a.pdf", page=page) for page in range(3)]
    chunks = SENTENCES.split_documents(pages)
    assert len({chunk.metadata["chunk_id"] for chunk in chunks}) == 1, "each page for itself"
    assert len({chunk.id for chunk in with_ids(chunks)}) == 3
    assert chunks[0].id is None, "a copy"


def test_source_keys() -> None:
    chunk = Document(page_content="x", metadata={"path": "p", "page": 2})
    same = [chunk_ids([chunk], key) for key in (["path", "page"], lambda _: "p\x002")]
    assert same[0] == same[1] != chunk_ids([chunk], "path")


# ------------------------------------------------------------------ LangChain's index()


def indexed(chunks: Sequence[Document], store: Any, records: Any) -> dict[str, Any]:
    return dict(
        index(chunks, records, store, cleanup="full", source_id_key="source", key_encoder=chunk_key)
    )


@pytest.mark.parametrize("located", [True, False])
def test_index_embeds_only_what_changed(located: bool) -> None:
    embeddings = Counting()
    store, records = InMemoryVectorStore(embeddings), InMemoryRecordManager("n")
    splitter = SentenceSplitter(None, add_start_index=located, add_metadata=["chunk_id"])

    def run(text: str) -> dict[str, Any]:
        return indexed(splitter.split_documents([note(text)]), store, records)

    assert run("One. Two. Two. Three.")["num_added"] == 4, "equal chunks stay apart"
    again = run("One. Two. Two. Three.")
    assert (again["num_added"], again["num_skipped"], again["num_deleted"]) == (0, 4, 0)
    edited = run("Zero. One. Two. Two. Three.")
    assert (edited["num_added"], edited["num_deleted"]) == (1, 0)
    assert embeddings.texts[4:] == ["Zero."]
    cut = run("Zero. Two. Three.")
    assert (cut["num_added"], cut["num_deleted"]) == (0, 2)
    assert sorted(stored["text"] for stored in store.store.values()) == ["Three.", "Two.", "Zero."]


def test_chunk_key_says_what_is_missing() -> None:
    with pytest.raises(InputError, match="add_metadata"):
        chunk_key(Document(page_content="x"))


# ------------------------------------------------------------------ diff

NOTES = st.lists(st.sampled_from("abcd"), max_size=8)


def placed(letters: Sequence[str]) -> list[Document]:
    return [note(letter, chunk_index=number) for number, letter in enumerate(letters)]


@given(old=NOTES, new=NOTES)
def test_diff_is_exact(old: list[str], new: list[str]) -> None:
    changes = diff(placed(old), placed(new))
    assert Counter(d.page_content for d in changes.added) == Counter(new) - Counter(old)
    assert Counter(d.page_content for d in changes.removed) == Counter(old) - Counter(new)
    stays = Counter(d.page_content for d in [*changes.kept, *changes.moved])
    assert stays == Counter(old) & Counter(new)
    for document in changes.kept:
        assert old[document.metadata["chunk_index"]] == document.page_content
    merged = sorted(
        [*changes.added, *changes.kept, *changes.moved], key=lambda d: d.metadata["chunk_index"]
    )
    assert merged == placed(new)


def test_diff_knows_a_changed_heading_from_a_changed_text() -> None:
    splitter = MarkdownSplitter(40, add_metadata=["chunk_id"])
    old = splitter.split_documents([note("# Pump\n\nIt failed at noon today.\n\nThe crew came.")])
    new = splitter.split_documents([note("# Pumps\n\nIt failed at noon today.\n\nThe crew came.")])
    changes = diff(old, new)
    assert [d.page_content for d in changes.moved] == ["The crew came."]
    assert not changes.kept


# ------------------------------------------------------------------ sync


def state(store: Any) -> list[tuple[str, str, int, Any]]:
    return sorted(
        (key, kept["text"], kept["metadata"]["start_index"], kept["vector"])
        for key, kept in store.store.items()
    )


def built(text: str, splitter: Any = SENTENCES) -> list[Any]:
    store = InMemoryVectorStore(LetterEmbeddings())
    sync(splitter, [note(text)], store, InMemoryRecordManager("n"))
    return state(store)


@given(texts=st.lists(generators.sentences(), min_size=1, max_size=4))
def test_after_each_edit_the_index_is_as_if_new(texts: list[str]) -> None:
    embeddings = Counting()
    store, records = InMemoryVectorStore(embeddings), InMemoryRecordManager("n")
    before: list[Document] = []
    for text in texts:
        embedded = len(embeddings.texts)
        result = sync(SENTENCES, [note(text)], store, records)
        assert state(store) == built(text)
        assert set(records.list_keys()) == set(store.store)
        now = SENTENCES.split_documents([note(text)])
        changes = diff(before, now)
        assert result == tuple(
            map(len, (changes.added, changes.moved, changes.kept, changes.removed))
        )
        assert len(embeddings.texts) - embedded == len(changes.added)
        before = now


def test_sources_are_apart_and_full_cleanup_removes_the_others() -> None:
    store, records = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("n")
    sync(SENTENCES, [note("One. Two.", "a"), note("One.", "b")], store, records)
    assert len(store.store) == 3
    assert sync(SENTENCES, [note("Two.", "a")], store, records).removed == 1
    assert sync(SENTENCES, [note("", "b")], store, records).removed == 1
    assert [kept["text"] for kept in store.store.values()] == ["Two."]
    kept = sync(SENTENCES, [note("Three.", "c")], store, records, cleanup="none")
    assert kept == (1, 0, 0, 0)
    assert sync(SENTENCES, [note("Three.", "c")], store, records, cleanup="full").removed == 1
    assert records.list_keys() == list(store.store)


def test_pages_are_one_source() -> None:
    store, records = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("n")
    pages = [note("Top. Confidential.", "f", page=0), note("End. Confidential.", "f", page=1)]
    assert sync(SENTENCES, pages, store, records).added == 4
    assert sync(SENTENCES, pages, store, records).kept == 4


def test_another_key_of_the_source_and_no_source() -> None:
    store, records = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("n")
    pages = [Document(page_content="Same.", metadata={"path": path}) for path in "ab"]
    assert sync(SENTENCES, pages, store, records, source_key="path").added == 2
    named = Document(page_content="Same.", id="d1")
    assert sync(SENTENCES, [named], store, records).added == 1
    with pytest.raises(InputError, match="source of each document"):
        sync(SENTENCES, [Document(page_content="Same.")], store, records)


def test_what_sync_refuses() -> None:
    store, records = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("n")
    with pytest.raises(SettingError, match="cleanup must be"):
        sync(SENTENCES, [], store, records, cleanup="all")  # type: ignore[arg-type]
    with pytest.raises(SettingError, match="batch_size"):
        sync(SENTENCES, [], store, records, batch_size=0)
    with pytest.raises(InputError, match="needs docstore"):
        sync(HierarchicalSplitter([20, 10]), [], store, records)
    with pytest.raises(InputError, match="transform must give"):
        sync(SENTENCES, [note("One. Two.")], store, records, transform=lambda chunks: chunks[1:])
    assert not store.store


class Unknown(VectorStore):
    """A store that LangChain's interface is all one knows of."""

    def __init__(self, embeddings: Counting) -> None:
        self.inner = InMemoryVectorStore(embeddings)

    def add_documents(self, documents: list[Document], **kwargs: Any) -> list[str]:
        return self.inner.add_documents(documents, **kwargs)

    def delete(self, ids: Any = None, **kwargs: Any) -> None:
        self.inner.delete(ids)

    def similarity_search(self, query: str, k: int = 4, **kwargs: Any) -> list[Document]:
        return self.inner.similarity_search(query, k)

    @classmethod
    def from_texts(cls, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError


class Fetching(Unknown):
    def get_by_ids(self, ids: Sequence[str], /) -> list[Document]:
        return self.inner.get_by_ids(ids)


@pytest.mark.parametrize("kind, embedded", [(Unknown, 1), (Fetching, 3)])
def test_stores_of_unknown_kinds(kind: Any, embedded: int) -> None:
    embeddings = Counting()
    store, records = kind(embeddings), InMemoryRecordManager("n")
    sync(SENTENCES, [note("One. Two.")], store, records)
    del embeddings.texts[:]
    result = sync(SENTENCES, [note("Zero. One. Two.")], store, records)
    assert len(embeddings.texts) == embedded, "moved chunks are added again where that is known"
    assert result.added == 1
    if kind is Fetching:
        assert state(store.inner) == built("Zero. One. Two.")
    sync(SENTENCES, [note("Two.")], store, records)
    assert [kept["text"] for kept in store.inner.store.values()] == ["Two."]


def test_a_function_of_your_own_writes_metadata() -> None:
    written: list[str] = []
    store, records = Fetching(Counting()), InMemoryRecordManager("n")

    def write(vectorstore: Any, chunks: Sequence[Document]) -> None:
        written.extend(chunk.page_content for chunk in chunks)
        for chunk in chunks:
            vectorstore.inner.store[chunk.id]["metadata"] = chunk.metadata

    sync(SENTENCES, [note("One. Two.")], store, records)
    sync(SENTENCES, [note("Zero. One. Two.")], store, records, update_metadata=write)
    assert written == ["One.", "Two."]
    assert state(store.inner) == built("Zero. One. Two.")


def test_parents_are_brought_along() -> None:
    store, records = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("n")
    docstore = InMemoryStore()
    splitter = HierarchicalSplitter([40, 14])

    def run(text: str) -> Any:
        return sync(splitter, [note(text)], store, records, docstore=docstore)

    run("One is here. Two is here. Three is here.\n\nFour is here. Five is here.")
    run("One is here. Two is here. Three is here.\n\nFour is gone. Five is here.")
    parents = {key: docstore.mget([key])[0] for key in docstore.yield_keys()}
    for child in store.store.values():
        parent = parents[child["metadata"]["parent_id"]]
        assert parent is not None
        assert child["text"] in parent.page_content
    wanted = {child["metadata"]["parent_id"] for child in store.store.values()}
    assert set(parents) == wanted, "no parent is left over"
    run("")
    assert not store.store
    assert not list(docstore.yield_keys())
    assert not records.list_keys()


def test_with_a_record_manager_on_disk(tmp_path: Path) -> None:
    store = InMemoryVectorStore(LetterEmbeddings())
    for text in ("One. Two. Three.", "One. Two and more. Three.", "Three. One."):
        records = SQLRecordManager("n", db_url=f"sqlite:///{tmp_path / 'records.db'}")
        records.create_schema()
        sync(SENTENCES, [note(text)], store, records, batch_size=2)
        assert set(records.list_keys()) == set(store.store)
        assert state(store) == built(text)
        records.engine.dispose()


async def test_in_a_coroutine() -> None:
    store, records = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("n")
    assert (await asyncio.to_thread(sync, SENTENCES, [note("One.")], store, records)).added == 1


# ------------------------------------------------------------------ stopped in the middle


class Stopped(BaseException):
    """What a killed process looks like from inside: nothing runs after it."""


class Fragile:
    """Stops at the n-th write of any store, before it or in the middle of it."""

    def __init__(self, at: int) -> None:
        self.left = at

    def write(self, do: Callable[[Any], Any], items: Any) -> Any:
        self.left -= 1
        if self.left < 0:
            do(list(items)[: len(items) // 2])
            raise Stopped
        return do(items)


class FragileStore(InMemoryVectorStore):
    fragile: Fragile

    def add_documents(self, documents: list[Document], ids: Any = None, **kwargs: Any) -> list[str]:
        add = super().add_documents
        return self.fragile.write(lambda some: add(some, ids=ids[: len(some)]), documents)

    def delete(self, ids: Any = None, **kwargs: Any) -> None:
        self.fragile.write(super().delete, ids)


class SilentStore(FragileStore):
    """A store that does not say what it has."""

    get_by_ids = VectorStore.get_by_ids


class FragileRecords(InMemoryRecordManager):
    fragile: Fragile

    def update(self, keys: Any, *, group_ids: Any = None, time_at_least: Any = None) -> None:
        update = super().update
        self.fragile.write(lambda some: update(some, group_ids=group_ids[: len(some)]), keys)

    def delete_keys(self, keys: Any) -> None:
        self.fragile.write(super().delete_keys, keys)


OLD = "One. Two. Three. Four. Five. Same. Same. Six. Seven. Eight."
NEW = "Zero. One. Two changed. Three. Five. Same. Nine. Ten. Eight. Eleven. Twelve."
NEWER = "One. Zero. Two changed again. Three. Same. Same. Ten."


@pytest.mark.parametrize("kind", [FragileStore, SilentStore])
@pytest.mark.parametrize("last", [NEW, NEWER], ids=["the same again", "another edit"])
@pytest.mark.parametrize("at", range(20))
def test_stopped_anywhere_and_run_again(at: int, last: str, kind: Any) -> None:
    store, records = kind(LetterEmbeddings()), FragileRecords("n")
    # batches of two chunks, so that there are many points
    splitter = SENTENCES if kind is FragileStore else SentenceSplitter(None)
    store.fragile = records.fragile = Fragile(10**6)
    sync(splitter, [note(OLD)], store, records, batch_size=2)
    store.fragile.left = at
    try:
        sync(splitter, [note(NEW)], store, records, batch_size=2)
        assert at > 9, "that many writes there are"
    except Stopped:
        known = {key.removeprefix("unsure:") for key in records.list_keys()}
        assert set(store.store) <= known, "nothing that the records do not know"
        stays = {chunk.id for chunk in with_ids(splitter.split_documents([note(OLD)]))}
        stays &= {chunk.id for chunk in with_ids(splitter.split_documents([note(NEW)]))}
        assert stays <= set(store.store), "what stays is there all the time"
    store.fragile.left = 10**6
    sync(splitter, [note(last)], store, records, batch_size=2)
    found = {(key, kept["text"]) for key, kept in store.store.items()}
    wanted = with_ids(splitter.split_documents([note(last)]))
    assert found == {(chunk.id, chunk.page_content) for chunk in wanted}
    if kind is FragileStore:
        assert state(store) == built(last)
    assert set(records.list_keys()) == set(store.store)


@pytest.mark.parametrize("at", range(8))
def test_stopped_among_parents(at: int) -> None:
    store, records = FragileStore(LetterEmbeddings()), FragileRecords("n")
    docstore, splitter = InMemoryStore(), HierarchicalSplitter([40, 14])
    store.fragile = records.fragile = Fragile(at)
    with suppress(Stopped):
        sync(splitter, [note(OLD)], store, records, docstore=docstore, batch_size=2)
    store.fragile.left = 10**6
    sync(splitter, [note(NEW)], store, records, docstore=docstore, batch_size=2)
    wanted = {child["metadata"]["parent_id"] for child in store.store.values()}
    assert set(docstore.yield_keys()) == wanted
    assert len(records.list_keys()) == len(store.store) + len(wanted)


# ------------------------------------------------------------------ context and transform


def test_sync_embeds_again_where_the_context_changed() -> None:
    embeddings = Counting()
    store, records = InMemoryVectorStore(embeddings), InMemoryRecordManager("n")
    splitter = with_context(MarkdownSplitter(60), content="source")

    def run(title: str) -> Any:
        text = f"# {title}\n\nReplace it each year, and keep it.\n\nUse grease on the ring."
        del embeddings.texts[:]
        return sync(splitter, [note(text)], store, records, embed=embedded_text)

    assert run("Pump").added == 2
    assert run("Pump").kept == 2
    assert run("Valve").added == 2
    assert "Valve\n\nUse grease on the ring." in embeddings.texts
    with pytest.raises(InputError, match="embed: Unknown"):
        sync(splitter, [], Unknown(embeddings), records, embed=embedded_text)


def test_sync_stores_what_transform_gives() -> None:
    store, records = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("n")
    tagged = [note("One. Two.", tags=["a", "b"])]
    sync(SENTENCES, tagged, store, records, transform=flat_metadata)
    assert {kept["metadata"]["tags"] for kept in store.store.values()} == {"a, b"}
    assert sync(SENTENCES, tagged, store, records, transform=flat_metadata).kept == 2
