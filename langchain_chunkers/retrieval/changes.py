"""What an edit changed: chunks added, kept, moved and removed."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from langchain_core.documents import Document

from langchain_chunkers.retrieval.ids import SourceKey, chunk_ids

__all__ = ["Changes", "diff"]


class Changes(NamedTuple):
    """What `diff` gives.

    Attributes:
        added: Chunks whose text is new: these must be embedded.
        kept: Chunks that are as they were.
        moved: Chunks with the same text and other metadata, as they are now: their place changed, or
            the heading above them.
        removed: Chunks that are no longer there, as they were.
    """

    added: list[Document]
    kept: list[Document]
    moved: list[Document]
    removed: list[Document]


def diff(
    old: Iterable[Document], new: Iterable[Document], source_key: SourceKey = "source"
) -> Changes:
    """Compare the chunks of documents before and after an edit.

    Chunks are the same where source, text and number among equal chunks are; see `chunk_ids`.

    Args:
        old: All chunks of some sources, in order, as they were.
        new: All chunks of the same sources, in order, as they are.
        source_key: What says of which text a chunk is.

    Returns:
        The changes. ``removed`` is in the order of ``old``, the others are in the order of ``new``. Old
        chunks without ``removed``, and with ``added``, are the new chunks.

    Example:
        >>> def chunks(*texts):
        ...     return [
        ...         Document(page_content=t, metadata={"chunk_index": i})
        ...         for i, t in enumerate(texts)
        ...     ]
        >>> changes = diff(chunks("a", "b", "c"), chunks("a", "x", "b"))
        >>> [[chunk.page_content for chunk in part] for part in changes]
        [['x'], ['a'], ['b'], ['c']]
    """
    old, new = list(old), list(new)
    before = dict(zip(chunk_ids(old, source_key), old, strict=True))
    changes = Changes([], [], [], [])
    for key, document in zip(chunk_ids(new, source_key), new, strict=True):
        was = before.pop(key, None)
        if was is None:
            changes.added.append(document)
        elif was.metadata == document.metadata:
            changes.kept.append(document)
        else:
            changes.moved.append(document)
    changes.removed.extend(before.values())
    return changes
