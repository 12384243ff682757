"""The reader of Docling documents, by their exported dictionary: docling itself is not needed.

A `DoclingDocument` is a tree of items: titles, section headers, paragraphs, lists, tables, pictures.
Here it is written as one clean text, in reading order, with its outline: sections, blocks, list items and
rows, what is repeated in front of each (headings, captions, header rows), and the way back from each
stretch to the items, pages and boxes that it comes from.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from langchain_chunkers.errors import InputError
from langchain_chunkers.outline import Outline
from langchain_chunkers.plain import read_plain
from langchain_chunkers.readers.docling_items import Items
from langchain_chunkers.readers.docling_output import DoclingOptions, Writer

__all__ = ["DoclingOptions", "as_docling", "read_docling"]

_NAME = "DoclingDocument"


def as_docling(source: Any) -> Mapping[str, Any] | None:
    """Find the dictionary of a Docling document in what was given.

    Args:
        source: A document of Docling (anything with ``export_to_dict``), its dictionary, or its JSON.

    Returns:
        The dictionary; ``None`` for anything else.

    Cost: linear; JSON is read only where it names the format.

    Example:
        >>> as_docling('{"schema_name": "DoclingDocument", "texts": []}')
        {'schema_name': 'DoclingDocument', 'texts': []}
        >>> as_docling("Some text.") is None
        True
    """
    if isinstance(source, str):
        if not source.lstrip("\ufeff \t\r\n").startswith("{") or f'"{_NAME}"' not in source:
            return None
        try:
            source = json.loads(source.lstrip("\ufeff"))
        except (ValueError, RecursionError):  # no JSON, or nested deeper than any document
            return None
    elif not isinstance(source, Mapping):
        export = getattr(source, "export_to_dict", None)
        if not callable(export):
            return None
        source = export()
    if isinstance(source, Mapping) and source.get("schema_name") == _NAME:
        return source
    return None


def read_docling(source: Any, options: DoclingOptions | None = None) -> Outline:
    """Read a Docling document; a text that is none is read as plain text.

    Args:
        source: What `as_docling` takes, or any string.
        options: What is written, and how much may be repeated.

    Returns:
        The outline of the document's text. SECTIONn at headings, BLOCK around tables and pictures,
        PARAGRAPH between other blocks, LINE between list items and rows.

    Raises:
        InputError: It is neither text nor a document.

    Cost: linear in the document.

    Example:
        >>> texts = [
        ...     {"self_ref": "#/texts/0", "label": "title", "text": "Tea"},
        ...     {"self_ref": "#/texts/1", "label": "text", "text": "Hot."},
        ... ]
        >>> children = [{"$ref": "#/texts/0"}, {"$ref": "#/texts/1"}]
        >>> document = {
        ...     "schema_name": "DoclingDocument",
        ...     "body": {"children": children},
        ...     "texts": texts,
        ... }
        >>> read_docling(document).text
        'Tea\\n\\nHot.'
    """
    document = as_docling(source)
    if document is None:
        if isinstance(source, str):
            return read_plain(source)
        msg = (
            f"A DoclingDocument, its dictionary, its JSON or a text is needed: got "
            f"{type(source).__name__}."
        )
        raise InputError(msg)
    options = options or DoclingOptions()
    writer = Writer(document, options)
    for block in Items(document, options.layers, pictures=options.pictures).blocks():
        writer.write(block)
    return writer.outline()
