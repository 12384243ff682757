"""Small chunks for search inside large ones for reading, from one outline, linked by ids."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Self

from langchain_core.documents import Document

from langchain_chunkers import metadata as facts
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.packing import Chunk
from langchain_chunkers.retrieval.ids import SourceKey
from langchain_chunkers.wrappers.inside import InsideSplitter
from langchain_chunkers.wrappers.levels import Grown, link, nested, settled, splitters_of

__all__ = ["Families", "HierarchicalSplitter", "ParentChildSplitter"]

_OWN = frozenset({"add_start_index", "add_metadata", "metadata_function", "show_progress"})
_LINKS = ("chunk_id", "previous", "next")


class Families(NamedTuple):
    """What `ParentChildSplitter.split_families` gives.

    Attributes:
        parents: Large chunks, for reading; their ``id`` is the key for a document store.
        children: Small chunks, for search; ``metadata["parent_id"]`` is the ``id`` of the parent.
    """

    parents: list[Document]
    children: list[Document]


class HierarchicalSplitter(BaseSplitter):
    """Divides chunks into smaller chunks, to any depth; each lies inside its parent.

    As a splitter it gives the smallest chunks. `split_levels` gives all levels. Where the levels read
    text alike (one splitter in several sizes), all are packed from one outline, so a small chunk
    in the middle of a table still knows its header. Where they differ, a finer splitter reads the text
    of the coarser chunk. An `AutoSplitter` decides once, by the whole text.

    Where a larger chunk repeats text (overlap), its children are of its new text only, so each is
    indexed once.

    Args:
        levels: From the largest to the smallest: splitters, or sizes. A size stands for the splitter
            before it in that size; at the start, for `RecursiveSplitter`.
        length_function: What sizes count; only where ``levels`` begins with a size.
        **options: ``add_start_index`` (on unless it is said otherwise), ``add_metadata``,
            ``metadata_function``, ``show_progress``, for the chunks of all levels; the rest is for the
            smallest splitter.

    Metadata: each chunk has ``chunk_id``; below the first level ``parent_id`` and ``sibling_count`` (the
    children of its parent, itself included); above the last ``child_count``.

    Guarantees: sliced, lossless, capped, whole characters, own metadata, bounded, portable; nested
    within each parent.

    Raises:
        SettingError: There are no levels, or a size is not smaller than the one before it.
        InputError: A level is no splitter of this package; or, when splitting, a finer level that
            differs from the one above renders another text.

    Cost: that of the splitters.

    Example:
        >>> splitter = HierarchicalSplitter([60, 30])
        >>> text = "The pump failed at noon. Nobody saw it.\\n\\nThe crew came. It was late."
        >>> for level in splitter.split_levels([Document(page_content=text)]):
        ...     print([chunk.page_content for chunk in level])
        ['The pump failed at noon. Nobody saw it.', 'The crew came. It was late.']
        ['The pump failed at noon.', 'Nobody saw it.', 'The crew came. It was late.']
    """

    name = "hierarchical"

    def __init__(
        self, levels: Sequence[Any] = (2000, 400), *, length_function: Any = len, **options: Any
    ) -> None:
        splitters = splitters_of(levels, length_function)
        leaf = splitters[-1]
        strip = {"strip_whitespace": leaf._strip_whitespace}
        self._levels = [
            # a child with white space at its edges lies in no parent without
            each if each._strip_whitespace == leaf._strip_whitespace else each._with(strip)
            for each in splitters
        ]
        size = leaf._limits.size
        options.setdefault("chunk_size", int(size) if size < 2**62 else None)
        options.setdefault("chunk_overlap", leaf._chunk_overlap)
        options.setdefault("strip_whitespace", leaf._strip_whitespace)
        options.setdefault("min_chunk_size", 0)
        options.setdefault("on_oversize", leaf._limits.oversize)
        options.setdefault("add_metadata", leaf._facts)
        options.setdefault("metadata_function", leaf._metadata_function)
        options.setdefault("add_start_index", True)
        super().__init__(length_function=leaf._measure, **options)

    @property
    def levels(self) -> list[BaseSplitter]:
        """The splitters, from the largest chunks to the smallest."""
        return list(self._levels)

    # ------------------------------------------------------------------ one text

    def _packed(self, text: str) -> tuple[str, Iterator[Chunk]]:
        source, levels = nested(settled(self._levels, text, {}), text)
        return source, iter(levels[-1].chunks)

    def _content(self, source: str, start: int, end: int) -> str:
        return self._levels[-1]._content(source, start, end)

    def _partition(self) -> dict[str, Any]:
        return self._levels[-1]._partition()

    # ------------------------------------------------------------------ documents

    def _grown(self, text: str, metadata: Mapping[str, Any]) -> list[Grown]:
        """Make the documents of all levels of one text; parents by number."""
        self._quick(text)
        splitters = settled(self._levels, text, metadata)
        source, levels = nested(splitters, text)
        grown = []
        for splitter, level in zip(splitters, levels, strict=True):
            shown = copy.copy(splitter)  # it knows how its chunks look
            shown._facts = tuple(name for name in self._facts if name not in _LINKS)
            shown._metadata_function = None  # called when all else is known
            grown.append(Grown(shown._present(source, level.chunks, metadata), level.parents))
        return grown

    def _linked(
        self, texts: Sequence[list[Grown]], source_key: SourceKey = "source"
    ) -> list[list[Document]]:
        """Link the documents of all levels, and add what the user's function says of them."""
        neighbours = [name for name in ("previous", "next") if name in self._facts]
        levels = link(texts, source_key, neighbours=neighbours) or [[] for _ in self._levels]
        if self._metadata_function is not None:
            for level in levels:
                for document in level:
                    document.metadata.update(self._metadata_function(document))
        return levels

    def _documents(self, text: str, metadata: Mapping[str, Any]) -> list[Document]:
        return self._linked([self._grown(text, metadata)])[-1]

    def split_levels(
        self, documents: Iterable[Document], source_key: SourceKey = "source", **overrides: Any
    ) -> list[list[Document]]:
        """Split documents into the chunks of all levels.

        Args:
            documents: Documents of any length. Give all that share a source, as the pages of a file
                do, at once: equal chunks of a source are told apart by their number.
            source_key: What says of which text a chunk is, for the ids.
            **overrides: Settings for this call only.

        Returns:
            A list for each level, from the largest chunks to the smallest, each in order. The ``id`` of
            a chunk is its ``chunk_id``.
        """
        splitter = self._with(overrides)
        grown = []
        for document in facts.with_progress(documents, show=splitter._show_progress):
            metadata = document.metadata
            if document.id is not None:
                metadata = {"document_id": document.id, **metadata}
            grown.append(splitter._grown(document.page_content, metadata))
        levels = splitter._linked(grown, source_key)
        for level in levels:
            for chunk in level:
                chunk.id = chunk.metadata["chunk_id"]
        return levels

    def _with(self, overrides: Mapping[str, Any]) -> Self:
        """Hand the settings that the smallest splitter knows to it."""
        if not overrides:
            return self
        own = {k: v for k, v in self._settings.items() if k in _OWN}
        own.update({k: v for k, v in overrides.items() if k in _OWN})
        rest = {k: v for k, v in overrides.items() if k not in _OWN}
        return self._rebuilt([*self._levels[:-1], self._levels[-1]._with(rest)], own)

    def _rebuilt(self, levels: list[BaseSplitter], own: Mapping[str, Any]) -> Self:
        return type(self)(levels, **own)


class ParentChildSplitter(HierarchicalSplitter):
    """Gives small chunks for search, and for each the large chunk to read; see `HierarchicalSplitter`.

    As a splitter it gives the small chunks, with ``parent_id``.

    Args:
        parent: A splitter, or a size for `RecursiveSplitter`.
        child: A splitter, or a size: the parent's splitter in that size.
        length_function: What sizes count; only where ``parent`` is a size.
        **options: As of `HierarchicalSplitter`.

    Example:
        >>> from langchain_chunkers import MarkdownSplitter
        >>> splitter = ParentChildSplitter(MarkdownSplitter(200), child=40)
        >>> note = Document(
        ...     page_content="# Pump\\n\\nIt failed at noon. The crew came at one o'clock."
        ... )
        >>> parents, children = splitter.split_families([note])
        >>> [child.metadata["parent_id"] == parents[0].id for child in children]
        [True, True]
    """

    name = "parent_child"

    def __init__(
        self,
        parent: Any = 2000,
        child: Any = 400,
        *,
        length_function: Any = len,
        **options: Any,
    ) -> None:
        super().__init__([parent, child], length_function=length_function, **options)

    def _rebuilt(self, levels: list[BaseSplitter], own: Mapping[str, Any]) -> Self:
        return type(self)(levels[0], levels[1], **own)

    def split_families(
        self, documents: Iterable[Document], source_key: SourceKey = "source", **overrides: Any
    ) -> Families:
        """Split documents into parents and children; as `split_levels`."""
        return Families(*self.split_levels(documents, source_key, **overrides))

    @property
    def parent_splitter(self) -> BaseSplitter:
        """The parents' splitter, with offsets: for ``ParentDocumentRetriever(parent_splitter=...)``."""
        return self._levels[0]._with({"add_start_index": True})

    @property
    def child_splitter(self) -> BaseSplitter:
        """The children's splitter, for ``ParentDocumentRetriever(child_splitter=...)``.

        It is given a parent at a time, and its offsets are those of the document all the same.
        """
        return InsideSplitter(self._levels[1])
