"""A sweep over strategies and sizes: what to take for a given size of prompt."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.documents import Document

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.evaluation.bootstrap import Interval, paired
from langchain_chunkers.evaluation.comparing import compare
from langchain_chunkers.evaluation.questions import Question
from langchain_chunkers.evaluation.results import Comparison, Row
from langchain_chunkers.length import measure_for
from langchain_chunkers.tokens import TiktokenMeasure

__all__ = ["Recommendation", "recommend"]

Strategy = Callable[..., BaseSplitter]


@dataclass(frozen=True)
class Recommendation:
    """What `recommend` found, best first.

    Attributes:
        ranked: Name of the splitter, recall of the evidence within the budget, and the difference
            to the best with its interval.
        ties: The best, and those that these questions cannot tell from it.
        comparison: The comparison behind it.
        budget: Size of the prompt.
    """

    ranked: Sequence[tuple[str, float, Interval]]
    ties: Sequence[str]
    comparison: Comparison
    budget: int

    def __str__(self) -> str:
        """Say it in words, and the table under it."""
        best = self.ranked[0][0]
        unit = self.comparison.unit
        told = f"Best for prompts of {self.budget:,} {unit}: {best}"
        if len(self.ties) > 1:
            others = ", ".join(self.ties[1:])
            told += f", but these questions cannot tell it from {others}"
        lines = [
            f"| {name} | {recall:.3f} | {gap.mean:+.3f} ({gap.low:+.3f} to {gap.high:+.3f}) |"
            for name, recall, gap in self.ranked
        ]
        head = f"| splitter | recall in {self.budget} | to the best |\n|---|---:|---:|"
        return "\n".join([f"{told}.", "", head, *lines])


def recommend(
    documents: Iterable[Document] | Mapping[str, str],
    questions: Iterable[Question],
    *,
    budget: int = 2000,
    sizes: Sequence[int] = (128, 256, 512),
    strategies: Mapping[str, Strategy] | None = None,
    retriever: Any = "bm25",
    length_function: Any = None,
    seed: int = 0,
    **options: Any,
) -> Recommendation:
    """Try strategies at several sizes, and rank them by the evidence that fits in a prompt.

    Args:
        documents: As of `compare`.
        questions: As of `compare`.
        budget: Size of the prompt, in units of ``length_function``.
        sizes: Values of ``chunk_size`` to try, in the same units.
        strategies: Splitter classes (or functions of ``chunk_size`` and ``length_function``) by
            name; ``None`` for recursive, sentence, paragraph, Markdown if its extra is there, and
            fixed size.
        retriever: One retriever, as of `compare`.
        length_function: What is counted; ``None`` for tokens of ``cl100k_base``.
        seed: Seed of the intervals.
        **options: Other arguments of `compare`.

    Returns:
        A `Recommendation`. Ties are named as ties: take the cheapest of them.

    Raises:
        SettingError: Nothing to try, or no question could be located.

    Cost: that of `compare` for each strategy and size.

    Example:
        >>> text = "The pump failed in May. A worn seal was the cause. It was replaced in June."
        >>> asked = [Question("Why?", "log", answers=("A worn seal was the cause.",))]
        >>> found = recommend({"log": text}, asked, budget=30, sizes=(30, 60), length_function=len)
        >>> found.ranked[0][1] >= found.ranked[-1][1]
        True
    """
    measure = TiktokenMeasure() if length_function is None else measure_for(length_function)
    tried = _default_strategies() if strategies is None else strategies
    splitters = {
        f"{name} {size}": make(chunk_size=size, length_function=measure)
        for name, make in tried.items()
        for size in sizes
    }
    if not splitters:
        msg = "Nothing to try: give at least one strategy and one size."
        raise SettingError(msg)
    comparison = compare(
        splitters,
        documents,
        list(questions),
        retrievers=[retriever],
        budgets=(budget,),
        length_function=measure,
        seed=seed,
        **options,
    )
    if not comparison.rows:
        notes = "; ".join(comparison.notes)
        msg = f"No question is left whose answer is in the documents: {notes}."
        raise SettingError(msg)
    return _ranked(comparison, budget, seed)


def _default_strategies() -> dict[str, Strategy]:
    from importlib.util import find_spec

    import langchain_chunkers as package

    found: dict[str, Strategy] = {
        "recursive": package.RecursiveSplitter,
        "sentence": package.SentenceSplitter,
        "paragraph": package.ParagraphSplitter,
    }
    if find_spec("pyromark"):
        found["markdown"] = package.MarkdownSplitter
    found["fixed"] = package.FixedSizeSplitter
    return found


def _ranked(comparison: Comparison, budget: int, seed: int) -> Recommendation:
    """Rank by recall, and compare each with the best, question by question."""
    name = f"recall in {budget}"

    def values(row: Row) -> list[float]:
        return [found.values[name] for found in row.found]

    rows = sorted(comparison.rows, key=lambda row: -row.scores[name].mean)
    best = values(rows[0])
    ranked = [
        (row.splitter, row.scores[name].mean, paired(values(row), best, seed=seed)) for row in rows
    ]
    ties = [splitter for splitter, _, gap in ranked if gap.verdict == "no difference"]
    return Recommendation(ranked, ties, comparison, budget)
