"""Why a text was divided where it was: as data, and as a plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from langchain_chunkers._extras import need
from langchain_chunkers.outline import Span

__all__ = ["Candidate", "Explanation"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """A place at which a topic might have begun.

    Attributes:
        at: The place: first character of a sentence.
        similarity: How alike both sides are, -1 to 1; ``None`` where that is not known.
        score: What is held against the threshold; larger for a better boundary. ``None`` as above.
        chosen: A topic begins here.
        reason: Why, or why not: ``"topic"``, ``"heading"``, ``"not enough"``, ``"too small"`` (the
            topic joined another, for ``min_chunk_size``), ``"whole section"``.
        text: How the sentence begins.
    """

    at: int
    similarity: float | None
    score: float | None
    chosen: bool
    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Explanation:
    """What a `SemanticSplitter` saw in a text, and what it made of it.

    Attributes:
        method: How it decided.
        amount: The amount given to the method.
        threshold: Scores above it are boundaries; ``None`` where there was nothing to decide.
        candidates: All places at which a topic might have begun, in order.
        spans: The chunks, after the cap was applied.
    """

    method: str
    amount: float
    threshold: float | None
    candidates: Sequence[Candidate]
    spans: Sequence[Span]

    def plot(self, ax: Any = None) -> Any:
        """Draw similarity and score along the text, the threshold, and the chunks as bands.

        Args:
            ax: A pair of matplotlib axes, one for similarities and one for scores; made if not given.

        Returns:
            The matplotlib ``Figure``; notebooks show it, and ``savefig`` writes it.

        Raises:
            MissingExtraError: The extra ``plot`` is not installed.
        """
        figures = need("matplotlib.figure", "plot", "Explanation.plot")
        if ax is None:
            figure = figures.Figure(figsize=(10, 5), layout="constrained")
            ax = figure.subplots(2, 1, sharex=True)
        upper, lower = ax
        for number, span in enumerate(self.spans):
            for each in (upper, lower):
                each.axvspan(span.start, span.end, color="0.93" if number % 2 else "0.98", lw=0)
        for each, name in ((upper, "similarity"), (lower, "score")):
            known = [c for c in self.candidates if getattr(c, name) is not None]
            each.plot([c.at for c in known], [getattr(c, name) for c in known], lw=1, color="C0")
            chosen = [c for c in known if c.chosen]
            each.plot([c.at for c in chosen], [getattr(c, name) for c in chosen], "o", color="C3")
            each.set_ylabel(name)
        for candidate in self.candidates:
            if candidate.reason == "heading":
                upper.axvline(candidate.at, color="C2", lw=0.8)
        if self.threshold is not None:
            lower.axhline(self.threshold, color="C1", ls="--", lw=1)
        lower.set_xlabel("character")
        upper.set_title(f"{self.method}, {self.amount:g}: {len(self.spans)} chunks")
        return upper.figure
