"""Markdown by its blocks: sections, fences, tables, lists."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.length import CharacterMeasure
from langchain_chunkers.outline import Outline, Regions, Strength
from langchain_chunkers.readers.markdown import Style, read_markdown
from langchain_chunkers.readers.markdown_blocks import language_of
from langchain_chunkers.readers.markdown_headings import CustomHeadings
from langchain_chunkers.settings import check_choice

__all__ = ["MarkdownSplitter"]


class MarkdownSplitter(BaseSplitter):
    """Divides Markdown at headings and between whole blocks.

    CommonMark and GitHub's tables and footnotes. A heading starts a new chunk and stays with what
    follows; fences, tables, list items, quotes and HTML are whole where they fit. A fence over the
    cap is divided by the reader of its language and closed and opened again around each cut; a
    table repeats its header. Both are declared as ``prefix`` and ``suffix`` in the metadata and count
    in the cap. Each chunk has its heading path (``Header 1`` ... ``Header 6``) in the metadata, and
    ``language``, that of the first code block in it.

    Args:
        chunk_size: The cap; ``None`` for none: one chunk for each section.
        chunk_overlap: Units that a chunk may repeat of what came before.
        min_chunk_size: Chunks below this join a neighbour where both fit, over a heading too.
        headers_to_split_on: Pairs of a heading's mark and its key in the metadata, such as
            ``("##", "Section")``: only these begin sections. ``None`` for all six levels.
        return_each_line: A chunk for each block between blank lines, with its heading path.
        strip_headers: Leave out the headings that begin sections; they are in the metadata.
        custom_header_patterns: Marks at both ends of a line that make it a heading, and its level,
            such as ``{"**": 1}``; the mark must be in ``headers_to_split_on``.
        split_on_headings: A heading starts a new chunk even where more would fit.
        front_matter: ``"chunk"`` (a chunk of its own), ``"metadata"`` (read into
            ``metadata["front_matter"]`` of each chunk, and left out of the text; a chunk where it
            cannot be read) or ``"text"`` (text like any other).
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless (unless ``strip_headers`` or ``front_matter="metadata"``), capped,
    whole characters, nested, overlap delivered, filled, stable, own metadata, bounded, total,
    portable.

    Raises:
        MissingExtraError: pyromark is not installed.
        SettingError: A setting cannot be used.

    Cost: linear; reading takes some 30 MB/s.

    Source: CommonMark 0.31; GitHub Flavored Markdown.

    Example:
        >>> splitter = MarkdownSplitter(chunk_size=40)
        >>> for chunk in splitter.create_documents(["# Tea\\n\\nBlack.\\n\\n## Green\\n\\nFresh."]):
        ...     print(repr(chunk.page_content), chunk.metadata)
        '# Tea\\n\\nBlack.' {'Header 1': 'Tea'}
        '## Green\\n\\nFresh.' {'Header 1': 'Tea', 'Header 2': 'Green'}
    """

    name = "markdown"
    trims = "lines"

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        headers_to_split_on: Sequence[tuple[str, str]] | None = None,
        return_each_line: bool = False,
        strip_headers: bool = False,
        custom_header_patterns: Mapping[str, int] | None = None,
        split_on_headings: bool = True,
        front_matter: Literal["chunk", "metadata", "text"] = "chunk",
        **options: Any,
    ) -> None:
        check_choice("front_matter", front_matter, ("chunk", "metadata", "text"))
        need("pyromark", "markdown", type(self).__name__)
        super().__init__(chunk_size, chunk_overlap, **options)
        style = Style(
            strip_headings=strip_headers,
            front_matter=front_matter,
            each_block=return_each_line,
            fits=self._fits,
        )
        if headers_to_split_on is not None:
            custom = dict(custom_header_patterns or {})
            names = _names(headers_to_split_on, custom)
            patterns = CustomHeadings(custom, headers_to_split_on) if custom else None
            style = dataclasses.replace(style, names=names, custom=patterns)
        elif custom_header_patterns:
            msg = (
                "custom_header_patterns needs headers_to_split_on, which names their metadata: "
                f"got {custom_header_patterns!r} alone."
            )
            raise SettingError(msg)
        self._style = style
        self._limits = dataclasses.replace(self._limits, always=self._always(split_on_headings))

    def _always(self, split_on_headings: bool) -> Strength:
        """Give the weakest boundary that divides even what fits."""
        if self._style.each_block:
            return Strength.BLOCK
        levels = self._style.levels
        if split_on_headings and levels:
            return Strength.section(max(levels))
        return Strength.DOCUMENT  # front matter

    def _fits(self, code: str) -> bool:
        """Say whether a code block fits, with room for headings in front."""
        size = self._limits.size
        if isinstance(self._measure, CharacterMeasure):
            return len(code) <= size * 0.8
        # counted only if need be: a token of code has two characters or more, with few exceptions
        return len(code) <= size * 1.6 or self._measure(code) <= size * 0.8

    def read(self, text: str) -> Outline:
        """Read Markdown; see `langchain_chunkers.readers.markdown`."""
        return read_markdown(text, self._style)

    def describe(
        self,
        outline: Outline,  # noqa: ARG002
        regions: Regions,
        start: int,
        end: int,
    ) -> Mapping[str, Any]:
        """Give the language of the first code block in the chunk."""
        return language_of(regions.between(start, end))

    def _partition(self) -> dict[str, Any]:
        return {"strip_headers": False, "front_matter": "chunk"}


def _names(headers: Sequence[Any], custom: Mapping[str, int]) -> dict[int, str | None]:
    """Give the metadata key of each level of ``#`` headings."""
    names: dict[int, str | None] = {}
    for pair in headers:
        if isinstance(pair, str) or len(pair) != 2 or not isinstance(pair[0], str):
            msg = f"headers_to_split_on must be pairs of a mark and a name: got {pair!r}."
            raise SettingError(msg)
        mark, name = pair
        if mark in custom:
            continue
        if not 1 <= len(mark) <= 6 or mark.strip("#"):
            msg = (
                f"headers_to_split_on must have marks of one to six '#': got {mark!r}. "
                f"Give the level of others in custom_header_patterns."
            )
            raise SettingError(msg)
        names[len(mark)] = name
    return names
