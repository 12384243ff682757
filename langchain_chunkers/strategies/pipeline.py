"""Two splitters in a row: ``coarse | fine``."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from langchain_core.documents import Document

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError
from langchain_chunkers.outline import Strength
from langchain_chunkers.packing import Chunk

__all__ = ["PipelineSplitter"]


class _Together:
    """Adds what several metadata functions give. Picklable, if they are."""

    def __init__(self, functions: Sequence[Callable[[Document], Mapping[str, Any]]]) -> None:
        self.functions = functions

    def __call__(self, document: Document) -> dict[str, Any]:
        facts: dict[str, Any] = {}
        for function in self.functions:
            facts.update(function(document))
        return facts


class PipelineSplitter(BaseSplitter):
    """Splits what ``coarse`` emits with ``fine``; offsets stay those of the whole text.

    The metadata that ``coarse`` knows (headings, pages) goes on, that of ``fine`` is added. Size,
    overlap and measure are those of ``fine``; text that ``coarse`` repeats in front of a chunk is
    left to ``fine``.

    Args:
        coarse: The first splitter.
        fine: The second one.
        **options: ``add_start_index``, ``add_metadata``, ``metadata_function``, ``show_progress``;
            the rest is for the two splitters.

    Example:
        >>> from langchain_chunkers import ParagraphSplitter, SentenceSplitter
        >>> splitter = ParagraphSplitter(chunk_size=None) | SentenceSplitter(chunk_size=None)
        >>> [tuple(span) for span in splitter.split_spans("One. Two.\\n\\nThree.")]
        [(0, 4), (5, 9), (11, 17)]
    """

    name = "pipeline"

    def __init__(self, coarse: Any, fine: Any, **options: Any) -> None:
        for role, splitter in (("coarse", coarse), ("fine", fine)):
            if not isinstance(splitter, BaseSplitter):
                msg = f"{role} must be a splitter of this package: got {type(splitter).__name__}."
                raise InputError(msg)
        size = fine._limits.size
        options.setdefault("chunk_size", int(size) if size < 2**62 else None)
        options.setdefault("chunk_overlap", fine._chunk_overlap)
        options.setdefault("length_function", fine._measure)
        options.setdefault("strip_whitespace", fine._strip_whitespace)
        options.setdefault("min_chunk_size", int(fine._limits.least))
        options.setdefault("on_oversize", fine._limits.oversize)
        options.setdefault("add_metadata", tuple(dict.fromkeys(coarse._facts + fine._facts)))
        own = options.pop("metadata_function", None)
        functions = [f for f in (coarse._metadata_function, fine._metadata_function, own) if f]
        super().__init__(metadata_function=_Together(functions) if functions else None, **options)
        self._coarse, self._fine = coarse, fine

    def _packed(self, text: str) -> tuple[str, Iterator[Chunk]]:
        source, chunks = self._coarse._split(text)
        return source, self._refined(source, chunks)

    def _refined(self, source: str, chunks: Iterator[Chunk]) -> Iterator[Chunk]:
        for chunk in chunks:
            piece, finer = self._fine._split(source[chunk.start : chunk.end])
            if piece != source[chunk.start : chunk.end]:
                msg = f"fine must keep the text as it is: {type(self._fine).__name__} renders another."
                raise InputError(msg)
            for inner in finer:
                yield Chunk(
                    inner.start + chunk.start,
                    inner.end + chunk.start,
                    max(inner.fresh + chunk.start, min(chunk.fresh, inner.end + chunk.start)),
                    chunk.strength if inner.strength is Strength.DOCUMENT else inner.strength,
                    inner.prefix,
                    inner.suffix,
                    {**chunk.metadata, **inner.metadata},
                )

    def _with(self, overrides: Any) -> PipelineSplitter:
        """Hand the settings that the second splitter knows to it."""
        if not overrides:
            return self
        own = {"add_start_index", "add_metadata", "metadata_function", "show_progress"}
        fine = self._fine._with({k: v for k, v in overrides.items() if k not in own})
        coarse = self._coarse
        lossless = {
            k: v for k, v in overrides.items() if k in ("strip_whitespace", "chunk_overlap")
        }
        if lossless.get("strip_whitespace") is False:
            coarse = coarse._with(lossless)
        kept = {k: v for k, v in self._settings.items() if k in own}
        return PipelineSplitter(
            coarse, fine, **kept, **{k: v for k, v in overrides.items() if k in own}
        )
