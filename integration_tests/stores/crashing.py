"""A process that syncs a real store on disk, and is killed: the other half of `test_crashes.py`.

``python -m integration_tests.stores.crashing KIND FOLDER VERSION POINT`` syncs ``text(VERSION)`` into
the store of the folder. It kills itself (SIGKILL, so that nothing is tidied up) at a point of its writes,
or at none for ``-1``. Each write of a store or of the records has three points: before it, in the
middle (half of the batch is written), and behind it. It prints the number of points passed.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Callable, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from langchain_classic.indexes import SQLRecordManager
from langchain_core.documents import Document
from langchain_core.vectorstores import VectorStore

from langchain_chunkers import SentenceSplitter
from langchain_chunkers.retrieval import SyncResult, sync
from langchain_chunkers.testing.fakes import LetterEmbeddings

BATCH = 4
SIZE = 64  # numbers in a vector


class Point:
    """Counts points, and kills the process at one of them."""

    def __init__(self, last: int) -> None:
        self.passed, self.last = 0, last

    def __call__(self) -> None:
        if self.passed == self.last:
            os.kill(os.getpid(), signal.SIGKILL)
        self.passed += 1

    def around(self, write: Callable[..., Any]) -> Callable[..., Any]:
        """Lay points around a write whose first argument is a batch, and whose others may be."""

        def watched(batch: Sequence[Any], **others: Any) -> Any:
            self()
            if self.passed == self.last and len(batch) > 1:
                half = len(batch) // 2
                write(
                    batch[:half],
                    **{k: v[:half] if isinstance(v, list) else v for k, v in others.items()},
                )
            self()
            given = write(batch, **others)
            self()
            return given

        return watched


def text(version: int) -> str:
    """Give a document, and the same after a few edits: chunks are added, moved and removed."""
    lines = [f"Item {number} was checked in the shop." for number in range(40)]
    lines[10:10] = ["All is well."] * 3
    if version:
        lines[30:34] = ["This is new here.", "All is well."]
        lines[20] = "Item 20 was sold."
        lines[3:3] = [f"Added as number {number}." for number in range(version * 6)]
        del lines[-3:]
    return " ".join(lines)


def make_chroma(folder: Path) -> VectorStore:
    store: VectorStore = import_module("langchain_chroma").Chroma(
        embedding_function=LetterEmbeddings(), persist_directory=str(folder / "chroma")
    )
    return store


def make_qdrant(folder: Path) -> VectorStore:
    qdrant = import_module("qdrant_client")
    client = qdrant.QdrantClient(path=str(folder / "qdrant"))
    if not client.collection_exists("chunks"):
        cosine = qdrant.models.VectorParams(size=SIZE, distance=qdrant.models.Distance.COSINE)
        client.create_collection("chunks", vectors_config=cosine)
    store: VectorStore = import_module("langchain_qdrant").QdrantVectorStore(
        client=client, collection_name="chunks", embedding=LetterEmbeddings()
    )
    return store


MAKERS = {"chroma": make_chroma, "qdrant": make_qdrant}


def records_in(folder: Path) -> SQLRecordManager:
    records = SQLRecordManager("crash", db_url=f"sqlite:///{folder / 'records.db'}")
    records.create_schema()
    return records


def run(
    store: VectorStore, records: SQLRecordManager, version: int, sources: Sequence[str] = ("a", "b")
) -> SyncResult:
    """Sync two documents."""
    splitter = SentenceSplitter(None, add_start_index=True)
    documents = [
        Document(page_content=f"{text(version)} The end of {source}.", metadata={"source": source})
        for source in sources
    ]
    return sync(splitter, documents, store, records, batch_size=BATCH)


def main(kind: str, folder: str, version: str, last: str) -> None:
    """Sync, and be killed."""
    point = Point(int(last))
    store: Any = MAKERS[kind](Path(folder))
    records: Any = records_in(Path(folder))
    for owner, names in (
        (store, ("add_documents", "delete")),
        (records, ("update", "delete_keys")),
    ):
        for name in names:
            setattr(owner, name, point.around(getattr(owner, name)))
    print("ready", flush=True)
    started = time.monotonic()
    run(store, records, int(version))
    print(point.passed, time.monotonic() - started, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
