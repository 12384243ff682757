"""Splits chunks that know their place: what it gives counts from the start of the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.documents import Document

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.packing import Chunk
from langchain_chunkers.wrappers.levels import check_splitter

__all__ = ["InsideSplitter"]

_REPEATED = frozenset({"prefix", "suffix", "prefix_omitted"})


class InsideSplitter(BaseSplitter):
    """Splits chunks that have ``start_index``, such as the parents of a ``ParentDocumentRetriever``.

    Other splitters, and LangChain's, count from the start of the text that they are given, and so
    overwrite ``start_index`` with another meaning. Lines are treated alike: counted from
    ``line_start`` of what is split, and left out where it has none.

    Args:
        inner: Any splitter of this package.
        **options: Settings of the splitter, for this one.

    Example:
        >>> from langchain_chunkers import SentenceSplitter
        >>> part = Document(page_content="It leaks. Mend it.", metadata={"start_index": 100})
        >>> chunks = InsideSplitter(SentenceSplitter(chunk_size=None)).split_documents([part])
        >>> [chunk.metadata["start_index"] for chunk in chunks]
        [100, 110]
    """

    name = "inside"

    def __init__(self, inner: BaseSplitter, **options: Any) -> None:
        self._inner = check_splitter(inner)._with({"add_start_index": True, **options})
        size = self._inner._limits.size
        super().__init__(
            chunk_size=int(size) if size < 2**62 else None,
            chunk_overlap=self._inner._chunk_overlap,
            length_function=self._inner._measure,
            strip_whitespace=self._inner._strip_whitespace,
            on_oversize=self._inner._limits.oversize,  # type: ignore[arg-type]
        )

    def _packed(self, text: str) -> tuple[str, Iterator[Chunk]]:
        return self._inner._packed(text)

    def _content(self, source: str, start: int, end: int) -> str:
        return self._inner._content(source, start, end)

    def _emitted(self, source: str, chunk: Chunk) -> str:
        return self._inner._emitted(source, chunk)

    def _documents(self, text: str, metadata: Mapping[str, Any]) -> list[Document]:
        given = {k: v for k, v in metadata.items() if k not in _REPEATED}
        documents = self._inner._documents(text, given)
        start = metadata.get("start_index")
        if not isinstance(start, int) or start < 0:
            return documents
        # what is repeated around the whole is no text of the source, in its parts either
        prefix, suffix = metadata.get("prefix", ""), metadata.get("suffix", "")
        first, last = len(prefix), len(text) - len(suffix)
        line = metadata.get("line_start")
        for document in documents:
            own = document.metadata
            low, high = own["start_index"], own["end_index"]
            before, after = text[low : min(high, first)], text[max(low, last) : high]
            if before:
                own["prefix"] = own.get("prefix", "") + before
            if after:
                own["suffix"] = after + own.get("suffix", "")
            own["start_index"] = start + min(max(low, first), last) - first
            own["end_index"] = start + min(max(high, first), last) - first
            for name in ("line_start", "line_end"):
                if name in own and isinstance(line, int):
                    own[name] = line + max(0, own[name] - 1 - prefix.count("\n"))
                else:
                    own.pop(name, None)
        return documents

    def _with(self, overrides: Mapping[str, Any]) -> InsideSplitter:
        return type(self)(self._inner._with(overrides)) if overrides else self
