"""Writes the blocks of a Docling document as one text, with its outline.

What is repeated in front of a chunk (headings, caption, header row) is a prefix of the region in which the
chunk starts. A region begins a character early, in the white space before its block, since its prefix is
not for a chunk at its own start.

A few lines over 300: one text in the making, with a method for each kind of block.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any

from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.readers.docling_items import Block
from langchain_chunkers.readers.docling_notes import Mark, Notes
from langchain_chunkers.readers.docling_table import pipe_table, rows_of
from langchain_chunkers.readers.sections import DEPTHS
from langchain_chunkers.readers.table_output import Notes as TableNotes
from langchain_chunkers.readers.table_output import Output, TableOptions

__all__ = ["DoclingOptions", "Writer"]

_TITLE = 200  # characters of a heading in a path
_CAPTION = 300  # characters of a caption that are repeated
_WEAKER = {
    # rows lie in a table, which is a block: as list items, weaker than what stands between blocks
    Strength.BLOCK: Strength.PARAGRAPH,
    Strength.PARAGRAPH: Strength.LINE,
    Strength.LINE: Strength.SENTENCE,
}


@dataclass(frozen=True, slots=True)
class DoclingOptions:
    """How a document is written.

    Attributes:
        include_headings: Chunks begin with the headings that they stand under.
        repeat_table_header: Chunks that begin inside a table begin with its header row.
        key_columns: Columns that each group of columns of a wide table repeats.
        layers: Content layers that are read.
        pictures: Text found inside pictures is read.
        size: The cap.
        measure: Counts its units.
    """

    include_headings: bool = True
    repeat_table_header: bool = True
    key_columns: int = 1
    layers: tuple[str, ...] = ("body",)
    pictures: bool = False
    size: float = inf
    measure: Callable[[str], int] = len


class _Markdown(Output):
    """Writes a table as Markdown; a table without a header has an empty one."""

    nameless = False

    def _header(self, names: Sequence[str]) -> str:
        return super()._header([""] * len(names) if self.nameless else names)


class Writer:
    """A text that is written, with its outline.

    Args:
        document: The dictionary; page sizes are looked up in it.
        options: How it is written.
    """

    def __init__(self, document: Mapping[str, Any], options: DoclingOptions) -> None:
        self.document, self.options = document, options
        self.pieces: list[str] = []
        self.at = 0
        self.places: list[tuple[int, Strength]] = []
        self.rows: dict[Strength, list[int]] = {}
        self.regions: list[Region] = []
        self.glue: list[tuple[int, int]] = []
        self.path: list[tuple[int, str]] = []
        self.paths: list[tuple[int, Mapping[str, str]]] = []
        self.marks: list[Mark] = []
        self.last = ""  # the kind of the last block
        self.heads: list[tuple[int, int]] = []  # headings that wait for what they are about
        self.fitting: dict[tuple[str, ...], str] = {}

    def write(self, block: Block) -> None:
        """Write a block."""
        kind = block.kind
        if kind == "part":
            self._part(block)
        elif kind == "heading":
            self._heading(block)
        elif kind == "item":
            self._item(block)
        elif kind in ("table", "picture"):
            self._table(block)
        else:
            text = f"{block.caption}\n\n{block.text}" if block.caption else block.text
            start = self._begin(Strength.PARAGRAPH, kind)
            self._region(start, "code" if kind == "code" else "prose", self._above())
            self._text(text, block)

    def outline(self) -> Outline:
        """Give the outline of what was written."""
        text = "".join(self.pieces)
        glued = _merged(self.glue)
        starts = [start for start, _ in glued]
        kept = [
            (at, strength)
            for at, strength in self.places
            if (index := bisect_left(starts, at) - 1) < 0 or glued[index][1] < at
        ]
        ends = [*(region.start for region in self.regions[1:]), len(text)]
        regions = [
            region._replace(end=end) for region, end in zip(self.regions, ends, strict=False)
        ]
        notes = Notes(self.document, self.marks, self.paths)
        outline = Outline.of(
            text, kept, [*regions, *(Region(s, e, "heading") for s, e in glued)], notes
        )
        places = {strength: list(ats) for strength, ats in outline.places.items()}
        for strength, ats in self.rows.items():  # apart, since there may be a million
            inner = [
                at
                for at in ats
                if (index := bisect_left(starts, at) - 1) < 0 or glued[index][1] < at
            ]
            places[strength] = sorted({*places.get(strength, ()), *inner})
        return Outline(text, places, outline.regions, notes)

    # ------------------------------------------------------------------ blocks

    def _part(self, block: Block) -> None:
        """Begin a slide or a sheet: headings before it say nothing of it."""
        self.path.clear()
        self.heads.clear()
        self.paths.append((self.at + 2 if self.at else 0, {}))
        self.last = "part"
        if block.text:
            self._heading(Block("heading", block.text, block.items, 1))

    def _heading(self, block: Block) -> None:
        level = min(max(block.level, 1), 6)
        while self.path and self.path[-1][0] >= level:
            self.path.pop()
        while self.heads and self.heads[-1][1] >= level:
            self.heads.pop()  # nothing stands under it: it is glued to nothing
        strength = Strength.SECTION1 if self.last == "part" else Strength.section(level)
        above = self._above()
        start = self._begin(strength, "heading")
        self._region(start, "prose", above)
        self.heads.append((start, level))
        self.path.append((level, _cut(block.text, _TITLE)))
        self.paths.append((start, {f"Header {n}": title for n, title in self.path}))
        self._text(block.text, block)

    def _item(self, block: Block) -> None:
        """Write a list item, on a line of its own."""
        inner = self.last == "item"
        depth = min(max(block.level, 1), len(DEPTHS) - 1)
        start = self._begin(DEPTHS[depth] if inner else Strength.PARAGRAPH, "item")
        self._region(start, "prose", self._above())
        self._text(block.text, block)

    def _table(self, block: Block) -> None:
        """Write a table or a picture, with its caption: a chunk of its own."""
        rows = rows_of(block.table) if block.table else None
        cells = rows.rows if rows else []
        if not cells and not block.text and not block.caption:
            return
        start = self._begin(Strength.BLOCK, block.kind)
        above = self._above()
        self._region(start, "prose", above)
        if block.caption:
            self._text(block.caption, block)
            if cells or block.text:
                self._gap()
                self.glue.append((start, self.at))
        if rows and cells:
            if max(map(len, cells)) > 1 and len(cells) > 1:
                context = self._fit((*above, _cut(block.caption, _CAPTION)), 4)
                self._cells(*pipe_table(rows), context, block)
            else:  # one column or one row: a frame around text
                lines = [" | ".join(filter(None, row)) for row in cells]
                self._text("\n".join(lines), block)
        if block.text:
            if cells:
                self._gap()
                self.places.append((self.at, Strength.LINE))
            self._region(self.at, "prose", (*above, _cut(block.caption, _CAPTION)))
            self._text(block.text, block)

    def _cells(self, source: str, table: Any, context: str, block: Block) -> None:
        """Write a table as Markdown, in groups of columns where it is too wide."""
        options = self.options
        # a header may take half of what is left, and half of the cap with what stands in front of it
        size = options.size - 2 * options.measure(context) if context else options.size
        out = _Markdown(
            source,
            TableOptions(
                render="markdown",
                key_columns=options.key_columns,
                size=max(size, 1),
                measure=options.measure,
            ),
        )
        out.nameless = table.head == table.start
        out.table(table, 1, {})
        segments = [s._replace(columns="") for s in out.segments] if out.nameless else out.segments
        start = self.at
        for strength, ats in out.places.items():
            self.rows.setdefault(_WEAKER[strength], []).extend(at + start for at in ats)
        groups = {segment.start for segment in out.segments}
        for region in out.regions:
            at = region.start + start
            if region.kind == "heading":
                self.glue.append((at, region.end + start))
                continue
            if region.start in groups and region.end > region.start + 1:
                # a group of columns begins with its own header, behind what stands in front of it
                self._region(at, region.kind, (context,))
                at += 1
            prefix = region.prefix.rstrip("\n") if options.repeat_table_header else ""
            front = self._fit((context, prefix), 2)
            self._raw(at, region.kind, front + ("\n" if prefix else "\n\n") if front else "")
        self._text("".join(out.pieces).rstrip("\n"), block, TableNotes(segments, 1, rendered=True))

    # ------------------------------------------------------------------ pieces

    def _begin(self, strength: Strength, kind: str) -> int:
        """Begin a block: white space, a boundary, and what headings wait for."""
        if self.last == "part":
            strength = max(strength, Strength.SECTION1)
        elif self.last in ("table", "picture"):
            strength = max(strength, Strength.BLOCK)
        self._gap("\n" if kind == "item" and self.last == "item" else "\n\n")
        self.places.append((self.at, strength))
        if kind != "heading" and self.heads:
            self.glue.append((self.heads[0][0], self.at))
            self.heads.clear()
        self.last = kind
        return self.at

    def _gap(self, white: str = "\n\n") -> None:
        if self.at:
            self.pieces.append(white)
            self.at += len(white)

    def _text(self, text: str, block: Block, rows: TableNotes | None = None) -> None:
        """Write text, and note where it comes from."""
        self.pieces.append(text)
        self.marks.append(Mark(self.at, self.at + len(text), block.kind, block.items, rows))
        self.at += len(text)

    def _above(self) -> tuple[str, ...]:
        """Give the headings that are repeated."""
        return tuple(title for _, title in self.path) if self.options.include_headings else ()

    def _region(self, start: int, kind: str, parts: Sequence[str]) -> None:
        prefix = self._fit(parts, 2)
        # in the white space before its block
        self._raw(max(start - 1, 0), kind, prefix + "\n\n" if prefix else "")

    def _raw(self, start: int, kind: str, prefix: str) -> None:
        """Begin a region, unless the last one is the same."""
        if self.regions and self.regions[-1].start >= start:
            self.regions.pop()
        if self.regions and (self.regions[-1].kind, self.regions[-1].prefix) == (kind, prefix):
            return
        self.regions.append(Region(start, start, kind, {}, prefix))

    def _fit(self, parts: Sequence[str], share: int) -> str:
        """Join what is repeated, from the outermost left out until it takes its share of the cap at most."""
        key = (str(share), *parts)
        if key not in self.fitting:
            inner = [part for part in parts if part]
            size, measure = self.options.size, self.options.measure
            while inner and size != inf and measure("\n\n".join(inner) + "\n\n") * share > size:
                inner.pop(0)
            self.fitting = {key: "\n\n".join(inner)}  # asked again and again for the one at hand
        return self.fitting[key]


def _cut(text: str, most: int) -> str:
    """Shorten what is repeated."""
    text = " ".join(text.split()) if "\n" in text else text
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Join stretches that touch."""
    merged: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        elif start < end:
            merged.append((start, end))
    return merged
