"""`DoclingParser` and `DoclingLoader`, as far as they need neither docling nor a PDF library."""

from __future__ import annotations

import asyncio
import base64
import io
import json
import pickle
import sys
import tracemalloc
import zipfile
from pathlib import Path
from typing import Any

import pytest
from langchain_core.document_loaders import BaseBlobParser, BaseLoader
from langchain_core.documents.base import Blob
from langchain_core.messages import BaseMessage

from langchain_chunkers import (
    InputError,
    MissingExtraError,
    SentenceSplitter,
    SettingError,
    TokenCountSplitter,
)
from langchain_chunkers.files import FileError
from langchain_chunkers.integrations.docling import DoclingLoader, DoclingParser
from langchain_chunkers.integrations.docling_checks import Input, Limits, checked, kind_of
from langchain_chunkers.strategies.docling import DoclingSplitter
from langchain_chunkers.testing.fakes import ScriptedChatModel
from tests.generators_docling import Making, table_data

PIXELS = "data:image/png;base64," + base64.b64encode(b"pixels").decode()


def report() -> dict[str, Any]:
    made = Making()
    size = {"width": 100, "height": 80}
    image = {"uri": PIXELS, "size": size}
    return made.document(
        [
            made.text("Report", "title"),
            made.text("Sales rose. Costs fell. Nobody knows why."),
            made.add(
                "pictures",
                label="picture",
                captions=[made.text("Figure 1", "caption")],
                image=image,
            ),
            made.add(
                "pictures",
                label="picture",
                image={"uri": PIXELS, "size": {"width": 9, "height": 9}},
            ),
            made.add(
                "tables", label="table", data=table_data([["a", "b"], ["1", "2"]]), image=image
            ),
        ]
    )


def as_file(document: dict[str, Any], name: str = "report.json") -> tuple[str, bytes]:
    return name, json.dumps(document).encode()


def texts(loader: Any) -> list[str]:
    return [document.page_content for document in loader.load()]


def packed(parts: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            package.writestr(name, data)
    return out.getvalue()


DOCX = {"[Content_Types].xml": b"<Types/>", "word/document.xml": b"<w:document/>"}
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


# ---------------------------------------------------------------------- what goes in and comes out


def test_they_are_a_parser_and_a_loader_of_langchain() -> None:
    assert isinstance(DoclingParser(), BaseBlobParser)
    assert isinstance(DoclingLoader("x"), BaseLoader)


def test_chunks_follow_the_structure_and_know_their_source() -> None:
    loader = DoclingLoader(as_file(report()))
    chunks = loader.load()
    assert [chunk.page_content for chunk in chunks] == [
        "Report\n\nSales rose. Costs fell. Nobody knows why.",
        "Report\n\nFigure 1",
        f"Report\n\n{TABLE}",
    ]
    assert all(chunk.metadata["source"] == "report.json" for chunk in chunks)


def test_chunk_false_gives_a_document_for_each_file() -> None:
    loader = DoclingLoader([as_file(report()), ("b.txt", b"Tea.")], chunk=False)
    assert [d.metadata["source"] for d in loader.load()] == ["report.json", "b.txt"]


def test_a_parser_composes_with_splitters_and_metadata_go_all_the_way_down() -> None:
    parser = DoclingParser() | TokenCountSplitter(min_tokens=1, max_tokens=8)
    chunks = parser.parse(
        Blob.from_data(as_file(report())[1], path="r.json", metadata={"team": "x"})
    )
    assert all(TokenCountSplitter(max_tokens=8).length(chunk.page_content) <= 8 for chunk in chunks)
    for chunk in chunks:
        assert chunk.metadata["source"] == "r.json"
        assert chunk.metadata["team"] == "x"
        assert chunk.metadata["Header 1"] == "Report"
        assert "prefix" not in chunk.metadata
    finer = parser | SentenceSplitter(12)
    assert all(
        len(chunk.page_content) <= 12
        for chunk in finer.parse(Blob.from_data("One two. Three.", path="a.txt"))
    )
    assert texts(DoclingLoader(("a.txt", b"One. Two.")) | SentenceSplitter(5)) == ["One.", "Two."]


def test_a_docling_splitter_takes_the_place_of_the_default_one() -> None:
    parser = DoclingParser() | DoclingSplitter(30, include_headings=False)
    chunks = parser.parse(Blob.from_data(as_file(report())[1], path="r.json"))
    assert [chunk.page_content for chunk in chunks][-1] == TABLE
    assert max(len(chunk.page_content) for chunk in chunks) <= 30


def test_any_splitter_may_make_the_chunks() -> None:
    chunks = DoclingParser(splitter=SentenceSplitter(25)).parse(
        Blob.from_data("One two three. Four five six.", path="a.txt")
    )
    assert [chunk.page_content for chunk in chunks] == ["One two three.", "Four five six."]


def test_called_with_bytes_it_gives_pairs_as_pathways_parsers_do() -> None:
    pairs = DoclingParser()(as_file(report())[1])
    assert pairs[0][0].startswith("Report\n\nSales")
    assert pairs[0][1]["Header 1"] == "Report"
    assert "source" not in pairs[0][1]


def test_convert_gives_what_the_splitter_takes() -> None:
    document = DoclingParser().convert(as_file(report())[1], name="r.json")
    assert document == report()
    assert DoclingSplitter().split_documents([document])


def test_folders_globs_blobs_and_lists_are_taken(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "b.txt").write_text("B.")
    (tmp_path / "a.txt").write_text("A.")
    (tmp_path / "c.exe").write_bytes(b"\0")
    (tmp_path / ".hidden.txt").write_text("no")
    assert texts(DoclingLoader(tmp_path)) == ["A.", "B."]
    assert texts(DoclingLoader(str(tmp_path / "*.txt"))) == ["A."]
    assert texts(DoclingLoader([tmp_path / "a.txt", b"C.", Blob.from_data("D.")])) == [
        "A.",
        "C.",
        "D.",
    ]
    with pytest.raises(InputError, match="path"):
        DoclingLoader(7).load()


def test_files_are_read_one_at_a_time(tmp_path: Path) -> None:
    for n in range(3):
        (tmp_path / f"{n}.txt").write_text(f"Text {n}.")
    loader = DoclingLoader(tmp_path).lazy_load()
    assert next(loader).page_content == "Text 0."
    (tmp_path / "1.txt").write_text("Changed.")
    assert [document.page_content for document in loader] == ["Changed.", "Text 2."]


async def test_async_gives_the_same() -> None:
    loader = DoclingLoader([as_file(report()), ("b.txt", b"Tea.")])
    assert [document async for document in loader.alazy_load()] == loader.load()


def test_a_parser_can_be_pickled() -> None:
    parser = pickle.loads(pickle.dumps(DoclingParser() | SentenceSplitter(10)))
    assert parser(b"Tea.") == [("Tea.", {})]


# ---------------------------------------------------------------------- what cannot be read


BAD = {
    "empty.docx": (b"", "it is empty"),
    "white.txt": (b" \n\n", "it is empty"),
    "cut.docx": (packed(DOCX)[:60], "damaged, or cut off"),
    "text.docx": (b"only text", "it is text, and no DOCX"),
    "text.pdf": (b"only text", "it is text, and no PDF"),
    "archive.docx": (packed({"a.txt": b"x"}), "zip archive, and no document"),
    "encrypted.docx": (
        b"\xd0\xcf\x11\xe0" + b"\0" * 50 + "EncryptedPackage".encode("utf-16-le"),
        "encrypted",
    ),
    "old.docx": (b"\xd0\xcf\x11\xe0" + b"\0" * 50 + b"x", "before 2007"),
    "binary.txt": (bytes(range(256)) * 8, "it is binary"),
    "latin.txt": ("caf\xe9".encode("latin-1"), "not UTF-8"),
    "entities.xml": (b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>', "XML entities"),
    "picture.png": (b"\x89PNG\r\n\x1a\n" + b"\0" * 40, "it is an image"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_cannot_be_read_is_named_and_the_run_goes_on(name: str) -> None:
    data, reason = BAD[name]
    loader = DoclingLoader([("a.txt", b"A."), (name, data), ("b.txt", b"B.")])
    with pytest.warns(UserWarning, match=f"left out: {name}: .*{reason}"):
        assert texts(loader) == ["A.", "B."]
    assert [problem.name for problem in loader.problems] == [name]
    assert reason in loader.problems[0].reason


def test_a_file_that_is_not_there_is_named() -> None:
    loader = DoclingLoader(["nowhere.pdf", ("b.txt", b"B.")], on_error="ignore")
    assert texts(loader) == ["B."]
    assert str(loader.problems[0]) == "nowhere.pdf: no such file or folder"


def test_errors_can_be_raised() -> None:
    with pytest.raises(FileError, match="it is empty"):
        DoclingLoader(("a.pdf", b""), on_error="raise").load()
    with pytest.raises(FileError, match="it is empty"):
        DoclingParser().parse(Blob.from_data(b"", path="a.pdf"))


async def test_errors_do_not_end_an_async_run() -> None:
    loader = DoclingLoader([("a.pdf", b""), ("b.txt", b"B.")], on_error="ignore")
    assert [document.page_content async for document in loader.alazy_load()] == ["B."]
    assert len(loader.problems) == 1


def test_what_a_file_is_its_content_says() -> None:
    for data, name, kind in (
        (b"%PDF-1.4", "a.docx", "pdf"),
        (packed(DOCX), "a.pdf", "docx"),
        (packed({"xl/workbook.xml": b"<x/>"}), "a", "xlsx"),
        (packed({"mimetype": b"application/epub+zip"}), "a.zip", "epub"),
        (b"<!-- x --><!DOCTYPE html><p>a", "a.txt", "html"),
        (b"{\\rtf1", "a.doc", "rtf"),
        (b"a,b\n1,2", "a.csv", "csv"),
        (b"# A", "https://host/a.md?raw=1", "md"),
        ("Tee für zwei".encode("utf-16"), "a.txt", "txt"),
    ):
        assert kind_of(Input(name, data, {})) == kind


def test_files_above_the_limit_are_refused_unread(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x" * 100)
    loader = DoclingLoader(
        [tmp_path / "a.txt", ("b.txt", b"y" * 100), b"z" * 100, ("c.txt", b"C.")],
        max_file_size=50,
        on_error="ignore",
    )
    assert texts(loader) == ["C."]
    assert all("more than max_file_size=50" in problem.reason for problem in loader.problems)
    assert len(loader.problems) == 3


def test_zip_bombs_end_in_an_error_within_bounded_memory() -> None:
    bomb = packed({**DOCX, "word/document.xml": b"<w>" + b" " * 400_000_000})
    assert len(bomb) < 1_000_000
    tracemalloc.start()
    with pytest.raises(FileError, match="it unpacks to 400,"):
        checked(Input("bomb.docx", bomb, {}), "docx", Limits())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5_000_000


def test_parts_below_the_limit_are_looked_through_a_block_at_a_time() -> None:
    large = packed({**DOCX, "word/document.xml": b"<w>" + b" " * 60_000_000 + b"<!ENTITY a 'b'>"})
    tracemalloc.start()
    with pytest.raises(FileError, match=r"its part word/document\.xml declares XML entities"):
        checked(Input("large.docx", large, {}), "docx", Limits())
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20_000_000


def test_an_entity_is_seen_where_two_blocks_meet() -> None:
    for before in range((1 << 20) - 9, 1 << 20):
        part = b"<w>".ljust(before) + b"<!ENTITY a 'b'>"
        with pytest.raises(FileError, match="XML entities"):
            checked(Input("a.docx", packed({"word/a.xml": part}), {}), "docx", Limits())


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_xml_entity_bombs_end_in_an_error(encoding: str) -> None:
    entities = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    part = f'<?xml version="1.0"?><!DOCTYPE l [<!ENTITY a0 "lol">{entities}]><l>&a9;</l>'.encode(
        encoding
    )
    with pytest.raises(FileError, match="XML entities"):
        checked(Input("a.docx", packed({**DOCX, "word/document.xml": part}), {}), "docx", Limits())
    with pytest.raises(FileError, match="XML entities"):
        checked(Input("a.xml", part, {}), "xml", Limits())


def test_damage_inside_a_package_is_found() -> None:
    data = bytearray(packed({**DOCX, "word/document.xml": b"<w>" + bytes(range(256)) * 40}))
    data[len(data) // 2] ^= 0xFF
    with pytest.raises(FileError, match="it is damaged"):
        checked(Input("a.docx", bytes(data), {}), "docx", Limits())


def test_a_missing_package_is_no_broken_file(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docling.document_converter", None)
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(
        MissingExtraError, match=r"reading DOCX needs .*langchain-chunkers\[docling\]"
    ):
        DoclingLoader(("a.docx", packed(DOCX)), max_seconds=None).load()
    with pytest.raises(MissingExtraError, match=r"reading PDF needs .*langchain-chunkers\[pdf\]"):
        DoclingLoader(("a.pdf", b"%PDF-1.4")).load()


# ---------------------------------------------------------------------- models that see


class Seeing(ScriptedChatModel):
    """Keeps the messages as they came."""

    seen: Any

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.seen.append(messages)
        return super()._generate(messages, *args, **kwargs)


ANSWER = "Here is the table:\n\n| part | price |\n|---|---|\n| bolt | 2 |\n| nut | 1 |\n\nIt lists prices."


def test_a_model_describes_pictures() -> None:
    model = Seeing(answers=["A bar chart of sales."], seen=[])
    loader = DoclingLoader(as_file(report()), image_parsing_strategy="llm", multimodal_llm=model)
    assert texts(loader)[1] == "Report\n\nFigure 1\n\nA bar chart of sales."
    assert len(model.seen) == 1  # and nothing of 9 by 9 pixels
    content = model.seen[0][0].content
    assert content[0]["type"] == "text"
    assert content[1] == {"type": "image_url", "image_url": {"url": PIXELS}}


def test_a_model_reads_tables_and_their_rows_stay_rows() -> None:
    model = Seeing(answers=[ANSWER], seen=[])
    parser = DoclingParser(None, "llm", model, splitter=DoclingSplitter(60))
    chunks = parser.parse(Blob.from_data(as_file(report())[1], path="r.json"))
    tables = [chunk for chunk in chunks if chunk.metadata["label"] == "table"]
    assert tables[0].page_content.startswith("Report\n\n| part | price |\n|---|---|\n| bolt | 2 |")
    assert "It lists prices." in tables[-1].page_content


def test_an_answer_without_a_table_is_a_description() -> None:
    parser = DoclingParser(None, "llm", ScriptedChatModel(answers=["It is empty."]))
    assert parser(as_file(report())[1])[-1][0] == "Report\n\nIt is empty."


async def test_the_model_is_awaited_and_asked_concurrently() -> None:
    running = most = 0

    class Slow(ScriptedChatModel):
        async def _agenerate(self, *args: Any, **kwargs: Any) -> Any:
            nonlocal running, most
            running += 1
            most = max(most, running)
            await asyncio.sleep(0.01)
            running -= 1
            return self._generate(*args, **kwargs)

    made = Making()
    image = {"uri": PIXELS, "size": {"width": 100, "height": 80}}
    pictures = [made.add("pictures", label="picture", image=image) for _ in range(6)]
    parser = DoclingParser("llm", multimodal_llm=Slow(answers=["A photo."]), concurrency=3)
    chunks = await parser.aparse(Blob.from_data(as_file(made.document(pictures))[1], path="r.json"))
    assert [chunk.page_content for chunk in chunks] == ["A photo."] * 6
    assert most == 3


def test_calls_that_fail_are_made_again() -> None:
    model = ScriptedChatModel(answers=[RuntimeError("busy"), RuntimeError("busy"), "A chart."])
    parser = DoclingParser("llm", multimodal_llm=model, retry_wait=0)
    assert parser(as_file(report())[1])[1][0].endswith("A chart.")


def test_where_no_answer_comes_the_item_stays_and_a_warning_names_the_file() -> None:
    model = ScriptedChatModel(answers=[RuntimeError("down")])
    loader = DoclingLoader(
        as_file(report()),
        image_parsing_strategy="llm",
        table_parsing_strategy="llm",
        multimodal_llm=model,
        retries=1,
        retry_wait=0,
    )
    with pytest.warns(
        UserWarning, match=r"report.json: the model did not answer for 2 of 2 .*down"
    ):
        assert texts(loader)[1:] == ["Report\n\nFigure 1", f"Report\n\n{TABLE}"]


# ---------------------------------------------------------------------- settings


@pytest.mark.parametrize(
    "params, message",
    [
        ({"image_parsing_strategy": "ocr"}, "image_parsing_strategy must be one of"),
        ({"table_parsing_strategy": None}, "table_parsing_strategy must be one of"),
        ({"image_parsing_strategy": "llm"}, "needs multimodal_llm"),
        ({"multimodal_llm": ScriptedChatModel(answers=[""])}, "multimodal_llm is used by"),
        ({"chunk": False, "splitter": SentenceSplitter()}, "splitter must be"),
        ({"splitter": "sentence"}, "splitter must be"),
        ({"pdf": "text", "ocr": True}, "pdf='text' uses no docling pipeline"),
        ({"pdf": "text", "pdf_pipeline_options": {"do_ocr": True}}, "pdf='text' uses no docling pipeline"),
        ({"pdf": "fast"}, "pdf must be one of"),
        ({"max_seconds": 0}, "max_seconds must be a positive number"),
        ({"max_memory": 0}, "max_memory must be a positive integer"),
        ({"max_file_size": 0}, "max_file_size must be a positive integer"),
        ({"concurrency": 1.5}, "concurrency must be a positive integer"),
        ({"retries": -1}, "retries must be"),
    ],
)  # fmt: skip
def test_settings_that_cannot_be_used_are_refused(params: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=message):
        DoclingParser(**params)


def test_a_loader_takes_a_parser_or_its_settings() -> None:
    with pytest.raises(SettingError, match="Give chunk to the parser"):
        DoclingLoader("x", parser=DoclingParser(), chunk=False)
    with pytest.raises(SettingError, match="on_error"):
        DoclingLoader("x", on_error="stop")


def test_what_to_install_is_said_when_the_parser_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "docling", None)
    DoclingParser()  # PDF is read without docling
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    with pytest.raises(MissingExtraError, match=r"langchain-chunkers\[docling\]"):
        DoclingParser()
