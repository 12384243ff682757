"""Metadata: each chunk owns its own, JSON values, nothing lost."""

import copy
import json

import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import DeterministicFakeEmbedding
from langchain_core.indexing import InMemoryRecordManager, index
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_chunkers import RecursiveSplitter, TokenCountSplitter
from tests.cases.laws import ALL, SIZED, make


@pytest.mark.parametrize("name", ALL)
def test_nested_metadata_is_copied_meta_01_meta_05(name):
    given = {"authors": ["ada"], "at": {"page": 1}}
    kept = copy.deepcopy(given)
    splitter = make(name, 20)
    for call in (
        lambda: splitter.create_documents(["# A\ntext a here\n\n# B\ntext b here\n"], [given]),
        lambda: splitter.split_documents([Document("one two three. " * 10, metadata=given)]),
        lambda: [Document(t, metadata=m) for t, m in splitter(("one two three. " * 10, given))],
    ):
        documents = call()
        documents[0].metadata["authors"].append("grace")
        documents[0].metadata["at"]["page"] = 2
        documents[0].metadata["new"] = 1
        assert given == kept
        assert all(document.metadata == kept for document in documents[1:])


def test_pathways_splitters_share_nothing_meta_05():
    meta = {"path": "a.txt"}
    for splitter in (TokenCountSplitter(2, 8), RecursiveSplitter(20)):
        pieces = splitter(("one two three. " * 10, meta))
        assert len(pieces) > 2
        pieces[0][1]["tag"] = 1
        assert meta == {"path": "a.txt"}
        assert all(own == {"path": "a.txt"} for _, own in pieces[1:])


@pytest.mark.parametrize("name", ALL)
def test_too_few_metadatas_are_named_meta_02(name):
    with pytest.raises(ValueError, match=r"got 1 for 2"):
        make(name).create_documents(["a b c d e f g h"] * 2, metadatas=[{"s": 1}])


@pytest.mark.parametrize("name", ALL)
def test_the_document_id_is_kept_meta_02(name):
    [chunk, *_] = make(name).split_documents([Document("text", id="d1", metadata={"s": 1})])
    assert chunk.metadata == {"document_id": "d1", "s": 1}
    assert chunk.id is None


@pytest.mark.parametrize("name", SIZED)
def test_index_and_count_are_to_be_had_meta_02(name):
    splitter = make(name, 5, add_metadata=["chunk_index", "chunk_count"])
    found = [d.metadata for d in splitter.create_documents(["a b c d e f g h", "x"])]
    assert [m["chunk_index"] for m in found] == [*range(len(found) - 1), 0]
    assert {m["chunk_count"] for m in found[:-1]} == {len(found) - 1}


SAME = "SAME LINE\n" * 3 + "other line\n" + "SAME LINE\n" * 3


@pytest.mark.parametrize("added, stored", [((), 2), (("start_index",), 7), (("chunk_id",), 7)])
def test_equal_chunks_survive_index_where_their_place_is_told_meta_04(added, stored):
    documents = RecursiveSplitter(10, add_metadata=added).split_documents(
        [Document(SAME, metadata={"source": "s"})]
    )
    assert len(documents) == 7
    records = InMemoryRecordManager("n")
    records.create_schema()
    result = index(
        documents,
        records,
        InMemoryVectorStore(DeterministicFakeEmbedding(size=4)),
        cleanup="full",
        source_id_key="source",
        key_encoder="sha256",
    )
    assert result["num_added"] == stored


@pytest.mark.parametrize("name", ALL)
def test_metadata_is_json_meta_04(name):
    facts = [
        "start_index", "end_index", "chunk_index", "chunk_count", "chunk_id", "previous", "next",
        "token_count", "line_start", "line_end",
    ]  # fmt: skip
    if name == "null":
        splitter = make(name, add_metadata=facts)
    else:
        splitter = make(name, 20, 4, add_metadata=facts)
    for document in splitter.create_documents(["# A\ntext a here\n\n# B\ntext b\n"]):
        assert json.loads(json.dumps(document.metadata)) == document.metadata
        assert list(document.metadata) == [fact for fact in facts if fact in document.metadata]


@pytest.mark.parametrize("name", ALL)
def test_nothing_is_added_unless_asked_for(name):
    for document in make(name, 20).create_documents(["# A\ntext a here\n\n# B\ntext b here\n"]):
        assert document.metadata == {}
