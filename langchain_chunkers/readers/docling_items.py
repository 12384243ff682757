"""Walks a Docling document in reading order, and gives its blocks.

The dictionary may come from anywhere, so nothing in it is taken for granted: what is missing or of
another type counts as absent, an item is read once however often it is referred to, and depth costs
nothing. A few lines over 300: one walk, with a method for each kind of item.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Block", "Items", "label_of", "listed", "mapped", "text_of"]

_COLLECTIONS = (
    "texts", "groups", "tables", "pictures", "key_value_items", "form_items",
    "field_regions", "field_items",
)  # fmt: skip
_LISTS = frozenset(["list", "ordered_list"])
_PARTS = frozenset(["chapter", "slide", "sheet"])
"""Groups that begin a part with headings of its own: slides and sheets."""
_SHEET = re.compile(
    r"(?:Sheet|Tabelle|Feuil|Hoja|Foglio|Planilha|Лист|Blad|工作表)\s?\d*", re.IGNORECASE
)
_BULLETS = frozenset("•·∙◦‣⁃▪▫●○■□–—*-o§\uf0b7\uf0a7\uf0d8")
_OPENERS, _CLOSERS = tuple("([{«‹“‘¿¡/"), tuple(".,;:!?)]}»›”’%/…。，、；：？！）」』")
_PIECES = 100  # pieces of one line that are named; each chunk of the line names them
_DEEPEST = 12  # levels of indentation that are written; deeper items stand as deep as this


@dataclass(slots=True)
class Block:
    """A block of a document.

    Attributes:
        kind: ``"heading"``, ``"text"``, ``"item"``, ``"code"``, ``"table"``, ``"picture"`` or ``"part"``.
        text: What is written; for tables and pictures, what stands below the caption.
        items: The items of Docling that it is made of.
        level: Of a heading, 1 for the highest; of a list item, how many lists it lies in.
        caption: Of a table, picture or listing.
        table: Table data of Docling.
    """

    kind: str
    text: str = ""
    items: list[Mapping[str, Any]] = field(default_factory=list)
    level: int = 0
    caption: str = ""
    table: Mapping[str, Any] | None = None


def mapped(value: Any) -> Mapping[str, Any]:
    """Give a mapping, or an empty one."""
    return value if isinstance(value, Mapping) else {}


def listed(value: Any) -> list[Any]:
    """Give a list, or an empty one."""
    return value if isinstance(value, list) else []


def label_of(item: Mapping[str, Any]) -> str:
    """Give the label of an item."""
    label = item.get("label")
    return label if isinstance(label, str) else ""


def text_of(item: Mapping[str, Any]) -> str:
    """Give the text of an item."""
    text = item.get("text")
    if not isinstance(text, str) or not text.strip():
        text = item.get("orig")
    if not isinstance(text, str):
        return ""
    # left margins carry meaning in code; a lone CR is a newline to no one
    return text.replace("\r\n", "\n").replace("\r", "\n").strip("\n \t\xa0")


class Items:
    """The items of a document.

    Args:
        document: The exported dictionary.
        layers: Content layers that are read, such as ``"body"``.
        pictures: Text found inside pictures is read too.
    """

    def __init__(
        self, document: Mapping[str, Any], layers: Iterable[str], *, pictures: bool
    ) -> None:
        self.document, self.layers, self.pictures = document, frozenset(layers), pictures
        self.seen: set[str] = set()
        self.owned = set(self._owned())
        titles = (mapped(text) for text in listed(document.get("texts")))
        self.shift = int(any(label_of(t) == "title" and self._is_read(t) for t in titles))
        self.counters: dict[int, int] = {}
        self.later: list[Mapping[str, Any]] = []  # tables and pictures that stand in a line of text

    def blocks(self) -> Iterator[Block]:
        """Give the blocks in reading order."""
        body = mapped(self.document.get("body"))
        roots = [body, mapped(self.document.get("furniture"))]
        if not listed(body.get("children")):  # a document without a tree: its items one by one
            roots += [mapped(i) for name in _COLLECTIONS for i in listed(self.document.get(name))]
        # (item, lists around it, the list that it is a direct child of)
        stack = [(root, 0, -1) for root in reversed(roots) if root]
        while stack:
            item, depth, counter = stack.pop()
            label = label_of(item)
            children: list[Any] = listed(item.get("children"))
            if item.get("self_ref") not in ("#/body", "#/furniture"):
                if self._is_read(item):
                    block, used = self._block(item, label, depth, counter)
                    if block is not None:
                        yield block
                    if self.later:
                        stack.extend((inner, depth, -1) for inner in reversed(self.later))
                        self.later.clear()
                    if used:
                        continue
                elif label == "inline":
                    continue
            if label in _LISTS:
                depth, counter = depth + 1, len(self.counters)
                self.counters[counter] = 0
            else:
                counter = -1
            stack.extend((child, depth, counter) for child in reversed(self._children(children)))

    # ------------------------------------------------------------------ references

    def _children(self, references: list[Any]) -> list[Mapping[str, Any]]:
        """Give the items referred to that were not read yet and belong to no other."""
        found = []
        for reference in references:
            name = self._name(reference)
            if not name or name in self.seen or name in self.owned:
                continue
            self.seen.add(name)
            item = self._item(name)
            if item:
                found.append(item)
        return found

    @staticmethod
    def _name(reference: Any) -> str:
        name = mapped(reference).get("$ref", mapped(reference).get("cref"))
        return name if isinstance(name, str) else ""

    def _item(self, name: str) -> Mapping[str, Any]:
        parts = name.split("/")
        if len(parts) != 3 or parts[0] != "#" or not parts[2].isdecimal() or len(parts[2]) > 9:
            return {}
        collection = listed(self.document.get(parts[1]))
        number = int(parts[2])
        return mapped(collection[number]) if number < len(collection) else {}

    def _owned(self) -> Iterator[str]:
        """Give what is written with a table, a picture or a listing."""
        for name in ("tables", "pictures", "texts"):
            for item in listed(self.document.get(name)):
                for part in ("captions", "footnotes"):
                    for reference in listed(mapped(item).get(part)):
                        yield self._name(reference)

    def _is_read(self, item: Mapping[str, Any]) -> bool:
        layer = item.get("content_layer", "body")
        return isinstance(layer, str) and layer in self.layers

    def _joined(self, references: Any) -> tuple[str, list[Mapping[str, Any]]]:
        """Give the text of items referred to, and the items."""
        items = [self._item(self._name(reference)) for reference in listed(references)]
        items = [item for item in items if item]
        return " ".join(filter(None, map(text_of, items))), items

    # ------------------------------------------------------------------ one item

    def _block(
        self, item: Mapping[str, Any], label: str, depth: int, counter: int
    ) -> tuple[Block | None, bool]:
        """Give the block of an item, and whether its children are part of it."""
        if label in _PARTS:
            name = item.get("name")
            named = label != "chapter" and isinstance(name, str) and label == "sheet"
            title = str(name).strip() if named and not _SHEET.fullmatch(str(name)) else ""
            return Block("part", title, [item], 1), False
        if label == "inline":
            text, items = self._inline(item)
            return self._prose(text, items, depth), True
        if "data" in item and label not in ("picture", "chart"):
            return self._table(item), True
        if label in ("picture", "chart") or "annotations" in item:
            return self._picture(item), not self.pictures
        if "graph" in item:
            return Block("text", _graph_text(item), [item]), True
        text = text_of(item)
        if label in ("title", "section_header"):
            level = item.get("level")
            level = level if isinstance(level, int) and label != "title" else 1
            level += self.shift if label != "title" else 0
            return (
                Block("heading", " ".join(text.split()), [item], level) if text else None
            ), False
        if label == "list_item":
            return self._list_item(item, text, depth, counter)
        if label == "code":
            caption, items = self._joined(item.get("captions"))
            raw = item.get("text")
            code = raw.replace("\r\n", "\n").strip("\n").rstrip() if isinstance(raw, str) else ""
            return (Block("code", code, [item, *items], 0, caption) if code else None), False
        if not text:
            return None, False
        if label == "formula":
            text = f"$${text}$$"
        elif label in ("checkbox_selected", "checkbox_unselected"):
            text = f"[{'x' if label == 'checkbox_selected' else ' '}] {text}"
        return self._prose(text, [item], depth), False

    def _prose(self, text: str, items: list[Mapping[str, Any]], depth: int) -> Block | None:
        """Give a paragraph; inside a list it is a line of the list."""
        if not text:
            return None
        if depth:
            margin = "  " * min(depth, _DEEPEST)
            return Block("item", margin + text.replace("\n", "\n" + margin), items, depth + 1)
        return Block("text", text, items)

    def _list_item(
        self, item: Mapping[str, Any], text: str, depth: int, counter: int
    ) -> tuple[Block | None, bool]:
        """Give a list item, with the marked-up text that Docling keeps as its first child."""
        items = [item]
        if not text:
            children = listed(item.get("children"))
            first = self._item(self._name(children[0])) if children else {}
            if label_of(first) == "inline":
                self.seen.add(self._name(children[0]))
                text, more = self._inline(first)
                items += more
        if not text:
            return None, False
        marker = item.get("marker")
        marker = marker.strip() if isinstance(marker, str) else ""
        if item.get("enumerated") is True:
            self.counters[counter] = self.counters.get(counter, 0) + 1
            marker = marker if any(map(str.isalnum, marker)) else f"{self.counters[counter]}."
        elif not marker or marker in _BULLETS:
            marker = "-"
        level = max(depth, 1)
        margin = "  " * min(level - 1, _DEEPEST)
        text = text.replace("\n", "\n  " + margin)
        return Block("item", f"{margin}{marker} {text}", items, level), False

    def _inline(self, group: Mapping[str, Any]) -> tuple[str, list[Mapping[str, Any]]]:
        """Join the pieces of a line, as they stood before their marks were taken off."""
        stack, pieces, items = [group], [], []
        while stack:
            item = stack.pop()
            if "data" in item or label_of(item) in ("picture", "chart"):
                self.later.append(item)
                continue
            piece = item.get("text")
            if isinstance(piece, str) and piece.strip() and self._is_read(item):
                piece = f"${piece.strip()}$" if label_of(item) == "formula" else piece
                pieces.append(piece)
                items.append(item)
            stack.extend(reversed(self._children(listed(item.get("children")))))
        text = ""
        written: list[str] = []
        for piece in pieces:
            glued = piece.startswith(_CLOSERS) or text.endswith(_OPENERS)
            if text and not glued and not text[-1].isspace() and not piece[0].isspace():
                written.append(" ")
            written.append(piece)
            text = piece
        return " ".join("".join(written).split()), items[:_PIECES]

    def _table(self, item: Mapping[str, Any]) -> Block:
        caption, items = self._joined(item.get("captions"))
        notes, more = self._joined(item.get("footnotes"))
        text = "\n\n".join(filter(None, [_description(item), notes]))
        return Block("table", text, [item, *items, *more], 0, caption, mapped(item.get("data")))

    def _picture(self, item: Mapping[str, Any]) -> Block:
        caption, items = self._joined(item.get("captions"))
        notes, more = self._joined(item.get("footnotes"))
        text = "\n\n".join(filter(None, [_description(item), notes]))
        chart = mapped(mapped(item.get("meta")).get("tabular_chart")).get("chart_data")
        for note in listed(item.get("annotations")):
            chart = chart or mapped(note).get("chart_data")
        table = mapped(chart) or None
        return Block("picture", text, [item, *items, *more], 0, caption, table)


def _description(item: Mapping[str, Any]) -> str:
    """Give what a model wrote of a picture or a table."""
    texts = [mapped(mapped(item.get("meta")).get("description")).get("text")]
    notes = map(mapped, listed(item.get("annotations")))
    texts += [note.get("text") for note in notes if note.get("kind") == "description"]
    found = dict.fromkeys(text.strip() for text in texts if isinstance(text, str) and text.strip())
    return "\n\n".join(found)


def _graph_text(item: Mapping[str, Any]) -> str:
    """Write keys and values as a line each."""
    graph = mapped(item.get("graph"))
    cells = {mapped(c).get("cell_id"): mapped(c) for c in listed(graph.get("cells")) if _key(c)}
    values: dict[Any, list[str]] = {}
    linked = set()
    for link in listed(graph.get("links")):
        if mapped(link).get("label") == "to_value":
            source, target = mapped(link).get("source_cell_id"), mapped(link).get("target_cell_id")
            if isinstance(source, int) and isinstance(target, int) and target in cells:
                values.setdefault(source, []).append(text_of(cells[target]))
                linked.add(target)
    lines = []
    for number, cell in cells.items():
        if number in linked:
            continue
        value = " ".join(values.get(number, []))
        lines.append(f"{text_of(cell)}: {value}" if value else text_of(cell))
    return "\n".join(filter(None, lines))


def _key(cell: Any) -> bool:
    return isinstance(mapped(cell).get("cell_id"), int)
