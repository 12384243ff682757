"""`langchain-chunkers split` on tables, in this process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet
from typer.testing import CliRunner

from langchain_chunkers import RecursiveSplitter
from langchain_chunkers.cli import engines
from langchain_chunkers.cli.app import app
from langchain_chunkers.cli.tables import find_tables
from langchain_chunkers.errors import SettingError
from langchain_chunkers.integrations.arrow import split_table

DOCUMENTS = pa.table(
    {
        "id": [f"d{row}" for row in range(9)],
        "body": [
            f"Part {row}. The pump failed.\u2028Nobody saw it. " * (row % 4) for row in range(9)
        ],
        "year": range(1990, 1999),
    }
)
OPTIONS = ("-c", "30", "--text-column", "body", "--id-column", "id", "--keep-column", "year")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    parquet.write_table(DOCUMENTS.slice(0, 5), tmp_path / "b.parquet", row_group_size=2)
    parquet.write_table(DOCUMENTS.slice(5), tmp_path / "c.parquet")
    lines = [json.dumps(row) + "\n" for row in DOCUMENTS.to_pylist()]
    (tmp_path / "a.jsonl").write_text("".join(lines))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(app, ["split", *arguments])
    assert done.exit_code == code, done.output
    return done.output


def wanted() -> pa.Table:
    return split_table(DOCUMENTS, RecursiveSplitter(30), "body", "id", ["year"])


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "files", [("*.parquet",), ("b.parquet", "c.parquet"), ("a.jsonl", "--engine", "local")]
)
def test_tables_in_parquet_out(files: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "_ROWS", 2)
    output = run(*files, *OPTIONS, "--output", "chunks.pq")
    assert parquet.read_table("chunks.pq").equals(wanted())
    assert f"{wanted().num_rows} chunks are in chunks.pq" in output
    assert not list(Path.cwd().glob("*.part"))


@pytest.mark.usefixtures("folder")
def test_lines_out() -> None:
    run("*.parquet", *OPTIONS, "-o", "out.jsonl")
    rows = [json.loads(line) for line in Path("out.jsonl").read_text().splitlines()]
    assert rows == wanted().to_pylist()
    output = run("*.parquet", *OPTIONS, "--quiet")
    assert [json.loads(line) for line in output.splitlines()] == rows


@pytest.mark.usefixtures("folder")
def test_a_folder_and_a_second_run() -> None:
    """What the first run wrote into the folder is not read by the second."""
    Path("a.jsonl").unlink()
    for _ in range(2):
        run(".", "--engine", "local", *OPTIONS, "-o", "chunks.parquet")
        assert parquet.read_table("chunks.parquet").equals(wanted())


@pytest.mark.usefixtures("folder")
def test_documents_that_fail_are_counted() -> None:
    parquet.write_table(pa.table({"text": ["One.", None, None]}), "bad.parquet")
    output = run("bad.parquet", "-o", "out.parquet", code=1)
    assert "1 chunks are in out.parquet" in output
    assert "2 documents have a row with the column error" in output


@pytest.mark.usefixtures("folder")
def test_no_documents() -> None:
    parquet.write_table(DOCUMENTS.slice(0, 0), "none.parquet")
    run("none.parquet", *OPTIONS, "-o", "out.parquet")
    assert parquet.read_table("out.parquet").equals(wanted().slice(0, 0))


@pytest.mark.usefixtures("folder")
def test_a_run_that_breaks_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("the disk is full")

    monkeypatch.setattr(parquet.ParquetWriter, "write_table", broken)
    output = run("*.parquet", *OPTIONS, "-o", "out.parquet", code=1)
    assert "RuntimeError: the disk is full" in output
    assert not list(Path.cwd().glob("out*"))


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "arguments, message",
    [
        (["*.parquet", "--engine", "flink"], "--engine must be one of"),
        (["*.parquet", "a.jsonl", "--engine", "local"], "files of one format"),
        (["*.csv", "--engine", "local"], "no such file"),
        (["b.parquet"], "the files have no column text; they have id, body, year"),
        (["b.parquet", "--engine", "daft"], "name it with --output"),
        (["b.parquet", "--engine", "daft", "-o", "c.parquet"], "c.parquet exists"),
        (["b.parquet", "-o", "b.parquet"], "is both input and output"),
        (["b.parquet", *OPTIONS, "-o", "s3://bucket/out"], "writes to this machine"),
        (["b.parquet", *OPTIONS, "--overlap", "40"], "chunk_overlap must be smaller"),
    ],
)
def test_what_cannot_be_done_is_said(arguments: list[str], message: str) -> None:
    assert message in " ".join(run(*arguments, code=2).split())


def test_files_are_sorted_and_hidden_ones_left_out(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("b.parquet", "a.parquet", "_SUCCESS", ".a.parquet.crc", "_x.parquet", "note.txt"):
        (tmp_path / name).touch()
        (tmp_path / "in" / name).touch()
    two = [f"{tmp_path}/{name}" for name in ("a.parquet", "b.parquet")]
    deep = [f"{tmp_path}/in/{name}" for name in ("a.parquet", "b.parquet")]
    assert find_tables([f"{tmp_path}/*.parquet"], "-") == (two, "parquet")
    assert find_tables([f"{tmp_path}/*/*.parquet"], "-") == (deep, "parquet")
    assert find_tables([str(tmp_path)], "-") == ([*two, *deep], "parquet")
    assert find_tables([f"file://{two[0]}"], "-") == ([f"file://{two[0]}"], "parquet")
    assert find_tables([*two, *two], f"{tmp_path}/in") == (two, "parquet")
    with pytest.raises(SettingError, match="no such file"):
        find_tables([f"{tmp_path}/gone"], "-")


def test_help_does_not_import_pyarrow() -> None:
    code = (
        "import sys\nfrom langchain_chunkers.cli import main\n"
        "try: main(['split', '--help'])\nexcept SystemExit: assert 'pyarrow' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
