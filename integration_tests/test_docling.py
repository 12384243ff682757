"""docling itself: files of each kind, its options, its objects, and files that mean harm."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_openai import ChatOpenAI

from integration_tests import openai_server as answers
from langchain_chunkers import (
    DoclingLoader,
    DoclingParser,
    DoclingSplitter,
    SettingError,
    TokenCountSplitter,
)
from tests.pdf_maker import Line, Text, make_pdf

DATA = Path(__file__).parent / "data" / "docling"
PDF = Path(__file__).parent.parent / "tests" / "data" / "pdf"
FILES = sorted(path.name for path in DATA.iterdir() if path.suffix != ".md")


@pytest.fixture(scope="module")
def parser() -> DoclingParser:
    return DoclingParser()  # its process is kept from file to file


@pytest.fixture(scope="module")
def documents(parser: DoclingParser) -> dict[str, Any]:
    return {name: parser.convert(DATA / name) for name in FILES}


# ---------------------------------------------------------------------- files of each kind


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("size", [60, 400, None])
def test_files_are_split_within_the_cap(
    documents: dict[str, Any], name: str, size: int | None
) -> None:
    splitter = DoclingSplitter(max_tokens=size, chunk_size=None)
    chunks = splitter.split_documents([documents[name]])
    assert chunks
    assert size is None or all(splitter.length(chunk.page_content) <= size for chunk in chunks)
    assert all(chunk.metadata["source"] == name for chunk in chunks)
    values = [value for chunk in chunks for value in chunk.metadata.values()]
    assert all(isinstance(value, str | int | float) for value in values)


@pytest.mark.parametrize(
    "name, label, text, facts",
    [
        ("equations.docx", "text,formula", r"\frac{m \lambda }{a}", {}),
        ("test.epub", "text,list_item", "- A bullet point\n- Another point", {"Header 1": "Chapter 1: Test Content"}),
        ("test.pptx", "table", "| ColA | ColB |", {"Header 1": "A table to test parsing:", "page": 3}),
        ("test.xlsx", "table", "| 13 | 14 | 15 |", {"page": 2, "row_end": 4}),
        ("test_blog.html", "text,list_item", "Experiment Setup", {"Header 2": "Experiment Setup"}),
        ("test_with_comment.docx", "table", "| 1 | 2 | 3 |", {"Header 2": "Introduction"}),
        ("anthropic_classification_dataset.csv", "table", "| text | label |", {"row_start": 1}),
    ],
)  # fmt: skip
def test_what_is_in_them_is_found(
    documents: dict[str, Any], name: str, label: str, text: str, facts: dict[str, Any]
) -> None:
    chunks = DoclingSplitter(None).split_documents([documents[name]])
    found = [c for c in chunks if text in c.page_content and c.metadata["label"] == label]
    assert any(facts.items() <= chunk.metadata.items() for chunk in found), [
        chunk.metadata for chunk in chunks
    ]


def test_files_are_loaded_with_a_splitter_behind() -> None:
    splitter = TokenCountSplitter(min_tokens=1, max_tokens=50)
    chunks = (DoclingLoader([DATA / name for name in FILES], on_error="raise") | splitter).load()
    assert {Path(chunk.metadata["source"]).name for chunk in chunks} == set(FILES)
    assert all(splitter.length(chunk.page_content) <= 50 for chunk in chunks)


async def test_async_loads_the_same() -> None:
    loader = DoclingLoader(DATA, max_seconds=None)  # a folder
    assert [chunk async for chunk in loader.alazy_load()] == loader.load()


def test_in_this_process_or_another_the_same_comes_out(documents: dict[str, Any]) -> None:
    here = DoclingParser(max_seconds=None)
    for name in ("test.pptx", "test_blog.html"):
        assert here.convert(DATA / name) == documents[name]


class _Site(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        file = DATA / self.path.partition("?")[0].lstrip("/")
        if not file.is_file():
            self.send_error(404)
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(file.read_bytes())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.enable_socket
def test_urls_of_the_user_are_fetched_within_the_size_allowed() -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), _Site) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        site = f"http://127.0.0.1:{server.server_port}"
        urls = [f"{site}/{name}" for name in ("rlink.docx?raw=1", "gone.docx", "test.pptx")]
        loader = DoclingLoader(urls, max_file_size=100_000, on_error="ignore")
        chunks = loader.load()
        server.shutdown()
    assert [(c.page_content, c.metadata["source"]) for c in chunks] == [
        ("Testing Linked Images", urls[0])
    ]
    gone, large = loader.problems
    assert (gone.name, gone.reason) == (urls[1], "it cannot be fetched: Not Found")
    assert large.name == urls[2]
    assert "more than max_file_size=100,000" in large.reason


# ---------------------------------------------------------------------- docling's own objects


def test_documents_of_docling_are_taken_as_they_are(documents: dict[str, Any]) -> None:
    from docling_core.types.doc.document import DoclingDocument

    splitter = DoclingSplitter(300)
    for name, document in documents.items():
        real = DoclingDocument.model_validate(document)
        carried = Document(page_content="", metadata={"document": real, "team": "x"})
        chunks = splitter.split_documents([document])
        assert splitter.split_documents([real]) == chunks, name
        assert splitter.split_text(real.model_dump_json()) == [c.page_content for c in chunks]
        assert splitter.split_documents([carried])[0].metadata["team"] == "x"


def test_pdf_read_without_docling_is_a_document_of_docling(parser: DoclingParser) -> None:
    from docling_core.types.doc.document import DoclingDocument

    for path in PDF.glob("*.pdf"):
        document = DoclingDocument.model_validate(parser.convert(path))
        assert document.export_to_markdown().strip(), path.name


def test_what_langchain_docling_loads_is_split_further(documents: dict[str, Any]) -> None:
    from docling_core.transforms.chunker.hierarchical_chunker import HierarchicalChunker
    from docling_core.types.doc.document import DoclingDocument

    chunker = HierarchicalChunker()
    loaded = [  # as its loader makes them
        Document(
            page_content=chunker.contextualize(chunk),
            metadata={"source": "a.pptx", "dl_meta": chunk.meta.export_json_dict()},
        )
        for chunk in chunker.chunk(DoclingDocument.model_validate(documents["test.pptx"]))
    ]
    chunks = DoclingSplitter(200).split_documents(loaded)
    assert all(len(chunk.page_content) <= 200 for chunk in chunks)
    assert chunks[0].metadata["page"] == 1
    assert chunks[0].metadata["source"] == "a.pptx"
    assert chunks[0].metadata["Header 1"].startswith("AutoGen")
    assert all("dl_meta" not in chunk.metadata for chunk in chunks)


# ---------------------------------------------------------------------- options of the pipeline


def options(**given: Any) -> Any:
    return DoclingParser(pdf_pipeline_options=given)._converter.pipeline_options()


def test_options_reach_docling_also_nested_ones() -> None:
    made = options(
        do_ocr=False,
        images_scale=3,
        table_structure_options={"mode": "fast"},
        accelerator_options={"num_threads": 2},
        ocr_options={"kind": "tesseract", "lang": ["deu"]},
    )
    assert (made.do_ocr, made.images_scale) == (False, 3)
    assert made.table_structure_options.mode.value == "fast"
    assert made.accelerator_options.num_threads == 2
    assert (made.ocr_options.kind, made.ocr_options.lang) == ("tesseract", ["deu"])


@pytest.mark.parametrize("ocr", [True, False])
def test_ocr_is_on_or_off(ocr: bool) -> None:
    made = DoclingParser(pdf="layout", ocr=ocr)._converter.pipeline_options()
    assert made.do_ocr is ocr


@pytest.mark.parametrize(
    "given, message",
    [
        ({"do_orc": True}, "has no 'do_orc'. Options of PdfPipelineOptions are: "),
        ({"images_scale": "large"}, "cannot be used: .*images_scale"),
        ({"table_structure_options": {"moode": "fast"}}, r"\['table_structure_options'\] has no 'moode'"),
        ({"table_structure_options": {"mode": "quick"}}, "'fast' or 'accurate'"),
        ({"ocr_options": {"kind": "magic"}}, r"\['kind'\] must be one of 'auto', .*: got 'magic'"),
    ],
)  # fmt: skip
def test_options_that_docling_has_not_are_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(SettingError, match=f"(?s)pdf_pipeline_options.*{message}"):
        DoclingParser(pdf_pipeline_options=given)


def test_native_pdf_and_its_options() -> None:
    chunks = DoclingLoader(PDF / "pdflatex-outline.pdf", pdf="native", on_error="raise").load()
    assert "Hello, here is some text without a meaning." in chunks[0].page_content
    with pytest.raises(SettingError, match="recognises no text"):
        DoclingParser(pdf="native", ocr=True)


@pytest.mark.skipif(find_spec("torch") is not None, reason="torch is installed")
def test_layout_without_torch_says_what_to_do() -> None:
    loader = DoclingLoader(PDF / "test.pdf", pdf="layout", ocr=False, on_error="ignore")
    assert loader.load() == []
    assert "pdf='layout' needs torch" in loader.problems[0].reason


# ---------------------------------------------------------------------- files that cannot be read


def edited(name: str, part: str, change: Callable[[bytes], bytes]) -> bytes:
    """Change one part of a packed file."""
    out = io.BytesIO()
    with zipfile.ZipFile(DATA / name) as old, zipfile.ZipFile(out, "w", 8) as new:
        for each in old.namelist():
            data = old.read(each)
            new.writestr(each, change(data) if each == part else data)
    return out.getvalue()


BODY, SHEET = "word/document.xml", "xl/worksheets/sheet1.xml"
CELL_FAR_OUT = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'
MERGED_ALL = b'</sheetData><mergeCells><mergeCell ref="A1:XFD1048576"/></mergeCells>'
BAD: dict[str, tuple[bytes, str]] = {
    "cut.docx": (
        edited("equations.docx", BODY, lambda data: data[: len(data) // 2]),
        "docling cannot read it as DOCX: ",
    ),
    "no_markup.docx": (
        edited("equations.docx", BODY, lambda data: b"nothing " * 99),
        "docling cannot read it as DOCX: ",
    ),
    "deep.docx": (
        edited("equations.docx", BODY, lambda data: data.replace(b"<w:body>", b"<w:body>" + b"<w:sdt>" * 9999)),
        "docling cannot read it as DOCX: ",
    ),
    "deep.html": (b"<html><body>" + b"<table><tr><td>" * 5000, "docling cannot read it as HTML: "),
    "other.epub": (edited("test.epub", "META-INF/container.xml", lambda data: b"<x/>"), "docling reads no such EPUB"),
    "other.xml": (b"<root><a>text</a></root>", "docling reads no such XML"),
    "endless.xlsx": (
        edited("test.xlsx", SHEET, lambda data: data.replace(b"</sheetData>", CELL_FAR_OUT)),
        "it took longer than 8 seconds",
    ),
    "endless.html": (b"<html><body>" + b"<div>" * 200_000 + b"x", "it took longer than 8 seconds"),
}  # fmt: skip


def test_what_cannot_be_read_is_named_and_the_run_goes_on() -> None:
    files: list[tuple[str, bytes]] = [(name, data) for name, (data, _) in BAD.items()]
    last = ("last.html", b"<html><body><p>The last.</p></body></html>")
    loader = DoclingLoader([*files, last], max_seconds=8, on_error="ignore")
    assert [chunk.page_content for chunk in loader.load()] == ["The last."]
    assert [problem.name for problem in loader.problems] == list(BAD)
    for problem, (_, reason) in zip(loader.problems, BAD.values(), strict=True):
        assert reason in problem.reason, problem
        assert len(problem.reason) < 400


def test_memory_is_bounded() -> None:
    wide = b"a," * 200_000 + b"\n" + b"1," * 200_000
    loader = DoclingLoader(("wide.csv", wide), max_memory=600_000_000, on_error="ignore")
    assert loader.load() == []
    assert loader.problems[0].reason == "it needs more memory than 600,000,000 bytes"


def test_sizes_that_are_claimed_cost_nothing() -> None:
    spans = b"<html><body><table><tr><td colspan=99999999 rowspan=99999999>x</td></tr></table></body></html>"
    merged = edited("test.xlsx", SHEET, lambda data: data.replace(b"</sheetData>", MERGED_ALL))
    loader = DoclingLoader([("spans.html", spans), ("merged.xlsx", merged)], max_seconds=30)
    assert len(loader.load()) >= 2
    assert loader.problems == []


def test_wrong_names_do_no_harm() -> None:
    for name in ("report.pdf", "report.xlsx", "report"):
        data = (DATA / "rlink.docx").read_bytes()
        loader = DoclingLoader((name, data), on_error="raise")
        assert [chunk.page_content for chunk in loader.load()] == ["Testing Linked Images"]


# ---------------------------------------------------------------------- models that see


@pytest.fixture
def server() -> Iterator[answers.Server]:
    with answers.serving(answers.says("A chart of four years."), lambda texts: []) as running:
        yield running


def chat(server: answers.Server) -> ChatOpenAI:
    return ChatOpenAI(model="any", base_url=server.url, api_key="none", max_retries=0, timeout=20)  # type: ignore[arg-type]


def table_page() -> bytes:
    lines: list[Text | Line] = [Line(55, 200 + 20 * r, 255, 200 + 20 * r) for r in range(4)]
    lines += [Line(55 + 100 * c, 200, 55 + 100 * c, 260) for c in range(3)]
    cells = [("Part", "Price"), ("Bolt", "2"), ("Nut", "1")]
    words = [
        Text(60 + 100 * c, 214 + 20 * r, text)
        for r, row in enumerate(cells)
        for c, text in enumerate(row)
    ]
    return make_pdf([[Text(50, 150, "The prices of this year."), *words, *lines]])


@pytest.mark.enable_socket
async def test_a_model_over_http_describes_the_pictures_of_slides(server: answers.Server) -> None:
    server.script = [answers.fails(500), answers.fails(429, "rate_limit")]
    loader = DoclingLoader(
        DATA / "test.pptx",
        image_parsing_strategy="llm",
        multimodal_llm=chat(server),
        retry_wait=0,
        on_error="raise",
    )
    chunks = [chunk async for chunk in loader.alazy_load()]
    described = [chunk for chunk in chunks if "A chart of four years." in chunk.page_content]
    assert described
    assert all(chunk.metadata["label"] == "picture" for chunk in described)
    contents = [request["messages"][0]["content"] for request in server.requests]
    assert all(
        content[1]["image_url"]["url"].startswith("data:image/png;base64,") for content in contents
    )
    assert len(server.requests) == len(described) + 2  # two were made again


@pytest.mark.enable_socket
def test_a_model_over_http_reads_a_table_off_a_page(server: answers.Server) -> None:
    server.otherwise = answers.says("| part | price |\n|---|---|\n| bolt | 2 |\n\nIt has prices.")
    loader = DoclingLoader(
        ("prices.pdf", table_page()), table_parsing_strategy="llm", multimodal_llm=chat(server)
    )
    assert [chunk.page_content for chunk in loader.load()] == [
        "The prices of this year.",
        "| part | price |\n|---|---|\n| bolt | 2 |\n\nIt has prices.",
    ]


@pytest.mark.enable_socket
def test_a_server_that_is_down_leaves_the_table_as_it_was_read(server: answers.Server) -> None:
    server.otherwise = answers.fails(503)
    loader = DoclingLoader(
        ("prices.pdf", table_page()),
        table_parsing_strategy="llm",
        multimodal_llm=chat(server),
        retries=1,
        retry_wait=0,
    )
    with pytest.warns(UserWarning, match=r"prices\.pdf: the model did not answer for 1 of 1"):
        chunks = loader.load()
    assert chunks[1].page_content == "| Part | Price |\n|---|---|\n| Bolt | 2 |\n| Nut | 1 |"
    assert len(server.requests) == 2
