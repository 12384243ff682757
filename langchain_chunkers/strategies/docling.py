"""Docling documents by their own structure: sections, lists, tables, pictures."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.documents import Document

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.ladder import Rung
from langchain_chunkers.outline import Outline, Part, Regions, Strength
from langchain_chunkers.packing import Chunk
from langchain_chunkers.readers.docling import DoclingOptions, as_docling, read_docling
from langchain_chunkers.readers.docling_notes import Notes, facts_of
from langchain_chunkers.readers.table_cells import ladder_of

__all__ = ["DoclingSplitter"]

_LAYERS = ("body", "furniture", "background", "invisible", "notes")


class _Given(NamedTuple):
    """What is split, in the place of a LangChain document."""

    page_content: Any
    metadata: Mapping[str, Any]
    id: str | None = None


class DoclingSplitter(BaseSplitter):
    """Divides a Docling document by its own structure: sections, paragraphs, lists, tables, pictures.

    Takes a ``DoclingDocument``, its dictionary, its JSON, or a LangChain document that carries one of
    them in its text or metadata; Docling itself need not be installed. A text that is no Docling JSON is
    split as plain text.

    A heading starts a chunk; what has the same headings is packed together. Tables and pictures are
    chunks of their own, with their captions. Tables are Markdown, their rows whole: a table over the cap
    is divided between rows, and one too wide between columns. Chunks that begin inside a section or a
    table repeat its headings, caption and header row, which are declared in ``metadata["prefix"]``.

    Chunks have ``Header 1`` to ``Header 6``; ``page``, ``pages`` (such as ``"3,4"``), ``bbox`` (JSON of
    left, top, right, bottom on ``page``, from the top left corner, in the units of the page), ``boxes``
    (JSON of page and box of each item, where there are several), ``label`` (such as ``"table"``),
    ``doc_items`` (such as ``"#/texts/3,#/texts/4"``), ``language`` of code, and ``source`` where only the
    document knows it. All are strings or numbers, as vector stores want them.

    Offsets and spans are those of ``read(document).text``. Pictures without caption, description or chart
    data have no text, and give no chunk.

    Args:
        chunk_size: The cap; ``None`` for no cap, then structure alone decides.
        chunk_overlap: Units that a chunk may repeat of what came before.
        max_tokens: The cap in tokens: of ``length_function`` where it is a tokenizer, else of
            cl100k_base.
        merge_peers: Pack blocks with the same headings together; ``False`` for a chunk each.
        repeat_table_header: Repeat the header row in front of rows.
        include_headings: Repeat the headings in front of chunks that do not begin with them.
        chunk: ``False`` for the whole document as one chunk, whatever its size.
        key_columns: So many columns, from the first, stand in each group of columns of a wide table.
        content_layers: What is read: ``"body"``, ``"furniture"`` (page headers and footers, menus),
            ``"notes"`` (comments, speaker's notes), ``"background"``, ``"invisible"``.
        traverse_pictures: Read text found inside pictures too.
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless, capped, whole characters, nested, stable, own metadata, bounded,
        total, portable; of the text written anew. Headings that take over half of the cap are not repeated
        whole: the innermost are kept.

    Raises:
        SettingError: A setting cannot be used.
        InputError: What was given is neither text nor a document.

    Cost: linear in the document.

    Example:
        >>> texts = [
        ...     {"self_ref": "#/texts/0", "label": "section_header", "level": 1, "text": "Tea"},
        ...     {
        ...         "self_ref": "#/texts/1",
        ...         "label": "text",
        ...         "text": "Black tea is hot. Green tea too.",
        ...     },
        ... ]
        >>> children = [{"$ref": "#/texts/0"}, {"$ref": "#/texts/1"}]
        >>> document = {
        ...     "schema_name": "DoclingDocument",
        ...     "body": {"children": children},
        ...     "texts": texts,
        ... }
        >>> for chunk in DoclingSplitter(chunk_size=24).split_documents([document]):
        ...     print(repr(chunk.page_content), chunk.metadata["doc_items"])
        'Tea\\n\\nBlack tea is hot.' #/texts/0,#/texts/1
        'Tea\\n\\nGreen tea too.' #/texts/1
    """

    name = "docling"
    trims = "lines"
    aliases = (("max_tokens", "chunk_size"),)

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        max_tokens: int | None = None,
        merge_peers: bool = True,
        repeat_table_header: bool = True,
        include_headings: bool = True,
        chunk: bool = True,
        key_columns: int = 1,
        content_layers: Sequence[str] = ("body",),
        traverse_pictures: bool = False,
        length_function: Any = None,
        **options: Any,
    ) -> None:
        size = _cap(chunk_size, max_tokens, self._settings) if chunk else None
        if not chunk and (chunk_overlap or options.get("min_chunk_size")):
            msg = (
                "chunk=False gives the whole document: leave out chunk_overlap and min_chunk_size."
            )
            raise SettingError(msg)
        if length_function is None:
            length_function = _tokens() if max_tokens is not None else len
            if max_tokens is not None:  # a call that gives another cap still means tokens
                self._settings["length_function"] = length_function
        super().__init__(size, chunk_overlap, length_function, **options)
        if type(key_columns) is not int or key_columns < 0:
            msg = f"key_columns must be an integer, 0 or more: got {key_columns!r}."
            raise SettingError(msg)
        layers = (content_layers,) if isinstance(content_layers, str) else tuple(content_layers)
        if not layers or any(layer not in _LAYERS for layer in layers):
            msg = f"content_layers must be some of {', '.join(_LAYERS)}: got {content_layers!r}."
            raise SettingError(msg)
        self._whole = not chunk
        self._options = DoclingOptions(
            include_headings, repeat_table_header, key_columns, layers, traverse_pictures,
            self._limits.size, self._measure,
        )  # fmt: skip
        always = Strength.BLOCK if merge_peers else Strength.PARAGRAPH
        self._limits = dataclasses.replace(self._limits, always=always)

    def read(self, text: Any) -> Outline:
        """Read a Docling document, or any text."""
        return read_docling(text, self._options)

    def ladder(self, kind: str) -> Sequence[Rung]:
        """Give the rungs for a kind of text; those of rows do not cut cells that fit."""
        return ladder_of(kind) if kind.startswith("table") else super().ladder(kind)

    def describe(
        self, outline: Outline, regions: Regions, start: int, end: int
    ) -> Mapping[str, Any]:
        """Say under which headings a chunk stands, on which pages, and what it is made of."""
        del regions
        notes = outline.notes
        return notes.describe(start, end) if isinstance(notes, Notes) else {}

    def _quick(self, text: Any) -> Sequence[Part] | None:
        """Read whatever it is: a document may be short, and is never its own text."""
        del text
        return None

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        if not self._whole:
            yield from super()._chunks(outline)
            return
        text = outline.text
        if text and (self._limits.trim == "none" or not text.isspace()):
            known = dict(self.describe(outline, Regions(()), 0, len(text)))
            for name in ("row_start", "row_end", "columns"):  # of its first table
                known.pop(name, None)
            yield Chunk(0, len(text), 0, Strength.DOCUMENT, "", "", known)

    def lazy_split_documents(
        self, documents: Iterable[Any], **overrides: Any
    ) -> Iterator[Document]:
        """Split documents one after another: LangChain's, or those of Docling themselves.

        Args:
            documents: LangChain documents with the JSON as their text, or with the document, its dictionary
                or its JSON anywhere in their metadata (where it is taken out); Docling documents or their
                dictionaries. The ``dl_meta`` of langchain-docling's loader is written flat.
            **overrides: Settings for this call only.

        Yields:
            The chunks of each in order, each with its own copy of the metadata.
        """
        given: Iterable[Any] = map(_given, documents)
        if isinstance(documents, Sequence):
            given = list(given)
        yield from super().lazy_split_documents(given, **overrides)

    def _documents(self, text: Any, metadata: Mapping[str, Any]) -> list[Document]:
        if not isinstance(text, str) or text.lstrip("\ufeff \t\r\n").startswith("{"):
            document = as_docling(text)
            if document is not None:
                origin = document.get("origin")
                name = origin.get("filename") if isinstance(origin, Mapping) else None
                if isinstance(name, str) and "source" not in metadata:
                    metadata = {"source": name, **metadata}
                text = document
        return super()._documents(text, metadata)


def _given(document: Any) -> _Given:
    """Find what a LangChain document carries."""
    if not isinstance(document, Document):
        return _Given(document, {})
    metadata = document.metadata
    meta = metadata.get("dl_meta")
    if isinstance(meta, Mapping):
        rest = {key: value for key, value in metadata.items() if key != "dl_meta"}
        metadata = {**facts_of(meta), **rest}
    for key, value in metadata.items():
        if not isinstance(value, int | float | None):
            found = as_docling(value)
            if found is not None:
                rest = {name: other for name, other in metadata.items() if name != key}
                return _Given(found, rest, document.id)
    return _Given(document.page_content, metadata, document.id)


def _cap(size: int | None, tokens: int | None, given: Mapping[str, Any]) -> int | None:
    if tokens is None:
        return size
    if "chunk_size" in given and size not in (None, tokens):
        msg = f"max_tokens and chunk_size are the same: got {tokens} and {size}. Give one."
        raise SettingError(msg)
    return tokens


def _tokens() -> Any:
    from langchain_chunkers.tokens import TiktokenMeasure

    return TiktokenMeasure()
