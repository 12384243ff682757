"""Splitters in running Pathway pipelines: documents are added, edited and deleted, chunks follow."""

from __future__ import annotations

import json
import threading
import time
from pathlib import Path

import pathway as pw
import pytest
from pathway.stdlib.indexing import BruteForceKnnFactory
from pathway.xpacks.llm.document_store import DocumentStore
from pathway.xpacks.llm.splitters import TokenCountSplitter as Theirs
from pathway.xpacks.llm.vector_store import VectorStoreServer

from langchain_chunkers import (
    RecursiveSplitter,
    SentenceSplitter,
    SettingError,
    TokenCountSplitter,
)
from langchain_chunkers.integrations.pathway import as_udf
from tests.tokenizers import use_tiktoken_cache

use_tiktoken_cache()

pytestmark = [pytest.mark.service, pytest.mark.enable_socket]  # Pathway is large

TEXT = "The pump failed at noon. The crew came within an hour. 备用水泵没有坏。"


@pytest.fixture(autouse=True)
def fresh():
    yield
    pw.internals.parse_graph.G.clear()


def rows(table):
    """Run the graph, and give the rows of a table."""
    _, columns = pw.debug.table_to_dicts(table)
    names = list(columns)
    keys = list(columns[names[0]])
    return [tuple(plain(columns[name][key]) for name in names) for key in keys]


def plain(value):
    if isinstance(value, pw.Json):
        return value.value
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return value


def table(*texts):
    return pw.debug.table_from_rows(
        pw.schema_from_types(text=str, size=int),
        [(text, 20 + 30 * n) for n, text in enumerate(texts)],
    )


def test_a_column_of_texts():
    chunks = as_udf(SentenceSplitter(30))
    found = rows(table(TEXT).select(chunks=chunks(pw.this.text)))
    assert found == [([[text, {}] for text in SentenceSplitter(30).split_text(TEXT)],)]


def test_pairs_keep_their_metadata():
    chunks = as_udf(SentenceSplitter(30, add_start_index=True))
    made = pw.debug.table_from_rows(
        pw.schema_from_types(text=str, metadata=pw.Json), [(TEXT, pw.Json({"page": 3}))]
    )
    found = rows(made.select(c=chunks(pw.make_tuple(pw.this.text, pw.this.metadata))))[0][0]
    assert found[1] == [
        "The crew came within an hour.",
        {"page": 3, "start_index": 25, "end_index": 54},
    ]


def test_settings_are_constants_or_columns():
    chunks = as_udf(SentenceSplitter(500))
    made = table(TEXT, TEXT)
    constant = rows(made.select(c=chunks(pw.this.text, chunk_size=30)))
    assert {len(row[0]) for row in constant} == {3}
    column = rows(made.select(pw.this.size, c=chunks(pw.this.text, chunk_size=pw.this.size)))
    sizes = {size: max(len(text) for text, _ in found) for size, found in column}
    assert sizes[20] <= 20 < sizes[50] <= 50


def test_an_unknown_setting_is_said_at_once():
    chunks = as_udf(TokenCountSplitter())
    with pytest.raises(SettingError, match="has no setting 'max_token'"):
        chunks(pw.this.text, max_token=5)


def test_batches_give_the_same():
    one, many = as_udf(SentenceSplitter(30)), as_udf(SentenceSplitter(30), batch_size=8)
    texts = [TEXT[: 10 * n] for n in range(1, 7)]
    assert sorted(rows(table(*texts).select(c=one(pw.this.text)))) == sorted(
        rows(table(*texts).select(c=many(pw.this.text)))
    )
    sized = rows(table(TEXT).select(c=many(pw.this.text, chunk_size=pw.this.size)))
    assert max(len(text) for text, _ in sized[0][0]) <= 20


def test_async():
    chunks = as_udf(SentenceSplitter(30), executor=pw.udfs.async_executor(capacity=2))
    found = rows(table(TEXT).select(c=chunks(pw.this.text)).await_futures())
    assert len(found[0][0]) == 3


def test_yaml():
    made = pw.load_yaml(
        """
$splitter: !langchain_chunkers.RecursiveSplitter
  chunk_size: 30
chunks: !langchain_chunkers.integrations.pathway.as_udf
  splitter: $splitter
"""
    )
    assert isinstance(made["chunks"].splitter, RecursiveSplitter)
    assert made["chunks"].splitter.chunk_size == 30


@pw.udf
def letters(text: str) -> list[float]:
    """Embed by counting letters."""
    return [float(text.lower().count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz"]


@pytest.mark.parametrize("kind", ["DocumentStore", "VectorStoreServer"])
def test_stores_split_find_and_say_where(kind):
    """The stores themselves, not their parts: a query comes back with a slice of its document."""
    known = {"path": "a.txt", "modified_at": 1, "seen_at": 1}
    docs = pw.debug.table_from_rows(
        pw.schema_from_types(data=bytes, _metadata=dict), [(TEXT.encode(), known)]
    )
    splitter = as_udf(SentenceSplitter(30, add_start_index=True))
    if kind == "DocumentStore":
        index = BruteForceKnnFactory(embedder=letters, dimensions=26)
        store = DocumentStore(docs, index, splitter=splitter)
    else:
        store = VectorStoreServer(docs, embedder=letters, splitter=splitter)
    asked = pw.debug.table_from_rows(
        DocumentStore.RetrieveQuerySchema, [("the crew came", 1, None, None)]
    )
    ((found,),) = rows(store.retrieve_query(asked))
    assert found[0]["text"] == "The crew came within an hour."
    start, end = (found[0]["metadata"][name] for name in ("start_index", "end_index"))
    assert TEXT[start:end] == found[0]["text"]
    assert found[0]["metadata"]["path"] == "a.txt"


def test_documents_are_added_edited_and_deleted_while_it_runs(tmp_path):
    folder, out = tmp_path / "docs", tmp_path / "out.jsonl"
    folder.mkdir()
    (folder / "a.txt").write_text(TEXT, "utf-8")
    (folder / "b.txt").write_text("Kilns are hot at night. Glaze melts by day.", "utf-8")
    source = pw.io.fs.read(
        str(folder), format="plaintext_by_file", mode="streaming", with_metadata=True,
        autocommit_duration_ms=50,
    )  # fmt: skip
    chunks = as_udf(SentenceSplitter(30))
    made = source.select(
        c=chunks(pw.this.data),
        path=pw.apply_with_type(lambda m: m["path"].as_str(), str, pw.this._metadata),
    ).flatten(pw.this.c)
    pw.io.jsonlines.write(made.select(text=pw.this.c[0], path=pw.this.path), str(out))
    threading.Thread(
        target=pw.run, kwargs={"monitoring_level": pw.MonitoringLevel.NONE}, daemon=True
    ).start()
    assert wait_for(out, folder, a=3, b=2)
    (folder / "a.txt").write_text(TEXT.replace("at noon", "at one"), "utf-8")
    (folder / "b.txt").unlink()
    (folder / "c.txt").write_text("A new one.", "utf-8")
    assert wait_for(out, folder, a=3, b=0, c=1)
    assert "The pump failed at one." in state(out)[str(folder / "a.txt")]


def state(out: Path):
    """What the output stands for: additions less retractions."""
    held: dict[str, list[str]] = {}
    for line in out.read_text("utf-8").splitlines() if out.exists() else []:
        row = json.loads(line)
        of = held.setdefault(row["path"], [])
        if row["diff"] > 0:
            of.append(row["text"])
        elif row["text"] in of:
            of.remove(row["text"])
    return held


def wait_for(out, folder, **wanted):
    for _ in range(300):
        time.sleep(0.1)
        held = state(out)
        if all(len(held.get(str(folder / f"{name}.txt"), ())) == n for name, n in wanted.items()):
            return True
    return False


def test_pathways_own_splitter_loses_what_ours_keeps():
    text = 'He said "yes." She said "no." ' * 40 + "👩‍👩‍👧‍👦 家 " * 60
    theirs = [chunk for chunk, _ in Theirs(5, 20).chunk(text)]
    ours = TokenCountSplitter(5, 20, strip_whitespace=False).split_text(text)
    assert "".join(ours) == text
    assert "".join(theirs) != text
    assert not any("\ufffd" in chunk for chunk in ours)
