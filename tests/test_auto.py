"""The kind of a document, and the splitter that it goes to."""

from __future__ import annotations

import json
import warnings
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents import Document

from langchain_chunkers import errors
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.config import from_config
from langchain_chunkers.files import load_files
from langchain_chunkers.routing import KINDS, kind_of
from langchain_chunkers.strategies.auto import RECIPES, AutoSplitter

TEXTS = {
    "markdown": "# Pumps\n\nA list:\n\n- one\n- two\n\n## Valves\n\n**Bold** words.\n",
    "html": "<!-- x --><!DOCTYPE html><html><body><h1>Pumps</h1><p>Text.</p></body></html>",
    "code": "#!/usr/bin/env python\nimport os\n\ndef f(x):\n    return os.fspath(x)\n",
    "table": "name,price,stock\npump,12,3\nvalve,3,9\nseal,1,20\n",
    "json": '{"pumps": [{"name": "P-1", "on": true}, {"name": "P-2", "on": false}]}',
    "dialogue": "Ann: Is the pump on?\nBen: It is.\nAnn: Since when?\nBen: Since noon.\n",
    "latex": "\\documentclass{article}\n\\begin{document}\n\\section{Pumps}\nText.\n\\end{document}\n",
    "rst": "Pumps\n=====\n\n.. note::\n\n   Text.\n",
    "legal": "Article 1\nScope\n1.1 The supplier delivers.\n1.2 The buyer pays.\n\nArticle 2\nTerm\n2.1 One year.\n",
    "text": "The pump failed at noon. The crew replaced the seal within an hour.",
}  # fmt: skip


@pytest.mark.parametrize("kind", TEXTS)
def test_content_tells_the_kind(kind: str) -> None:
    assert kind_of(TEXTS[kind]) == kind


def test_every_kind_has_a_text_and_a_recipe() -> None:
    assert set(KINDS) == set(TEXTS) == set(RECIPES)


@pytest.mark.parametrize(
    "metadata, kind",
    [
        ({"source": "a/README.md"}, "markdown"),
        ({"source": "C:\\docs\\page.HTML"}, "html"),
        ({"file_path": "src/pump.rs"}, "code"),
        ({"file_name": "Main.hs"}, "code"),
        ({"path": "prices.tsv"}, "table"),
        ({"url": "https://example.org/feed.json?page=2"}, "json"),
        ({"source": "talk.vtt"}, "dialogue"),
        ({"source": "paper.tex"}, "latex"),
        ({"source": "index.rst"}, "rst"),
        ({"source": "Dockerfile"}, "code"),
        ({"mime_type": "text/markdown; charset=utf-8"}, "markdown"),
        ({"content_type": "text/csv"}, "table"),
        ({"source": 7, "mime_type": None}, "text"),
        ({"source": "notes.txt"}, "text"),
        ({}, "text"),
    ],
)
def test_names_and_types_tell_the_kind(metadata: dict[str, Any], kind: str) -> None:
    assert kind_of(TEXTS["text"], metadata) == kind


def test_a_text_file_is_looked_into() -> None:
    assert kind_of(TEXTS["dialogue"], {"source": "chat.txt"}) == "dialogue"


def test_messages_are_a_dialogue() -> None:
    messages = [{"role": "user", "content": "Is it on?"}, {"role": "assistant", "content": "Yes."}]
    assert kind_of(json.dumps(messages)) == "dialogue"


@pytest.mark.parametrize(
    "text", ["", " \n", "{", "[" * 100_000, "#", "a,b", "<", "\ud800", "\0" * 9]
)
def test_any_text_has_a_kind(text: str) -> None:
    assert kind_of(text) in KINDS
    splitter = AutoSplitter(length_function=len)
    assert "".join(splitter(text)) == splitter.read(text).text


@pytest.mark.parametrize("kind", TEXTS)
def test_each_kind_goes_to_its_splitter(kind: str) -> None:
    splitter = AutoSplitter(chunk_size=40, chunk_overlap=0, length_function=len)
    text = TEXTS[kind]
    own = from_config(BaseSplitter, splitter.recipes[kind])
    assert splitter.split_text(text) == own.split_text(text)
    assert splitter.splitter_for(text).name == RECIPES[kind]["splitter"]
    made = splitter.create_documents([text], [{"source": "x"}])
    assert made == own.create_documents([text], [{"source": "x"}])


def test_sizes_are_tokens_unless_said() -> None:
    assert AutoSplitter().unit == "tokens (cl100k_base)"
    assert AutoSplitter(length_function=len).unit == "characters"


def test_a_recipe_of_ones_own() -> None:
    splitter = AutoSplitter(recipes={"text": {"splitter": "sentence", "chunk_size": 6}})
    assert splitter.split_text(TEXTS["text"])[0] == "The pump failed at noon."
    with pytest.raises(errors.SettingError, match="recipe for text"):
        AutoSplitter(recipes={"text": {"splitter": "sentence", "nonsense": 1}})
    with pytest.raises(errors.SettingError, match="a kind in recipes"):
        AutoSplitter(recipes={"poem": {"splitter": "sentence"}})


def test_one_kind_for_all() -> None:
    splitter = AutoSplitter(kind="text", length_function=len)
    assert splitter.splitter_for(TEXTS["json"]).name == "recursive"


def test_a_missing_extra_is_said_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    import langchain_chunkers.strategies.markdown as module

    def need(name: str, extra: str, what_for: str) -> None:
        msg = f"{what_for} needs {name}: pip install 'langchain-chunkers[{extra}]'"
        raise errors.MissingExtraError(msg, name=name)

    monkeypatch.setattr(module, "need", need)
    splitter = AutoSplitter(length_function=len)
    with pytest.warns(UserWarning, match=r"plain text.*langchain-chunkers\[markdown\]"):
        assert splitter.split_text(TEXTS["markdown"]) == [TEXTS["markdown"].strip()]


def test_files_go_by_their_names(tmp_path: Path) -> None:
    (tmp_path / "b.md").write_text(TEXTS["markdown"], "utf-8")
    (tmp_path / "a.csv").write_text(TEXTS["table"], "utf-8")
    (tmp_path / "c.bin").write_bytes(b"\0\xff")
    splitter = AutoSplitter()
    with pytest.warns(UserWarning, match=r"left out: .*c\.bin"):
        chunks = splitter.split_files(tmp_path)
    assert {Path(chunk.metadata["source"]).name for chunk in chunks} == {"a.csv", "b.md"}
    assert any(chunk.metadata.get("Header 1") == "Pumps" for chunk in chunks)


def test_loading_files_is_lazy_and_in_order(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt"):
        (tmp_path / name).write_text(name, "utf-8")
    found = load_files([tmp_path / "b.txt", str(tmp_path)])
    assert next(iter(found)) == Document(
        page_content="b.txt", metadata={"source": str(tmp_path / "b.txt")}
    )
    assert [document.page_content for document in found] == ["a.txt"]
    with pytest.raises(errors.SettingError, match="encoding"):
        list(load_files(tmp_path, encoding="no-such"))


def test_settings_go_round() -> None:
    splitter = AutoSplitter(chunk_size=90, recipes={"json": {"splitter": "json"}})
    again = BaseSplitter.from_config(json.loads(json.dumps(splitter.to_config())))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert again.split_text(TEXTS["json"]) == splitter.split_text(TEXTS["json"])
