"""Splitters whose reading waits for a model: async methods that await it, rather than block a thread."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Self

from langchain_core.documents import Document
from langchain_core.runnables.config import run_in_executor

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.ladder import Rung
from langchain_chunkers.outline import Outline, Regions, Span
from langchain_chunkers.plain import read_plain

__all__ = ["AheadSplitter", "ModelReader"]


class AheadSplitter(BaseSplitter):
    """A splitter that awaits what it needs for a text, then packs in a thread.

    A subclass gives `_ahead`.
    """

    async def _ahead(self, text: str, metadata: Mapping[str, Any] | None = None) -> Self:
        """Make a splitter that has asked all about ``text`` already."""
        raise NotImplementedError

    async def asplit_text(self, text: str, **overrides: Any) -> list[str]:
        """As `split_text`; the model is awaited."""
        ready = await self._with(overrides)._ahead(text)
        return await run_in_executor(None, ready.split_text, text)

    async def asplit_spans(self, text: str, **overrides: Any) -> list[Span]:
        """As `split_spans`; the model is awaited."""
        ready = await self._with(overrides)._ahead(text)
        return await run_in_executor(None, ready.split_spans, text)

    async def acreate_documents(
        self,
        texts: Iterable[str],
        metadatas: Sequence[Mapping[str, Any]] | None = None,
        **overrides: Any,
    ) -> list[Document]:
        """As `create_documents`; the model is awaited."""
        texts = list(texts)
        if metadatas and len(metadatas) < len(texts):
            msg = f"metadatas must have one for each text: got {len(metadatas)} for {len(texts)}."
            raise InputError(msg)
        splitter = self._with(overrides)
        documents = []
        for text, metadata in zip(texts, metadatas or [{}] * len(texts), strict=False):
            ready = await splitter._ahead(text, metadata)
            documents += await run_in_executor(None, ready.create_documents, [text], [metadata])
        return documents

    async def alazy_split_documents(
        self, documents: Iterable[Document], **overrides: Any
    ) -> AsyncIterator[Document]:
        """As `lazy_split_documents`; the model is awaited, one document after another."""
        splitter = self._with(overrides)
        for document in documents:
            ready = await splitter._ahead(document.page_content, document.metadata)
            for chunk in await run_in_executor(None, ready.split_documents, [document]):
                yield chunk

    async def asplit_documents(
        self, documents: Iterable[Document], **overrides: Any
    ) -> list[Document]:
        """As `split_documents`; the model is awaited."""
        return [chunk async for chunk in self.alazy_split_documents(documents, **overrides)]


class ModelReader(AheadSplitter):
    """A splitter that asks a model where to divide.

    A subclass gives `ask` and `aask`. Reading is done first, then the engine packs in a thread.

    Args:
        *args: Settings of `BaseSplitter`.
        structure: A splitter whose reader says what headings and blocks there are; ``None`` for
            those of plain text.
        **options: Settings of `BaseSplitter`.
    """

    _asked: tuple[str, Outline] | None = None  # an outline that was read ahead

    def __init__(self, *args: Any, structure: BaseSplitter | None = None, **options: Any) -> None:
        super().__init__(*args, **options)
        _check_structure(structure)
        self._structure = structure

    def _structure_of(self, text: str) -> Outline:
        """Read headings and blocks."""
        return read_plain(text) if self._structure is None else self._structure.read(text)

    def ladder(self, kind: str) -> Sequence[Rung]:
        """Give the rungs of the structure's splitter, if there is one."""
        return super().ladder(kind) if self._structure is None else self._structure.ladder(kind)

    def describe(
        self, outline: Outline, regions: Regions, start: int, end: int
    ) -> Mapping[str, Any]:
        """Give what the structure's splitter says of a chunk."""
        if self._structure is None:
            return {}
        return self._structure.describe(outline, regions, start, end)

    def ask(self, text: str) -> Outline:
        """Read a text with a model that is called."""
        raise NotImplementedError

    async def aask(self, text: str) -> Outline:
        """Read a text with a model that is awaited."""
        raise NotImplementedError

    def read(self, text: str) -> Outline:
        """Give what was read ahead for this text, or ask."""
        if self._asked is not None and self._asked[0] == text:
            return self._asked[1]
        return self.ask(text)

    async def aread(self, text: str) -> Outline:
        """As `read`, and the model is awaited."""
        return await self.aask(text)

    async def _ahead(self, text: str, metadata: Mapping[str, Any] | None = None) -> Self:  # noqa: ARG002
        """Make a splitter that has read ``text`` already."""
        ready = copy.copy(self)
        if isinstance(text, str):  # what is none is refused where it is split
            ready._asked = (text, await self.aread(text))
        return ready


def _check_structure(structure: Any) -> None:
    """Refuse what is no splitter, and splitters whose chunks are no slices."""
    if structure is None:
        return
    if not isinstance(structure, BaseSplitter):
        msg = f"structure must be a splitter of this package: got {type(structure).__name__}."
        raise SettingError(msg)
    if type(structure)._content is not BaseSplitter._content:
        msg = (
            f"structure must be a splitter whose chunks are slices of the text: "
            f"{type(structure).__name__} renders them."
        )
        raise SettingError(msg)
