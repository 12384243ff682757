"""Writes the pages of a PDF as a Docling document: paragraphs, headings, lists, tables, pictures."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_chunkers.integrations.pdf_blocks import (
    Paragraph,
    join_lines,
    look_of,
    paragraphs,
    words_of,
)
from langchain_chunkers.integrations.pdf_order import Row, table_rows
from langchain_chunkers.integrations.pdf_tables import Found
from langchain_chunkers.integrations.pdf_text import Segment

__all__ = ["Page", "document_of"]

_ENDS = tuple('.!?:;。！？：；…"”»')


@dataclass(slots=True)
class Page:
    """What was read of a page; places are in points from its top left corner."""

    number: int
    width: float
    height: float
    segments: list[Segment] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    tables: list[Found] = field(default_factory=list)
    pictures: list[tuple[float, float, float, float]] = field(default_factory=list)
    running: list[Segment] = field(default_factory=list)
    ruled: bool = False  # lines are there that may be those of a table


class _Making:
    """A Docling document in the making."""

    def __init__(self, name: str, pages: Sequence[Page], data: bytes) -> None:
        digest = hashlib.sha256(data).digest()
        self.children: list[dict[str, str]] = []
        self.items: dict[str, list[dict[str, Any]]] = {
            "texts": [], "groups": [], "tables": [], "pictures": []
        }  # fmt: skip
        self.document = {
            "schema_name": "DoclingDocument",
            "version": "1.0.0",
            "name": name.rpartition("/")[2].rpartition(".")[0] or name,
            "origin": {
                "mimetype": "application/pdf", "filename": name.rpartition("/")[2],
                "binary_hash": int.from_bytes(digest[-8:], "big"),  # 64 bits, as docling does
            },
            "body": {
                "self_ref": "#/body", "children": self.children, "content_layer": "body",
                "name": "_root_", "label": "unspecified",
            },
            **self.items,
            "pages": {
                str(page.number): {
                    "page_no": page.number,
                    "size": {"width": page.width, "height": page.height},
                }
                for page in pages
            },
        }  # fmt: skip
        self.list: dict[str, Any] | None = None

    def add(self, kind: str, label: str, prov: list[dict[str, Any]], **more: Any) -> dict[str, Any]:
        """Add an item; list items go into the list at hand."""
        name = f"#/{kind}/{len(self.items[kind])}"
        parent = "#/body"
        if label == "list_item":
            if self.list is None:
                self.list = self.add("groups", "list", [], name="list")
                del self.list["prov"]
            parent = self.list["self_ref"]
            self.list["children"].append({"$ref": name})
        else:
            self.list = None if kind != "groups" else self.list
            self.children.append({"$ref": name})
        item = {
            "self_ref": name, "parent": {"$ref": parent}, "children": [], "content_layer": "body",
            "label": label, "prov": prov, **more,
        }  # fmt: skip
        self.items[kind].append(item)
        return item


def _prov(page: int, box: Sequence[float], span: tuple[int, int]) -> dict[str, Any]:
    sides = dict(zip("ltrb", (round(side, 2) for side in box), strict=True))
    return {"page_no": page, "bbox": {**sides, "coord_origin": "TOPLEFT"}, "charspan": list(span)}


def document_of(
    name: str, pages: Sequence[Page], outline: Mapping[tuple[int, str], int], data: bytes
) -> dict[str, Any]:
    """Write pages as a Docling document.

    Args:
        name: The name of the file.
        pages: Its pages, in order.
        outline: The bookmarks: ``{(page, title without white space): level}``.
        data: The file.
    """
    making = _Making(name, pages, data)
    rows = [row for page in pages for row in page.rows]
    look, words = look_of(rows, len(pages), outline), words_of(rows)
    last: dict[str, Any] | None = None
    for page in pages:
        for segment in page.running:
            half = segment.top < page.height / 2
            box = (segment.left, segment.top, segment.right, segment.bottom)
            making.add(
                "texts", "page_header" if half else "page_footer",
                [_prov(page.number, box, (0, len(segment.text)))],
                text=segment.text, orig=segment.text, content_layer="furniture",
            )  # fmt: skip
        for block in _blocks(page, look, words):
            if isinstance(block, Paragraph):
                goes_on = last is not None and _goes_on(last, block)
                if last is not None and goes_on:
                    _extend(last, block, page.number, words)
                else:
                    last = _paragraph(making, block, page.number)
            elif isinstance(block, Found):
                making.add(
                    "tables", "table", [_prov(page.number, block.box, (0, 0))],
                    captions=[], references=[], footnotes=[], data=block.data(),
                )  # fmt: skip
                last = None
            else:
                making.add(
                    "pictures", "picture", [_prov(page.number, block, (0, 0))],
                    captions=[], references=[], footnotes=[], annotations=[],
                )  # fmt: skip
    _rank(making.items["texts"], look)
    return making.document


def _rank(texts: Sequence[dict[str, Any]], look: Any) -> None:
    """Find the title of the document, and number the levels of headings without gaps."""
    headings = [text for text in texts if text["label"] == "section_header"]
    first = headings[0] if headings else None
    if first is not None and len(headings) > 1 and first["prov"][0]["page_no"] == 1:
        size = first["size"]
        rest = [text for text in headings[1:] if text["size"] >= size]
        key = "".join(first["text"].lower().split())
        if not rest and size > look.size and all(key != title for _, title in look.outline):
            first["label"] = "title"
            del first["level"]
    levels = sorted({text["level"] for text in headings if "level" in text})
    for text in headings:
        del text["size"]
        if "level" in text:
            text["level"] = levels.index(text["level"]) + 1


def _blocks(page: Page, look: Any, words: frozenset[str]) -> Iterator[Any]:
    """Give paragraphs, tables and pictures of a page in order."""
    loose = table_rows(page.rows)
    pieces: list[Any] = []
    at = 0
    for start, stop, cells in loose:
        pieces += paragraphs(page.rows[at:start], look, words)
        boxes = [row.box for row in page.rows[start:stop]]
        pieces.append(Found(_around(boxes), cells))
        at = stop
    pieces += paragraphs(page.rows[at:], look, words)
    placed: list[Any] = [*page.tables, *page.pictures]
    for extra in placed:
        box = extra.box if isinstance(extra, Found) else extra
        index = len(pieces)
        for number, piece in enumerate(pieces):
            top = _box_of(piece)[1]
            beside = _box_of(piece)[0] < box[2] and _box_of(piece)[2] > box[0]
            if top >= box[1] and beside:
                index = number
                break
        pieces.insert(index, extra)
    yield from pieces


def _box_of(piece: Any) -> Sequence[float]:
    if isinstance(piece, Paragraph):
        return _around([row.box for row in piece.rows])
    box: Sequence[float] = piece.box if isinstance(piece, Found) else piece
    return box


def _around(boxes: Sequence[Sequence[float]]) -> tuple[float, float, float, float]:
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return min(lefts), min(tops), max(rights), max(bottoms)


def _paragraph(making: _Making, block: Paragraph, page: int) -> dict[str, Any]:
    prov = _provs(block, page, 0, len(block.text))
    more: dict[str, Any] = {}
    if block.label == "section_header":
        more["level"], more["size"] = block.level, block.rows[0].size
    elif block.label == "list_item":
        more["enumerated"] = any(map(str.isalnum, block.marker))
        more["marker"] = block.marker
    return making.add("texts", block.label, prov, text=block.text, orig=block.text, **more)


def _provs(block: Paragraph, page: int, start: int, end: int) -> list[dict[str, Any]]:
    """Give a box for each column that a paragraph stands in."""
    provs: list[dict[str, Any]] = []
    parts: list[tuple[int, list[Row], int]] = []
    for row, stop in zip(block.rows, block.ends, strict=True):
        if parts and parts[-1][0] == row.column:
            parts[-1] = (row.column, [*parts[-1][1], row], stop)
        else:
            parts.append((row.column, [row], stop))
    at = start
    for number, (_, rows, stop) in enumerate(parts):
        upto = end if number == len(parts) - 1 else start + stop
        provs.append(_prov(page, _around([row.box for row in rows]), (at, upto)))
        at = upto
    return provs


def _goes_on(last: Mapping[str, Any], block: Paragraph) -> bool:
    """Say whether a paragraph goes on behind a page break."""
    if block.label != "text" or last["label"] not in ("text", "list_item"):
        return False
    page = block.rows[0].cells[0].page
    text = str(last["text"])
    if last["prov"][-1]["page_no"] != page - 1 or text.endswith(_ENDS):
        return False
    return block.text[:1].islower() or text.endswith(("-", ",")) or not block.text[0].isascii()


def _extend(last: dict[str, Any], block: Paragraph, page: int, words: frozenset[str]) -> None:
    before = len(last["text"])
    last["text"] = last["orig"] = join_lines(last["text"], block.text, words)
    grown = len(last["text"])
    start = grown - len(block.text)
    last["prov"] += _provs(block, page, min(max(start, 0), before), grown)
