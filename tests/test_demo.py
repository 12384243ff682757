"""The demo: what it shows, and the documents it shows it on."""

from __future__ import annotations

import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.console import Console

from langchain_chunkers import demo

SOURCES = demo.DOCUMENTS.parent / "SOURCES.md"
NAMES = sorted(path.name for path in demo.DOCUMENTS.iterdir())


@pytest.fixture
def shown(tmp_path, monkeypatch, capsys):
    """Run the demo somewhere else, at 80 columns; give what it shows."""

    def run(*arguments):
        monkeypatch.setenv("COLUMNS", "80")
        monkeypatch.chdir(tmp_path)
        code = demo.main(arguments)
        return code, capsys.readouterr().out

    return run


def test_each_document_has_a_source_and_a_licence():
    rows = re.findall(
        r"^\| `(\S+)` \|(.+)\|(.+)\|(.+)\|$", SOURCES.read_text("utf-8"), re.MULTILINE
    )
    compared = sorted(path.name for path in demo.COMPARED.iterdir())
    assert sorted(cells[0] for cells in rows) == sorted([*NAMES, *compared])
    assert all(cell.strip() for cells in rows for cell in cells)
    files = [path for path in demo.DOCUMENTS.parent.rglob("*") if path.is_file()]
    assert sum(path.stat().st_size for path in files) < 600_000


def test_each_question_has_its_answer_once():
    rows = (demo.COMPARED / "questions.jsonl").read_text("utf-8").splitlines()
    assert len(rows) == 20
    for row in map(json.loads, rows):
        text = (demo.COMPARED / row["source"]).read_text("utf-8")
        assert text.count(row["answer"]) == 1


def test_it_runs_every_splitter_and_shows_every_document(shown):
    code, out = shown()
    assert code == 0
    for splitter in demo.SPLITTERS:
        assert f"--splitter {splitter} " in out
        assert Path("build", "demo", f"{splitter}.jsonl").stat().st_size
    for name in NAMES:
        assert re.search(rf"^{re.escape(name)} ═", out, re.MULTILINE)
    assert "each the exact text of its file" in out
    assert "0 over" not in out
    for name in demo.COMPARISON:
        assert len(re.findall(rf"^{re.escape(name)} ", out, re.MULTILINE)) == 2
    assert out.rstrip().endswith("xquad.html")
    assert Path("build", "demo", "report.html").stat().st_size > 50_000
    assert "\x1b" not in out
    # Commands and paths are shown as they are, for copying.
    fitted = [
        line
        for line in out.splitlines()
        if not re.search(r"^\$|SOURCES\.md|report\.html|xquad\.html", line)
    ]
    assert max(map(cell_len, fitted)) <= 80


def test_without_the_encoding_it_says_so_and_counts_characters(shown, monkeypatch):
    monkeypatch.setattr(demo, "has_encoding", lambda: False)
    code, out = shown(str(demo.DOCUMENTS / "warsaw.zh-hans.txt"))
    assert code == 0
    assert "cl100k_base cannot be had" in out
    assert "--splitter token" not in out
    assert "At most 500 characters each" in out


def test_where_the_documents_are_not_installed_it_asks_for_files(shown, monkeypatch, tmp_path):
    monkeypatch.setattr(demo, "DOCUMENTS", tmp_path / "gone")
    code, out = shown()
    assert code == 1
    assert "name files to split" in out


def test_a_chunk_that_is_not_its_slice_is_counted(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text("one two", "utf-8")
    good = {"text": "one", "start_index": 0, "end_index": 3, "metadata": {}}
    bad = {"text": "two", "start_index": 3, "end_index": 6, "metadata": {}}
    outcome = demo.Outcome("recursive", {str(path): [good, bad]})
    console = Console(file=io.StringIO(), width=80)
    assert demo.show(console, [outcome], unit="characters") == 1
    assert "all but 1 the exact text" in console.file.getvalue()


def test_a_seam_shows_both_sides_and_fits_wide_characters():
    rows = [
        {"text": "天" * 60 + "前。", "start_index": 0, "end_index": 62, "metadata": {}},
        {"text": "后\n" + "地" * 60, "start_index": 62, "end_index": 124, "metadata": {}},
    ]
    console = Console(file=io.StringIO(), width=80)
    console.print(demo.seams([demo.Outcome("fixed", {"a": rows})], "a", 124, 80))
    line = console.file.getvalue().splitlines()[-1]
    assert re.search(r"天前。 +┃ +后⏎地", line)
    assert cell_len(line) <= 80
