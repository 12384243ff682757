"""The units that meaning is asked about: sentences, as the engine finds them.

A unit is a sentence, a finished line, or a whole code block. Nothing but the edges between units
can become a boundary.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from langchain_chunkers.ladder import (
    Rung,
    clause_places,
    content_end,
    content_start,
    is_between,
    sentence_places,
)
from langchain_chunkers.outline import Outline, Region, Regions, Strength
from langchain_chunkers.plain import unglued

__all__ = ["TOPIC", "Units", "raised", "read_units", "send"]

TOPIC = Strength.BLOCK  # above paragraphs, below headings
_ATOMIC = ("code", "verbatim")  # kinds of regions that are one unit
_PHRASED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")  # scripts without full stops
_LONG = 200  # characters of a sentence of such a script that is taken apart at its phrases
_LONGEST = 4_000  # characters that a model is sent at once; models read 512 to 8,000 tokens
_SURROGATES = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Units:
    """The units of a text.

    Attributes:
        outline: What the reader of structure said.
        edges: ``n + 1`` ascending places; unit ``i`` is ``text[edges[i]:edges[i + 1]]`` and holds
            more than white space. No units: one edge or none.
        firsts: Ascending numbers of the units that begin a section, from 0 on.
        ends: Where the content of each unit ends, before the white space behind it.
    """

    outline: Outline
    edges: list[int]
    firsts: list[int]
    ends: list[int] = field(default_factory=list)

    def __post_init__(self) -> None:
        text = self.outline.text
        self.ends.extend(content_end(text, start, end) for start, end in pairwise(self.edges))

    @property
    def count(self) -> int:
        """How many there are."""
        return max(len(self.edges) - 1, 0)

    def text(self, first: int, last: int) -> str:
        """Give units ``first`` to ``last - 1`` as a model is sent them: white space around aside."""
        return send(self.outline.text[self.edges[first] : self.ends[last - 1]])

    def section_of(self, unit: int) -> tuple[int, int]:
        """Give the first unit of the section of a unit, and the first behind it."""
        index = bisect_right(self.firsts, unit)
        return self.firsts[index - 1], (
            self.firsts[index] if index < len(self.firsts) else self.count
        )


def send(text: str) -> str:
    """Make a text fit to be sent: at most 4,000 characters, without lone surrogates."""
    text = text[:_LONGEST]
    return text if text.isascii() else _SURROGATES.sub("\ufffd", text)


def read_units(outline: Outline, ladder: Callable[[str], Sequence[Rung]]) -> Units:
    """Find the units of a text whose structure is read.

    Args:
        outline: What the reader of structure said.
        ladder: The rungs of a kind of text.

    Returns:
        The units. A heading is one with the sentence that follows it.

    Cost: linear; that of finding sentences, 10 to 30 MB/s.
    """
    text = outline.text
    first, last = content_start(text, 0, len(text)), content_end(text, 0, len(text))
    if first >= last:
        return Units(outline, [], [])
    given = sorted({at for ats in outline.places.values() for at in ats if first < at < last})
    regions = Regions(outline.regions)
    # once for the whole text: it looks ahead, which a call for each short paragraph would repeat
    sentences = sentence_places(text, first, len(text))
    bounds = [first, *given, len(text)]
    ats: list[int] = []
    for start, end in pairwise(bounds):
        ats.append(start)
        region = regions.at(start)
        if region is None or region.kind not in _ATOMIC:
            rungs = ladder("prose" if region is None else region.kind)
            ats.extend(_inside(text, start, end, rungs, sentences))
    atomic = [r for r in outline.regions if r.kind in _ATOMIC or r.prefix]
    edges = _clean(text, unglued(ats, outline.regions), first, last, atomic)
    sections = {
        content_start(text, at, len(text))
        for strength, places in outline.places.items()
        if strength > TOPIC
        for at in places
    }
    firsts = [0, *(i for i, at in enumerate(edges[1:-1], 1) if at in sections)]
    return Units(outline, edges, firsts)


def _inside(
    text: str, start: int, end: int, rungs: Sequence[Rung], sentences: Sequence[int]
) -> list[int]:
    """List the places of sentences and above in a stretch."""
    found: set[int] = set()
    for rung in rungs:
        if rung.places is sentence_places:
            found.update(sentences[bisect_right(sentences, start) : bisect_left(sentences, end)])
        elif rung.strength >= Strength.SENTENCE:
            found.update(rung.places(text, start, end))
    ats = sorted(found)
    if end - start > _LONG and _PHRASED.search(text, start, end):
        bounds = [start, *ats, end]
        for low, high in pairwise(bounds):
            if high - low > _LONG and _PHRASED.search(text, low, high):
                found.update(clause_places(text, low, high))
        ats = sorted(found)
    return ats


def _clean(
    text: str, ats: Sequence[int], first: int, last: int, atomic: Sequence[Region]
) -> list[int]:
    """Move places behind white space; leave out those inside characters and blocks, and repeats."""
    starts = [region.start for region in atomic]
    edges = [first]
    for at in ats:
        place = content_start(text, at, len(text)) if at < len(text) else at
        if not edges[-1] < place < last or not is_between(text, edges[-1], place):
            continue
        index = bisect_left(starts, place) - 1
        if index >= 0 and place < atomic[index].end:
            continue
        edges.append(place)
    return [*edges, len(text)]


def raised(units: Units, chosen: Sequence[int], whole: Sequence[tuple[int, int]] = ()) -> Outline:
    """Raise chosen edges of units to boundaries of topics.

    Args:
        units: The units.
        chosen: Numbers of the units that begin a topic.
        whole: Stretches that stay whole: no boundary inside them is left.

    Returns:
        The outline of structure, in which topics are stronger than paragraphs and weaker than
        headings.
    """
    outline = units.outline
    kept = [
        (at, strength if strength > TOPIC else min(strength, Strength.PARAGRAPH))
        for strength, ats in outline.places.items()
        for at in ats
    ]
    kept += [(units.edges[number], TOPIC) for number in chosen]
    if whole:
        starts = [start for start, _ in whole]
        kept = [
            (at, strength)
            for at, strength in kept
            if (index := bisect_left(starts, at) - 1) < 0 or at >= whole[index][1]
        ]
    return Outline.of(outline.text, kept, outline.regions, outline.notes)
