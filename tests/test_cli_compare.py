"""`langchain-chunkers compare`: documents and questions in, a table and files out."""

from __future__ import annotations

import json
import re

import pytest
from rich.cells import cell_len
from typer.testing import CliRunner

from langchain_chunkers.cli.app import app

PUMP = (
    "# Pumps\n\nThe pump moves water from the tank to the mill. A worn seal made it fail in May. "
    "The crew replaced the seal in June.\n\n# Kilns\n\nA kiln is fired for two days. "
    "Glaze melts at a thousand degrees. The potter waits until it is cold."
)
ROWS = [
    {"question": "What made the pump fail in May?", "source": "pumps.md", "answer": "A worn seal"},
    {"question": "When does glaze melt?", "source": "pumps.md", "answer": "a thousand degrees"},
]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "160")
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "pumps.md").write_text(PUMP, "utf-8")
    (tmp_path / "q.jsonl").write_text("\n".join(map(json.dumps, ROWS)), "utf-8")
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(app, ["compare", *map(str, arguments)])


def test_a_table_and_all_files(folder):
    files = [f"out.{suffix}" for suffix in ("html", "md", "csv", "json")]
    outputs = [part for name in files for part in ("-o", name)]
    result = run("docs", "-Q", "q.jsonl", "-c", 24, *outputs)
    assert result.exit_code == 0, result.stderr
    for name in ("fixed", "token", "sentence", "paragraph", "recursive", "markdown"):
        assert re.search(rf"^{name} ", result.stdout, re.MULTILINE)
    assert "2 questions." in result.stdout
    assert all((folder / name).stat().st_size for name in files)
    rows = json.loads((folder / "out.json").read_text("utf-8"))["rows"]
    assert [row["retriever"] for row in rows] == ["bm25"] * 6


def test_sizes_overlap_retrievers_and_a_baseline_are_taken(folder):
    result = run(
        *("docs", "-Q", "q.jsonl", "-s", "recursive:60", "-s", "fixed:40/10", "-t", "characters"),
        *("-r", "bm25", "-r", "wordllama", "--baseline", "fixed:40/10", "--k", 2, "--budget", 50),
        *("--price", 2, "-o", "out.json"),
    )
    assert result.exit_code == 0, result.stderr
    found = json.loads((folder / "out.json").read_text("utf-8"))
    assert found["baseline"] == "fixed:40/10"
    assert found["unit"] == "characters"
    assert len(found["rows"]) == 4
    assert found["splitters"]["fixed:40/10"]["sizes"]["most"] == 40
    assert found["splitters"]["recursive:60"]["sizes"]["most"] <= 60
    assert found["splitters"]["recursive:60"]["cost"] > 0
    assert "recall in 50" in found["rows"][0]["scores"]
    assert "retriever" in result.stdout


def test_without_questions_it_says_so(folder):
    result = run("docs", "-s", "recursive")
    assert result.exit_code == 0
    assert "nothing is said of retrieval" in result.stdout.replace("\n", " ")


@pytest.mark.parametrize("columns", [60, 80, 120, 160])
def test_the_table_fits_the_terminal(folder, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run("docs", "-Q", "q.jsonl", "-c", 24)
    assert max(map(cell_len, result.stdout.splitlines())) <= columns
    assert "…" not in result.stdout
    assert ("A wider terminal" in result.stdout) == (columns < 160)


def test_a_set_brings_its_questions(folder):
    made = folder / "set"
    made.mkdir()
    (made / "corpora.jsonl").write_text(json.dumps({"doc_id": "a", "text": PUMP}), "utf-8")
    row = {"question": "When does glaze melt?", "doc_id": "a", "answers": ["a thousand degrees"]}
    (made / "questions.jsonl").write_text(json.dumps(row), "utf-8")
    result = run("set", "-s", "sentence:24")
    assert result.exit_code == 0, result.stderr
    assert "1 questions." in result.stdout


def test_broken_documents_are_named_and_skipped(folder):
    (folder / "docs" / "broken.txt").write_bytes(b"\xff\xfe\xff")
    result = run("docs", "-s", "recursive")
    assert result.exit_code == 1
    assert "skipped:" in result.stderr
    assert "broken.txt" in result.stderr
    assert "recursive" in result.stdout


@pytest.mark.parametrize(
    "arguments,words",
    [
        (["docs", "-s", "recursive:x"], "NAME:SIZE"),
        (["docs", "-s", "recursiv"], "recursive"),
        (["docs", "-s", "fixed", "-s", "fixed"], "given twice"),
        (["docs", "-o", "out.pdf"], "must end in .html"),
        (["docs", "-Q", "none.jsonl"], "none.jsonl cannot be read"),
        (["docs", "-Q", "q.jsonl", "-r", "google"], "A retriever is"),
        (["docs", "-Q", "q.jsonl", "--baseline", "x"], "baseline must be one of"),
        (["docs", "--encoding", "utf-99"], "utf-99"),
    ],
)
def test_wrong_settings_are_one_line_and_exit_2(folder, arguments, words):
    result = run(*arguments)
    assert result.exit_code == 2
    assert words in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not result.stdout
