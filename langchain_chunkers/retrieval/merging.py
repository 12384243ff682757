"""Retrieval with parents: small chunks are found, and where most of a parent is, the parent is read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from langchain_core.callbacks import (
    AsyncCallbackManagerForRetrieverRun,
    CallbackManagerForRetrieverRun,
)
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from langchain_core.runnables.config import run_in_executor
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field, field_validator

from langchain_chunkers._extras import need
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.retrieval.ids import flat_metadata
from langchain_chunkers.wrappers.parents import HierarchicalSplitter, ParentChildSplitter

__all__ = ["AutoMergingRetriever", "build_parent_retriever", "document_store"]


class AutoMergingRetriever(BaseRetriever):
    """Finds small chunks, and gives the parent where most of its children were found.

    To any depth: parents that were merged count as found in the level above. A parent stands where
    its most relevant child stood; its children are not given beside it.

    Args:
        vectorstore: Has the smallest chunks.
        docstore: Has all larger ones, by ``chunk_id``.
        splitter: A `HierarchicalSplitter`, for `add_documents`.
        merge_ratio: A parent is given where more than this share of its children was found:
            0.5 for most of them; 0 for any, as ``ParentDocumentRetriever`` does; 1 for never.
        search_type: ``"similarity"``, ``"mmr"`` or ``"similarity_score_threshold"``.
        search_kwargs: Handed to the search, such as ``{"k": 12}``. Small chunks need a larger ``k``.
        id_key: Key of the parent's id in the metadata of a chunk.
        flatten: Give the vector store metadata of strings, numbers and booleans only, which each
            store accepts; see `flat_metadata`. The docstore has all.

    Source: the idea of LlamaIndex's AutoMergingRetriever.
    """

    vectorstore: VectorStore
    docstore: BaseStore[str, Document]
    splitter: Any = None
    merge_ratio: float = 0.5
    search_type: str = "similarity"
    search_kwargs: dict[str, Any] = Field(default_factory=dict)
    id_key: str = "parent_id"
    flatten: bool = True

    model_config = ConfigDict(arbitrary_types_allowed=True)

    @field_validator("merge_ratio")
    @classmethod
    def _a_share(cls, value: float) -> float:
        if not 0 <= value <= 1:
            msg = f"merge_ratio must be from 0 to 1: got {value!r}."
            raise SettingError(msg)
        return value

    def add_documents(self, documents: Iterable[Document]) -> list[str]:
        """Split documents, and put the chunks into both stores.

        Larger chunks are stored first, so that no small one is found whose parent is missing. Stored
        again, a document's unchanged chunks replace themselves; for what an edit removed, see `sync`.

        Args:
            documents: Documents, each with a ``source`` of its own in the metadata.

        Returns:
            The ids of the small chunks.
        """
        *larger, leaves = self._levels(documents)
        for level in larger:
            self.docstore.mset(_keyed(level))
        return self.vectorstore.add_documents(leaves, ids=_keys(leaves)) if leaves else []

    async def aadd_documents(self, documents: Iterable[Document]) -> list[str]:
        """As `add_documents`, without blocking the event loop."""
        *larger, leaves = await run_in_executor(None, self._levels, documents)
        for level in larger:
            await self.docstore.amset(_keyed(level))
        return await self.vectorstore.aadd_documents(leaves, ids=_keys(leaves)) if leaves else []

    def _levels(self, documents: Iterable[Document]) -> list[list[Document]]:
        if not isinstance(self.splitter, HierarchicalSplitter):
            msg = (
                "add_documents needs splitter, a HierarchicalSplitter or ParentChildSplitter: got "
                f"{type(self.splitter).__name__}."
            )
            raise InputError(msg)
        *larger, leaves = self.splitter.split_levels(documents)
        return [*larger, flat_metadata(leaves) if self.flatten else leaves]

    def _get_relevant_documents(
        self,
        query: str,
        *,
        run_manager: CallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        hits = self.vectorstore.search(query, self.search_type, **self.search_kwargs)
        found = _unique(hits)
        while keys := self._crowded(found):
            parents = dict(zip(keys, self.docstore.mget(keys), strict=True))
            found, merged = self._merged(found, parents)
            if not merged:
                break
        return found

    async def _aget_relevant_documents(
        self,
        query: str,
        *,
        run_manager: AsyncCallbackManagerForRetrieverRun,  # noqa: ARG002
    ) -> list[Document]:
        hits = await self.vectorstore.asearch(query, self.search_type, **self.search_kwargs)
        found = _unique(hits)
        while keys := self._crowded(found):
            parents = dict(zip(keys, await self.docstore.amget(keys), strict=True))
            found, merged = self._merged(found, parents)
            if not merged:
                break
        return found

    def _crowded(self, found: Sequence[Document]) -> list[str]:
        """List the parents of which enough children were found, in the order of the first."""
        families: dict[str, list[Document]] = {}
        for document in found:
            parent = document.metadata.get(self.id_key)
            if parent is not None:
                families.setdefault(str(parent), []).append(document)
        return [
            parent
            for parent, children in families.items()
            # a store without counts behaves as if each child were alone with what was found
            if len(children)
            > self.merge_ratio * children[0].metadata.get("sibling_count", len(children))
        ]

    def _merged(
        self, found: Sequence[Document], parents: Mapping[str, Document | None]
    ) -> tuple[list[Document], bool]:
        """Put parents in the place of their first child."""
        kept: list[Document] = []
        placed: set[str] = set()
        for document in found:
            key = str(document.metadata.get(self.id_key))
            parent = parents.get(key)
            if parent is None:  # not crowded, or no longer in the store: the child is what there is
                kept.append(document)
            elif key not in placed:
                placed.add(key)
                kept.append(parent)
        return kept, bool(placed)


def build_parent_retriever(
    vectorstore: VectorStore,
    docstore: Any,
    parent: Any = 2000,
    child: Any = 400,
    *,
    merge_ratio: float = 0,
    length_function: Any = len,
    **options: Any,
) -> AutoMergingRetriever:
    """Make a retriever that searches small chunks and gives large ones.

    What LangChain's ``ParentDocumentRetriever`` does, with what it lacks: children and parents from one
    outline with offsets in the source, stable ids (adding a document twice stores it once), merging only
    where it pays, and a store that is still there tomorrow.

    Args:
        vectorstore: For the small chunks.
        docstore: For the large ones: a folder (a path), where they are kept as files; or a LangChain
            store of documents (``create_kv_docstore`` makes one of a store of bytes).
        parent: A splitter, or a size.
        child: A splitter, or a size: the parent's splitter in that size.
        merge_ratio: As of `AutoMergingRetriever`; 0 gives the parent for any hit.
        length_function: What sizes count.
        **options: Settings of `AutoMergingRetriever`, such as ``search_kwargs``.

    Raises:
        MissingExtraError: ``docstore`` is a folder, and langchain-classic is not installed.

    Example:
        >>> from langchain_core.stores import InMemoryStore
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from langchain_chunkers.testing.fakes import LetterEmbeddings
        >>> vectorstore = InMemoryVectorStore(LetterEmbeddings())
        >>> retriever = build_parent_retriever(vectorstore, InMemoryStore(), 60, 30)
        >>> text = "The pump failed at noon. Nobody saw it.\\n\\nThe crew came. It was late."
        >>> _ = retriever.add_documents([Document(page_content=text)])
        >>> retriever.invoke("pump failed")[0].page_content
        'The pump failed at noon. Nobody saw it.'
    """
    splitter = ParentChildSplitter(parent, child, length_function=length_function)
    return AutoMergingRetriever(
        vectorstore=vectorstore,
        docstore=document_store(docstore),
        splitter=splitter,
        merge_ratio=merge_ratio,
        **options,
    )


def document_store(store: Any) -> BaseStore[str, Document]:
    """Make a store of documents of a folder; a store is given back as it is.

    Args:
        store: A path, or a LangChain store of documents.
    """
    if isinstance(store, str | Path):
        storage = need("langchain_classic.storage", "retrieval", "A document store in a folder")
        store = storage.LocalFileStore(store)
        return storage.create_kv_docstore(store)  # type: ignore[no-any-return]
    if not isinstance(store, BaseStore):
        msg = f"docstore must be a folder or a LangChain store: got {type(store).__name__}."
        raise InputError(msg)
    return store


def _unique(documents: Iterable[Document]) -> list[Document]:
    """Leave out chunks that were found twice, as some searches give."""
    seen: set[object] = set()
    kept = []
    for document in documents:
        key: object = document.metadata.get("chunk_id", document.id)
        if key is None or key not in seen:
            seen.add(key)
            kept.append(document)
    return kept


def _keys(documents: Sequence[Document]) -> list[str]:
    return [document.metadata["chunk_id"] for document in documents]


def _keyed(documents: Sequence[Document]) -> list[tuple[str, Document]]:
    return [(document.metadata["chunk_id"], document) for document in documents]
