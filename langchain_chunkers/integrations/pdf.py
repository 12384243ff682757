"""PDF without models: text, font sizes and positions, read into the form of a Docling document.

Headings come from the bookmarks and from font sizes, running headers and footers become page furniture,
hyphens at line ends are mended, columns are read one after another, and what goes over a page is one
paragraph with both pages. Nothing is recognised in images: a scan has no text.

PDFium reads the text; pdfplumber finds tables with lines, where it is installed.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

from langchain_chunkers._extras import need
from langchain_chunkers.files import FileError
from langchain_chunkers.integrations.pdf_blocks import furniture
from langchain_chunkers.integrations.pdf_document import Page, document_of
from langchain_chunkers.integrations.pdf_order import rows_in_order
from langchain_chunkers.integrations.pdf_tables import ruled_tables
from langchain_chunkers.integrations.pdf_text import Segment, segments_of

__all__ = ["PDFReader", "render_box"]

_PICTURE = 0.02  # share of a page from which on an image is a picture and no ornament


class PDFReader:
    """Reads a PDF into the exported form of a Docling document.

    Args:
        max_pages: A file with more pages is refused.
        tables: Find tables: ``True`` for those with lines and those whose cells stand in columns.
        password: Opens an encrypted file.

    Raises:
        MissingExtraError: pypdfium2 is not installed.
    """

    def __init__(
        self, max_pages: int = 5000, *, tables: bool = True, password: str | None = None
    ) -> None:
        self.pdfium = need("pypdfium2", "pdf", "reading PDF")
        self.max_pages, self.tables, self.password = max_pages, tables, password

    def read(self, data: bytes, name: str) -> dict[str, Any]:
        """Read a file.

        Args:
            data: The file.
            name: How messages name it.

        Returns:
            The dictionary of a Docling document.

        Raises:
            FileError: It is damaged, encrypted, has no pages or too many, or has no text.

        Cost: some 20 ms a page; a few hundred for a page with a table with lines.
        """
        pages, outline = self._pages(data, name)
        drop = furniture([page.segments for page in pages], [page.height for page in pages])
        for page, running in zip(pages, drop, strict=True):
            page.running = [page.segments[index] for index in sorted(running)]
            kept = [s for index, s in enumerate(page.segments) if index not in running]
            page.rows = rows_in_order(
                [s for s in kept if not any(_inside(s, table.box) for table in page.tables)]
            )
        if not any(page.segments for page in pages):
            reason = (
                "it has no text, only images: give ocr=True with pdf='layout' to recognise them"
            )
            raise FileError(name, reason)
        return document_of(name, pages, outline, data)

    def _pages(self, data: bytes, name: str) -> tuple[list[Page], dict[tuple[int, str], int]]:
        """Open a file and read the segments of its pages."""
        try:
            document = self.pdfium.PdfDocument(data, password=self.password)
        except self.pdfium.PdfiumError as error:
            raise FileError(name, _reason(error, self.password)) from error
        try:
            if len(document) > self.max_pages:
                reason = f"it has {len(document)} pages, more than max_pages={self.max_pages}"
                raise FileError(name, reason)
            pages = [self._page(document, index, name) for index in range(len(document))]
            outline = _outline(document)
        finally:
            document.close()
        if self.tables:
            ruled = [page.number for page in pages if page.ruled]
            for number, tables in ruled_tables(data, ruled, self.password):
                pages[number - 1].tables = tables
        return pages, outline

    def _page(self, document: Any, index: int, name: str) -> Page:
        raw = self.pdfium.raw
        try:
            handle = document[index]
        except self.pdfium.PdfiumError as error:
            raise FileError(name, f"page {index + 1} is damaged") from error
        width, height = handle.get_size()
        page = Page(index + 1, width, height)
        text = handle.get_textpage()
        page.segments = segments_of(text, page.number, height)
        text.close()
        flat = upright = boxes = 0
        kinds = [raw.FPDF_PAGEOBJ_PATH, raw.FPDF_PAGEOBJ_IMAGE]
        for count, item in enumerate(handle.get_objects(filter=kinds, max_depth=3)):
            if count > 1_500:
                flat = boxes = 0  # a drawing, and no table
                break
            left, low, right, high = item.get_bounds()
            across, up = right - left, high - low
            if item.type == raw.FPDF_PAGEOBJ_IMAGE:
                if across * up >= _PICTURE * width * height:
                    page.pictures.append((left, height - high, right, height - low))
            elif up <= 2:
                flat += across >= 25
            elif across <= 2:
                upright += up >= 6
            else:
                boxes += across >= 20 and up >= 8
        page.ruled = bool(page.segments) and ((flat > 2 and upright > 1) or boxes > 3)
        handle.close()
        return page


def _reason(error: Exception, password: str | None) -> str:
    text = str(error).lower()
    if "password" in text:
        return "the password is wrong" if password else "it is encrypted: give password=..."
    if "security" in text:
        return "it is encrypted in a way that is not known"
    return "it is no PDF, or it is damaged"


def _outline(document: Any) -> dict[tuple[int, str], int]:
    """Read the bookmarks: titles without white space, and their level."""
    found: dict[tuple[int, str], int] = {}
    for count, bookmark in enumerate(document.get_toc(max_depth=8)):
        if count > 20_000:
            break
        title = "".join((bookmark.get_title() or "").lower().split())
        place = bookmark.get_dest()
        page = place.get_index() if place else None
        if title and page is not None:
            found.setdefault((page + 1, title), bookmark.level + 1)
    return found


def _inside(segment: Segment, box: Sequence[float]) -> bool:
    x, y = (segment.left + segment.right) / 2, (segment.top + segment.bottom) / 2
    return box[0] <= x <= box[2] and box[1] <= y <= box[3]


def render_box(
    data: bytes, page: int, box: Sequence[float], password: str | None = None, scale: float = 2.0
) -> bytes:
    """Draw a part of a page as PNG, for a model that sees.

    Args:
        data: The PDF.
        page: Number of the page, from 1.
        box: Left, top, right, bottom in points, from the top left corner.
        password: Opens an encrypted file.
        scale: Pixels for a point.
    """
    pdfium = need("pypdfium2", "pdf", "drawing pages of PDF")
    document = pdfium.PdfDocument(data, password=password)
    try:
        handle = document[page - 1]
        width, height = handle.get_size()
        crop = (
            max(box[0] - 2, 0), max(height - box[3] - 2, 0),
            max(width - box[2] - 2, 0), max(box[1] - 2, 0),
        )  # fmt: skip
        image = handle.render(scale=scale, crop=crop).to_pil()
        out = io.BytesIO()
        image.save(out, "PNG")
        return out.getvalue()
    finally:
        document.close()
