"""What holds for every chunk of every splitter, in the simplest words that are surely right."""

from __future__ import annotations

import itertools
import math

import regex

from langchain_chunkers import (
    BaseSplitter,
    FixedSizeSplitter,
    NullSplitter,
    ParagraphSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    Span,
    TokenCountSplitter,
)

SIZED = {
    "fixed": FixedSizeSplitter,
    "token": TokenCountSplitter,
    "sentence": SentenceSplitter,
    "paragraph": ParagraphSplitter,
    "recursive": RecursiveSplitter,
}
ALL = {**SIZED, "null": NullSplitter}
FILLING = ("fixed", "token")


def make(name: str, chunk_size: int = 100, chunk_overlap: int = 0, **options) -> BaseSplitter:
    """Make a splitter by its short name; sizes in characters unless a measure is given.

    ``min_chunk_size`` is left out for those that fill, which refuse it.
    """
    if name in FILLING:
        options.pop("min_chunk_size", None)
    if name == "null":
        options.pop("length_function", None)
        return NullSplitter(**options)
    return SIZED[name](
        chunk_size=chunk_size,
        chunk_overlap=chunk_overlap,
        **{"length_function": len, **options},
    )


def clusters(text: str) -> set[int]:
    """List all places between grapheme clusters, the ends included."""
    return {0, *itertools.accumulate(len(found) for found in regex.findall(r"\X", text))}


def check(splitter: BaseSplitter, text: str) -> list[str]:
    """Assert every general guarantee for one text, and give the chunks."""
    spans = check_spans(splitter, text)
    chunks = splitter.split_text(text)
    assert chunks == [text[start:end] for start, end in spans]
    documents = splitter.create_documents([text], add_start_index=True)
    assert [d.page_content for d in documents] == chunks
    assert [(d.metadata["start_index"], d.metadata["end_index"]) for d in documents] == spans
    return chunks


def check_spans(splitter: BaseSplitter, text: str) -> list[Span]:
    """Assert what holds for spans: cover, cap, overlap, whole characters."""
    spans = splitter.split_spans(text)
    sized = not isinstance(splitter, NullSplitter)  # which keeps its text as it is
    strips = splitter._strip_whitespace
    _check_cover(text, spans, strips=strips and sized)
    for before, span in itertools.pairwise(spans):
        shared = text[span.start : before.end]
        assert not shared or splitter.length(shared) <= splitter._chunk_overlap, repr(shared)
    places = clusters(text)
    for span in spans:
        chunk = text[slice(*span)]
        assert not (strips and chunk.isspace())
        assert not (strips and sized and chunk[-1].isspace()), repr(chunk)
        size = splitter._chunk_size if sized else math.inf
        assert splitter.length(chunk) <= size or len(chunk) == 1, repr(chunk)
        for place in span:
            assert place in places or _oversize(splitter, text, places, place, size), (
                f"{place} lies inside a grapheme cluster: {chunk!r}"
            )
    return spans


def _check_cover(text: str, spans: list, *, strips: bool) -> None:
    """Each character is new in exactly one chunk, white space at the edges of chunks aside."""
    done, last = 0, -1
    for span in spans:
        assert span.start > last, "starts must increase"
        assert span.start <= span.fresh < span.end
        assert span.fresh >= done
        gap = text[done : span.fresh]
        assert not gap or (strips and gap.isspace()), f"lost {gap!r}"
        done, last = span.end, span.start
    rest = text[done:]
    assert not rest or (strips and rest.isspace()) or (not spans and rest.isspace()), (
        f"lost {rest!r} at the end"
    )


def _oversize(splitter: BaseSplitter, text: str, places: set[int], at: int, size: float) -> bool:
    """Say whether the cluster around ``at`` is above the cap by itself."""
    start = max(place for place in places if place < at)
    end = min(place for place in places if place > at)
    return splitter.length(text[start:end]) > size
