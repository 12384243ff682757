"""PDF as text, with the real libraries: made files of which all is known, and real ones."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from langchain_core.documents.base import Blob

from langchain_chunkers.files import FileError
from langchain_chunkers.integrations.docling import DoclingLoader, DoclingParser
from langchain_chunkers.integrations.pdf import PDFReader, render_box
from langchain_chunkers.strategies.docling import DoclingSplitter
from langchain_chunkers.testing.fakes import ScriptedChatModel
from tests.pdf_maker import Line, Text, column, make_pdf

DATA = Path(__file__).parent / "data" / "pdf"


def read(data: bytes, **options: Any) -> dict[str, Any]:
    return PDFReader(**options).read(data, "made.pdf")


def body(document: dict[str, Any]) -> list[str]:
    return [text["text"] for text in document["texts"] if text["content_layer"] == "body"]


def running(document: dict[str, Any]) -> list[str]:
    return [text["text"] for text in document["texts"] if text["content_layer"] == "furniture"]


def real(name: str, size: int | None = None) -> list[Any]:
    loader = DoclingLoader(DATA / f"{name}.pdf", splitter=DoclingSplitter(size), on_error="raise")
    return loader.load()


# ---------------------------------------------------------------------- made files


def test_headings_come_from_font_sizes_and_bold_lines() -> None:
    page = [
        Text(50, 60, "The Manual", 24),
        Text(50, 110, "Safety first", 16),
        *column(
            ["Unplug the machine before you open it, and wait until", "the lamp is out."], 50, 140
        ),
        Text(50, 190, "Gloves", 10, bold=True),
        *column(
            ["They must be thick enough for hot parts, and long", "enough for the arms."], 50, 210
        ),
        Text(50, 270, "Care", 16),
        *column(["Oil it once a year, and never in the winter months", "of the year."], 50, 300),
    ]
    document = read(make_pdf([page]))
    chunks = DoclingSplitter(None).split_documents([document])
    paths = [[v for k, v in chunk.metadata.items() if k.startswith("Header")] for chunk in chunks]
    assert paths == [
        ["The Manual", "Safety first"],
        ["The Manual", "Safety first", "Gloves"],
        ["The Manual", "Care"],
    ]
    assert chunks[0].page_content.endswith(
        "Unplug the machine before you open it, and wait until the lamp is out."
    )


def test_a_document_says_which_file_it_is_of() -> None:
    first, second = (read(make_pdf([[Text(50, 60, text)]]))["origin"] for text in ("One", "Two"))
    assert first["filename"] == "made.pdf"
    assert 0 <= first["binary_hash"] < 1 << 64
    assert first["binary_hash"] != second["binary_hash"]


def test_columns_are_read_one_after_another() -> None:
    left = [f"left line {n:02} says what it has to say" for n in range(20)]
    right = [f"right line {n:02} says what it has to say" for n in range(20)]
    mixed = [
        text
        for pair in zip(column(left, 50, 150), column(right, 320, 150), strict=True)
        for text in pair
    ]
    document = read(make_pdf([[Text(150, 80, "A paper in two columns", 18), *mixed]]))
    found = re.findall(r"(left|right) line (\d\d)", " ".join(body(document)))
    assert found == [(side, f"{n:02}") for side in ("left", "right") for n in range(20)]


def test_running_headers_and_footers_are_furniture() -> None:
    pages = [
        [
            Text(50, 40, f"Annual report {'and more' if n % 2 else ''}".strip(), 8),
            *column(
                [f"Page {n} has text of its own, line {k}, which ends here." for k in range(30)],
                50,
                120,
            ),
            Text(290, 770, f"- {n} -", 8),
        ]
        for n in range(1, 7)
    ]
    document = read(make_pdf(pages))
    assert all("Annual" not in text and "- 3 -" not in text for text in body(document))
    assert [text for text in running(document) if text.startswith("-")] == [
        f"- {n} -" for n in range(1, 7)
    ]
    labels = {text["label"] for text in document["texts"] if text["content_layer"] == "furniture"}
    assert labels == {"page_header", "page_footer"}


def test_numbers_that_end_a_page_by_chance_are_text() -> None:
    pages = [
        [
            *column([f"Section {n} has a list of what was sold:"], 50, 300),
            Text(50, 600 + 30 * n, "7"),
        ]
        for n in range(1, 4)
    ]
    assert running(read(make_pdf(pages))) == []


def test_a_bold_sentence_is_no_heading() -> None:
    def page(text: str) -> list[Text]:
        return [
            *column(["The lines of the text above it, which go on for some time."], 50, 100),
            Text(50, 140, text, 10, bold=True),
            *column(["and goes on here, in lines that are as long as all others are."], 50, 152),
        ]

    for text, heading in (("A ring is commutative if", False), ("A Proofs", True)):
        below = page(text)[:2] + (
            column(["They are long, all of them."], 50, 170) if heading else page(text)[2:]
        )
        labels = [t["label"] for t in read(make_pdf([below]))["texts"]]
        assert ("section_header" in labels) == heading, text


def test_hyphens_at_line_ends_are_mended() -> None:
    lines = [
        "We speak of information, and of nothing else. This infor-",
        "mation is old. A well-known state-of-the-art pump is a well-",
        "known pump of a kind that everybody had in the seventies.",
    ]
    text = " ".join(body(read(make_pdf([column(lines, 50, 100)]))))
    assert "This information is old." in text
    assert "is a well-known pump" in text


def test_a_paragraph_over_a_page_break_is_one_with_both_pages() -> None:
    full = "this line of the paragraph is as long as all the others are"
    first = [*column([full] * 5, 50, 700), Text(290, 780, "1", 8)]
    second = [
        *column(["and this is its last line on the page behind the break."], 50, 100),
        Text(290, 780, "2", 8),
    ]
    document = read(make_pdf([first, second]))
    assert len(body(document)) == 1
    assert body(document)[0].endswith(
        "others are and this is its last line on the page behind the break."
    )
    chunks = DoclingSplitter(None).split_documents([document])
    assert (chunks[0].metadata["page"], chunks[0].metadata["pages"]) == (1, "1,2")
    last = DoclingSplitter(60).split_documents([document])[-1]
    assert last.metadata["pages"] == "2"


def test_lists_keep_their_marks() -> None:
    lines = [
        "You need these things:",
        "\u2022 a bolt",
        "\u2022 a nut",
        "1. Open the lid.",
        "2. Close the lid.",
    ]
    chunks = DoclingSplitter(None).split_documents([read(make_pdf([column(lines, 50, 100)]))])
    assert (
        chunks[0].page_content
        == "You need these things:\n\n- a bolt\n- a nut\n1. Open the lid.\n2. Close the lid."
    )


CELLS = [
    ["Part", "Price", "Stock"],
    ["Bolt", "2.50", "7"],
    ["Nut", "1.20", "9"],
    ["Screw", "0.80", "3"],
]
AS_MARKDOWN = "| Part | Price | Stock |\n|---|---|---|\n| Bolt | 2.50 | 7 |\n| Nut | 1.20 | 9 |\n| Screw | 0.80 | 3 |"


def table(lines: bool) -> list[Text | Line]:
    cells: list[Text | Line] = [
        Text(60 + 100 * c, 214 + 20 * r, text)
        for r, row in enumerate(CELLS)
        for c, text in enumerate(row)
    ]
    if lines:
        cells += [Line(55, 200 + 20 * r, 355, 200 + 20 * r) for r in range(5)]
        cells += [Line(55 + 100 * c, 200, 55 + 100 * c, 280) for c in range(4)]
    return cells


@pytest.mark.parametrize("lines", [True, False])
def test_tables_with_and_without_lines(lines: bool) -> None:
    page = [
        Text(50, 150, "These are the prices of this year."),
        *table(lines),
        Text(50, 330, "They will rise."),
    ]
    chunks = DoclingSplitter(None).split_documents([read(make_pdf([page]))])
    assert [chunk.page_content for chunk in chunks] == [
        "These are the prices of this year.", AS_MARKDOWN, "They will rise."
    ]  # fmt: skip
    assert chunks[1].metadata["bbox"]


def test_tables_need_not_be_looked_for() -> None:
    title = Text(50, 150, "These are the prices of this year.")
    data = make_pdf([[title, *table(lines=True)]])
    assert ruled(read(data)) == [[55, 200, 355, 280]]
    document = read(data, tables=False)
    assert ruled(document) != [[55, 200, 355, 280]]  # found by its columns alone, if at all
    assert "Bolt" in str(document)


def ruled(document: dict[str, Any]) -> list[list[int]]:
    boxes = [table["prov"][0]["bbox"] for table in document["tables"]]
    return [[round(box[side]) for side in "ltrb"] for box in boxes]


def test_bookmarks_say_what_is_a_heading() -> None:
    pages = [
        column(["Small heading", "and the text below it, which goes on for a while."], 50, 100),
        column(["Another one", "and more text, of which nobody knows what it says."], 50, 100),
    ]
    document = read(make_pdf(pages, bookmarks=[("Small heading", 0), ("Another one", 1)]))
    headings = [text["text"] for text in document["texts"] if text["label"] == "section_header"]
    assert headings == ["Small heading", "Another one"]


def test_boxes_are_where_the_text_is() -> None:
    document = read(make_pdf([[Text(100, 200, "Here it stands.", 20)]]))
    box = document["texts"][0]["prov"][0]["bbox"]
    assert box["coord_origin"] == "TOPLEFT"
    assert 95 < box["l"] < 105
    assert 175 < box["t"] < 190
    assert 198 < box["b"] < 210


# ---------------------------------------------------------------------- files that cannot be read


def test_encrypted_files_need_their_password() -> None:
    data = make_pdf([[Text(50, 100, "A secret text.")]], password="sesame")
    with pytest.raises(FileError, match="it is encrypted: give password"):
        read(data)
    with pytest.raises(FileError, match="the password is wrong"):
        read(data, password="open")
    assert body(read(data, password="sesame")) == ["A secret text."]
    parser = DoclingParser(password="sesame")
    assert parser(data)[0][0] == "A secret text."


@pytest.mark.parametrize(
    "data, reason",
    [
        (b"%PDF-1.4 nothing else", "no PDF, or it is damaged"),
        (make_pdf([[Text(50, 100, "x")]])[:200], "no PDF, or it is damaged"),
        (make_pdf([[]]), "it has no text"),
        (make_pdf([[Text(50, 100, "x")]] * 4), "it has 4 pages, more than max_pages=3"),
    ],
)
def test_what_cannot_be_read_is_said(data: bytes, reason: str) -> None:
    loader = DoclingLoader([("bad.pdf", data), ("b.txt", b"B.")], max_pages=3, on_error="ignore")
    assert [document.page_content for document in loader.load()] == ["B."]
    assert reason in loader.problems[0].reason


def test_a_file_cut_anywhere_is_read_or_named() -> None:
    data = (DATA / "pdflatex-outline.pdf").read_bytes()
    for share in range(1, 10):
        loader = DoclingLoader(("cut.pdf", data[: len(data) * share // 10]), on_error="ignore")
        assert loader.load() or loader.problems


# ---------------------------------------------------------------------- real files


def test_a_paper_of_latex() -> None:
    chunks = real("pdflatex-outline")
    assert [chunk.metadata["Header 1"] for chunk in chunks][1:] == [
        "1 Foo", "2 Bar", "3 Baz", "4 Foo", "5 Bar", "6 Baz", "7 Foo", "8 Bar", "9 Baz"
    ]  # fmt: skip
    assert [chunk.metadata["pages"] for chunk in chunks] == [
        "1",
        "2",
        "2",
        "2",
        "2,3",
        "3",
        "3",
        "3,4",
        "4",
        "4",
    ]
    joined = " ".join(chunk.page_content for chunk in chunks)
    assert not re.search(r"\w-\s\w", joined)
    assert chunks[2].page_content.startswith(
        "2 Bar\n\nHello, here is some text without a meaning. This text"
    )


def test_pages_of_running_text() -> None:
    chunks = real("pdflatex-4-pages", 1000)
    assert sorted({chunk.metadata["page"] for chunk in chunks}) == [1, 2, 3, 4]
    assert all(len(chunk.page_content) <= 1000 for chunk in chunks)
    joined = " ".join(chunk.page_content for chunk in chunks)
    assert joined.count("Huardest gefburn") == 23
    assert "\u00ad" not in joined
    assert not re.search(r"\d", joined)  # the page numbers, 125 points from the edge
    assert not re.search(r"\w-\s\w", joined)


def test_a_report_with_a_table_without_lines() -> None:
    chunks = real("SPARSE-2024-INV-1234_borderless_table")
    tables = [chunk for chunk in chunks if chunk.metadata["label"] == "table"]
    assert len(tables) == 2
    assert (
        "| SKU-9201 | Hardware | $32.50 | $25,285.00 | 2024-10-22 | Verified |"
        in tables[1].page_content
    )
    assert tables[1].metadata["Header 2"] == "Extended Inventory Review:"
    assert all(chunk.metadata["Header 1"] == "INVENTORY RECONCILIATION REPORT" for chunk in chunks)
    assert "\n\nWarehouse: Distribution Center East\n\n" in chunks[0].page_content


def test_a_document_of_a_word_processor() -> None:
    chunks = real("google-doc-document")
    assert [chunk.metadata["label"] for chunk in chunks] == ["text", "table", "text"]
    assert (
        "| Capital | Jakarta | Berlin | Vienna | Paris | Vatican City |" in chunks[1].page_content
    )


def test_a_paper_of_one_page() -> None:
    chunks = real("test")
    joined = " ".join(chunk.page_content for chunk in chunks)
    assert chunks[0].metadata["Header 1"] == "1 Introduction"
    assert "various application domains" in joined or "applications" in joined
    # "single- or multi-turn" is the author's
    assert re.findall(r"\w+-\s\w+", joined) == ["single- or"]


def test_script_from_right_to_left() -> None:
    chunks = real("habibi")
    assert "habibi" in chunks[0].page_content
    assert "حَبيبي" in chunks[0].page_content or "يبيبَح" in chunks[0].page_content


# ---------------------------------------------------------------------- models that see


def test_places_of_tables_are_drawn_for_the_model() -> None:
    model = ScriptedChatModel(answers=["| a | b |\n|---|---|\n| 1 | 2 |"])
    data = make_pdf([[Text(50, 150, "Text above."), *table(lines=True)]])
    chunks = DoclingParser(None, "llm", model).parse(Blob.from_data(data, path="a.pdf"))
    assert chunks[1].page_content == "| a | b |\n|---|---|\n| 1 | 2 |"
    assert len(model.prompts) == 1


def test_a_part_of_a_page_is_drawn_as_png() -> None:
    png = render_box(make_pdf([[Text(50, 100, "x")]]), 1, (40, 80, 140, 120), scale=2)
    assert png.startswith(b"\x89PNG")
    width, height = int.from_bytes(png[16:20], "big"), int.from_bytes(png[20:24], "big")
    assert abs(width - 208) <= 2
    assert abs(height - 88) <= 2
