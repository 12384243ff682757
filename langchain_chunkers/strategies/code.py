"""Source code by function and class."""

from __future__ import annotations

import copy
import dataclasses
import math
from collections.abc import Mapping
from typing import Any, Self

from langchain_core.documents import Document

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import MissingExtraError, SettingError
from langchain_chunkers.outline import Outline, Regions, Strength
from langchain_chunkers.readers.code import ALONE, CodeNotes, read_code
from langchain_chunkers.readers.code_guess import guess_language
from langchain_chunkers.readers.code_languages import GRAMMARS, canonical, grammar_of
from langchain_chunkers.readers.code_parse import load

__all__ = ["CodeSplitter"]

_SOURCES = ("source", "file_path", "file_name", "filename", "path", "name")
_USUAL = 200  # characters below which nothing is opened where there is no cap
_FINEST = 16  # the least that is worth a look
_LONGEST = 8  # characters of a unit of code, in any measure that people use


class CodeSplitter(BaseSplitter):
    """Divides source code by function and class, by syntax (tree-sitter).

    A function that fits is never cut. Neighbours that fit together share a chunk; a class too large
    is divided between its members, a function too large between its statements, from outer ones
    to inner ones. Comments, decorators, attributes and docstrings stay with what they are about;
    imports stay together. Indentation is kept. A syntax error costs nothing but where it is.
    A language without a grammar is read by indentation and blank lines, and never an error.

    Args:
        chunk_size: The cap; ``None`` for a chunk for each function, method and head of a class.
        chunk_overlap: Units that a chunk may repeat of what came before.
        language: Name, alias or file suffix, such as ``"python"``, ``"c++"``, ``"ts"``; ``"auto"``
            to find it out for each document: from its metadata (``source``, ``file_path``,
            ``file_name``, ``path``; or ``language``), else from the text.
        include_signatures: Repeat the signatures of what is around a chunk in front of it; they
            count in the cap, and are left out where they would take over half of it.
        split_on_definitions: Each function, method and head of a class begins a chunk, however
            small; ``None`` for where there is no cap.
        **options: Settings of `BaseSplitter`.

    Metadata: ``language``, ``symbol`` (such as ``class Cache > def evict``), ``line_start`` and
    ``line_end`` (from 1).

    Guarantees: sliced, lossless, capped, whole characters, nested, filled, stable, own metadata,
    bounded, total, portable.

    Raises:
        MissingExtraError: The extra ``code`` is not installed.

    Cost: that of the parser, 2 to 8 MB/s. A text of over ten million characters, and one on which
    the parser does not come forward, is read by indentation.

    Example:
        >>> code = "import os\\n\\n\\ndef a():\\n    return 1\\n\\n\\ndef b():\\n    return 2\\n"
        >>> for document in CodeSplitter(40, language="python").create_documents([code]):
        ...     print(document.metadata["symbol"], repr(document.page_content))
        def a 'import os\\n\\n\\ndef a():\\n    return 1'
        def b 'def b():\\n    return 2'
    """

    name = "code"
    trims = "lines"

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        language: str = "auto",
        include_signatures: bool = False,
        split_on_definitions: bool | None = None,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, **options)
        language = getattr(language, "value", language)  # LangChain's Language
        if not isinstance(language, str) or not language.strip():
            known = ", ".join(sorted(GRAMMARS))
            msg = (
                f"language must be the name of a language, or 'auto': got {language!r}. Read by "
                f"syntax are: {known}; any other by indentation."
            )
            raise SettingError(msg)
        self._settings.update({"language": language} if "language" in self._settings else {})
        self._language = canonical(language)
        self._signatures = include_signatures
        each = chunk_size is None if split_on_definitions is None else split_on_definitions
        self._each = each
        if each:
            self._limits = dataclasses.replace(self._limits, always=Strength.SECTION6)
        if self._language == "auto":
            need("tree_sitter", "code", "CodeSplitter")
            need("pygments", "code", "CodeSplitter(language='auto')")
        else:
            grammar = grammar_of(self._language)
            if grammar is not None:
                load(grammar)

    @classmethod
    def from_language(cls, language: str, **kwargs: Any) -> Self:
        """Make a splitter for a language; as in LangChain's ``RecursiveCharacterTextSplitter``."""
        return cls(language=language, **kwargs)

    def read(self, text: str) -> Outline:
        """Read code."""
        language = self._language
        if language == "auto":
            language = guess_language(text) or "text"
        try:
            return self._read(text, language)
        except MissingExtraError:
            if self._language != "auto":
                raise
            return self._read(text, "text")

    def _read(self, text: str, language: str) -> Outline:
        return read_code(
            text,
            language,
            scale=ALONE,
            least=self._least,
            signatures=self._signatures,
            every_container=self._each,
            fits=lambda start, end: self._fits(text, start, end),
        )

    def _fits(self, text: str, start: int, end: int) -> bool:
        """Say whether a stretch fits the cap; where its length leaves no doubt, without a count."""
        size = self._limits.size
        if end - start > _LONGEST * size:
            return False
        return end - start <= size or self._measure(text[start:end]) <= size

    @property
    def _least(self) -> int:
        """Characters of a node that fits for certain, or as good as."""
        size = self._limits.size
        return _USUAL if size == math.inf else max(_FINEST, int(size) // 2)

    def describe(
        self,
        outline: Outline,
        regions: Regions,  # noqa: ARG002
        start: int,
        end: int,
    ) -> Mapping[str, Any]:
        """Give the language, the symbol and the lines of a chunk."""
        notes: CodeNotes = outline.notes
        symbol = notes.symbol(outline.text, start, end)
        first, last = notes.lines(outline.text, start, end)
        known = {"language": notes.language, "line_start": first, "line_end": last}
        return {**known, "symbol": symbol} if symbol else known

    def _documents(self, text: str, metadata: Mapping[str, Any]) -> list[Document]:
        """Present chunks; where the language is to be found out, metadata may say it."""
        if self._language != "auto":
            return super()._documents(text, metadata)
        names = [metadata[key] for key in _SOURCES if isinstance(metadata.get(key), str)]
        said = metadata.get("language")
        said = getattr(said, "value", said)
        found = guess_language(text, names, said if isinstance(said, str) else None)
        own = copy.copy(self)
        own._language = found or "text"
        try:
            return BaseSplitter._documents(own, text, metadata)
        except MissingExtraError:  # a wheel is missing, and no text is an error
            own._language = "text"
            return BaseSplitter._documents(own, text, metadata)
