"""Boundaries where the meaning changes, by any embedding model.

A few lines over 300, a third of them the docstring of what can be set.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.length import Scale
from langchain_chunkers.outline import Outline, Span
from langchain_chunkers.semantic.cluster import WIDEST, cluster, reach
from langchain_chunkers.semantic.explain import Candidate, Explanation
from langchain_chunkers.semantic.methods import (
    AMOUNTS,
    BUFFERS,
    Curve,
    block_curve,
    neighbour_curve,
    strongest,
)
from langchain_chunkers.semantic.model import WordLlamaEmbeddings
from langchain_chunkers.semantic.reading import ModelReader
from langchain_chunkers.semantic.topics import join_topics, whole_sections, within
from langchain_chunkers.semantic.units import TOPIC, Units, raised, read_units
from langchain_chunkers.semantic.vectors import Asking, Band, arun, ask_band, run
from langchain_chunkers.settings import check_choice, check_count

__all__ = ["SemanticSplitter"]

Method = Literal[
    "cluster",
    "minima",
    "threshold",
    "percentile",
    "standard_deviation",
    "interquartile",
    "gradient",
]


class _Reading(NamedTuple):
    """What was found out about a text: its units, the curve, and why each gap is what it is."""

    units: Units
    curve: Curve
    joined: NDArray[np.bool_]
    whole: Sequence[tuple[int, int]]

    @property
    def outline(self) -> Outline:
        chosen = np.flatnonzero(self.curve.chosen & ~self.joined) + 1
        return raised(self.units, chosen.tolist(), self.whole)


class SemanticSplitter(ModelReader):
    """Divides where the meaning changes: one topic a chunk, up to the cap.

    The embedding model is asked how alike neighbouring sentences are. Its answers decide only which
    of the engine's sentence boundaries begin a topic, so text, offsets and cap are safe whatever it
    answers. Topics never reach over a heading; a topic over the cap is divided like any text, at
    paragraphs first. A code block is one sentence.

    Args:
        embeddings: Any LangChain ``Embeddings``; ``None`` for `WordLlamaEmbeddings`, which needs no
            network (extra ``semantic``).
        chunk_size: The cap, not an aim; ``None`` for none. Topics of prose have some 500 to 1,500
            characters, so the default is larger than that of other splitters.
        chunk_overlap: Units that a chunk may repeat of what came before.
        method: How to decide. ``"cluster"``: the division in which sentences of one topic are most
            alike, by dynamic programming, cap and ``min_chunk_size`` included. ``"minima"``:
            valleys in the similarity of blocks. ``"threshold"``: neighbours whose cosine is below a
            fixed value. ``"percentile"``, ``"standard_deviation"``, ``"interquartile"``,
            ``"gradient"``: those of LangChain's ``SemanticChunker``, with its numbers.
        amount: How much: what a boundary costs (``"cluster"``, 0.5), standard deviations
            (``"minima"``, 0), a cosine (``"threshold"``, 0.7), LangChain's default for its own.
        buffer_size: Sentences on each side that are sent along with a sentence (1; 0 for
            ``"cluster"``); for ``"minima"`` sentences of a block (5).
        number_of_chunks: This many topics instead, the strongest boundaries; headings count, and
            the cap may divide further. Not with ``"cluster"``.
        min_chunk_size: Topics below this many units join the neighbour they are more like, if both
            fit; never over a heading.
        whole_sections: Do not divide a section that fits the cap (nor a text that fits).
        structure: A splitter whose reader says what headings and blocks there are; ``None`` for
            those of plain text. Such as ``MarkdownSplitter()``.
        batch_size: Most sentences in one call of the model, and in memory.
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless, capped, whole characters, nested, own metadata, bounded. Stable as
    far as the model is.

    Raises:
        SettingError: A setting cannot be used.
        MissingExtraError: No model is given, and the extra ``semantic`` is not installed.
        ModelError: While splitting: there are more or fewer vectors than texts, or no vectors.

    Cost: one embedding of each sentence. Beside it linear in the text; memory for ``batch_size``
    vectors and at most 128 numbers a sentence.

    Example:
        >>> splitter = SemanticSplitter()
        >>> splitter.split_text(
        ...     "The kiln is hot. The glaze melts in the kiln. Potters watch the kiln. "
        ...     "Taxes rose in May. The tax office wrote letters. Few paid the tax."
        ... )  # doctest: +NORMALIZE_WHITESPACE
        ['The kiln is hot. The glaze melts in the kiln. Potters watch the kiln.',
         'Taxes rose in May. The tax office wrote letters. Few paid the tax.']
    """

    name = "semantic"

    def __init__(
        self,
        embeddings: Embeddings | None = None,
        chunk_size: int | None = 2000,
        chunk_overlap: int = 0,
        *,
        method: Method = "cluster",
        amount: float | None = None,
        buffer_size: int | None = None,
        number_of_chunks: int | None = None,
        whole_sections: bool = False,
        structure: BaseSplitter | None = None,
        batch_size: int = 256,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, structure=structure, **options)
        check_choice("method", method, tuple(AMOUNTS))
        self._embeddings = _model(embeddings)
        self._method = method
        self._amount = _amount(method, amount)
        self._buffer = BUFFERS[method] if buffer_size is None else buffer_size
        check_count("buffer_size", self._buffer, None, "sentences")
        _check_positive("number_of_chunks", 1 if number_of_chunks is None else number_of_chunks)
        _check_positive("batch_size", batch_size)
        if method == "minima" and not 1 <= self._buffer <= WIDEST // 2:
            msg = f"buffer_size must be 1 to {WIDEST // 2} for 'minima': got {self._buffer}."
            raise SettingError(msg)
        if method == "cluster" and number_of_chunks is not None:
            msg = (
                "number_of_chunks is not for 'cluster', which weighs all boundaries together. "
                "Use another method, such as 'minima', or change amount."
            )
            raise SettingError(msg)
        self._number, self._whole_sections = number_of_chunks, bool(whole_sections)
        self._batch = batch_size
        self._least = self._limits.least
        # topics always divide; small ones were joined before, by meaning and not over headings
        self._limits = dataclasses.replace(self._limits, always=TOPIC, least=0)

    # ------------------------------------------------------------------ reading

    def ask(self, text: str) -> Outline:
        """Read the text, embed its sentences, and raise the boundaries of topics."""
        return run(self._reading(text), self._embed).outline

    @property
    def _embed(self) -> Callable[[list[str]], Any]:
        model = self._embeddings
        # lists of numbers and back again take as long as all else here
        return model.embed_array if type(model) is WordLlamaEmbeddings else model.embed_documents

    async def aask(self, text: str) -> Outline:
        """As `ask`, through ``aembed_documents``."""
        return (await arun(self._reading(text), self._embeddings.aembed_documents)).outline

    def _reading(self, text: str) -> Asking[_Reading]:
        outline = self._structure_of(text)
        units = read_units(outline, self.ladder)
        scale = self._scale(outline)
        whole = whole_sections(units, scale, self._limits) if self._whole_sections else []
        gaps = max(units.count - 1, 0)
        free = np.ones(gaps, dtype=bool)
        free[[first - 1 for first in units.firsts if first]] = False
        free &= ~np.asarray(within(units.edges[1:-1], whole), dtype=bool)
        if not free.any():
            nothing = np.full(gaps, np.nan)
            curve = Curve(nothing, nothing, np.inf, np.zeros(gaps, dtype=bool))
            return _Reading(units, curve, curve.chosen, whole)
        marks = _marks(units, scale)
        curve = yield from self._curve(units, marks, free, scale)
        joined = np.zeros(gaps, dtype=bool)
        if self._least:
            joined = join_topics(units, curve, free, marks, self._least, self._limits.size)
        return _Reading(units, curve, joined, whole)

    def _curve(
        self,
        units: Units,
        marks: tuple[Sequence[float], Sequence[float]],
        free: NDArray[np.bool_],
        scale: Scale,
    ) -> Asking[Curve]:
        """Ask the model, and decide by the method."""
        if self._method == "cluster":
            return (yield from self._clustered(units, marks, free, scale))
        if self._method == "minima":
            band = yield from self._band(units, 2 * self._buffer - 1, 0)
            sides = [
                (gap + 1 - first, last - gap - 1)
                for gap in range(units.count - 1)
                for first, last in [units.section_of(gap)]
            ]
            curve = block_curve(self._amount, band, self._buffer, np.asarray(sides))
        else:
            band = yield from self._band(units, 1, self._buffer)
            similarity = np.where(free, band.neighbours(), np.nan)
            curve = neighbour_curve(self._method, self._amount, similarity)
        curve = curve._replace(chosen=curve.chosen & free)
        if self._number is None:
            return curve
        return strongest(curve, self._number - len(units.firsts), free)

    def _clustered(
        self,
        units: Units,
        marks: tuple[Sequence[float], Sequence[float]],
        free: NDArray[np.bool_],
        scale: Scale,
    ) -> Asking[Curve]:
        # marks of tokens miss by a unit or two at the edges, and the engine would divide such a block
        size = self._limits.size - (0 if scale.additive else 2)
        lows = reach(*marks, units.firsts, size)
        width = max(max(end - low for end, low in enumerate(lows)) - 1, 1)
        band = yield from self._band(units, width, self._buffer)
        cuts, gains, cost = cluster(band, lows, self._amount, *marks, self._least)
        chosen = np.zeros(units.count - 1, dtype=bool)
        chosen[[cut - 1 for cut in cuts]] = True
        return Curve(np.where(free, band.neighbours(), np.nan), gains, cost, chosen & free)

    def _band(self, units: Units, width: int, buffer: int) -> Asking[Band]:
        def text_of(number: int) -> str:
            if not buffer:
                return units.text(number, number + 1)
            first, last = units.section_of(number)
            return units.text(max(number - buffer, first), min(number + buffer + 1, last))

        return ask_band(text_of, units.count, width, self._batch)

    # ------------------------------------------------------------------ explaining

    def explain(self, text: str) -> Explanation:
        """Say where topics might have begun in ``text``, and why they do or do not.

        Args:
            text: Any string.

        Returns:
            The similarity curve, threshold, candidates with reasons, and the chunks; ``plot()``
            draws them.

        Example:
            >>> found = SemanticSplitter().explain("Kilns are hot. Glaze melts. Taxes rose.")
            >>> [(each.at, each.reason) for each in found.candidates]
            [(15, 'not enough'), (28, 'topic')]
        """
        reading = run(self._reading(text), self._embed)
        candidates = tuple(_candidates(reading))
        threshold = _number(reading.curve.threshold)
        spans = self._spans_of(reading.outline)
        return Explanation(self._method, self._amount, threshold, candidates, spans)

    def _spans_of(self, outline: Outline) -> tuple[Span, ...]:
        """Pack an outline that is read already."""
        return tuple(Span(*chunk[:6]) for chunk in self._chunks(outline))


def _model(embeddings: Any) -> Embeddings:
    """Give the model, or say what was wanted."""
    if embeddings is None:
        return WordLlamaEmbeddings()
    if not callable(getattr(embeddings, "embed_documents", None)):
        msg = (
            f"embeddings must be a LangChain Embeddings, or None for the one that needs no network: "
            f"got {embeddings!r:.80}."
        )
        raise InputError(msg)
    model: Embeddings = embeddings
    return model


def _check_positive(name: str, value: Any) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        msg = f"{name} must be a positive integer: got {value!r}."
        raise SettingError(msg)


def _amount(method: str, amount: Any) -> float:
    """Check the amount for a method."""
    if amount is None:
        return AMOUNTS[method]
    low, high = {
        "threshold": (-1.0, 1.0),
        "percentile": (0.0, 100.0),
        "gradient": (0.0, 100.0),
    }.get(method, (-1e6, 1e6))
    if isinstance(amount, bool) or not isinstance(amount, int | float) or not low <= amount <= high:
        msg = f"amount must be a number of {low:g} to {high:g} for {method!r}: got {amount!r}."
        raise SettingError(msg)
    return float(amount)


def _candidates(reading: _Reading) -> Iterator[Candidate]:
    units, curve = reading.units, reading.curve
    headings = set(units.firsts)
    inside = within(units.edges[1:-1], reading.whole)
    for gap, at in enumerate(units.edges[1:-1]):
        chosen = bool(curve.chosen[gap] and not reading.joined[gap])
        if inside[gap]:
            reason, chosen = "whole section", False
        elif gap + 1 in headings:
            reason, chosen = "heading", True
        elif reading.joined[gap]:
            reason = "too small"
        else:
            reason = "topic" if chosen else "not enough"
        similarity, score = _number(curve.similarity[gap]), _number(curve.score[gap])
        shown = units.text(gap + 1, gap + 2)[:60]
        yield Candidate(at, similarity, score, chosen, reason, shown)


def _marks(units: Units, scale: Scale) -> tuple[list[float], list[float]]:
    """Give the marks of the measure at the start and at the end of each unit's content."""
    return list(scale.marks(units.edges[:-1])), list(scale.marks(units.ends))


def _number(value: Any) -> float | None:
    """Give a plain number; ``None`` for what is not known."""
    return float(value) if np.isfinite(value) else None
