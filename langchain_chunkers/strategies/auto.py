"""Each document by the splitter of its kind, with the sizes that people use."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from langchain_core.documents import Document

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.config import from_config
from langchain_chunkers.errors import MissingExtraError, SettingError
from langchain_chunkers.length import measure_for
from langchain_chunkers.outline import Outline
from langchain_chunkers.packing import Chunk
from langchain_chunkers.routing import KINDS, kind_of
from langchain_chunkers.settings import check_choice

__all__ = ["RECIPES", "AutoSplitter"]

RECIPES: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "markdown": {"splitter": "markdown", "chunk_size": 400, "chunk_overlap": 50},
        "html": {"splitter": "html", "chunk_size": 400, "chunk_overlap": 50},
        "code": {"splitter": "code", "chunk_size": 800, "language": "auto"},
        "table": {"splitter": "table", "chunk_size": 400, "rows_per_chunk": 1},
        "json": {"splitter": "json", "chunk_size": 400},
        "dialogue": {"splitter": "dialogue", "chunk_size": 400, "overlap_turns": 1},
        "latex": {"splitter": "latex", "chunk_size": 400, "chunk_overlap": 50},
        "rst": {"splitter": "rst", "chunk_size": 400, "chunk_overlap": 50},
        "legal": {"splitter": "legal", "chunk_size": 300, "chunk_overlap": 40},
        "text": {"splitter": "recursive", "chunk_size": 400, "chunk_overlap": 40},
    }
)
"""A plain configuration for each kind of document, as `BaseSplitter.from_config` reads it.

Sizes in tokens. Documentation is asked in sections of some hundred tokens; code by function,
without overlap; contracts by clause; tables by row; conversations by turn, one turn repeated.
"""


class AutoSplitter(BaseSplitter):
    """Splits each document with the splitter of its kind.

    The kind is told by the file's name or MIME type in the metadata, else by the content. What is
    of no kind known here is plain text. A kind whose extra is not installed is split as plain text,
    with a warning that has the line to install it.

    Args:
        chunk_size: The cap for every kind; ``None`` for that of each recipe.
        chunk_overlap: The overlap for every kind; ``None`` for that of each recipe.
        recipes: Configurations by kind; each replaces that of `RECIPES`. ``{"code": {"splitter":
            "code", "chunk_size": 1200}}``
        kind: All documents are of this kind, whatever their names and contents say.
        length_function: What all sizes count; ``None`` for tokens of cl100k_base.
        **options: Settings of `BaseSplitter`, for every kind.

    Guarantees: those of the splitters; the kind of a document depends on nothing but the document.

    Raises:
        SettingError: A kind is not known, or a recipe cannot be used.

    Cost: that of the splitters; the look at the content reads its first 20,000 characters.

    Example:
        >>> splitter = AutoSplitter(length_function=len, chunk_size=30, chunk_overlap=0)
        >>> splitter.split_text("The pump failed at noon. The crew came.")
        ['The pump failed at noon.', 'The crew came.']
    """

    name = "auto"

    def __init__(
        self,
        chunk_size: int | None = None,
        chunk_overlap: int | None = None,
        *,
        recipes: Mapping[str, Mapping[str, Any]] | None = None,
        kind: str | None = None,
        length_function: Any = None,
        **options: Any,
    ) -> None:
        if length_function is None:
            from langchain_chunkers.tokens import TiktokenMeasure

            length_function = TiktokenMeasure()
        measure = measure_for(length_function)
        if kind is not None:
            check_choice("kind", kind, KINDS)
        for name in recipes or {}:
            check_choice("a kind in recipes", name, KINDS)
        common = {**options, "length_function": measure}
        if chunk_size is not None:
            common["chunk_size"] = chunk_size
        if chunk_overlap is not None:
            common["chunk_overlap"] = chunk_overlap
        self._kind = kind
        self.recipes = {
            name: {**recipe, **common} for name, recipe in {**RECIPES, **(recipes or {})}.items()
        }
        self._missing: dict[str, str] = {}
        self._splitters = {name: self._made(name) for name in self.recipes}
        sizes = [splitter.chunk_size for splitter in self._splitters.values()]
        super().__init__(
            None if None in sizes else max(size for size in sizes if size is not None),
            max(splitter.chunk_overlap for splitter in self._splitters.values()),
            measure,
            **options,
        )

    def _made(self, kind: str) -> BaseSplitter:
        recipe = self.recipes[kind]
        size, overlap = recipe.get("chunk_size"), recipe.get("chunk_overlap", 0)
        if size is not None and overlap >= size:
            recipe = {**recipe, "chunk_overlap": size // 8}  # a recipe's overlap, a smaller cap
        try:
            return from_config(BaseSplitter, recipe)
        except MissingExtraError as error:
            self._missing[kind] = str(error)
            return from_config(BaseSplitter, {**self.recipes["text"]})
        except SettingError as error:
            msg = f"The recipe for {kind} cannot be used: {error}"
            raise SettingError(msg) from error

    def kind_of(self, text: str, metadata: Mapping[str, Any] | None = None) -> str:
        """Tell of what kind a document is."""
        return self._kind or kind_of(text, metadata)

    def splitter_for(self, text: str, metadata: Mapping[str, Any] | None = None) -> BaseSplitter:
        """Give the splitter that a document goes to."""
        kind = self.kind_of(text, metadata)
        if kind in self._missing:
            warnings.warn(f"Split as plain text: {self._missing[kind]}", stacklevel=3)
        return self._splitters[kind]

    def read(self, text: str) -> Outline:
        """Read a text as its splitter does."""
        return self.splitter_for(text).read(text)

    def _packed(self, text: str) -> tuple[str, Iterator[Chunk]]:
        self._quick(text)  # refuses what is no text
        return self.splitter_for(text)._split(text)

    def _documents(self, text: str, metadata: Mapping[str, Any]) -> list[Document]:
        self._quick(text)
        return self.splitter_for(text, metadata)._documents(text, metadata)

    def split_files(self, paths: Any, encoding: str = "utf-8") -> list[Document]:
        """Split files, each by its kind.

        Args:
            paths: A file, a folder, a glob, or several; see `langchain_chunkers.files.load_files`.
            encoding: How the files are written.

        Returns:
            The chunks of all files in order; ``source`` in their metadata.
        """
        return self.split_documents(self._loaded(paths, encoding))

    def _loaded(self, paths: Any, encoding: str) -> Iterable[Document]:
        from langchain_chunkers.files import load_files

        return load_files(paths, encoding)
