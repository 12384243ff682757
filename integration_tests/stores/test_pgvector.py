"""PGVector against a real PostgreSQL: a server of our own with the vector extension."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from importlib import import_module
from typing import Any
from uuid import uuid4

import pytest
from langchain_core.vectorstores import VectorStore

from integration_tests.stores import checks
from integration_tests.stores.kinds import Kind
from integration_tests.stores.postgres import running_postgres
from langchain_chunkers.testing.fakes import LetterEmbeddings

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with running_postgres() as address:
        yield address


def make(address: str, **options: Any) -> Any:
    return import_module("langchain_postgres").PGVector(
        LetterEmbeddings(),
        connection=address,
        collection_name=f"c{uuid4().hex}",
        use_jsonb=True,
        **options,
    )


def equal(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {"filter": {"$and": [{key: {"$eq": value}} for key, value in wanted.items()]}}


def delete_source(store: Any, source: str) -> None:
    """Delete by what the metadata says; PGVector itself deletes by id only."""
    found = store.similarity_search("any", k=10_000, filter={"source": {"$eq": source}})
    store.delete([document.id for document in found])


class TestPGVector(checks.StoreChecks):
    @pytest.fixture
    def kind(self) -> Kind:
        return Kind(lambda _: None, equal, delete_source)

    @pytest.fixture
    def store(self, address: str) -> Iterator[VectorStore]:
        store = make(address)
        yield store
        # ids are those of the whole database: in another collection they would be taken
        store.drop_tables()
        store._engine.dispose()

    @pytest.fixture
    async def async_store(self, address: str) -> AsyncIterator[VectorStore]:
        """One that awaits the database itself; it has no other way."""
        store = make(address, async_mode=True)
        yield store
        await store.adrop_tables()
        await store._async_engine.dispose()
