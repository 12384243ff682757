"""InMemory, FAISS, Chroma, Qdrant (local) and LanceDB: what goes in comes back, and leads to its source.

A service: the packages of these stores are several hundred megabytes.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from langchain_core.vectorstores import VectorStore

from integration_tests.stores import checks
from integration_tests.stores.kinds import KINDS, Kind

pytestmark = pytest.mark.service


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def store(kind: Kind, tmp_path: Path) -> VectorStore:
    return kind.make(tmp_path)


class TestStores(checks.StoreChecks):
    def test_headings_as_they_are_named(self, store: VectorStore, kind: Kind) -> None:
        """These filter by a name with a space, which PGVector refuses."""
        wanted = checks.with_ids(
            checks.flat_metadata(checks.SPLITTER.split_documents(checks.documents()))
        )
        store.add_documents(wanted)
        found = store.similarity_search("any", k=50, **kind.filtered({"Header 2": "Failure"}))
        assert {document.metadata["source"] for document in found} == set(checks.TEXTS)
