"""Metadata that stores accept, and vectors of more than the text."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.documents import Document
from langchain_core.stores import InMemoryStore
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_chunkers import (
    InputError,
    MarkdownSplitter,
    SettingError,
    embedded_text,
    with_context,
)
from langchain_chunkers.retrieval import add_with_context, flat_metadata
from langchain_chunkers.testing.fakes import LetterEmbeddings

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=8,
)


def flat(metadata: dict[str, Any], **options: Any) -> dict[str, Any]:
    (found,) = flat_metadata([Document(page_content="x", metadata=metadata, id="7")], **options)
    assert (found.page_content, found.id) == ("x", "7")
    return found.metadata


@given(
    metadata=st.dictionaries(st.text(max_size=5), VALUES, max_size=4),
    lists=st.sampled_from(["join", "json", "drop"]),
    nested=st.sampled_from(["flatten", "json", "drop"]),
    keys=st.sampled_from(["keep", "identifiers"]),
)
def test_scalars_are_all_that_is_left(
    metadata: dict[str, Any], lists: Any, nested: Any, keys: Any
) -> None:
    before = json.dumps(metadata)
    found = flat(metadata, lists=lists, nested=nested, keys=keys)
    assert all(isinstance(value, str | int | float | bool) for value in found.values())
    assert keys == "keep" or all(key.isidentifier() for key in found)
    assert json.dumps(metadata) == before, "the chunk itself stays as it is"


def test_names_that_all_stores_filter_by() -> None:
    found = flat({"Header 2": "a", "at": {"page": 3}, "1st": 1, "": 2, "头": 3}, keys="identifiers")
    assert found == {"Header_2": "a", "at_page": 3, "_1st": 1, "_": 2, "头": 3}
    with pytest.raises(SettingError, match="keys must be"):
        flat({}, keys="sql")


def test_lists_of_one_type_may_stay() -> None:
    assert flat({"a": ["x", "y"], "b": [1, "y"]}, lists="keep") == {
        "a": ["x", "y"],
        "b": '[1, "y"]',
    }


def test_the_vector_is_of_the_context_and_the_text_of_the_source() -> None:
    store = InMemoryVectorStore(LetterEmbeddings())
    splitter = with_context(MarkdownSplitter(40), content="source", add_start_index=True)
    text = "# Pump\n\n## Seal\n\nReplace it each year.\n\nUse grease on it."
    chunks = splitter.create_documents([text])
    keys = add_with_context(store, chunks)
    for key, chunk in zip(keys, chunks, strict=True):
        kept = store.store[key]
        place = chunk.metadata
        assert kept["text"] == text[place["start_index"] : place["end_index"]]
        assert kept["vector"] == LetterEmbeddings().embed_query(embedded_text(chunk))
    assert "Pump" in embedded_text(chunks[-1])
    assert "Pump" not in chunks[-1].page_content


def test_other_stores_are_refused() -> None:
    class Other(InMemoryVectorStore):
        embeddings = None  # type: ignore[assignment]

    with pytest.raises(InputError, match="with embeddings: got Other"):
        add_with_context(Other(LetterEmbeddings()), [])
    with pytest.raises(InputError, match="got InMemoryStore"):
        add_with_context(InMemoryStore(), [])  # type: ignore[arg-type]
