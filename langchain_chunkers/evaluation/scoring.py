"""What the retrieved chunks of one question are worth: all measures of one row of the table."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langchain_chunkers.evaluation import metrics
from langchain_chunkers.evaluation.chunking import Chunked
from langchain_chunkers.evaluation.questions import Question
from langchain_chunkers.evaluation.spans import Pair, common, size, union

__all__ = ["Found", "Ways", "depth_for", "names", "score"]

_NOISE = 3  # the places that noise is counted in: what a prompt usually has room for


@dataclass(frozen=True)
class Ways:
    """How retrieval is judged.

    Attributes:
        k: Chunks that are looked at.
        budgets: Sizes of prompts, in the unit of the comparison; evidence recall is given for each.
        relevance: ``"auto"``, ``"whole"`` or ``"half"``; see `Question.answered_by`.
    """

    k: int
    budgets: tuple[int, ...]
    relevance: str


@dataclass(frozen=True)
class Found:
    """The answer of a retriever to one question.

    Attributes:
        chunks: Numbers of the chunks, the best first.
        rank: Rank of the first chunk that answers, from 1; 0 if none of the first k does.
        values: The measures by name.
    """

    chunks: tuple[int, ...]
    rank: int
    values: Mapping[str, float]


def names(ways: Ways) -> list[str]:
    """List the names of the measures, in the order of the table."""
    k, near = ways.k, min(_NOISE, ways.k)
    first = ["hit@1"] if k > 1 else []
    return [
        *first,
        *(f"{name}@{k}" for name in ("hit", "mrr", "ndcg")),
        f"noise@{near}",
        f"noise floor@{near}",
        *(f"{name}@{k}" for name in ("recall", "precision", "iou")),
        *(f"recall in {budget}" for budget in ways.budgets),
    ]


def depth_for(chunked: Chunked, ways: Ways) -> int:
    """Say how many chunks are wanted: enough for k, and to spend the largest budget."""
    mean = sum(chunked.sizes) / max(1, len(chunked.sizes))
    spent = math.ceil(2 * max(ways.budgets, default=0) / max(1.0, mean))
    return min(max(ways.k, spent), len(chunked.documents))


def score(question: Question, numbers: Sequence[int], chunked: Chunked, ways: Ways) -> Found:
    """Judge what was retrieved for a question.

    Args:
        question: The question, with the places of its answer.
        numbers: Numbers of chunks, the best first.
        chunked: The chunks.
        ways: How to judge.
    """
    k, near, gold = ways.k, min(_NOISE, ways.k), union(question.gold)
    own = [_own_span(question, number, chunked) for number in numbers]
    relevant = [
        span is not None and question.answered_by(*span, ways.relevance) for span in own[:k]
    ]
    candidates = _near(question, chunked)
    answering = sum(question.answered_by(*span, ways.relevance) for span in candidates)
    covered = metrics.coverage(
        [span for span in own[:k] if span], _read(numbers[:k], chunked), question.gold
    )
    gains = [metrics.gain(span, gold) if span else 0.0 for span in own[:k]]
    values = [
        *([metrics.hit_rate(relevant, 1)] if k > 1 else []),
        metrics.hit_rate(relevant, k),
        metrics.reciprocal_rank(relevant, k),
        metrics.ndcg(gains, [metrics.gain(span, gold) for span in candidates], k),
        metrics.noise_rate(relevant, near),
        max(0, len(numbers[:near]) - answering) / near,
        *covered,
        *(_recall_within(budget, numbers, own, chunked, gold) for budget in ways.budgets),
    ]
    rank = next((place for place, one in enumerate(relevant, 1) if one), 0)
    return Found(tuple(numbers), rank, dict(zip(names(ways), values, strict=True)))


def _own_span(question: Question, number: int, chunked: Chunked) -> Pair | None:
    """Give the place of a chunk in the question's document; ``None`` for chunks of others."""
    return chunked.spans[number] if chunked.sources[number] == question.source else None


def _near(question: Question, chunked: Chunked) -> list[Pair]:
    """List the chunks of the question's document that may have something of its answer."""
    spans = chunked.spans_of(question.source)
    places = [*question.gold, *question.spans, *question.alternatives]
    if not spans or not places:
        return []
    first, last = min(a for a, _ in places), max(b for _, b in places)
    longest = max(end - start for start, end in spans)
    spans.sort()
    low = bisect_left(spans, (first - longest, 0))
    return [span for span in spans[low : bisect_left(spans, (last, 0))] if span[1] > first]


def _read(numbers: Sequence[int], chunked: Chunked) -> float:
    """Count the characters of the chunks that were read."""
    spans = (chunked.spans[number] for number in numbers)
    return sum(
        span[1] - span[0] if span else len(chunked.documents[number].page_content)
        for number, span in zip(numbers, spans, strict=True)
    )


def _recall_within(
    budget: int,
    numbers: Sequence[int],
    own: Sequence[Pair | None],
    chunked: Chunked,
    gold: Sequence[Pair],
) -> float:
    """Give the share of the gold in a prompt of a given size: chunks by rank, the last one cut."""
    left: float = budget
    read: list[Pair] = []
    for number, span in zip(numbers, own, strict=True):
        used = chunked.sizes[number]
        if span is not None:
            start, end = span
            part = min(1.0, left / used) if used else 1.0
            read.append((start, start + int((end - start) * part)))
        left -= used
        if left <= 0:
            break
    return size(common(union(read), gold)) / max(1, size(gold))
