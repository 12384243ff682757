"""The documents that every engine gets, and what must come out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pyarrow as pa
from pyarrow import parquet

from integration_tests.engines.faulty import KILL, POISON
from langchain_chunkers import BaseSplitter, RecursiveSplitter, TokenCountSplitter
from langchain_chunkers.integrations.arrow import split_table

ROOT = Path(__file__).parents[2]
COLUMNS = {"id_column": "name", "keep_columns": ("year", "weight")}
SENTENCES = (
    "The pump failed at noon. ",
    "Nobody saw it; the crew came late.\n",
    "Zażółć gęślą jaźń. ",
    "今天天气很好，我们去公园散步。",
    "吾輩は猫である。名前はまだ無い。\n",
    "Съешь же ещё этих мягких булок. ",
    "👩‍👩‍👧 went home. ",
)
SPLITTERS = [RecursiveSplitter(120, 20), TokenCountSplitter(chunk_size=32)]


def make_documents(count: int = 1200) -> pa.Table:
    """Make documents of every length, some empty, null, poisoned; one that kills, in the middle."""
    texts: list[str | None] = []
    for row in range(count):
        body = "".join(SENTENCES[(row * 3 + step) % 7] for step in range(row % 40))
        texts.append(f"# Report {row}\n\n{body}\n\n## Part\n\n{body[::2]}" if row % 5 else body)
    texts[7] = None
    texts[count // 2] = f"# {KILL}\n\nThe machine went away."
    texts[count // 2 + 1] = f"# {POISON}\n\nThis breaks the splitter."
    return pa.table(
        {
            "name": [f"report-{row}" for row in range(count)],
            "text": texts,
            "unused": [b"\xff"] * count,
            "year": pa.array([1900 + row % 100 for row in range(count)], pa.int64()),
            "weight": pa.array(
                [None if row % 3 else row / 8 for row in range(count)], pa.float64()
            ),
        }
    )


def write_parquet(documents: pa.Table, folder: Path) -> list[str]:
    """Write five files of several row groups."""
    folder.mkdir(parents=True)
    step = -(-len(documents) // 5)
    for part in range(5):
        table = documents.slice(part * step, step)
        parquet.write_table(table, folder / f"part-{part}.parquet", row_group_size=100)
    return sorted(map(str, folder.iterdir()))


def write_lines(documents: pa.Table, folder: Path) -> list[str]:
    """Write two files of JSON Lines."""
    folder.mkdir(parents=True)
    rows = documents.drop_columns(["unused"]).to_pylist()
    for part in range(2):
        lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows[part::2]]
        (folder / f"part-{part}.jsonl").write_text("".join(lines), "utf-8")
    return sorted(map(str, folder.iterdir()))


def expected(documents: pa.Table, splitter: BaseSplitter) -> list[dict]:
    return in_order(split_table(documents, splitter, **COLUMNS))


def in_order(chunks: pa.Table) -> list[dict]:
    """Give rows by document and place: engines may give documents in any order."""
    return sorted(chunks.to_pylist(), key=lambda row: (row["document_id"], row["chunk_index"] or 0))


def check_together(chunks: pa.Table) -> None:
    """The chunks of a document stand together and in order, whatever the order of documents."""
    last: tuple[str, int] | None = None
    finished: set[str] = set()
    for name, index in zip(
        chunks["document_id"].to_pylist(), chunks["chunk_index"].to_pylist(), strict=True
    ):
        if last and name == last[0]:
            assert index == last[1] + 1
        else:
            assert name not in finished, f"{name} is in two places"
            assert not index
            finished.add(name)
        last = (name, index)


def use_this_python() -> None:
    """Let workers find this folder's modules and this interpreter; ask no engine to phone home."""
    import sys

    os.environ["PYTHONPATH"] = str(ROOT)
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["DO_NOT_TRACK"] = "true"
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
