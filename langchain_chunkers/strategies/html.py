"""HTML by its blocks: as clean text, or as the source itself."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.ladder import Rung
from langchain_chunkers.outline import Outline, Regions, Strength
from langchain_chunkers.readers.html import HTMLOptions, read_html
from langchain_chunkers.readers.html_decode import decode
from langchain_chunkers.readers.html_ladder import SOURCE_LADDER
from langchain_chunkers.readers.html_tree import HEADINGS
from langchain_chunkers.settings import check_choice

__all__ = ["HTMLSplitter"]

Mode = Literal["text", "source"]


class HTMLSplitter(BaseSplitter):
    """Divides HTML at its headings and blocks, and keeps tables, lists and code in order.

    In ``mode="text"`` chunks are the text that a reader of the page sees, in the order in which it
    stands: no scripts, styles, comments, templates or hidden parts. Tables are rows of Markdown, lists
    have their marks. In ``mode="source"`` chunks are slices of the HTML.

    Chunks have the heading path as ``Header 1`` to ``Header 6``, ``source_start`` and
    ``source_end`` (characters of the HTML), ``source_line`` (from 1), ``anchor`` (the last ``id`` at
    or before, for a link), and ``language`` where code says it.

    Offsets and spans are those of ``read(html).text``: in text mode the clean text.

    Does not run scripts, read style sheets, or guess which part of a page is its article; see
    ``exclude_tags``.

    Args:
        chunk_size: The cap; ``None`` for no cap, then sections alone decide.
        chunk_overlap: Units that a chunk may repeat of what came before.
        mode: ``"text"`` or ``"source"``.
        headers_to_split_on: Pairs of a tag and a name for the metadata, such as
            ``[("h1", "Title"), ("h2", "Part")]``; ``None`` for h1 to h6. Other headings stay with
            what follows them, and start no chunk.
        split_on_headings: A heading starts a new chunk; ``False`` packs by size alone.
        return_each_element: Each block is a chunk, as with LangChain's splitter.
        links: Write links as ``[text](address)``. Addresses other than relative, http, https, ftp,
            mailto and tel are left out. Text mode only.
        images: Write images as ``![alternative text](address)``. Text mode only.
        exclude_tags: Elements to leave out, such as `HTMLSplitter.BOILERPLATE`; ARIA landmarks count
            as the elements that they stand for. Text mode only.
        **options: Settings of `BaseSplitter`. Chunks under ``min_chunk_size`` join a neighbour, over a
            heading too.

    Guarantees: sliced, lossless, capped, whole characters, nested, overlap delivered, filled,
    stable, own metadata, bounded, total, portable; in text mode of the clean text.

    Raises:
        SettingError: ``headers_to_split_on`` names something else than headings, or a setting of
            text mode is given in source mode.

    Cost: linear in the HTML.

    Example:
        >>> html = (
        ...     "<h1>Tea</h1><p>Mix <b>ten</b> grams.</p><h2>Black</h2><ul><li>Hot<li>Strong</ul>"
        ... )
        >>> for chunk in HTMLSplitter(chunk_size=100).create_documents([html]):
        ...     print(repr(chunk.page_content), chunk.metadata["source_start"])
        'Tea\\n\\nMix ten grams.' 4
        'Black\\n\\n- Hot\\n- Strong' 44
    """

    name = "html"
    trims = "lines"
    BOILERPLATE: ClassVar[tuple[str, ...]] = ("nav", "footer", "aside", "button", "form")
    """Elements that seldom hold what a page is about."""

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        mode: Mode = "text",
        headers_to_split_on: Sequence[tuple[str, str]] | None = None,
        split_on_headings: bool = True,
        return_each_element: bool = False,
        links: bool = False,
        images: bool = False,
        exclude_tags: Sequence[str] = (),
        **options: Any,
    ) -> None:
        check_choice("mode", mode, ("text", "source"))
        super().__init__(chunk_size, chunk_overlap, **options)
        given = {"links": links, "images": images, "exclude_tags": exclude_tags}
        for name, value in given.items():
            if value and mode == "source":
                msg = (
                    f"{name} is for mode='text': mode='source' keeps every character. Leave it out."
                )
                raise SettingError(msg)
        if isinstance(exclude_tags, str):
            msg = f"exclude_tags must be a list of tags: got {exclude_tags!r}. Give [{exclude_tags!r}]."
            raise SettingError(msg)
        headers = _headers(headers_to_split_on)
        self._options = HTMLOptions(
            mode == "source", headers, links, images, frozenset(tag.lower() for tag in exclude_tags)
        )
        if return_each_element:
            always: int = Strength.PARAGRAPH
        elif split_on_headings and headers:
            always = Strength.section(max(headers))
        else:
            always = self._limits.always
        self._limits = dataclasses.replace(self._limits, always=always)

    def read(self, text: str) -> Outline:
        """Read HTML, valid or broken."""
        return read_html(text, self._options)

    def ladder(self, kind: str) -> Sequence[Rung]:
        """Give the rungs for a kind of text; those of HTML itself do not cut tags."""
        return SOURCE_LADDER if kind == "html" else super().ladder(kind)

    def describe(
        self, outline: Outline, regions: Regions, start: int, end: int
    ) -> Mapping[str, Any]:
        """Say where in the HTML a chunk comes from."""
        del regions
        found: dict[str, Any] = outline.notes.describe(start, end)
        return found

    @staticmethod
    def decode(data: bytes, content_type: str | None = None) -> str:
        """Decode the bytes of a page; see `langchain_chunkers.readers.html_decode.decode`.

        Args:
            data: The bytes.
            content_type: The HTTP header ``Content-Type``, or the name of an encoding.

        Returns:
            The text, for any bytes.

        Example:
            >>> HTMLSplitter.decode(b"<meta charset=gb2312><p>\\xc4\\xe3\\xba\\xc3")[-2:]
            '你好'
        """
        return decode(data, content_type)


def _headers(pairs: Sequence[Any] | None) -> dict[int, str]:
    """Take names by level from pairs of a tag and a name."""
    if pairs is None:
        return {level: f"Header {level}" for level in HEADINGS.values()}
    headers: dict[int, str] = {}
    for pair in pairs:
        if isinstance(pair, str) or len(pair) != 2 or str(pair[0]).lower() not in HEADINGS:
            msg = (
                f"headers_to_split_on must have pairs of a heading tag (h1 to h6) and a name: got "
                f"{pair!r}. Other elements are no headings and divide by size."
            )
            raise SettingError(msg)
        headers[HEADINGS[str(pair[0]).lower()]] = str(pair[1])
    return headers
