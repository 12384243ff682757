"""The way from the text of a Docling document back to its items, pages and boxes."""

from __future__ import annotations

import json
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from langchain_chunkers.readers.docling_items import label_of, listed, mapped
from langchain_chunkers.readers.table_output import Notes as Table

__all__ = ["Mark", "Notes", "facts_of"]

_REFERENCES = 200  # items that are named of one chunk; a citation names fewer


class Mark(NamedTuple):
    """A stretch of the text, the items that it is made of, and of a table where its rows stand."""

    start: int
    end: int
    kind: str
    items: Sequence[Mapping[str, Any]]
    rows: Table | None = None


@dataclass(slots=True)
class Notes:
    """What describes chunks.

    Attributes:
        document: The dictionary of the document.
        marks: Stretches of the text in order.
        paths: ``(start, {"Header 1": ..., ...})``: the headings that hold from there on.
    """

    document: Mapping[str, Any]
    marks: Sequence[Mark]
    paths: Sequence[tuple[int, Mapping[str, str]]]
    starts: list[int] = field(init=False)

    def __post_init__(self) -> None:
        """List where marks begin."""
        self.starts = [mark.start for mark in self.marks]

    def describe(self, start: int, end: int) -> dict[str, Any]:
        """Say what a stretch of the text is, and where in the document it stands.

        Values are strings and numbers, as vector stores want them.
        """
        first = max(bisect_right(self.starts, start) - 1, 0)
        if first < len(self.marks) and self.marks[first].end <= start:
            first += 1
        touched = self.marks[first : bisect_left(self.starts, end)]
        if not touched:
            return {}
        bodies = [mark for mark in touched if mark.kind != "heading"] or touched
        index = bisect_right(self.paths, bodies[0].start, key=lambda path: path[0]) - 1
        facts: dict[str, Any] = dict(self.paths[index][1]) if index >= 0 else {}
        places = [place for mark in bodies for place in self._places(mark, start, end)]
        facts.update(_where(places))
        labels = dict.fromkeys(label_of(mark.items[0]) for mark in bodies if mark.items)
        facts["label"] = ",".join(filter(None, labels)) or "text"
        if bodies[0].kind == "code":
            language = bodies[0].items[0].get("code_language")
            if isinstance(language, str) and language not in ("", "unknown"):
                facts["language"] = language.lower()
        for mark in touched:
            if mark.rows is not None:
                at = max(start - mark.start, 0)
                rows = mark.rows.describe("", at, max(end - mark.start, at))
                facts.update(
                    {k: rows[k] for k in ("row_start", "row_end", "columns") if rows.get(k)}
                )
                break
        references = dict.fromkeys(
            name
            for mark in touched
            for item in mark.items
            if isinstance(name := item.get("self_ref"), str)
        )
        if references:
            facts["doc_items"] = ",".join(list(references)[:_REFERENCES])
        return facts

    def _places(self, mark: Mark, start: int, end: int) -> Iterator[tuple[int, list[float]]]:
        """Give the page and the box of each item of a stretch.

        An item that goes over a page has a place on each; a part of it has those of its characters.
        """
        low, high = start - mark.start, end - mark.start
        whole = low <= 0 and end >= mark.end
        for item in mark.items:
            places = [mapped(place) for place in listed(item.get("prov"))]
            if len(places) > 1 and not whole and mark.kind in ("text", "item"):
                near = [p for p in places if _overlaps(p.get("charspan"), low, high)]
                places = near or places
            for place in places:
                page = place.get("page_no")
                if isinstance(page, int) and not isinstance(page, bool):
                    yield page, self.box(page, mapped(place.get("bbox")))

    def box(self, page: int, raw: Mapping[str, Any]) -> list[float]:
        """Give left, top, right and bottom from the top left corner of the page; [] for none."""
        sides = [raw.get(side) for side in "ltrb"]
        box = [float(s) for s in sides if isinstance(s, int | float) and abs(s) < 1e12]
        if len(box) < 4:
            return []
        if raw.get("coord_origin") == "BOTTOMLEFT":
            size = mapped(mapped(mapped(self.document.get("pages")).get(str(page))).get("size"))
            height = size.get("height")
            if not isinstance(height, int | float):
                return []
            box[1], box[3] = height - box[1], height - box[3]
        box[1], box[3] = min(box[1], box[3]), max(box[1], box[3])
        return [round(side, 2) for side in box]


def _overlaps(span: Any, low: int, high: int) -> bool:
    ends = list(span) if isinstance(span, tuple | list) else []
    return (
        len(ends) == 2
        and all(isinstance(end, int) for end in ends)
        and ends[0] < high
        and ends[1] > low
    )


def _where(places: Sequence[tuple[int, list[float]]]) -> dict[str, Any]:
    """Give ``page``, ``pages``, ``bbox`` (of all on the first page) and, of several, ``boxes``."""
    if not places:
        return {}
    unique = list({(page, tuple(box)): None for page, box in places})
    pages = sorted({page for page, _ in unique})
    first = unique[0][0]
    facts: dict[str, Any] = {"page": first, "pages": ",".join(map(str, pages))}
    boxes = [box for page, box in unique if page == first and box]
    if boxes:
        lefts, tops, rights, bottoms = zip(*boxes, strict=True)
        facts["bbox"] = json.dumps([min(lefts), min(tops), max(rights), max(bottoms)])
    every = [[page, *box] for page, box in unique if box]
    if len(every) > 1:
        facts["boxes"] = json.dumps(every[:_REFERENCES])
    return facts


def facts_of(meta: Mapping[str, Any]) -> dict[str, Any]:
    """Flatten the ``dl_meta`` that langchain-docling's loader puts into metadata.

    Example:
        >>> item = {"self_ref": "#/texts/3", "label": "text", "prov": [{"page_no": 2}]}
        >>> facts_of({"headings": ["Tea", "Black"], "doc_items": [item]})
        {'Header 1': 'Tea', 'Header 2': 'Black', 'page': 2, 'pages': '2', 'label': 'text', 'doc_items': '#/texts/3'}
    """
    items = [mapped(item) for item in listed(meta.get("doc_items"))]
    names = [name for name in listed(meta.get("headings")) if isinstance(name, str)]
    path = {f"Header {number}": name for number, name in enumerate(names, 1)}
    marks = [Mark(at, at + 1, "text", [item]) for at, item in enumerate(items)]
    return {**path, **Notes({}, marks, ()).describe(0, max(len(items), 1))}
