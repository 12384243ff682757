"""`DoclingSplitter`: worked examples, real documents, and properties of generated ones."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document

from langchain_chunkers import InputError, RecursiveSplitter, SettingError, TiktokenMeasure, testing
from langchain_chunkers.readers.docling import as_docling, read_docling
from langchain_chunkers.strategies.docling import DoclingSplitter
from tests import generators_docling
from tests.generators_docling import Making, cell, table_data

DATA = Path(__file__).parent / "data" / "docling"
GOLDEN = Path(__file__).parent / "golden" / "docling"
FILES = sorted(path.name.removesuffix(".json") for path in DATA.glob("*.json"))


def split(document: Any, size: int | None = None, **settings: Any) -> list[Document]:
    return DoclingSplitter(size, **settings).split_documents([document])


def texts_of(document: Any, size: int | None = None, **settings: Any) -> list[str]:
    return [chunk.page_content for chunk in split(document, size, **settings)]


def sections() -> dict[str, Any]:
    made = Making()
    return made.document(
        [
            made.text("Manual", "title"),
            made.text("Read it first."),
            made.text("Safety", "section_header", level=1),
            made.text("Unplug it. Wait a minute."),
            made.text("Wear gloves. They are thin."),
            made.text("Fire", "section_header", level=2),
            made.text("Use sand."),
            made.text("Care", "section_header", level=1),
            made.text("Oil it."),
        ]
    )


# ---------------------------------------------------------------------- sections


def test_a_section_is_a_chunk_and_begins_with_its_headings() -> None:
    assert texts_of(sections()) == [
        "Manual\n\nRead it first.",
        "Manual\n\nSafety\n\nUnplug it. Wait a minute.\n\nWear gloves. They are thin.",
        "Manual\n\nSafety\n\nFire\n\nUse sand.",
        "Manual\n\nCare\n\nOil it.",
    ]


def test_the_heading_path_is_in_the_metadata() -> None:
    paths = [
        {k: v for k, v in chunk.metadata.items() if k.startswith("Header")}
        for chunk in split(sections())
    ]
    assert paths == [
        {"Header 1": "Manual"},
        {"Header 1": "Manual", "Header 2": "Safety"},
        {"Header 1": "Manual", "Header 2": "Safety", "Header 3": "Fire"},
        {"Header 1": "Manual", "Header 2": "Care"},
    ]


def test_chunks_inside_a_section_repeat_its_headings_as_declared_prefix() -> None:
    chunks = split(sections(), 46)
    inside = [chunk for chunk in chunks if "gloves" in chunk.page_content]
    assert [chunk.page_content for chunk in inside] == [
        "Manual\n\nSafety\n\nWear gloves. They are thin."
    ]
    assert inside[0].metadata["prefix"] == "Manual\n\nSafety\n\n"


def test_without_a_title_sections_begin_at_header_1() -> None:
    made = Making()
    document = made.document([made.text("A", "section_header", level=1), made.text("text")])
    assert split(document)[0].metadata["Header 1"] == "A"


def test_headings_can_be_left_out() -> None:
    assert texts_of(sections(), 40, include_headings=False)[2] == "Wear gloves. They are thin."


def test_where_headings_take_too_much_the_innermost_are_kept() -> None:
    made = Making()
    document = made.document(
        [
            made.text("word " * 30, "title"),
            made.text("Care", "section_header"),
            made.text("One two. Three four. " * 4),
        ]
    )
    chunks = split(document, 40)
    assert all(len(chunk.page_content) <= 40 for chunk in chunks)
    care = [c.page_content for c in chunks if c.metadata.get("Header 2") == "Care"]
    assert len(care) > 1
    assert all(text.startswith("Care\n\n") for text in care[1:])


def test_headings_without_text_are_chunks_and_none_overwrites_another() -> None:
    # docling-project/docling#2055, #2257
    made = Making()
    names = ["Annex A", "Annex B", "Annex C"]
    document = made.document([made.text(name, "section_header", level=1) for name in names])
    chunks = split(document)
    assert [chunk.page_content for chunk in chunks] == names
    assert [chunk.metadata["Header 1"] for chunk in chunks] == names


def test_text_below_a_heading_larger_than_the_cap_is_not_lost() -> None:
    # docling-project/docling-core#327
    made = Making()
    document = made.document(
        [made.text("very long heading word " * 40, "title"), made.text("Body text.")]
    )
    measure = TiktokenMeasure()
    chunks = texts_of(document, 32, length_function=measure)
    assert "Body text." in " ".join(chunks)
    assert all(measure(chunk) <= 32 for chunk in chunks)


def test_a_slide_begins_anew() -> None:
    made = Making()
    slides = [
        made.add(
            "groups",
            label="chapter",
            name=f"slide-{n}",
            children=[made.text(title, "title"), made.text("x")],
        )
        for n, title in enumerate(("One", "Two"))
    ]
    slides.append(
        made.add("groups", label="chapter", name="slide-2", children=[made.text("no title")])
    )
    chunks = split(made.document(slides))
    assert [chunk.page_content for chunk in chunks] == ["One\n\nx", "Two\n\nx", "no title"]
    assert "Header 1" not in chunks[2].metadata


def test_the_name_of_a_sheet_is_a_heading_unless_it_says_nothing() -> None:
    made = Making()
    sheets = [
        made.add("groups", label="sheet", name=name, children=[made.add("tables", label="table", data=table_data([["a", "b"], ["1", "2"]]))])
        for name in ("Sheet1", "Prices 2026")
    ]  # fmt: skip
    table = "| a | b |\n|---|---|\n| 1 | 2 |"
    assert texts_of(made.document(sheets)) == [table, f"Prices 2026\n\n{table}"]


# ---------------------------------------------------------------------- blocks


def test_lists_keep_their_marks_numbers_and_depth() -> None:
    made = Making()
    inner = made.add(
        "groups", label="list", children=[made.text("slowly", "list_item", marker="•")]
    )
    numbered = made.add(
        "groups",
        label="ordered_list",
        children=[
            made.text("Open", "list_item", enumerated=True, marker="", children=[inner]),
            made.text("Close", "list_item", enumerated=True, marker="2."),
            made.text("", "list_item"),
        ],
    )
    assert texts_of(made.document([numbered])) == ["1. Open\n  - slowly\n2. Close"]


def test_list_items_are_whole_where_they_fit() -> None:
    made = Making()
    items = [made.text(f"Item {n} is here. It has two sentences.", "list_item") for n in range(4)]
    document = made.document([made.add("groups", label="list", children=items)])
    for chunk in texts_of(document, 90):
        assert re.fullmatch(r"(- Item \d is here\. It has two sentences\.\n?)+", chunk)


def test_pieces_of_a_line_are_joined_as_they_stood() -> None:
    made = Making()
    pieces = [
        ("See", "text"),
        ("this page", "text"),
        (", and", "text"),
        ("m=1", "formula"),
        (".", "text"),
    ]
    inline = made.add(
        "groups", label="inline", children=[made.text(t, label) for t, label in pieces]
    )
    assert texts_of(made.document([inline])) == ["See this page, and $m=1$."]


def test_a_list_item_may_keep_its_text_in_an_inline_group() -> None:
    made = Making()
    inline = made.add(
        "groups", label="inline", children=[made.text("bold"), made.text("and plain")]
    )
    item = made.text("", "list_item", children=[inline])
    assert texts_of(made.document([made.add("groups", label="list", children=[item])])) == [
        "- bold and plain"
    ]


def test_code_formulas_and_boxes_to_tick() -> None:
    made = Making()
    chunks = split(
        made.document(
            [
                made.text("def f():\n    return 1", "code", code_language="Python"),
                made.text("a^2", "formula"),
                made.text("done", "checkbox_selected"),
            ]
        ),
        merge_peers=False,
    )
    assert [chunk.page_content for chunk in chunks] == [
        "def f():\n    return 1",
        "$$a^2$$",
        "[x] done",
    ]
    assert chunks[0].metadata["language"] == "python"


def test_keys_and_values_are_lines() -> None:
    made = Making()
    graph = {
        "cells": [
            {"cell_id": 0, "text": "Name"},
            {"cell_id": 1, "text": "Ann"},
            {"cell_id": 2, "text": "alone"},
        ],
        "links": [{"label": "to_value", "source_cell_id": 0, "target_cell_id": 1}],
    }
    made.items["key_value_items"] = []
    reference = made.add("key_value_items", label="key_value_region", graph=graph)
    assert texts_of(made.document([reference])) == ["Name: Ann\nalone"]


def test_page_furniture_is_left_out_unless_asked_for() -> None:
    made = Making()
    document = made.document(
        [made.text("Page 1 of 9", "page_footer", content_layer="furniture"), made.text("Text.")]
    )
    assert texts_of(document) == ["Text."]
    assert texts_of(document, content_layers=["body", "furniture"]) == ["Page 1 of 9\n\nText."]


def test_peers_are_merged_or_each_alone() -> None:
    made = Making()
    document = made.document([made.text("A", "title"), made.text("One."), made.text("Two.")])
    assert texts_of(document) == ["A\n\nOne.\n\nTwo."]
    assert texts_of(document, merge_peers=False) == ["A\n\nOne.", "A\n\nTwo."]


# ---------------------------------------------------------------------- tables and pictures


def tabled(data: dict[str, Any], caption: str = "", **more: Any) -> dict[str, Any]:
    made = Making()
    captions = [made.text(caption, "caption")] if caption else []
    return made.document(
        [
            made.text("Before."),
            made.add("tables", label="table", data=data, captions=captions, **more),
            made.text("After."),
        ]
    )


def test_a_table_is_a_chunk_of_its_own_with_its_caption() -> None:
    table = "Table 1: Prices\n\n| Part | Price |\n|---|---|\n| Bolt | 2 |"
    chunks = split(tabled(table_data([["Part", "Price"], ["Bolt", "2"]]), "Table 1: Prices"))
    assert [chunk.page_content for chunk in chunks] == ["Before.", table, "After."]
    assert chunks[1].metadata["label"] == "table"
    assert (chunks[1].metadata["row_start"], chunks[1].metadata["row_end"]) == (1, 1)
    assert chunks[1].metadata["columns"] == "Part, Price"


def test_rows_are_whole_and_repeat_caption_and_header() -> None:
    rows = [["Part", "Price"], *([f"Part {n}", f"{n}.50"] for n in range(9))]
    chunks = split(tabled(table_data(rows), "Prices"), 80)[1:-1]
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.page_content.startswith("Prices\n\n| Part | Price |\n|---|---|\n| Part ")
        assert len(chunk.page_content) <= 80
    found = re.findall(r"\| Part (\d) \|", "".join(chunk.page_content for chunk in chunks))
    assert found == list("012345678")
    assert chunks[1].metadata["prefix"] == "Prices\n\n| Part | Price |\n|---|---|\n"
    assert chunks[-1].metadata["row_end"] == 9


def test_the_header_need_not_be_repeated() -> None:
    rows = [["Part", "Price"], *([f"Part {n}", f"{n}.50"] for n in range(9))]
    chunks = texts_of(tabled(table_data(rows)), 60, repeat_table_header=False)[1:-1]
    assert all("Price" not in chunk for chunk in chunks[1:])


def test_a_wide_table_becomes_groups_of_columns_with_the_key_column() -> None:
    names = ["id", *(f"column {n}" for n in range(8))]
    rows = [names, *([f"row {r}", *(f"v{r}{c}" for c in range(8))] for r in range(2))]
    chunks = texts_of(tabled(table_data(rows)), 100)[1:-1]
    assert all(chunk.startswith("| id |") for chunk in chunks)
    assert all(len(chunk) <= 100 for chunk in chunks)
    joined = "\n".join(chunks)
    assert all(f"v{r}{c}" in joined for r in range(2) for c in range(8))
    assert all(name in joined for name in names)


def test_headings_and_header_row_fit_the_cap_in_tokens() -> None:
    # the headings were put on top of filled table segments: docling-core's HybridChunker
    made = Making()
    rows = [["Col 0", "Col 1"], *([f"cell {n} a", f"cell {n} b"] for n in range(40))]
    document = made.document(
        [
            made.text("A long title of a long report", "title"),
            made.text("Results of the second year", "section_header"),
            made.add("tables", label="table", data=table_data(rows)),
        ]
    )
    measure = TiktokenMeasure()
    chunks = split(document, max_tokens=64)
    assert all(measure(chunk.page_content) <= 64 for chunk in chunks)
    assert all("| Col 0 | Col 1 |" in chunk.page_content for chunk in chunks)
    joined = "".join(chunk.page_content for chunk in chunks)
    assert all(f"| cell {n} a | cell {n} b |" in joined for n in range(40))


def test_merged_cells_stand_in_each_of_their_rows_and_the_header_is_one_line() -> None:
    cells = [
        cell(0, 0, "Part", True, down=2), cell(0, 1, "2026", True, right=2),
        cell(1, 1, "Q1", True), cell(1, 2, "Q2", True),
        cell(2, 0, "Bolt", down=2), cell(2, 1, "1"), cell(2, 2, "2"), cell(3, 1, "3"), cell(3, 2, "4"),
        cell(4, 0, "All of them", right=3),
    ]  # fmt: skip
    assert texts_of(tabled({"table_cells": cells}))[1] == (
        "| Part | 2026 / Q1 | 2026 / Q2 |\n|---|---|---|\n"
        "| Bolt | 1 | 2 |\n| Bolt | 3 | 4 |\n| All of them |"
    )


@pytest.mark.parametrize(
    "data, text",
    [
        ({}, None),
        ({"table_cells": []}, None),
        (table_data([["", ""], ["", ""]]), None),
        (table_data([["only", "header"]]), "only | header"),
        (table_data([["a"], ["b"], ["c"]]), "a\nb\nc"),
        (table_data([["Name", "Note"], ["Ann", "line\nbreak"], ["Bo", "a|b"]]), "| Name | Note |\n|---|---|\n| Ann | line break |\n| Bo | a\\|b |"),
        (table_data([["1", "2"], ["3", "4"]], headers=0), "|  |  |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |"),
    ],
)  # fmt: skip
def test_tables_of_all_shapes(data: dict[str, Any], text: str | None) -> None:
    expected = ["Before.", text, "After."] if text else ["Before.\n\nAfter."]
    assert texts_of(tabled(data)) == expected


def test_sizes_and_spans_that_are_claimed_cost_nothing() -> None:
    cells = [cell(0, 0, "a", True, down=10**9, right=10**9), cell(10**9, 10**12, "b")]
    chunks = texts_of(tabled({"table_cells": cells, "num_rows": 10**12, "num_cols": 10**12}))
    assert "b" in chunks[1]
    assert len(chunks[1]) < 100


def test_a_picture_has_caption_description_and_chart() -> None:
    made = Making()
    picture = made.add(
        "pictures",
        label="picture",
        captions=[made.text("Figure 1: Sales", "caption")],
        annotations=[{"kind": "description", "text": "Sales rise."}],
        meta={"description": {"text": "Sales rise."}, "tabular_chart": {"chart_data": table_data([["year", "sold"], ["2026", "9"]])}},
    )  # fmt: skip
    bare = made.add("pictures", label="picture")
    chunks = split(made.document([made.text("Before."), picture, bare, made.text("After.")]))
    table = "| year | sold |\n|---|---|\n| 2026 | 9 |"
    assert [chunk.page_content for chunk in chunks] == [
        "Before.",
        f"Figure 1: Sales\n\n{table}\n\nSales rise.",
        "After.",
    ]
    assert chunks[1].metadata["label"] == "picture"


def test_text_inside_pictures_is_read_if_asked_for() -> None:
    made = Making()
    picture = made.add("pictures", label="picture", children=[made.text("Valve")])
    document = made.document([picture])
    assert texts_of(document) == []
    assert texts_of(document, traverse_pictures=True) == ["Valve"]


# ---------------------------------------------------------------------- where a chunk comes from


def prov(
    page: int, box: tuple[float, ...], span: tuple[int, int], origin: str = "BOTTOMLEFT"
) -> dict[str, Any]:
    return {
        "page_no": page,
        "bbox": {**dict(zip("ltrb", box, strict=True)), "coord_origin": origin},
        "charspan": list(span),
    }


def test_pages_and_boxes_lead_back_to_the_page() -> None:
    made = Making()
    document = made.document(
        [
            made.text("One.", prov=[prov(1, (10, 790, 100, 780), (0, 4))]),
            made.text(
                "Two.",
                prov=[
                    prov(1, (10, 700, 200, 690), (0, 4)),
                    prov(2, (10, 20, 60, 30), (0, 4), "TOPLEFT"),
                ],
            ),
        ]
    )
    metadata = split(document)[0].metadata
    assert (metadata["page"], metadata["pages"]) == (1, "1,2")
    assert json.loads(metadata["bbox"]) == [10, 10, 200, 110]  # of page 1, from the top left corner
    assert json.loads(metadata["boxes"]) == [
        [1, 10, 10, 100, 20],
        [1, 10, 100, 200, 110],
        [2, 10, 20, 60, 30],
    ]
    assert metadata["doc_items"] == "#/texts/0,#/texts/1"


def test_a_part_of_a_paragraph_has_the_page_of_its_characters() -> None:
    made = Making()
    text = "The first sentence is here. The second one is there."
    document = made.document(
        [made.text(text, prov=[prov(1, (0, 9, 9, 0), (0, 27)), prov(2, (0, 9, 9, 0), (28, 52))])]
    )
    assert [chunk.metadata["pages"] for chunk in split(document, 30)] == ["1", "2"]
    assert [chunk.metadata["pages"] for chunk in split(document)] == ["1,2"]


@given(generators_docling.documents())
@settings(max_examples=30)
def test_metadata_are_scalars(document: dict[str, Any]) -> None:
    for chunk in split(document, 80):
        assert all(isinstance(value, str | int) for value in chunk.metadata.values())
        assert chunk.metadata["label"]


# ---------------------------------------------------------------------- what is taken


class Exported:
    """What a ``DoclingDocument`` is to the splitter."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def export_to_dict(self) -> dict[str, Any]:
        return self.document


def test_a_document_may_come_as_object_dictionary_json_or_inside_another() -> None:
    document = sections()
    text = json.dumps(document)
    splitter = DoclingSplitter(60)
    expected = [chunk.page_content for chunk in splitter.split_documents([document])]
    assert splitter.split_text(text) == expected
    assert splitter.split_text(Exported(document)) == expected
    assert splitter.split_text(document) == expected
    for given_document in (
        Exported(document),
        Document(page_content=text),
        Document(page_content="ignored", metadata={"dl_doc": document}),
        Document(page_content="ignored", metadata={"json": text}),
        Document(page_content="", metadata={"object": Exported(document)}),
    ):
        assert [c.page_content for c in splitter.split_documents([given_document])] == expected
    assert [c.page_content for c in splitter.create_documents([text])] == expected


def test_the_metadata_of_a_document_goes_down_to_its_chunks_but_not_the_document() -> None:
    given_document = Document(
        page_content="x", id="7", metadata={"source": "a.pdf", "dl_doc": sections()}
    )
    chunks = DoclingSplitter().split_documents([given_document])
    for chunk in chunks:
        assert chunk.metadata["source"] == "a.pdf"
        assert chunk.metadata["document_id"] == "7"
        assert "dl_doc" not in chunk.metadata


def test_the_name_of_the_file_is_the_source_where_no_other_is_known() -> None:
    document = {**sections(), "origin": {"filename": "manual.pdf", "mimetype": "application/pdf"}}
    assert split(document)[0].metadata["source"] == "manual.pdf"
    assert (
        split(Document(page_content=json.dumps(document), metadata={"source": "b"}))[0].metadata[
            "source"
        ]
        == "b"
    )


def test_what_langchain_docling_loads_is_taken_and_its_metadata_made_flat() -> None:
    item = {
        "self_ref": "#/texts/3",
        "label": "text",
        "prov": [prov(2, (1, 2, 3, 4), (0, 9), "TOPLEFT")],
    }
    meta = {
        "schema_name": "docling_core.transforms.chunker.DocMeta",
        "headings": ["Tea", "Black"],
        "doc_items": [item],
    }
    loaded = Document(
        page_content="Tea\nBlack\nIt is hot. " * 3, metadata={"source": "a.pdf", "dl_meta": meta}
    )
    chunks = split(loaded, 40)
    assert len(chunks) > 1
    assert chunks[0].metadata == {
        "Header 1": "Tea", "Header 2": "Black", "page": 2, "pages": "2", "bbox": "[1.0, 2.0, 3.0, 4.0]",
        "label": "text", "doc_items": "#/texts/3", "source": "a.pdf",
    }  # fmt: skip


@pytest.mark.parametrize(
    "text",
    ["One.\n\nTwo.", "{", '{"schema_name": "DoclingDocument"', '{"a": "DoclingDocument"}', "[]"],
)
def test_text_that_is_no_docling_json_is_text(text: str) -> None:
    assert texts_of(Document(page_content=text), 100) == RecursiveSplitter(100).split_text(text)


def test_deep_json_is_text() -> None:
    text = '{"schema_name": "DoclingDocument", "body": ' + "[" * 100_000
    assert as_docling(text) is None
    assert DoclingSplitter(100).split_text(text)


@pytest.mark.parametrize("value", [7, None, b"bytes", ["a"]])
def test_what_is_neither_text_nor_document_is_refused(value: Any) -> None:
    with pytest.raises(InputError, match="DoclingDocument"):
        DoclingSplitter().split_text(value)


# ---------------------------------------------------------------------- settings


def test_max_tokens_is_the_cap_in_tokens() -> None:
    splitter = DoclingSplitter(max_tokens=20)
    assert (splitter.chunk_size, splitter.unit) == (20, "tokens (cl100k_base)")
    assert splitter.split_text("word " * 100, chunk_size=5) == DoclingSplitter(5, length_function=TiktokenMeasure()).split_text("word " * 100)  # fmt: skip


def test_a_whole_document_has_no_facts_of_one_table() -> None:
    (whole,) = split(tabled(table_data([["a", "b"], ["1", "2"]])), chunk=False)
    assert "| 1 | 2 |" in whole.page_content
    assert not {"row_start", "row_end", "columns"} & whole.metadata.keys()


def test_chunk_false_gives_the_whole_document() -> None:
    chunks = split(sections(), chunk=False)
    assert [chunk.page_content for chunk in chunks] == [read_docling(sections()).text]
    assert chunks[0].metadata["Header 1"] == "Manual"


@pytest.mark.parametrize(
    "params",
    [
        {"chunk_size": 10, "max_tokens": 20},
        {"key_columns": -1},
        {"content_layers": ["header"]},
        {"content_layers": []},
        {"chunk": False, "chunk_overlap": 5},
        {"headings": True},
    ],
)
def test_settings_that_cannot_be_used_are_refused(params: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        DoclingSplitter(**params)


def test_the_settings_survive_a_configuration() -> None:
    splitter = DoclingSplitter(max_tokens=30, merge_peers=False, content_layers=["body", "notes"])
    again = DoclingSplitter.from_config(splitter.to_config())
    text = json.dumps(sections())
    assert again.split_text(text) == splitter.split_text(text)


# ---------------------------------------------------------------------- properties


def words_in_body(document: dict[str, Any]) -> list[str]:
    """List the words of all items of the body, by the simplest walk."""
    words: list[str] = []
    captions = {
        reference["$ref"]
        for name in ("tables", "pictures")
        for item in document[name]
        for reference in item.get("captions", [])
    }

    def walk(references: list[dict[str, str]]) -> None:
        for reference in references:
            _, name, number = reference["$ref"].split("/")
            item = document[name][int(number)]
            if name == "texts" and item["content_layer"] == "body":
                words.extend(item["text"].split())
            if name == "tables":
                words.extend(
                    word for c in item["data"]["table_cells"] for word in c["text"].split()
                )
            if name in ("tables", "pictures"):
                for caption in item["captions"]:
                    assert caption["$ref"] in captions
                    walk([caption])
                words.extend(
                    word for note in item.get("annotations", []) for word in note["text"].split()
                )
            walk(item["children"])

    walk(document["body"]["children"])
    return words


@given(generators_docling.documents(), st.sampled_from([None, 40, 150]))
@settings(max_examples=60)
def test_no_word_is_lost(document: dict[str, Any], size: int | None) -> None:
    chunks = split(document, size, strip_whitespace=False)
    own = [c.page_content.removeprefix(c.metadata.get("prefix", "")) for c in chunks]
    # bars in cells are escaped; what stands beside a bar by chance is not
    found = "".join("".join(own).replace("\\|", "|").split())
    for word in words_in_body(document):
        assert word.replace("\\|", "|") in found, word


@given(generators_docling.documents())
@settings(max_examples=60)
def test_each_chunk_begins_with_the_headings_above_it(document: dict[str, Any]) -> None:
    for chunk in split(document):
        path = [value for key, value in chunk.metadata.items() if key.startswith("Header ")]
        position = 0
        for title in path:
            position = chunk.page_content.find(title.rstrip("…"), position)
            assert position >= 0, (title, chunk.page_content)


@given(generators_docling.documents())
@settings(max_examples=60)
def test_a_table_shares_its_chunk_with_nothing_but_headings(document: dict[str, Any]) -> None:
    for chunk in split(document, 400):
        labels = chunk.metadata["label"].split(",")
        assert not ({"table", "picture"} & set(labels)) or len(labels) == 1


@given(generators_docling.documents())
@settings(max_examples=30)
def test_json_and_dictionary_give_the_same(document: dict[str, Any]) -> None:
    splitter = DoclingSplitter(70)
    written = json.dumps(document)
    # two lone surrogates side by side are one character once they were written as JSON
    assert splitter.split_text(json.loads(written)) == splitter.split_text(written)


def test_ten_thousand_items() -> None:
    made = Making()
    children = [
        made.text(f"Section {n}", "section_header")
        if n % 50 == 0
        else made.text(f"Item {n} of many.")
        for n in range(10_000)
    ]
    document = made.document(children)
    chunks = split(document, 300)
    found = re.findall(r"Item (\d+) of", " ".join(chunk.page_content for chunk in chunks))
    assert list(map(int, found)) == [n for n in range(10_000) if n % 50]
    assert all(len(chunk.page_content) <= 300 for chunk in chunks)
    assert len({chunk.metadata["Header 1"] for chunk in chunks}) == 200


def test_depth_and_circles_cost_nothing() -> None:
    made = Making()
    reference = made.text("leaf")
    for _ in range(100_000):
        reference = made.add("groups", label="list", children=[reference])
    assert [text.strip() for text in texts_of(made.document([reference]), 100)] == ["leaf"]
    made = Making()
    first = made.text("a", children=[{"$ref": "#/texts/1"}, {"$ref": "#/body"}])
    second = made.text("b", children=[first])
    assert texts_of(made.document([first, second, second])) == ["a\n\nb"]


# ---------------------------------------------------------------------- real documents


def load(name: str) -> str:
    return (DATA / f"{name}.json").read_text("utf-8")


def render(name: str) -> str:
    parts = []
    for number, chunk in enumerate(DoclingSplitter(600).create_documents([load(name)])):
        facts = "\n".join(f"  {key}: {value!r}" for key, value in chunk.metadata.items())
        parts.append(f"━━━ {number}\n{facts}\n{chunk.page_content}\n")
    return "".join(parts)


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize(
    "params", [{}, {"chunk_size": 90, "chunk_overlap": 20}, {"merge_peers": False}]
)
def test_the_guarantees_hold(name: str, params: dict[str, Any]) -> None:
    splitter, text = DoclingSplitter(**params), load(name)
    testing.check_sliced(splitter, text)
    testing.check_lossless(DoclingSplitter(**params, strip_whitespace=False), text)
    testing.check_capped(splitter, text)
    testing.check_nested(splitter, text)
    testing.check_own_metadata(splitter, text)


@pytest.mark.parametrize("name", FILES)
def test_the_chunks_are_the_golden_ones(name: str) -> None:
    found, path = render(name), GOLDEN / f"{name}.chunks"
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(found, "utf-8")
    assert found == path.read_text("utf-8"), "Read what changed; UPDATE_GOLDEN=1 writes it anew."


def test_there_is_a_golden_file_for_each_and_no_other() -> None:
    assert sorted(path.name for path in GOLDEN.iterdir()) == [f"{name}.chunks" for name in FILES]
