"""The stores, each with its own way to filter and to delete: LangChain's interface has none in common."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any, NamedTuple
from uuid import uuid4

from langchain_core.vectorstores import InMemoryVectorStore, VectorStore

from langchain_chunkers.testing.fakes import LetterEmbeddings

SIZE = 64  # numbers in a vector of LetterEmbeddings


class Kind(NamedTuple):
    """One kind of store.

    Attributes:
        make: Makes an empty store in a folder.
        filtered: ``(wanted metadata) -> arguments of a search``.
        delete: Deletes all chunks of a source.
        by_id: The store gives documents by id.
        apart: `add_with_context` knows it.
    """

    make: Callable[[Any], VectorStore]
    filtered: Callable[[Mapping[str, Any]], dict[str, Any]]
    delete: Callable[[Any, str], None]
    by_id: bool = True
    apart: bool = True


def _matching(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "filter": lambda document: all(document.metadata.get(k) == v for k, v in wanted.items())
    }


def _delete_in_memory(store: Any, source: str) -> None:
    store.delete([key for key, kept in store.store.items() if kept["metadata"]["source"] == source])


def _make_faiss(folder: Any) -> VectorStore:
    faiss = import_module("faiss")
    community = import_module("langchain_community.vectorstores")
    docstores = import_module("langchain_community.docstore.in_memory")
    return community.FAISS(
        LetterEmbeddings(), faiss.IndexFlatL2(SIZE), docstores.InMemoryDocstore(), {}
    )


def _delete_faiss(store: Any, source: str) -> None:
    found = [key for key, kept in store.docstore._dict.items() if kept.metadata["source"] == source]
    store.delete(found)


def _make_chroma(folder: Any) -> VectorStore:
    return import_module("langchain_chroma").Chroma(
        collection_name=f"c{uuid4().hex}",
        embedding_function=LetterEmbeddings(),
        persist_directory=str(folder),
    )


def _all_of(wanted: Mapping[str, Any]) -> dict[str, Any]:
    each = [{key: value} for key, value in wanted.items()]
    return {"filter": each[0] if len(each) == 1 else {"$and": each}}


def _make_qdrant(folder: Any) -> VectorStore:
    qdrant = import_module("qdrant_client")
    client = qdrant.QdrantClient(path=str(folder))
    client.create_collection(
        "chunks",
        vectors_config=qdrant.models.VectorParams(
            size=SIZE, distance=qdrant.models.Distance.COSINE
        ),
    )
    return import_module("langchain_qdrant").QdrantVectorStore(
        client=client, collection_name="chunks", embedding=LetterEmbeddings()
    )


def _qdrant_filter(wanted: Mapping[str, Any]) -> Any:
    models = import_module("qdrant_client").models
    return models.Filter(
        must=[
            # a dot leads inside, and a name with a space would stand in quotes
            models.FieldCondition(key=f'metadata."{key}"', match=models.MatchValue(value=value))
            for key, value in wanted.items()
        ]
    )


def _delete_qdrant(store: Any, source: str) -> None:
    models = import_module("qdrant_client").models
    chosen = models.FilterSelector(filter=_qdrant_filter({"source": source}))
    store.client.delete(store.collection_name, points_selector=chosen)


def _make_lancedb(folder: Any) -> VectorStore:
    return import_module("langchain_community.vectorstores").LanceDB(
        uri=str(folder), embedding=LetterEmbeddings(), mode="append"
    )


def _sql(wanted: Mapping[str, Any]) -> str:
    quoted = {k: f"'{v}'" if isinstance(v, str) else v for k, v in wanted.items()}
    return " AND ".join(f"metadata.`{key}` = {value}" for key, value in quoted.items())


KINDS: dict[str, Kind] = {
    "InMemory": Kind(
        lambda _: InMemoryVectorStore(LetterEmbeddings()), _matching, _delete_in_memory
    ),
    "FAISS": Kind(
        _make_faiss,
        # it takes its candidates first, and filters these
        lambda wanted: {"filter": lambda own: own.items() >= wanted.items(), "fetch_k": 10_000},
        _delete_faiss,
    ),
    "Chroma": Kind(
        _make_chroma,
        _all_of,
        lambda store, source: store.delete(where={"source": source}),
    ),
    "Qdrant": Kind(_make_qdrant, lambda wanted: {"filter": _qdrant_filter(wanted)}, _delete_qdrant),
    "LanceDB": Kind(
        _make_lancedb,
        # without prefilter it filters the k nearest only
        lambda wanted: {"filter": _sql(wanted), "prefilter": True},
        lambda store, source: store.delete(filter=_sql({"source": source})),
        by_id=False,
        apart=False,
    ),
}
