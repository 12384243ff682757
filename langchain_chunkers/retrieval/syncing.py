"""Index again only what changed: embed new chunks, move old ones, delete what is gone.

A few lines over 300: the order of the steps is what makes a broken run safe, and is read as one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import Literal, NamedTuple, TypeVar

from langchain_core.documents import Document
from langchain_core.indexing import RecordManager
from langchain_core.stores import BaseStore
from langchain_core.vectorstores import VectorStore
from langchain_text_splitters import TextSplitter

from langchain_chunkers.errors import InputError
from langchain_chunkers.retrieval import stores
from langchain_chunkers.retrieval.ids import SourceKey, source_of, with_ids
from langchain_chunkers.settings import check_choice, check_size
from langchain_chunkers.wrappers.parents import HierarchicalSplitter

__all__ = ["SyncResult", "sync"]

# marks in front of the keys of records
_PARENT = "parent:"  # of what lies in the document store
_UNSURE = "unsure:"  # of what a store that cannot be asked may have or not
_T = TypeVar("_T")


class SyncResult(NamedTuple):
    """How many chunks `sync` added (embedded), moved (new metadata), kept and removed."""

    added: int
    moved: int
    kept: int
    removed: int


def sync(
    splitter: TextSplitter,
    documents: Iterable[Document],
    vectorstore: VectorStore,
    record_manager: RecordManager,
    *,
    docstore: BaseStore[str, Document] | None = None,
    source_key: SourceKey = "source",
    cleanup: Literal["source", "full", "none"] = "source",
    transform: Callable[[list[Document]], list[Document]] | None = None,
    embed: Callable[[Document], str] | None = None,
    update_metadata: Callable[[VectorStore, Sequence[Document]], object] | None = None,
    batch_size: int = 100,
) -> SyncResult:
    """Bring an index up to date with documents.

    Chunks have stable ids (see `chunk_ids`), so only those whose text changed are embedded. Where
    only metadata changed (a place, a heading), the metadata is written and nothing is embedded, if the
    store is of a kind that `update_metadata` knows; else the chunk is added again.

    It may be stopped at any point, and killed: run again with the same documents, or with newer ones, it
    ends in the same state as if it had not been stopped. While it runs, the index has the old and the
    new chunks of a source for a moment, and never less than those that stay. Do not run two at once on
    one index. In a coroutine, run it by ``asyncio.to_thread``.

    Args:
        splitter: Any ``TextSplitter``. Of a `HierarchicalSplitter` the smallest chunks go to
            ``vectorstore``, the others to ``docstore``.
        documents: Whole documents, each with a source. Documents that share one, as the pages of a file,
            are one text to this function: give all of them. An empty document removes its chunks.
        vectorstore: With ``delete`` and, so that moved chunks are seen, ``get_by_ids``; in a store
            without, chunks keep the metadata that they were added with.
        record_manager: LangChain's, such as ``SQLRecordManager``: knows the ids of each source.
        docstore: For the parents of a `HierarchicalSplitter`.
        source_key: What says of which source a document is.
        cleanup: ``"source"``: remove what is gone from the sources given; ``"full"``: also all
            sources that were not given; ``"none"``: remove nothing.
        transform: Called with the chunks of a source before they are stored, such as `flat_metadata`. It
            must keep ids.
        embed: What is embedded of a chunk, if not its text, such as `embedded_text`; see
            `add_with_context` for the stores that allow it.
        update_metadata: ``(vectorstore, chunks)``: writes the metadata of chunks, for stores that are not
            known.
        batch_size: Chunks for each call of a store.

    Returns:
        How many chunks were added, moved, kept and removed.

    Raises:
        InputError: A document has no source, or the store does not allow what is asked.

    Cost: splits everything; embeds what is new; reads from the store what is old. All documents given
    are held in memory: of many, give some sources at a time.

    Example:
        >>> from langchain_core.indexing import InMemoryRecordManager
        >>> from langchain_core.vectorstores import InMemoryVectorStore
        >>> from langchain_chunkers import SentenceSplitter
        >>> from langchain_chunkers.testing.fakes import LetterEmbeddings
        >>> index = InMemoryVectorStore(LetterEmbeddings()), InMemoryRecordManager("notes")
        >>> splitter = SentenceSplitter(chunk_size=None, add_start_index=True)
        >>> def note(text):
        ...     return [Document(page_content=text, metadata={"source": "note.txt"})]
        >>> sync(splitter, note("It failed. Why? It was old."), *index)
        SyncResult(added=3, moved=0, kept=0, removed=0)
        >>> sync(splitter, note("It failed. How? It was very old. It was old."), *index)
        SyncResult(added=2, moved=1, kept=1, removed=1)
    """
    check_choice("cleanup", cleanup, ("source", "full", "none"))
    check_size("batch_size", batch_size, "chunks")
    if isinstance(splitter, HierarchicalSplitter) and docstore is None:
        msg = f"{type(splitter).__name__} needs docstore, for the larger chunks."
        raise InputError(msg)
    if embed is not None and not stores.embeds_apart(vectorstore):
        msg = f"embed: {type(vectorstore).__name__} is of no kind that add_with_context knows."
        raise InputError(msg)
    index = _Index(vectorstore, record_manager, docstore, embed, update_metadata, batch_size)
    total = SyncResult(0, 0, 0, 0)
    seen: set[str] = set()
    for source, group in _by_source(documents, source_key).items():
        parents, chunks = _split(splitter, group, source_key, transform)
        result, keys = index.bring(source, parents, chunks, removes=cleanup != "none")
        total = SyncResult(*map(sum, zip(total, result, strict=True)))
        seen |= keys
    if cleanup == "full":
        gone = set(record_manager.list_keys()) - seen
        total = total._replace(removed=total.removed + index.remove(gone))
    return total


class _Index(NamedTuple):
    """The stores of an index, and how to write into them.

    What is in a store is in the records too, at any moment: records are made before chunks are stored and
    deleted after them, and whether a chunk is stored is asked of the store. So a run that was stopped
    leaves nothing that the next one does not know of. Of a store that cannot be asked, the records say
    what it has for certain and what it may have.
    """

    vectorstore: VectorStore
    records: RecordManager
    docstore: BaseStore[str, Document] | None
    embed: Callable[[Document], str] | None
    update: Callable[[VectorStore, Sequence[Document]], object] | None
    batch: int

    def bring(
        self, source: str, parents: list[Document], chunks: list[Document], *, removes: bool
    ) -> tuple[SyncResult, set[str]]:
        """Bring one source up to date."""
        known = set(self.records.list_keys(group_ids=[source]))
        added, moved = self._news(chunks, known)
        new = [*(_PARENT + str(parent.id) for parent in parents), *map(_key, chunks)]
        if self.can_fetch:
            self._record(source, [key for key in new if key not in known])
        else:
            self._record(source, [_UNSURE + _key(chunk) for chunk in added])
        if self.docstore is not None:
            for batch in _batches(parents, self.batch):
                self.docstore.mset([(str(parent.id), parent) for parent in batch])
        for batch in _batches(added, self.batch):
            self._add(batch)
        for batch in _batches(moved, self.batch):
            self._move(batch)
        if not self.can_fetch:
            self._record(source, [key for key in new if key not in known])
            self._forget([_UNSURE + _key(chunk) for chunk in added])
        gone = known.difference(new, [_UNSURE + key for key in new]) if removes else ()
        kept = len(chunks) - len(added) - len(moved)
        return SyncResult(len(added), len(moved), kept, self.remove(gone, source)), set(new)

    def _news(
        self, chunks: Sequence[Document], known: Collection[str]
    ) -> tuple[list[Document], list[Document]]:
        """Say which chunks are to be added, and which have other metadata."""
        if not self.can_fetch:
            unsure = self._unsure(list(map(_key, chunks)))
            return [c for c in chunks if _key(c) not in known or _key(c) in unsure], []
        stored = self._stored([key for key in map(_key, chunks) if key in known])
        added, moved = [], []
        for chunk in chunks:
            was = stored.get(_key(chunk))
            if was is None or self._embeds_otherwise(was, chunk):
                added.append(chunk)
            elif _differs(was, chunk):
                moved.append(chunk)
        return added, moved

    def remove(self, keys: Iterable[str], source: str | None = None) -> int:
        """Remove chunks and parents, by the keys of their records; say how many chunks."""
        count, recorded = 0, set(keys)
        for batch in _batches(sorted({key.removeprefix(_UNSURE) for key in recorded}), self.batch):
            chunks = [key for key in batch if not key.startswith(_PARENT)]
            if self.can_fetch:
                chunks = list(self._stored(chunks))  # some refuse to delete what is not there
            else:
                sure = [key for key in chunks if _UNSURE + key not in recorded]
                self._record(source, [_UNSURE + key for key in sure])
            if chunks:
                self.vectorstore.delete(chunks)
            if self.docstore is not None:
                parents = [key.removeprefix(_PARENT) for key in batch if key.startswith(_PARENT)]
                self.docstore.mdelete(parents)
            self.records.delete_keys([*batch, *(_UNSURE + key for key in batch)])
            count += len(chunks)
        return count

    @property
    def can_fetch(self) -> bool:
        """Whether the store says what it has."""
        return stores.can_fetch(self.vectorstore)

    def _stored(self, keys: Sequence[str]) -> dict[str, Document]:
        """Fetch chunks by id."""
        found: dict[str, Document] = {}
        for batch in _batches(keys, self.batch):
            for document in self.vectorstore.get_by_ids(batch):
                # some stores write ids as UUIDs, with dashes
                own = str(document.id).replace("-", "")
                found[str(document.metadata.get("chunk_id", own))] = document
        return found

    def _unsure(self, keys: Sequence[str]) -> set[str]:
        """Say of which chunks a stopped run left open whether they are stored."""
        found: set[str] = set()
        for batch in _batches(keys, self.batch):
            marks = self.records.exists([_UNSURE + key for key in batch])
            found.update(key for key, is_unsure in zip(batch, marks, strict=True) if is_unsure)
        return found

    def _record(self, source: str | None, keys: Sequence[str]) -> None:
        for batch in _batches(keys, self.batch):
            self.records.update(batch, group_ids=[source] * len(batch))

    def _forget(self, keys: Sequence[str]) -> None:
        for batch in _batches(keys, self.batch):
            self.records.delete_keys(batch)

    def _add(self, chunks: list[Document]) -> None:
        if self.embed is None:
            self.vectorstore.add_documents(chunks, ids=list(map(_key, chunks)))
        else:
            stores.add_with_context(self.vectorstore, chunks, text=self.embed)

    def _move(self, chunks: list[Document]) -> None:
        if self.update is not None:
            self.update(self.vectorstore, chunks)
        elif not stores.update_metadata(self.vectorstore, chunks):
            self._add(chunks)

    def _embeds_otherwise(self, was: Document, chunk: Document) -> bool:
        """Say whether the vector of a chunk must change."""
        if was.page_content != chunk.page_content:
            return True
        return self.embed is not None and self.embed(was) != self.embed(chunk)


def _key(chunk: Document) -> str:
    return str(chunk.id)


def _differs(was: Document, chunk: Document) -> bool:
    """Say whether metadata changed; keys that stores add for themselves begin with ``_``."""
    gone = was.metadata.keys() - chunk.metadata.keys()
    if any(not key.startswith("_") for key in gone):
        return True
    return any(was.metadata.get(key) != value for key, value in chunk.metadata.items())


def _by_source(documents: Iterable[Document], source_key: SourceKey) -> dict[str, list[Document]]:
    groups: dict[str, list[Document]] = {}
    for document in documents:
        source = source_of(document, source_key) or document.id
        if not source:
            msg = (
                f"sync needs to know the source of each document: got one without {source_key!r} in "
                f"its metadata."
            )
            raise InputError(msg)
        groups.setdefault(source, []).append(document)
    return groups


def _split(
    splitter: TextSplitter,
    documents: list[Document],
    source_key: SourceKey,
    transform: Callable[[list[Document]], list[Document]] | None,
) -> tuple[list[Document], list[Document]]:
    """Split the documents of one source into parents and chunks, with ids."""
    parents: list[Document] = []
    if isinstance(splitter, HierarchicalSplitter):
        *larger, chunks = splitter.split_levels(documents, source_key)
        parents = [parent for level in larger for parent in level]
    else:
        chunks = splitter.split_documents(documents)
    chunks = with_ids(chunks, source_key)
    if transform is not None:
        ids = [chunk.id for chunk in chunks]
        chunks = list(transform(chunks))
        if [chunk.id for chunk in chunks] != ids:
            msg = "transform must give the same chunks in the same order, with their ids."
            raise InputError(msg)
    return parents, chunks


def _batches(items: Sequence[_T], size: int) -> Iterator[list[_T]]:
    for start in range(0, len(items), size):
        yield list(items[start : start + size])
