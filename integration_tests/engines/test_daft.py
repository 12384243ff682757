"""Daft, on its own runner: light enough for every run."""

from __future__ import annotations

from pathlib import Path

import daft
import pytest
from pyarrow import dataset
from typer.testing import CliRunner

from integration_tests.engines import documents as made
from integration_tests.engines.faulty import FaultySplitter
from langchain_chunkers.cli.app import app
from langchain_chunkers.integrations.engines import split_daft

made.use_this_python()


@pytest.mark.parametrize("splitter", [made.SPLITTERS[1], FaultySplitter(200)], ids=repr)
def test_rows_are_those_of_this_process(splitter, tmp_path: Path) -> None:
    documents = made.make_documents()
    files = made.write_parquet(documents, tmp_path / "in")
    chunks = split_daft(daft.read_parquet(files), splitter, **made.COLUMNS).to_arrow()
    assert chunks.column_names == [
        *("document_id", "chunk_id", "chunk_index", "text", "start_index", "end_index"),
        *("metadata", "error", "year", "weight"),
    ]
    made.check_together(chunks)
    assert made.in_order(chunks) == made.expected(documents, splitter)


def test_a_poisoned_document_is_a_row(tmp_path: Path) -> None:
    files = made.write_lines(made.make_documents(20), tmp_path / "in")
    chunks = split_daft(daft.read_json(files), FaultySplitter(200), **made.COLUMNS).to_pydict()
    failed = {
        name: error
        for name, error in zip(chunks["document_id"], chunks["error"], strict=True)
        if error
    }
    assert failed == {"report-7": "InputError: text is null", "report-11": "RuntimeError: poisoned"}


def test_a_killed_worker_is_an_error_and_the_next_run_is_whole(tmp_path: Path) -> None:
    """Daft does not run a killed process again: the job says so, and what it wrote is not taken."""
    documents = made.make_documents()
    files = made.write_parquet(documents, tmp_path / "in")
    splitter = FaultySplitter(200, marker=str(tmp_path / "killed"))
    chunks = split_daft(daft.read_parquet(files), splitter, **made.COLUMNS)
    with pytest.raises(Exception, match=r"(?i)udf|process|pipe|EOF|reset"):
        chunks.write_parquet(str(tmp_path / "out"))
    assert (tmp_path / "killed").exists()
    chunks.write_parquet(str(tmp_path / "out"), write_mode="overwrite")
    written = dataset.dataset(tmp_path / "out", format="parquet").to_table()
    assert made.in_order(written) == made.expected(documents, splitter)


def test_the_command_line_writes_the_same(tmp_path: Path) -> None:
    documents = made.make_documents()
    made.write_parquet(documents, tmp_path / "in")
    arguments = ["split", f"{tmp_path}/in/*.parquet", "--engine", "daft", "-c", "120"]
    arguments += ["--overlap", "20", "--id-column", "name"]
    arguments += ["--keep-column", "year", "--keep-column", "weight"]
    arguments += ["--output", str(tmp_path / "out")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1, done.output  # one text is null
    assert "1 document has a row with the column error" in done.output
    written = dataset.dataset(tmp_path / "out", format="parquet").to_table()
    assert made.in_order(written) == made.expected(documents, made.SPLITTERS[0])
