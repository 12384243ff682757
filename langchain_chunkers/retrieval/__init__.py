"""From chunks to a retriever: ids, neighbours, passages with citations, indexing what changed.

Each name is imported at its first use, since some bring LangChain's vector stores with them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

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


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for."""
    home = _HOME_OF.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
