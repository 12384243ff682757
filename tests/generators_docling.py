"""Hypothesis strategies: exported Docling documents, valid and broken, as JSON."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import strategies as st

from tests import generators

WORDS = st.sampled_from(
    [
        "tea",
        "pump",
        "seal",
        "Öl",
        "价格",
        "한국어",
        "🙂",
        "naïve",
        "A|B",
        "x\\",
        "<|endoftext|>",
        "3.14",
    ]
)
TEXT = st.one_of(
    st.lists(WORDS, min_size=1, max_size=12).map(lambda words: " ".join(words) + "."),
    st.sampled_from(
        ["", " ", "One. Two. Three.", "line\nline\n\nline", "a\r\nb", "word " * 40, "长。" * 20]
    ),
    generators.texts().map(lambda text: text[:120]),
)
LABELS = [
    "title", "section_header", "section_header", "section_header", "text", "text", "text", "paragraph",
    "list_item", "list_item", "code", "formula", "footnote", "caption", "checkbox_selected", "page_header",
]  # fmt: skip
GROUPS = [
    "list",
    "ordered_list",
    "inline",
    "chapter",
    "sheet",
    "section",
    "unspecified",
    "form_area",
]


class Making:
    """A document in the making."""

    def __init__(self) -> None:
        self.items: dict[str, list[dict[str, Any]]] = {
            name: [] for name in ("texts", "groups", "tables", "pictures")
        }

    def add(self, kind: str, **item: Any) -> dict[str, str]:
        name = f"#/{kind}/{len(self.items[kind])}"
        self.items[kind].append({"self_ref": name, "children": [], "content_layer": "body", **item})
        return {"$ref": name}

    def text(self, text: str, label: str = "text", **item: Any) -> dict[str, str]:
        return self.add("texts", text=text, orig=text, label=label, **item)

    def document(self, children: list[Any], **more: Any) -> dict[str, Any]:
        size = {"width": 600.0, "height": 800.0}
        return {
            "schema_name": "DoclingDocument",
            "version": "1.10.0",
            "name": "made",
            "body": {"self_ref": "#/body", "children": children, "label": "unspecified"},
            "pages": {"1": {"page_no": 1, "size": size}, "2": {"page_no": 2, "size": size}},
            **self.items,
            **more,
        }


def cell(
    row: int, column: int, text: str, header: bool = False, down: int = 1, right: int = 1
) -> dict[str, Any]:
    return {
        "start_row_offset_idx": row, "end_row_offset_idx": row + down, "row_span": down,
        "start_col_offset_idx": column, "end_col_offset_idx": column + right, "col_span": right,
        "text": text, "column_header": header, "row_header": False, "row_section": False,
    }  # fmt: skip


def table_data(rows: list[list[str]], headers: int = 1) -> dict[str, Any]:
    cells = [
        cell(r, c, text, r < headers) for r, row in enumerate(rows) for c, text in enumerate(row)
    ]
    return {"table_cells": cells, "num_rows": len(rows), "num_cols": max(map(len, rows), default=0)}


@st.composite
def provs(draw: Any) -> list[dict[str, Any]]:
    page = draw(st.integers(1, 2))
    box = {"l": 10.0, "t": 700.0, "r": 300.0, "b": 650.0, "coord_origin": "BOTTOMLEFT"}
    return draw(
        st.sampled_from(
            [
                [],
                [{"page_no": page, "bbox": box, "charspan": [0, 20]}],
                [
                    {"page_no": 1, "bbox": box, "charspan": [0, 5]},
                    {"page_no": 2, "bbox": box, "charspan": [5, 90]},
                ],
            ]
        )
    )


@st.composite
def tables(draw: Any) -> dict[str, Any]:
    width, height = draw(st.integers(0, 5)), draw(st.integers(0, 6))
    rows = [[draw(TEXT) for _ in range(width)] for _ in range(height)]
    data = table_data(rows, draw(st.integers(0, 3)))
    for made in data["table_cells"]:
        if draw(st.integers(0, 5)) == 0:
            made["end_row_offset_idx"] += draw(st.integers(0, 3))
            made["end_col_offset_idx"] += draw(st.integers(0, 3))
    return data


@st.composite
def items(draw: Any, making: Making, depth: int) -> dict[str, str]:
    kind = draw(st.sampled_from(["text"] * 6 + ["group"] * 3 + ["table", "picture"]))
    children = []
    if depth and kind in ("text", "group"):
        children = [draw(items(making, depth - 1)) for _ in range(draw(st.integers(0, 3)))]
    if kind == "group":
        return making.add(
            "groups", label=draw(st.sampled_from(GROUPS)), name="Prices", children=children
        )
    if kind == "text":
        return making.text(
            draw(TEXT),
            draw(st.sampled_from(LABELS)),
            children=children,
            prov=draw(provs()),
            level=draw(st.integers(1, 8)),
            enumerated=draw(st.booleans()),
            marker=draw(st.sampled_from(["", "-", "1.", "•", "a)"])),
            content_layer=draw(st.sampled_from(["body"] * 6 + ["furniture"])),
        )
    captions = [making.text(draw(TEXT), "caption")] if draw(st.booleans()) else []
    if kind == "table":
        return making.add(
            "tables", label="table", captions=captions, data=draw(tables()), prov=draw(provs())
        )
    notes = [{"kind": "description", "text": draw(TEXT)}] if draw(st.booleans()) else []
    return making.add(
        "pictures", label="picture", captions=captions, annotations=notes, prov=draw(provs())
    )


@st.composite
def documents(draw: Any) -> dict[str, Any]:
    """Documents that Docling could have exported."""
    making = Making()
    children = [draw(items(making, 2)) for _ in range(draw(st.integers(0, 6)))]
    return making.document(children)


JSON = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.text(max_size=5),
        st.builds(lambda: {"$ref": "#/texts/0"}),
    ),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)


@st.composite
def broken(draw: Any) -> dict[str, Any]:
    """Documents with parts missing, of another type, or referring to each other in circles."""
    document = draw(documents())
    for _ in range(draw(st.integers(1, 4))):
        place: Any = document
        while isinstance(place, (dict, list)) and place:
            keys = list(place) if isinstance(place, dict) else list(range(len(place)))
            key = draw(st.sampled_from(keys))
            if key == "schema_name":
                break
            if not isinstance(place[key], (dict, list)) or draw(st.integers(0, 4)) == 0:
                place[key] = draw(JSON)
                break
            place = place[key]
    return document


def texts() -> st.SearchStrategy[str]:
    """The JSON of documents, and text that is none."""
    return st.one_of(
        documents().map(json.dumps),
        documents().map(json.dumps),
        broken().map(json.dumps),
        generators.texts(),
    )
