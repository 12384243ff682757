"""Ids that stay the same when a document changes elsewhere, and metadata that every store takes."""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal

from langchain_core.documents import Document

from langchain_chunkers.errors import InputError
from langchain_chunkers.metadata import chunk_id
from langchain_chunkers.settings import check_choice

__all__ = ["SourceKey", "chunk_ids", "chunk_key", "flat_metadata", "source_of", "with_ids"]

SourceKey = str | Sequence[str] | Callable[[Document], str]
"""What says of which text a chunk is: a key of its metadata, several, or a function."""

_ATOMS = (str, int, float, bool)


def source_of(document: Document, source_key: SourceKey = "source") -> str:
    """Give the source of a chunk: what ``source_key`` says, else ``document_id``, else ``""``.

    Example:
        >>> source_of(Document(page_content="", metadata={"document_id": "report-7"}))
        'report-7'
    """
    if callable(source_key):
        return str(source_key(document))
    metadata = document.metadata
    keys = (source_key,) if isinstance(source_key, str) else source_key
    parts = [str(metadata[key]) for key in keys if key in metadata]
    if not parts and "document_id" in metadata:
        return str(metadata["document_id"])
    return "\0".join(parts)


def chunk_ids(documents: Iterable[Document], source_key: SourceKey = "source") -> list[str]:
    """Make an id of each chunk's source, its text, and its number among equal chunks of the source.

    An edit of a document changes the ids of the chunks whose text it changes. (Where one of several
    equal chunks goes, the last number goes.) The ids are 32 hexadecimal digits, which is also how
    a UUID may be written, as some stores demand.

    Args:
        documents: Chunks, in order. Give all chunks of a source at once: documents that share a
            source, as the pages of one file do, are numbered together.
        source_key: What says of which text a chunk is.

    Returns:
        An id for each chunk, all different. For a document with a source of its own they are what
        ``add_metadata=["chunk_id"]`` puts into the metadata.

    Example:
        >>> chunks = [Document(page_content=text, metadata={"source": "a"}) for text in "xyx"]
        >>> len(set(chunk_ids(chunks)))
        3
    """
    seen: Counter[tuple[str, str]] = Counter()
    ids = []
    for document in documents:
        source, content = source_of(document, source_key), document.page_content
        ids.append(chunk_id(source, content, seen[source, content]))
        seen[source, content] += 1
    return ids


def chunk_key(document: Document) -> str:
    """Give the ``chunk_id`` of a chunk: a ``key_encoder`` for LangChain's ``index()``.

    ``index()`` hashes the metadata too, so that a word more at the start of a document shifts every
    ``start_index`` and has every chunk embedded again. With this key only chunks whose text changed
    are. What changed in the metadata of the others is not written; see `sync` for that.

    Args:
        document: A chunk of `with_ids`, or of a splitter with ``add_metadata=["chunk_id"]``. Documents that
            share a source, as the pages of one file do, need `with_ids`: a splitter numbers equal
            chunks of each document by itself, and ``index()`` keeps one of those with the same key.

    Raises:
        InputError: It has no ``chunk_id``.
    """
    key = document.metadata.get("chunk_id")
    if not isinstance(key, str):
        msg = (
            "chunk_key needs chunk_id in the metadata: got a chunk without. Use with_ids, or make "
            "the splitter with add_metadata=['chunk_id']."
        )
        raise InputError(msg)
    return key


def with_ids(documents: Iterable[Document], source_key: SourceKey = "source") -> list[Document]:
    """Give chunks their stable ids, so that a store replaces what it has rather than adding it twice.

    Args:
        documents: Chunks, in order; all of a source.
        source_key: What says of which text a chunk is.

    Returns:
        Copies with ``id`` and ``metadata["chunk_id"]``; see `chunk_ids`.
    """
    documents = list(documents)
    return [
        Document(
            id=key,
            page_content=document.page_content,
            metadata={**document.metadata, "chunk_id": key},
        )
        for document, key in zip(documents, chunk_ids(documents, source_key), strict=True)
    ]


def flat_metadata(
    documents: Iterable[Document],
    *,
    lists: Literal["join", "json", "drop", "keep"] = "join",
    nested: Literal["flatten", "json", "drop"] = "flatten",
    keys: Literal["keep", "identifiers"] = "keep",
    separator: str = ", ",
) -> list[Document]:
    """Make metadata that every store accepts: strings, numbers and booleans only.

    Values of ``None`` are left out, as stores refuse or forget them.

    Args:
        documents: Chunks.
        lists: What becomes of a list: ``"join"`` (its items as one string), ``"json"``, ``"drop"``,
            or ``"keep"`` (a list whose items are scalars of one type, which many stores can filter;
            others become JSON).
        nested: What becomes of a mapping: ``"flatten"`` (a key for each leaf, with dots between),
            ``"json"`` or ``"drop"``.
        keys: ``"identifiers"`` puts an underscore in the place of each character that a Python name
            may not have, so that ``"Header 2"`` becomes ``"Header_2"``: PGVector filters by no others.
        separator: What joins the items of a list.

    Returns:
        Copies, with ids kept.

    Example:
        >>> chunk = Document(page_content="", metadata={"tags": ["a", "b"], "at": {"page": 3}})
        >>> flat_metadata([chunk])[0].metadata
        {'tags': 'a, b', 'at.page': 3}
    """
    check_choice("lists", lists, ("join", "json", "drop", "keep"))
    check_choice("nested", nested, ("flatten", "json", "drop"))
    check_choice("keys", keys, ("keep", "identifiers"))
    flat = []
    for document in documents:
        metadata = _flat(document.metadata, lists, nested, separator)
        if keys == "identifiers":
            metadata = {_identifier(key): value for key, value in metadata.items()}
        flat.append(Document(id=document.id, page_content=document.page_content, metadata=metadata))
    return flat


def _identifier(key: str) -> str:
    """Give the nearest Python name."""
    name = "".join(c if f"_{c}".isidentifier() else "_" for c in key)
    return name if name.isidentifier() else f"_{name}"


def _flat(metadata: Mapping[str, Any], lists: str, nested: str, separator: str) -> dict[str, Any]:
    """Flatten with a stack, since metadata may be nested to any depth."""
    flat: dict[str, Any] = {}
    stack = [*metadata.items()][::-1]
    while stack:
        key, value = stack.pop()
        if isinstance(value, _ATOMS):
            flat[key] = value
        elif isinstance(value, Mapping):
            if nested == "flatten":
                stack += [(f"{key}.{name}", inner) for name, inner in [*value.items()][::-1]]
            elif nested == "json":
                flat[key] = _json(value)
        elif isinstance(value, list | tuple | set | frozenset):
            _put_list(flat, key, list(value), lists, separator)
        elif value is not None:
            flat[key] = str(value)
    return flat


def _put_list(flat: dict[str, Any], key: str, items: list[Any], lists: str, separator: str) -> None:
    scalars = all(isinstance(item, _ATOMS) for item in items)
    if lists == "drop":
        return
    if lists == "join" and scalars:
        flat[key] = separator.join(map(str, items))
    elif lists == "keep" and items and scalars and len({type(item) for item in items}) == 1:
        flat[key] = copy.copy(items)
    else:
        flat[key] = _json(items)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)
