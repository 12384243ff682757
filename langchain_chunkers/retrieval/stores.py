"""What LangChain's interface of vector stores lacks: new metadata for old vectors, vectors of one's own.

Each kind of store is known by the name of its class, so that none must be installed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from typing import Any

from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from langchain_chunkers.errors import InputError
from langchain_chunkers.retrieval.ids import with_ids
from langchain_chunkers.wrappers.context import embedded_text

__all__ = ["add_with_context", "can_fetch", "embeds_apart", "update_metadata"]


def can_fetch(store: VectorStore) -> bool:
    """Say whether a store gives documents by id."""
    return type(store).get_by_ids is not VectorStore.get_by_ids


def update_metadata(store: VectorStore, documents: Sequence[Document]) -> bool:
    """Write the metadata of chunks that a store has, without embedding them again.

    Args:
        store: ``InMemoryVectorStore``, ``Chroma``, ``QdrantVectorStore`` or ``FAISS``.
        documents: Chunks as they are now, each with its ``id``.

    Returns:
        Whether the store was of a kind that allows it; otherwise nothing was done.
    """
    known = _of_kind(store, _UPDATES)
    if known is None:
        return False
    if documents:
        known(store, documents)
    return True


def embeds_apart(store: VectorStore) -> bool:
    """Say whether `add_with_context` knows how to give a store vectors that are not of its texts."""
    return _of_kind(store, _ADDS) is not None


def add_with_context(
    store: VectorStore,
    documents: Iterable[Document],
    *,
    text: Callable[[Document], str] = embedded_text,
) -> list[str]:
    """Add chunks whose vectors are of more than their text: of their context too.

    The store keeps, gives back and cites the text of the source alone.

    Args:
        store: ``InMemoryVectorStore``, ``Chroma``, ``QdrantVectorStore``, ``FAISS`` or ``PGVector``, with
            its embeddings.
        documents: Chunks, such as those of ``with_context(splitter, content="source")``.
        text: What is embedded of a chunk.

    Returns:
        The ids: those of the documents, or stable ones where these have none.

    Raises:
        InputError: The store is of another kind, or has no embeddings. For those, use
            ``with_context(splitter)``, where context and text are one.
    """
    documents = list(documents)
    add = _of_kind(store, _ADDS)
    embeddings = getattr(store, "embeddings", None)
    if add is None or embeddings is None:
        msg = (
            f"add_with_context knows {', '.join(_ADDS)}, with embeddings: got {type(store).__name__}. "
            f"For other stores, let the text have its context: with_context(splitter)."
        )
        raise InputError(msg)
    if not all(document.id for document in documents):
        documents = with_ids(documents)
    if documents:
        vectors = embeddings.embed_documents([text(document) for document in documents])
        add(store, documents, vectors)
    return [str(document.id) for document in documents]


def _of_kind(store: VectorStore, table: dict[str, Callable[..., None]]) -> Any:
    """Find what a table has for the class of a store, or for one that it derives from."""
    return next(
        (table[kind.__name__] for kind in type(store).__mro__ if kind.__name__ in table), None
    )


def _ids(documents: Sequence[Document]) -> list[str]:
    return [str(document.id) for document in documents]


# ------------------------------------------------------------------ one function for each kind


def _update_in_memory(store: Any, documents: Sequence[Document]) -> None:
    for document in documents:
        if document.id in store.store:
            store.store[document.id]["metadata"] = document.metadata


def _update_chroma(store: Any, documents: Sequence[Document]) -> None:
    collection = store._collection  # its public update embeds again
    # keys that are gone stay unless they are set to nothing
    old = collection.get(ids=_ids(documents), include=["metadatas"])
    before = dict(zip(old["ids"], old["metadatas"], strict=True))
    collection.update(
        ids=_ids(documents),
        metadatas=[
            {**dict.fromkeys(before.get(str(document.id)) or {}), **document.metadata}
            for document in documents
        ],
    )


def _update_qdrant(store: Any, documents: Sequence[Document]) -> None:
    for document in documents:
        store.client.set_payload(
            collection_name=store.collection_name,
            payload={store.metadata_payload_key: document.metadata},
            points=[document.id],
        )


def _update_faiss(store: Any, documents: Sequence[Document]) -> None:
    for document in documents:
        old = store.docstore.search(document.id)
        if isinstance(old, Document):
            old.metadata = document.metadata


def _add_in_memory(store: Any, documents: Sequence[Document], vectors: list[list[float]]) -> None:
    for document, vector in zip(documents, vectors, strict=True):
        store.store[document.id] = {
            "id": document.id,
            "vector": vector,
            "text": document.page_content,
            "metadata": document.metadata,
        }


def _add_chroma(store: Any, documents: Sequence[Document], vectors: list[list[float]]) -> None:
    store._collection.upsert(
        ids=_ids(documents),
        embeddings=vectors,
        documents=[document.page_content for document in documents],
        metadatas=[document.metadata or None for document in documents],
    )


def _add_qdrant(store: Any, documents: Sequence[Document], vectors: list[list[float]]) -> None:
    models = import_module("qdrant_client.models")
    name = store.vector_name
    store.client.upsert(
        collection_name=store.collection_name,
        points=[
            models.PointStruct(
                id=document.id,
                vector={name: vector} if name else vector,
                payload={
                    store.content_payload_key: document.page_content,
                    store.metadata_payload_key: document.metadata,
                },
            )
            for document, vector in zip(documents, vectors, strict=True)
        ],
    )


def _add_faiss(store: Any, documents: Sequence[Document], vectors: list[list[float]]) -> None:
    known = set(store.index_to_docstore_id.values())
    if old := [key for key in _ids(documents) if key in known]:
        store.delete(old)
    store.add_embeddings(
        [
            (document.page_content, vector)
            for document, vector in zip(documents, vectors, strict=True)
        ],
        metadatas=[document.metadata for document in documents],
        ids=_ids(documents),
    )


def _add_pgvector(store: Any, documents: Sequence[Document], vectors: list[list[float]]) -> None:
    store.add_embeddings(
        texts=[document.page_content for document in documents],
        embeddings=vectors,
        metadatas=[document.metadata for document in documents],
        ids=_ids(documents),
    )


_UPDATES: dict[str, Callable[..., None]] = {
    "InMemoryVectorStore": _update_in_memory,
    "Chroma": _update_chroma,
    "QdrantVectorStore": _update_qdrant,
    "FAISS": _update_faiss,
}
_ADDS: dict[str, Callable[..., None]] = {
    "InMemoryVectorStore": _add_in_memory,
    "Chroma": _add_chroma,
    "QdrantVectorStore": _add_qdrant,
    "FAISS": _add_faiss,
    "PGVector": _add_pgvector,
}
