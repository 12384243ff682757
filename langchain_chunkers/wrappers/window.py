"""One sentence for search, and around it a window for reading, kept as offsets."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Any, Literal

from langchain_chunkers.errors import SettingError
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.packing import Chunk
from langchain_chunkers.settings import check_choice
from langchain_chunkers.strategies.sentence import SentenceSplitter

__all__ = ["SentenceWindowSplitter"]


class SentenceWindowSplitter(SentenceSplitter):
    """Gives each sentence as a chunk, and says in its metadata where the window around it stands.

    A heading goes with the first sentence below it.

    What is embedded is one sentence, whose vector is sharp; what is read is the window. It is kept as
    ``window_start`` and ``window_end`` in characters of the source rather than as a copy: copies make
    the index as many times larger as the window has sentences. ``stitch(hits, windows=True)`` puts
    windows in the place of the sentences.

    Args:
        before: Chunks before the sentence that belong to its window.
        after: Chunks behind it.
        chunk_size: The cap of a chunk; a longer sentence falls to clauses and words. ``None`` for none.
        window: ``"offsets"``, or ``"text"``: a copy of the window too, in ``metadata["window"]``, for
            where the source is not at hand.
        **options: Settings of `SentenceSplitter`; ``add_start_index`` is on unless it is said otherwise.

    Guarantees: sliced, lossless, capped, whole characters, stable, bounded.

    Raises:
        SettingError: ``before`` or ``after`` is no count.

    Cost: that of `SentenceSplitter`; with ``window="text"``, also the copies.

    Source: the idea of LlamaIndex's SentenceWindowNodeParser.

    Example:
        >>> splitter = SentenceWindowSplitter(before=1, after=1)
        >>> text = "It failed. Why? The seal was worn. It was old."
        >>> chunk = splitter.create_documents([text])[2]
        >>> chunk.page_content
        'The seal was worn.'
        >>> text[chunk.metadata["window_start"] : chunk.metadata["window_end"]]
        'Why? The seal was worn. It was old.'
    """

    name = "sentence_window"
    plain = False  # each chunk has metadata of its own

    def __init__(
        self,
        before: int = 3,
        after: int = 3,
        chunk_size: int | None = None,
        *,
        window: Literal["offsets", "text"] = "offsets",
        **options: Any,
    ) -> None:
        for name, value in (("before", before), ("after", after)):
            if type(value) is not int or value < 0:
                msg = f"{name} must be an integer of chunks, zero or more: got {value!r}."
                raise SettingError(msg)
        check_choice("window", window, ("offsets", "text"))
        options.setdefault("add_start_index", True)
        super().__init__(chunk_size, **options)
        self._limits = dataclasses.replace(self._limits, always=Strength.SENTENCE)
        self._before, self._after, self._window = before, after, window

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        """Lay a window around each chunk."""
        chunks = list(super()._chunks(outline))
        last = len(chunks) - 1
        for number, chunk in enumerate(chunks):
            start = chunks[max(0, number - self._before)].start
            end = chunks[min(last, number + self._after)].end
            known: dict[str, Any] = {"window_start": start, "window_end": end}
            if self._window == "text":
                known["window"] = outline.text[start:end]
            yield chunk._replace(metadata={**chunk.metadata, **known})
