"""The chunks before and behind a hit, from any store that fetches by id or by filter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import Callbacks
from langchain_core.documents import BaseDocumentCompressor, Document
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from pydantic import ConfigDict, Field

from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.retrieval.ids import SourceKey, source_of

__all__ = ["NeighbourExpander", "expand"]

ById = Callable[[Sequence[str]], Iterable[Document | None]]
ByIndex = Callable[[str, int, int], Iterable[Document]]


def expand(
    documents: Iterable[Document],
    store: Any = None,
    before: int = 1,
    after: int = 1,
    *,
    fetch: ByIndex | None = None,
    source_key: SourceKey = "source",
) -> list[Document]:
    """Add to each hit the chunks before and behind it.

    There are two ways to find them. By id: chunks have ``chunk_id``, ``previous`` and ``next`` in their
    metadata and lie in the store under ``chunk_id``; each step is one call for all hits. By place:
    chunks have ``chunk_index``, and ``fetch`` asks the store with its own kind of filter; one call a hit.

    Args:
        documents: Hits, most relevant first.
        store: A vector store that has ``get_by_ids``, a key-value store, or a function from ids to
            documents. For the first way.
        before: Chunks before each hit.
        after: Chunks behind each hit.
        fetch: ``(source, first, last) -> chunks``: those of a source whose ``chunk_index`` is from
            ``first`` to ``last``, both included, in any order. For the second way.
        source_key: What ``fetch`` is told of the source.

    Returns:
        The hits in their order, then the neighbours: the nearest first, and among these those of the
        most relevant hit. No chunk twice. `stitch` puts them into reading order.

    Raises:
        InputError: Hits lack the metadata, or the store cannot fetch by id.

    Example:
        >>> from langchain_chunkers import SentenceSplitter
        >>> links = ["chunk_id", "previous", "next"]
        >>> chunks = SentenceSplitter(None, add_metadata=links).create_documents(
        ...     ["One. Two. Three. Four."]
        ... )
        >>> by_id = {chunk.metadata["chunk_id"]: chunk for chunk in chunks}
        >>> found = expand([chunks[1]], lambda ids: [by_id.get(key) for key in ids], after=2)
        >>> [chunk.page_content for chunk in found]
        ['Two.', 'One.', 'Three.', 'Four.']
    """
    for name, value in (("before", before), ("after", after)):
        if type(value) is not int or value < 0:
            msg = f"{name} must be an integer of chunks, zero or more: got {value!r}."
            raise SettingError(msg)
    if (store is None) == (fetch is None):
        msg = "expand needs either store, which fetches by id, or fetch, which fetches by place."
        raise SettingError(msg)
    hits = list(documents)
    found = _Found(hits)
    if fetch is not None:
        for document in _by_place(hits, fetch, before, after, source_key):
            found.add(document)
    else:
        for document in _by_links(hits, _getter(store), before, after):
            found.add(document)
    return found.documents


class NeighbourExpander(BaseDocumentCompressor):
    """`expand` as a part of LangChain's retrievers.

    In a ``DocumentCompressorPipeline`` it stands before `Stitcher`.

    Args:
        store: As of `expand`; so are the others.
        before: Chunks before each hit.
        after: Chunks behind each hit.
        fetch: Fetches by place.
        source_key: What ``fetch`` is told of the source.
    """

    store: Any = None
    before: int = 1
    after: int = 1
    fetch: Any = None
    source_key: Any = Field(default="source")

    model_config = ConfigDict(arbitrary_types_allowed=True, extra="forbid")

    def compress_documents(
        self,
        documents: Sequence[Document],
        query: str,  # noqa: ARG002
        callbacks: Callbacks | None = None,  # noqa: ARG002
    ) -> Sequence[Document]:
        """Add the neighbours of what was retrieved."""
        return expand(
            documents,
            self.store,
            self.before,
            self.after,
            fetch=self.fetch,
            source_key=self.source_key,
        )


class _Found:
    """Documents in order, none twice."""

    def __init__(self, documents: Iterable[Document]) -> None:
        self.documents: list[Document] = []
        self.seen: set[object] = set()
        for document in documents:
            self.add(document)

    def add(self, document: Document) -> None:
        """Add a document, unless it is there."""
        metadata = document.metadata
        key: object = metadata.get("chunk_id") or document.id
        if key is None:
            key = source_of(document), metadata.get("chunk_index"), document.page_content
        if key not in self.seen:
            self.seen.add(key)
            self.documents.append(document)


def _by_links(hits: Sequence[Document], get: ById, before: int, after: int) -> Iterator[Document]:
    """Follow the links of all hits at once, a step at a time."""
    for document in hits:
        if not {"previous", "next", "chunk_id"} & document.metadata.keys():
            msg = (
                "expand finds neighbours by id through chunk_id, previous and next: got a hit "
                "without. Split with add_metadata=['chunk_id', 'previous', 'next'], or give fetch."
            )
            raise InputError(msg)
    # the next id in each direction from each hit, for as long as there is one
    walks = [(link, hit.metadata.get(link)) for hit in hits for link in ("previous", "next")]
    steps = {"previous": before, "next": after}
    for step in range(max(before, after)):
        walks = [(link, key) for link, key in walks if key is not None and step < steps[link]]
        keys = list(dict.fromkeys(key for _, key in walks if key is not None))
        if not keys:
            return
        got = {d.metadata.get("chunk_id"): d for d in get(keys) if d is not None}
        walks = [(link, key) for link, key in walks if key in got]
        yield from (got[key] for _, key in walks)
        walks = [(link, got[key].metadata.get(link)) for link, key in walks]


def _by_place(
    hits: Sequence[Document], fetch: ByIndex, before: int, after: int, source_key: SourceKey
) -> list[Document]:
    """Ask for the chunks around each hit."""
    around: list[tuple[int, int, int, Document]] = []
    for rank, hit in enumerate(hits):
        index = hit.metadata.get("chunk_index")
        if not isinstance(index, int):
            msg = (
                "expand finds neighbours by place through chunk_index: got a hit without. Split with "
                "add_metadata=['chunk_index']."
            )
            raise InputError(msg)
        for document in fetch(source_of(hit, source_key), max(0, index - before), index + after):
            distance = document.metadata.get("chunk_index", index) - index
            if distance and -before <= distance <= after:
                around.append((abs(distance), rank, distance, document))
    return [document for *_, document in sorted(around, key=lambda each: each[:3])]


def _getter(store: Any) -> ById:
    """Give the function of a store that fetches by id."""
    if isinstance(store, VectorStore):
        if type(store).get_by_ids is VectorStore.get_by_ids:
            msg = f"{type(store).__name__} cannot fetch by id. Give fetch, which fetches by place."
            raise InputError(msg)
        return lambda ids: store.get_by_ids(list(ids))
    if isinstance(store, BaseStore):
        return lambda ids: store.mget(list(ids))
    if callable(store):
        return store  # type: ignore[no-any-return]
    msg = f"store must be a vector store, a key-value store or a function: got {type(store).__name__}."
    raise InputError(msg)
