"""Overlap, and small chunks that join a neighbour: what happens to pieces after packing."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence

from langchain_chunkers.ladder import (
    content_end,
    content_start,
    grapheme_place,
    is_between,
    next_grapheme,
    next_word_place,
)
from langchain_chunkers.outline import Strength
from langchain_chunkers.packing import Packer, Piece

__all__ = ["join_small", "overlap_start"]

_TRIES = 12  # recounts of one overlap; marks of tokens miss by a few units, so two or three do


def join_small(packer: Packer, pieces: Sequence[Piece]) -> list[Piece]:
    """Let pieces below ``least`` units join a neighbour, where both together fit.

    The neighbour behind the weaker boundary is tried first: it belongs closer together.
    """
    least = packer.limits.least
    joined: list[Piece] = []
    queue = list(pieces)
    for index, piece in enumerate(queue):
        if packer.scale.mark(piece.end) - packer.scale.mark(piece.start) > 2 * least + 8:
            joined.append(piece)
            continue
        if packer.count(piece.start, piece.end) >= least:
            joined.append(piece)
            continue
        after = queue[index + 1] if index + 1 < len(queue) else None
        sides = [(piece.strength, 0)] if joined else []
        sides += [(after.strength, 1)] if after else []
        for _, side in sorted(sides):
            if side and after and packer.fits(piece.start, after.end, packer.cap(piece.start)):
                queue[index + 1] = Piece(piece.start, after.end, piece.strength)
                break
            if not side:
                head = joined[-1]
                if packer.fits(head.start, piece.end, packer.cap(head.start)):
                    joined[-1] = head._replace(end=piece.end)
                    break
        else:
            joined.append(piece)
    return joined


def overlap_start(packer: Packer, before: int, at: int, fresh: int, end: int | None) -> int:
    """Find where a chunk starts so that it repeats some of what came before.

    Args:
        packer: The text and its limits.
        before: Where the chunk before starts; this one starts later, so each moves on.
        at: The end of the chunk before.
        fresh: Where this chunk's new text starts.
        end: Where this chunk ends, or ``None`` while that is open.

    Returns:
        The start: as far back as the overlap and the cap allow, at the best place of the first
        half of that window; ``fresh`` where nothing fits.
    """
    overlap = packer.limits.overlap
    if not overlap:
        return fresh
    scale, size = packer.scale, packer.limits.size
    tail = content_end(packer.text, before, at) if packer.limits.trim != "none" else at
    low = max(before + 1, scale.place(scale.mark(tail) - overlap))
    if packer.limits.overlap_parts:
        low = max(low, packer.parts_before(fresh))
    if packer.prefixed:
        low = _behind_header(packer, low, fresh)
        if low >= tail:
            return fresh
    if end is not None and size != math.inf:
        low = max(low, scale.place(scale.mark(end) - size))
    for _ in range(_TRIES):
        start = _best_start(packer, before, low, tail)
        if packer.limits.trim != "none" and start < tail and packer.text[start].isspace():
            start = content_start(packer.text, start, tail)
        if start >= tail:
            break
        over = _over(packer, start, tail, end)
        if over <= 0:
            return start
        low = max(start + 1, scale.place(scale.mark(start) + over))
    if packer.limits.overlap_from > Strength.WORD:
        return fresh
    # the estimate may have led beyond the tail: its last character is the least there is
    start = grapheme_place(packer.text, before, tail - 1) if tail - 1 > before else tail
    return (
        start if start > before and start < tail and _over(packer, start, tail, end) <= 0 else fresh
    )


def _behind_header(packer: Packer, low: int, fresh: int) -> int:
    """Move the start of overlap off a header that is repeated in front anyway."""
    own = packer.regions.at(fresh)
    if own is not None and own.start < fresh:
        low = max(low, own.start + len(own.prefix))  # no further back than its own region
    region = packer.regions.at(low)
    if region is not None and region.start < low < region.start + len(region.prefix):
        low = region.start + len(region.prefix)
    return low


def _over(packer: Packer, start: int, tail: int, end: int | None) -> float:
    """Count by how much overlap from ``start`` exceeds the overlap, or the chunk with it the cap."""
    over = packer.scale.count(start, tail) - packer.limits.overlap
    if end is not None:
        # both ends are those of the chunk already; trimming again could drop a separator twice
        over = max(over, packer.emitted(start, end) - packer.limits.size)
    return over


def _best_start(packer: Packer, before: int, low: int, tail: int) -> int:
    """Give the best place in ``[low, tail)`` for overlap to begin; ``tail`` if there is none."""
    text, least = packer.text, packer.limits.overlap_from
    half = low + (tail - low) // 2
    found = tail
    for strength, ats in packer.levels:
        if strength >= least:
            index = bisect_left(ats, low)
            found = _first(packer, before, ats[index : index + 2], found)
            if found <= half:
                return found
    for rung in packer.ladders(packer.kind_at(low)):
        if rung.strength >= least:
            found = _first(packer, before, rung.places(text, low - 1, tail), found)
            if found <= half:
                return found
    if least > Strength.WORD:
        return found
    word = low if text[low - 1].isspace() else next_word_place(text, low, tail)
    if word < tail and is_between(text, before, word):
        return word
    place = grapheme_place(text, before, low)
    return place if place >= low else next_grapheme(text, place)


def _first(packer: Packer, before: int, ats: Sequence[int], limit: int) -> int:
    """Give the first place that lies between grapheme clusters; ``limit`` if it comes first."""
    for at in ats:
        if at >= limit:
            break
        if is_between(packer.text, before, at):
            return at
    return limit
