"""Checks of which spans were chosen: nested, overlapping as asked, filled."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

import regex

from langchain_chunkers.outline import Outline, Regions, Span, Strength
from langchain_chunkers.testing._split import Split

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from langchain_chunkers.base import BaseSplitter

__all__ = ["check_filled", "check_nested", "check_overlap"]

_FIRST_WORD = regex.compile(r"\S+\s*")
_NONE = -1  # weaker than every strength
_WORD = (_NONE, int(Strength.WORD))


def check_nested(splitter: BaseSplitter, text: str) -> None:
    """Check that no chunk crosses a boundary stronger than its ends, and that headings stay.

    For splitters that know structure, without ``min_chunk_size``. Only the boundaries that the
    reader gives count; a place that the engine found below them is weaker than all of them.

    Args:
        splitter: The splitter.
        text: Any string.

    Raises:
        AssertionError: A chunk is no run of whole siblings, or a heading ends a chunk though the
            word behind it would fit.
    """
    split = Split(splitter, text)
    outline = splitter.read(text)
    strengths = _legal(split, outline)
    cuts = [_strongest(strengths, end, start) for end, start in split.gaps]
    cuts = [Strength.DOCUMENT, *cuts[1:-1], Strength.DOCUMENT]
    for span, left, right in zip(split.spans, cuts, cuts[1:], strict=False):
        inner = _strongest(strengths, span.fresh + 1, span.end - 1)
        what = f"Ends of strength {left} and {right}, but one of {inner} is crossed."
        split.demand(inner <= min(left, right), what, span)
    _check_headings(split, outline)


def _legal(split: Split, outline: Outline) -> dict[int, int]:
    """Give the strength at each place of the reader that lies between grapheme clusters."""
    found: dict[int, int] = {}
    for strength, ats in outline.places.items():
        for at in ats:
            behind = at + len(split.source[at:]) - len(split.source[at:].lstrip())
            if at in split.between and (not split.strips or behind in split.between):
                found[at] = max(strength, found.get(at, _NONE))
    return dict(sorted(found.items()))


def _strongest(strengths: Mapping[int, int], first: int, last: int) -> int:
    return max((value for at, value in strengths.items() if first <= at <= last), default=_NONE)


def _check_headings(split: Split, outline: Outline) -> None:
    """Check that no chunk ends in or right behind a heading that fits with the word behind it."""
    source = split.source
    for start, end in _chains(outline):
        word = _FIRST_WORD.match(source, end)
        if word is None:
            continue
        # Marks of tokens are off by a few, so the engine may not see that the last units fit.
        spare = 0 if split.adds_up else 4 + split.size // 4
        first = not source[:start].strip()
        room = split.size - (0 if first else split.overlap) - spare
        whole = source[start : word.end()]
        if split.measure(whole.rstrip() if split.strips else whole) > room:
            continue
        for span, after in split.pairs:
            ends_here = start < span.end <= end and span.fresh < end
            split.demand(
                not ends_here, f"The heading {source[start:end]!r} ends a chunk.", span, after
            )


def _chains(outline: Outline) -> list[tuple[int, int]]:
    """Join headings that follow each other without text between."""
    chains: list[tuple[int, int]] = []
    for region in outline.regions:
        if region.kind == "heading":
            if chains and region.start <= chains[-1][1]:
                chains[-1] = (chains[-1][0], max(region.end, chains[-1][1]))
            else:
                chains.append((region.start, region.end))
    return chains


def check_overlap(splitter: BaseSplitter, text: str, *, always: bool = True) -> None:
    """Check that chunks repeat no more than ``chunk_overlap``, and something wherever it fits.

    Args:
        splitter: The splitter.
        text: Any string.
        always: Demand an overlap wherever the cap has room for one character of it. ``False`` for
            splitters that overlap at places of their own only, such as whole sentences. Looked at
            for measures that add up, such as characters.

    Raises:
        AssertionError: Too much is shared, or nothing where something fits.
    """
    split = Split(splitter, text)
    for before, span in split.pairs:
        split.demand(before.start < span.start, "Starts must increase.", before, span)
        shared = split.source[span.start : max(span.start, before.end)]
        count = split.measure(shared) if shared else 0
        what = f"{shared!r} is shared, {count} of at most {split.overlap}."
        split.demand(count <= split.overlap, what, before, span)
        if always and not shared and split.overlap and split.adds_up:
            fits = _overlaps_that_fit(split, before, span)
            split.demand(not fits, f"Nothing is shared; starts at {fits} would do.", before, span)


def _overlaps_that_fit(split: Split, before: Span, span: Span) -> list[int]:
    low = max(before.start + 1, before.end - split.overlap, span.end - split.size)
    first, last = bisect_left(split.edges, low), bisect_left(split.edges, before.end)
    ats = split.edges[first:last]
    return [at for at in ats if not split.strips or not split.source[at].isspace()]


def check_filled(splitter: BaseSplitter, text: str, *, fills: bool = False) -> None:
    """Check that no chunk could have been saved by giving a neighbour's text to it.

    Looked at for measures that add up, such as characters; marks of tokens are off by a few. Words
    are shared out as they come, so cuts between words are not looked at.

    Args:
        splitter: The splitter, without ``min_chunk_size``.
        text: Any string.
        fills: The splitter fills each chunk up to the last character that fits. Otherwise it packs
            siblings: two neighbouring chunks fit into one only where a stronger boundary parts
            them than stands at their outer ends, or one that always divides.

    Raises:
        AssertionError: Two chunks could have been one.
    """
    split = Split(splitter, text)
    if not split.adds_up:
        return
    if fills:
        _check_full(split)
        return
    outline = splitter.read(text)
    cuts = _cuts(split, outline)
    room = _room(split, outline)
    for index, (span, after) in enumerate(split.pairs):
        left, cut, right = cuts[index : index + 3]
        if cut <= _WORD or cut > min(left, right) or cut[0] >= split.always:
            continue
        count = split.measure(split.source[span.fresh : after.end])
        what = f"{count} units in two chunks, room for {room(span)}, parted by strength {cut}."
        split.demand(count > room(span), what, span, after)


def _cuts(split: Split, outline: Outline) -> list[tuple[int, int]]:
    """Give the strength at the start of each chunk and at the end: the reader's first.

    What the engine finds below is weaker than all places of the reader, whatever its name.
    """
    strengths = _legal(split, outline)
    ends = (Strength.DOCUMENT, Strength.DOCUMENT)
    inner = [
        (_strongest(strengths, end, start), int(span.strength))
        for (end, start), span in zip(split.gaps, split.spans, strict=False)
    ]
    found = [(given, _NONE if given > _NONE else below) for given, below in inner]
    return [ends, *found[1:], ends]


def _room(split: Split, outline: Outline) -> Callable[[Span], float]:
    """Give the room for new text: overlap is kept free in all chunks but the first.

    What a region repeats around its chunks is kept free in each that starts there.
    """
    first = split.spans[0].fresh if split.spans else 0
    regions = Regions(outline.regions)

    def room(span: Span) -> float:
        region = regions.at(span.fresh)
        around = region.prefix + region.suffix if region else ""
        overlap = split.overlap if span.fresh > first else 0
        return split.size - overlap - (split.measure(around) if around else 0)

    return room


def _check_full(split: Split) -> None:
    for span, after in split.pairs:
        if not split.between.issuperset((span.start, span.end)):  # part of one that is too large
            continue
        end = split.edges[bisect_right(split.edges, after.fresh)]
        count = split.measure(split.source[span.start : end])
        split.demand(count > split.size, f"There was room for {count}.", span, after)
