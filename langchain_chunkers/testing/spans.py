"""Checks of what a chunk is: a slice, nothing lost, under the cap, of whole characters."""

from __future__ import annotations

from bisect import bisect_right
from typing import TYPE_CHECKING

import regex

from langchain_chunkers.testing._split import Split

if TYPE_CHECKING:
    from langchain_text_splitters import TextSplitter

__all__ = ["check_capped", "check_lossless", "check_sliced", "check_whole_characters"]


def check_sliced(splitter: TextSplitter, text: str) -> None:
    """Check that each chunk is the slice that its span says, and that spans go forward.

    Coverage is what tells a right offset from a wrong one in repeated text: see `check_lossless`.

    Args:
        splitter: The splitter.
        text: Any string.

    Raises:
        AssertionError: A chunk is no slice, or spans stand still, go back or leave the text.
    """
    split = Split(splitter, text)
    source, spans = split.source, split.spans
    split.demand(
        len(spans) == len(split.chunks), f"{len(split.chunks)} chunks, {len(spans)} spans."
    )
    start = fresh = end = -1
    for span, chunk in zip(spans, split.chunks, strict=True):
        inside = 0 <= span.start <= span.fresh < span.end <= len(source)
        split.demand(inside, "A span leaves the text or has nothing new.", span)
        on = span.start > start and span.fresh > fresh and span.fresh >= end
        split.demand(on, f"Spans must go forward; this one follows {start}, {fresh}, {end}.", span)
        expected = span.prefix + source[span.start : span.end] + span.suffix
        split.demand(chunk == expected, f"The chunk {chunk!r} is not the slice {expected!r}.", span)
        start, fresh, end = span.start, span.fresh, span.end
    if hasattr(splitter, "split_spans"):
        documents = splitter.create_documents([text], add_start_index=True)  # type: ignore[call-arg]
        found = [(d.metadata["start_index"], d.page_content) for d in documents]
        expected_pairs = list(zip((span.start for span in spans), split.chunks, strict=True))
        split.demand(found == expected_pairs, f"Documents differ from spans: {found!r}.")


def check_lossless(splitter: TextSplitter, text: str) -> None:
    """Check that every character is in the new part of exactly one chunk, in order.

    With stripping, white space may be missing between chunks; without it, nothing. Where the
    splitter is called as a function, the pieces joined are the text.

    Args:
        splitter: The splitter.
        text: Any string.

    Raises:
        AssertionError: Characters are lost or stand in two new parts.
    """
    split = Split(splitter, text)
    for end, start in split.gaps:
        lost = split.source[end:start]
        split.demand(end <= start, f"The text from {start} to {end} is new in two chunks.")
        kept = not lost.strip() if split.strips else not lost
        split.demand(kept, f"Lost from {end} to {start}: {lost!r}.")
    if split.strips:
        split.demand(all(chunk.strip() for chunk in split.chunks), "A chunk is white space only.")
    if callable(splitter):
        pieces = splitter(text)
        split.demand("".join(pieces) == split.source, f"Called, it gives other text: {pieces!r}.")


def check_capped(splitter: TextSplitter, text: str) -> None:
    """Check that each chunk, as emitted, is within the cap by the splitter's own measure.

    The one exception is a grapheme cluster larger than the cap: alone, with ``on_oversize="keep"``;
    one code point of it, with ``"split"``.

    Args:
        splitter: The splitter.
        text: Any string.

    Raises:
        AssertionError: A chunk is larger.
    """
    split = Split(splitter, text)
    for span, chunk in zip(split.spans, split.chunks, strict=True):
        count = split.measure(chunk)
        if count <= split.size:
            continue
        unit = r"\X" if split.oversize == "keep" else r"(?s)."
        one = regex.fullmatch(unit, chunk)
        split.demand(one, f"The cap is {split.size}, but {chunk!r} has {count}.", span)


def check_whole_characters(splitter: TextSplitter, text: str) -> None:
    r"""Check that chunks begin and end between grapheme clusters (``\X``).

    The exceptions: inside a cluster larger than the cap, with ``on_oversize="split"``; and with
    stripping, before white space that ends a cluster (the prepended signs of some scripts join it).

    Args:
        splitter: The splitter.
        text: Any string.

    Raises:
        AssertionError: A cluster is cut.
    """
    split = Split(splitter, text)
    source, edges = split.source, split.edges
    for span in split.spans:
        for at in {span.start, span.fresh, span.end} - split.between:
            index = bisect_right(edges, at)
            low, high = edges[index - 1], edges[index]
            stripped = split.strips and at == span.end and source[at:high].isspace()
            too_large = split.oversize == "split" and split.measure(source[low:high]) > split.size
            cluster = source[low:high]
            split.demand(stripped or too_large, f"{cluster!r} is cut at {at}.", span)
