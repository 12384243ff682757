"""The text of a PDF page as segments: runs of characters on one baseline, with size and place.

PDFium knows characters, not lines or columns. A segment ends at a line break, and at a gap that no space
between words has, so that columns and cells of tables stay apart.
"""

from __future__ import annotations

import ctypes
import math
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from langchain_chunkers._extras import need

__all__ = ["HYPHEN", "MOST", "Segment", "segments_of"]

HYPHEN = "\u00ad"
"""Stands at the end of a segment whose word goes on in the next line."""
MOST = 400_000
"""Characters of a page that are read: a page of print has some 5,000."""
_GAP = 1.6  # font sizes of white space that separate what is no running text
_BOLD = 600  # weights of bold faces begin here
_FORCE_BOLD = 1 << 18  # a flag of PDF's font descriptors


@dataclass(slots=True)
class Segment:
    """A run of characters.

    Attributes:
        text: The characters.
        page: Number of the page, from 1.
        left: In points, from the left edge of the page.
        top: In points, from the top edge.
        right: In points, from the left edge.
        bottom: In points, from the top edge.
        baseline: In points, from the top edge.
        size: Font size of most of it, in points.
        bold: Most of it is bold.
    """

    text: str
    page: int
    left: float
    top: float
    right: float
    bottom: float
    baseline: float
    size: float
    bold: bool


@dataclass(slots=True)
class _Run:
    """A segment in the making."""

    baseline: float
    height: float
    box: list[float]
    pieces: list[str] = field(default_factory=list)
    sizes: Counter[float] = field(default_factory=Counter)
    bold: int = 0


@dataclass(frozen=True, slots=True)
class _Style:
    size: float
    bold: bool
    level: bool  # written from left to right, not turned


def segments_of(text_page: Any, number: int, height: float) -> list[Segment]:
    """Read a page.

    Args:
        text_page: PDFium's text page.
        number: Number of the page, from 1.
        height: Height of the page.

    Returns:
        Segments in the order of the file. Text that is turned (watermarks, axes) is left out.
    """
    found = []
    run: _Run | None = None
    for character, at, style, box in _characters(text_page):
        if character in "\r\n" or not style.level:
            if run is not None:
                found.append(run)
            run = None
            continue
        if box is None:  # white space that PDFium puts between words, or a hyphen at the end
            if run is not None:
                run.pieces.append(character)
            continue
        left, low, right, high = box
        top, bottom, baseline = height - high, height - low, height - at
        if run is None or not _goes_on(run, left, right, baseline, style.size):
            if run is not None:
                found.append(run)
            run = _Run(baseline, style.size, [left, top, right, bottom])
        run.pieces.append(character)
        run.sizes[style.size] += 1
        run.bold += style.bold
        if style.size > run.height:  # it began with an index
            run.height, run.baseline = style.size, baseline
        edges = run.box
        run.box = [
            min(edges[0], left), min(edges[1], top), max(edges[2], right), max(edges[3], bottom)
        ]  # fmt: skip
    if run is not None:
        found.append(run)
    segments = [_segment(run, number) for run in found]
    return [segment for segment in segments if segment.text.strip(HYPHEN + " ")]


def _goes_on(run: _Run, left: float, right: float, baseline: float, size: float) -> bool:
    """Say whether a character belongs to a run: indices stand a little higher or lower."""
    most = max(run.height, size)
    if abs(baseline - run.baseline) > 0.6 * most:
        return False
    gap = max(left - run.box[2], run.box[0] - right)  # script from right to left grows leftwards
    return gap <= _GAP * most


def _segment(run: _Run, number: int) -> Segment:
    text = " ".join("".join(run.pieces).split())
    size = run.sizes.most_common(1)[0][0] if run.sizes else run.height
    left, top, right, bottom = run.box
    bold = run.bold * 2 > sum(run.sizes.values())
    return Segment(text, number, left, top, right, bottom, run.baseline, size, bold)


def _characters(
    text_page: Any,
) -> Iterator[tuple[str, float, _Style, tuple[float, float, float, float] | None]]:
    """Give characters with baseline, style and box, in the units of the page, from its bottom."""
    pdfium = need("pypdfium2.raw", "pdf", "reading PDF")
    box, matrix = pdfium.FS_RECTF(), pdfium.FS_MATRIX()
    x, y = ctypes.c_double(), ctypes.c_double()
    style, last, high = _Style(0.0, False, level=True), None, 0
    for index in range(min(text_page.count_chars(), MOST)):
        code = pdfium.FPDFText_GetUnicode(text_page, index)
        if 0xD800 <= code < 0xDC00:
            high = code
            continue
        if 0xDC00 <= code < 0xE000:
            code = 0x10000 + ((high - 0xD800) << 10) + code - 0xDC00 if high else 0
        high = 0
        if code in (0, 0xFFFE, 0xFFFF) or (code < 32 and code not in (2, 9, 10, 13)):
            continue
        if code == 2:  # PDFium's sign for a hyphen that the end of a line brought
            yield HYPHEN, 0.0, style, None
            continue
        character = chr(code)
        if character.isspace() or pdfium.FPDFText_IsGenerated(text_page, index) == 1:
            yield (character if character in "\r\n" else " "), 0.0, style, None
            continue
        handle = pdfium.FPDFText_GetTextObject(text_page, index)
        address = ctypes.cast(handle, ctypes.c_void_p).value
        if address != last:
            last = address
            pdfium.FPDFText_GetMatrix(text_page, index, matrix)
            style = _style(pdfium, text_page, index, matrix)
        pdfium.FPDFText_GetLooseCharBox(text_page, index, box)
        pdfium.FPDFText_GetCharOrigin(text_page, index, x, y)
        yield character, y.value, style, (box.left, box.bottom, box.right, box.top)


def _style(pdfium: Any, text_page: Any, index: int, matrix: Any) -> _Style:
    scale = math.hypot(matrix.b, matrix.d) or 1.0
    size = round(pdfium.FPDFText_GetFontSize(text_page, index) * scale * 2) / 2
    name, flags = ctypes.create_string_buffer(128), ctypes.c_int()
    pdfium.FPDFText_GetFontInfo(text_page, index, name, 128, flags)
    face = name.value.decode("utf-8", "replace").lower()
    bold = (
        pdfium.FPDFText_GetFontWeight(text_page, index) >= _BOLD
        or bool(flags.value & _FORCE_BOLD)
        or any(mark in face for mark in ("bold", "black", "heavy", "cmbx", "-bd", "sfbx"))
    )
    return _Style(size, bold, level=matrix.a >= 0 and abs(matrix.b) <= 0.2 * abs(matrix.a or 1.0))
