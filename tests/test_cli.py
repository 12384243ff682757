"""The command line, from what is typed to files, streams and exit codes.

Over 300 lines because it is one face: each case is typed as users type it.
"""

from __future__ import annotations

import io
import itertools
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from langchain_core.documents import Document
from rich.console import Console
from typer.testing import CliRunner

from langchain_chunkers import RecursiveSplitter, SentenceSplitter
from langchain_chunkers.base import registry
from langchain_chunkers.cli.app import app
from langchain_chunkers.cli.report import MOST_ROWS, Progressor, summary
from langchain_chunkers.cli.run import Tally, to_line, to_row
from langchain_chunkers.files import FileError

DOCUMENTS = Path(__file__).parent.parent / "docs" / "demo_data" / "documents"
SPEECH, WARSAW = DOCUMENTS / "speech.en.txt", DOCUMENTS / "warsaw.zh-hans.txt"


def run(*arguments, stdin=None, width=120):
    runner = CliRunner(env={"COLUMNS": str(width), "NO_COLOR": "1", "TERM": "dumb"})
    return runner.invoke(app, [str(each) for each in arguments], input=stdin)


def start(*arguments, **options):
    command = [sys.executable, "-m", "langchain_chunkers.cli", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, check=False, timeout=120, **options)


def rows(lines):
    return [json.loads(line) for line in lines.splitlines()]


def split_quietly(*arguments, stdin=None):
    result = run("split", "--quiet", *arguments, stdin=stdin)
    assert result.exit_code == 0, result.stderr
    return rows(result.stdout)


def read(path):
    return Path(path).read_bytes().decode()


# no command line can say them
OF_OBJECTS = {"boundary_model", "contextual", "inside", "llm", "pipeline", "proposition"}
OURS = {
    name for name, cls in registry().items() if cls.__module__.startswith("langchain_chunkers.")
}
RENDERED = {"html", "json", "table"}  # offsets are those of the text as read


@pytest.mark.parametrize("document", sorted(DOCUMENTS.iterdir()), ids=lambda path: path.name)
@pytest.mark.parametrize("name", sorted(OURS - OF_OBJECTS - RENDERED))
def test_text_is_its_source_between_the_offsets(name, document, tmp_path):
    output = tmp_path / "chunks.jsonl"
    result = run("split", document, "--splitter", name, "--output", output)
    assert result.exit_code == 0, result.stderr
    source, covered = read(document), set()
    for row in rows(output.read_text("utf-8")):
        assert set(row) == {"text", "start_index", "end_index", "metadata"}
        facts = row["metadata"]
        chunk = source[row["start_index"] : row["end_index"]]
        assert row["text"] == facts.get("prefix", "") + chunk + facts.get("suffix", "")
        assert facts["source"] == str(document)
        covered.update(range(row["start_index"], row["end_index"]))
    lost = [source[at] for at in range(len(source)) if at not in covered]
    assert not "".join(lost).strip()


def test_sizes_are_in_tokens_of_the_model_named(encoding):
    found = split_quietly(WARSAW, "--tokenizer", "gpt-4", "--chunk-size", 60)
    sizes = [len(encoding.encode_ordinary(row["text"])) for row in found]
    assert max(sizes) <= 60 < sum(sizes)
    assert found == split_quietly(WARSAW, "--tokenizer", "cl100k_base", "--chunk-size", 60)


@pytest.mark.parametrize("name", ["", "tokenizer.json"])
def test_a_tokenizer_can_be_a_file_or_its_folder(bert_tokenizer, tmp_path, name):
    bert_tokenizer.save(str(tmp_path / "tokenizer.json"))
    found = split_quietly(SPEECH, "-t", tmp_path / name, "-c", 50)
    count = RecursiveSplitter.from_huggingface_tokenizer(bert_tokenizer).length
    assert max(count(row["text"]) for row in found) <= 50
    assert found != split_quietly(SPEECH, "-c", 50)


def test_overlap_repeats_what_came_before():
    found = split_quietly(WARSAW, "-s", "fixed", "-c", 100, "--overlap", 20)
    pairs = itertools.pairwise(found)
    assert any(after["start_index"] < before["end_index"] for before, after in pairs)


def test_standard_output_holds_nothing_but_chunks():
    result = run("split", SPEECH)
    assert all(row["text"] for row in rows(result.stdout))
    assert "speech.en.txt" in result.stderr
    assert "cap" in result.stderr
    assert not run("split", SPEECH, "--quiet").stderr


def test_the_summary_goes_to_standard_output_when_the_chunks_go_to_a_file(tmp_path):
    output = tmp_path / "chunks.jsonl"
    result = run("split", SPEECH, WARSAW, "-c", 300, "-o", output)
    found = rows(output.read_text("utf-8"))
    sizes = [len(row["text"]) for row in found]
    total = next(line for line in result.stdout.splitlines() if line.startswith("total, 2 files"))
    numbers = [f"{len(sizes)}", f"{sum(sizes) / len(sizes):.0f}", f"{min(sizes)}", f"{max(sizes)}"]
    assert total.split()[3:9] == [*numbers, "300", "0"]


def test_standard_input():
    found = split_quietly("-", stdin="\ufeff第一句。\r\n第二句。".encode())
    assert [(row["text"], row["start_index"]) for row in found] == [("第一句。\r\n第二句。", 0)]
    assert found[0]["metadata"] == {"source": "<stdin>"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """`docs` with files at two depths and hidden ones, and we are beside it."""
    monkeypatch.chdir(tmp_path)
    for name in ("docs/b.txt", "docs/a/z.txt", "docs/a/y.md", "docs/.hidden", "docs/.git/config"):
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"This is {name}.", "utf-8")
    return Path("docs")


def sources(*arguments):
    found = [row["metadata"]["source"] for row in split_quietly(*arguments)]
    return [name.replace(os.sep, "/") for name in found]


def test_a_folder_is_read_through_sorted_without_hidden_files(folder):
    assert sources(folder) == ["docs/a/y.md", "docs/a/z.txt", "docs/b.txt"]


def test_globs_that_the_shell_left_alone(folder):
    assert sources("docs/**/*.txt") == ["docs/a/z.txt", "docs/b.txt"]
    assert sources(folder.resolve() / "*.txt") == [str(folder.resolve() / "b.txt")]


def test_a_file_named_twice_is_split_once(folder):
    assert sources("docs/b.txt", "docs", "docs/*.txt", "docs/a/../b.txt")[0] == "docs/b.txt"
    assert len(sources("docs/b.txt", "docs", "docs/*.txt", "docs/a/../b.txt")) == 3


def test_a_second_run_does_not_split_the_output_of_the_first(folder):
    for _ in range(2):
        assert run("split", folder, "-o", "docs/chunks.jsonl").exit_code == 0
        found = rows(Path("docs/chunks.jsonl").read_text("utf-8"))
        assert {row["metadata"]["source"] for row in found} == {
            str(Path(name)) for name in ("docs/a/y.md", "docs/a/z.txt", "docs/b.txt")
        }
    result = run("split", "docs/chunks.jsonl", "-o", "docs/chunks.jsonl")
    assert result.exit_code == 2
    assert "both input and output" in result.stderr
    assert Path("docs/chunks.jsonl").stat().st_size


@pytest.mark.parametrize(
    "content,reason",
    [
        pytest.param(b"caf\xe9", "not in utf-8 (byte 0xe9 at 3)", id="latin-1"),
        pytest.param(b"\x89PNG\r\n\x00\x00", "binary", id="picture"),
        pytest.param(b"a\x00b", "NUL at character 1", id="nul"),
        pytest.param("é".encode("utf-16"), "try --encoding utf-16", id="utf-16"),
        pytest.param("é".encode("utf-32"), "try --encoding utf-32", id="utf-32"),
        pytest.param(None, "no such file or folder", id="missing"),
    ],
)
def test_a_broken_file_is_named_and_the_others_are_done(content, reason, tmp_path):
    broken = tmp_path / "broken.txt"
    if content is not None:
        broken.write_bytes(content)
    result = run("split", broken, WARSAW, "-o", tmp_path / "chunks.jsonl")
    assert result.exit_code == 1
    assert "broken.txt" in result.stderr
    assert reason in result.stderr
    assert "1 file was skipped" in result.stderr
    first = rows((tmp_path / "chunks.jsonl").read_text("utf-8"))[0]
    assert first["metadata"]["source"] == str(WARSAW)


def test_a_file_that_may_not_be_read_is_named(monkeypatch):
    # Not by its mode: the superuser may read everything.
    read_bytes = Path.read_bytes

    def refuse(path):
        if path == SPEECH:
            raise PermissionError(13, "Permission denied")
        return read_bytes(path)

    monkeypatch.setattr(Path, "read_bytes", refuse)
    result = run("split", SPEECH, WARSAW)
    assert result.exit_code == 1
    assert "permission denied" in result.stderr
    assert rows(result.stdout)


@pytest.mark.parametrize("encoding", ["gb18030", "utf-16", "utf-8", "utf-8-sig"])
def test_encodings_and_line_ends(encoding, tmp_path):
    text = read(WARSAW).replace("\n", "\r\n")
    path = tmp_path / "text.txt"
    path.write_bytes(text.encode(encoding))
    option = [] if encoding == "utf-8-sig" else ["--encoding", encoding]
    found = split_quietly(path, "-c", 200, *option)
    assert found[1:]
    assert all(row["text"] == text[row["start_index"] : row["end_index"]] for row in found)


def test_an_empty_file_has_no_chunks(tmp_path):
    (tmp_path / "empty.txt").touch()
    assert split_quietly(tmp_path / "empty.txt") == []
    assert run("split", tmp_path).exit_code == 0


@pytest.mark.parametrize("name", ["config.yaml", "config.json"])
def test_a_configuration_file_and_the_flags_that_win_over_it(name, tmp_path):
    settings = SentenceSplitter(chunk_size=120, chunk_overlap=30).to_config()
    path = tmp_path / name
    write = json.dumps if name.endswith("json") else yaml.safe_dump
    path.write_text(write(settings), "utf-8")
    assert split_quietly(WARSAW, "--config", path) == split_quietly(
        WARSAW, "-s", "sentence", "-c", 120, "--overlap", 30
    )
    assert split_quietly(WARSAW, "--config", path, "-c", 90, "-s", "fixed") == split_quietly(
        WARSAW, "-s", "fixed", "-c", 90, "--overlap", 30
    )


def test_options_are_yaml(tmp_path):
    found = split_quietly(
        WARSAW, "-O", "add_metadata=[chunk_index, chunk_count]", "-O", "strip_whitespace=false"
    )
    assert [row["metadata"]["chunk_index"] for row in found] == list(range(len(found)))
    assert "".join(row["text"] for row in found) == read(WARSAW)


@pytest.mark.parametrize(
    "arguments,message",
    [
        (["-c", 10, "--overlap", 20], "chunk_overlap must be"),
        (["-s", "recursiv"], "splitter 'recursiv' is not known"),
        (["-t", "gpt-9"], "unknown tokenizer 'gpt-9'"),
        (["-t", "none/tokenizer.json"], "unknown tokenizer"),
        (["-t", str(SPEECH)], "cannot be read"),
        (["--encoding", "utf-9"], "encoding must be"),
        (["--encoding", "hex"], "encoding must be"),
        (["-O", "chunk_index"], "--option must be name=value"),
        (["-O", "separators=[a"], "--option separators cannot be read"),
        (["-O", "no_such_setting=1"], "no_such_setting"),
        (["-c", 9, "-O", "chunk_size=8"], "chunk_size is given twice"),
        (["--config", "none.yaml"], "config none.yaml cannot be read"),
        (["--config", str(SPEECH)], "mapping values are not allowed here (line 17"),
        (["--config", str(WARSAW)], "must be names and values"),
        (["-o", "none/chunks.jsonl"], "none/chunks.jsonl cannot be written"),
    ],
)
def test_a_bad_setting_is_one_line_and_touches_no_file(arguments, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("split", WARSAW, *arguments)
    assert result.exit_code == 2
    assert message in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1
    assert not result.stdout
    assert not list(tmp_path.iterdir())


def test_splitters_lists_every_splitter_and_its_settings():
    result = run("splitters")
    assert result.exit_code == 0
    for name in registry():
        assert re.search(rf"^{name}\b.+\w", result.stdout, re.MULTILINE)
    assert "chunk_size=500" in result.stdout
    assert "separators" in result.stdout


def test_help_shows_examples_and_loads_nothing_for_a_run():
    assert "langchain-chunkers split docs" in run("split", "--help").stdout
    assert re.match(r"langchain-chunkers \d+\.\d+", run("--version").stdout)
    loaded = "import sys, langchain_chunkers.cli.app; print('rich' in sys.modules)"
    shown = subprocess.run([sys.executable, "-c", loaded], capture_output=True, check=True)
    assert shown.stdout.strip() == b"False"


@pytest.mark.parametrize("module", ["typer", "rich", "yaml"])
def test_what_to_install_is_said(module):
    without = f"import sys; sys.modules['{module}'] = None"
    code = f"{without}; from langchain_chunkers.cli import main; main()"
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, check=False)
    assert shown.returncode == 2
    assert b"pip install 'langchain-chunkers[cli]'" in shown.stderr
    assert b"Traceback" not in shown.stderr


def test_a_process_writes_utf_8_whatever_the_locale(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0", "LC_ALL": "C"}
    (tmp_path / "华沙.txt").write_bytes(WARSAW.read_bytes())
    shown = start("split", "华沙.txt", "-c", 200, cwd=tmp_path, env=environment)
    assert shown.returncode == 0, shown.stderr
    source = read(WARSAW)
    for row in rows(shown.stdout.decode()):
        assert row["text"] == source[row["start_index"] : row["end_index"]]
        assert row["metadata"]["source"] == "华沙.txt"
    assert start("split", tmp_path / "none", env=environment).returncode == 1


def test_a_reader_that_goes_away_ends_it_in_silence(tmp_path):
    (tmp_path / "long.txt").write_text(read(SPEECH) * 20, "utf-8")
    command = [sys.executable, "-m", "langchain_chunkers.cli", "split", str(tmp_path / "long.txt")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout.readline()
        process.stdout.close()
        assert process.stderr.read() == b""
        assert process.wait(60) == 141


def test_an_interruption_keeps_what_was_written(tmp_path, monkeypatch):
    lazily = RecursiveSplitter.lazy_split_documents

    def interrupted(self, documents):
        yield next(iter(lazily(self, documents)))
        raise KeyboardInterrupt

    monkeypatch.setattr(RecursiveSplitter, "lazy_split_documents", interrupted)
    result = run("split", SPEECH, "-o", tmp_path / "chunks.jsonl")
    assert result.exit_code == 130
    assert "interrupted: 1 chunks" in result.stderr
    assert len(rows((tmp_path / "chunks.jsonl").read_text("utf-8"))) == 1


@pytest.mark.parametrize("text", ["a\u2028b\u2029c\x85d", "\ud800 alone", "\\u2028", '"quoted"\n'])
@pytest.mark.parametrize("source", ["华沙.txt", "caf\udce9.txt"])
def test_a_row_is_one_line_to_every_reader(text, source):
    metadata = {"start_index": 0, "end_index": len(text), "source": source}
    line = to_line(to_row(Document(page_content=text, metadata=metadata)))
    assert len(line.decode().splitlines()) == 1
    found = json.loads(line)
    assert (found["text"] == text, found["metadata"] == {"source": source}) == (True, True)


def test_a_long_summary_still_shows_the_total():
    tallies = [Tally(f"folder/{number}.txt", 2, 10, 4, 6) for number in range(MOST_ROWS + 1)]
    console = Console(file=io.StringIO(), width=80)
    console.print(summary("title", 5, tallies))
    shown = console.file.getvalue()
    assert "… and 21 more" in shown
    assert "total, 41 files" in shown
    assert "file in folder" in shown


@pytest.mark.parametrize("terminal", [True, False])
def test_progress_shows_on_a_terminal_only(terminal):
    console = Console(file=io.StringIO(), force_terminal=terminal, width=80)
    with Progressor(console, 10_000_000, shown=True) as progress:
        progress.advance("a.txt", 5_000_000)
        progress.problem(FileError("b[0].txt", "binary"))
    assert ("50%" in console.file.getvalue()) == terminal
    assert "b[0].txt: binary" in re.sub(r"\x1b\[[\d;]*m", "", console.file.getvalue())
