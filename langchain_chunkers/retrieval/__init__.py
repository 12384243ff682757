"""From chunks to a retriever: ids, neighbours, passages with citations, indexing what changed.

Each name is imported at its first use, since some bring LangChain's vector stores with them.
"""

from typing import TYPE_CHECKING

from langchain_chunkers._lazy import on_first_use

if TYPE_CHECKING:
    from langchain_chunkers.retrieval.changes import Changes, diff
    from langchain_chunkers.retrieval.ids import chunk_ids, chunk_key, flat_metadata, with_ids
    from langchain_chunkers.retrieval.merging import AutoMergingRetriever, build_parent_retriever
    from langchain_chunkers.retrieval.neighbours import NeighbourExpander, expand
    from langchain_chunkers.retrieval.stitching import Stitcher, stitch
    from langchain_chunkers.retrieval.stores import add_with_context
    from langchain_chunkers.retrieval.syncing import SyncResult, sync

_HOMES = {
    "changes": ("Changes", "diff"),
    "ids": ("chunk_ids", "chunk_key", "flat_metadata", "with_ids"),
    "merging": ("AutoMergingRetriever", "build_parent_retriever"),
    "neighbours": ("NeighbourExpander", "expand"),
    "stitching": ("Stitcher", "stitch"),
    "stores": ("add_with_context",),
    "syncing": ("SyncResult", "sync"),
}

__all__ = [
    "AutoMergingRetriever",
    "Changes",
    "NeighbourExpander",
    "Stitcher",
    "SyncResult",
    "add_with_context",
    "build_parent_retriever",
    "chunk_ids",
    "chunk_key",
    "diff",
    "expand",
    "flat_metadata",
    "stitch",
    "sync",
    "with_ids",
]

__getattr__, __dir__ = on_first_use(__name__, _HOMES)
