"""The measures of retrieval, for one question each; a table shows their means.

All are between 0 and 1. Places are spans of characters of one source; chunks of other sources count
in what was read, never in what was found. Where a paper counts tokens, its code counts characters:
so do these.

Sources: Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval* (Chroma, 2024), for
recall, precision, IoU and precision omega; Järvelin and Kekäläinen (2002) for nDCG.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from langchain_chunkers.evaluation.spans import Pair, common, size, union

__all__ = [
    "Coverage",
    "coverage",
    "gain",
    "hit_rate",
    "intact",
    "ndcg",
    "noise_rate",
    "precision_omega",
    "reciprocal_rank",
]


def hit_rate(relevant: Sequence[bool], k: int) -> float:
    """Say whether one of the first ``k`` chunks answers: 1 or 0. Its mean is the hit rate at k.

    Args:
        relevant: For each chunk, the best first, whether it answers.
        k: How many are looked at, at least 1.

    Example:
        >>> hit_rate([False, True, False], 3), hit_rate([False, True, False], 1)
        (1.0, 0.0)
    """
    return float(any(relevant[:k]))


def reciprocal_rank(relevant: Sequence[bool], k: int) -> float:
    """Give 1 / rank of the first chunk that answers, 0 if none of ``k`` does. Its mean is MRR at k.

    Example:
        >>> reciprocal_rank([False, True, True], 10)
        0.5
    """
    return next((1 / rank for rank, one in enumerate(relevant[:k], 1) if one), 0.0)


def noise_rate(relevant: Sequence[bool], k: int) -> float:
    """Give the share of ``k`` places that hold no answer.

    A question that one chunk answers leaves at least ``(k - 1) / k`` of noise: read it beside that
    floor. Places that the retriever left empty hold no noise.

    Example:
        >>> noise_rate([True, False, False], 2)
        0.5
    """
    return sum(not one for one in relevant[:k]) / k


def gain(chunk: Pair, gold: Sequence[Pair]) -> float:
    """Give the share of the gold characters that a chunk of the same source has.

    Args:
        chunk: Its span.
        gold: Spans; those of a union count once.
    """
    joined = union(gold)
    return size(common([chunk], joined)) / max(1, size(joined))


def ndcg(gains: Sequence[float], possible: Sequence[float], k: int) -> float:
    """Give the normalised discounted cumulative gain of the first ``k`` chunks.

    DCG sums ``(2^gain - 1) / log2(rank + 1)``; it is divided by that of the best order.

    Args:
        gains: Of the chunks retrieved, the best first; see `gain`.
        possible: Of all chunks there are, in any order.
        k: How many are looked at.

    Example:
        >>> round(ndcg([0.0, 1.0], [1.0, 0.0, 0.0], 5), 3)
        0.631
    """

    def dcg(values: Sequence[float]) -> float:
        return sum((2**g - 1) / math.log2(rank + 1) for rank, g in enumerate(values[:k], 1))

    best = dcg(sorted((g for g in possible if g > 0), reverse=True))
    return dcg(gains) / best if best else 0.0


class Coverage(NamedTuple):
    """What was read against what is gold.

    Attributes:
        recall: Gold characters read / gold characters.
        precision: Gold characters read / characters read; what is read twice counts twice.
        iou: Gold characters read / (characters read + gold characters missed).
    """

    recall: float
    precision: float
    iou: float


def coverage(found: Sequence[Pair], read: float, gold: Sequence[Pair]) -> Coverage:
    """Compare what was retrieved with the gold spans of a question.

    Args:
        found: Spans of the retrieved chunks of the question's source.
        read: Characters of all retrieved chunks, those of other sources included.
        gold: Gold spans. As in Chroma's code, characters of two gold spans count twice in the
            whole that recall is a share of.

    Example:
        >>> coverage([(0, 10)], 20, [(5, 15)])
        Coverage(recall=0.5, precision=0.25, iou=0.2)
    """
    joined, seen = union(gold), union(found)
    hit = size(common(seen, joined))
    missed = size(joined) - hit
    return Coverage(
        hit / max(1, size(gold)), hit / read if read else 0.0, hit / max(1e-9, read + missed)
    )


def precision_omega(
    chunks: Sequence[Pair], gold: Sequence[Pair], *, touching: bool = False
) -> float:
    """Give the precision of a retriever that finds all chunks with gold, and no other.

    A measure of boundaries alone: ``gold / (all chunks that have gold, joined, with what is missed)``.

    Args:
        chunks: Spans of all chunks of the source.
        gold: Gold spans.
        touching: As Chroma's code, count a chunk that only touches a gold span among those that
            have gold. Set it to compare with the published table.

    Example:
        >>> precision_omega([(0, 10), (10, 20), (20, 30)], [(8, 12)])
        0.2
    """
    joined = union(gold)
    near = 0 if touching else 1
    having = [
        (start, end)
        for start, end in chunks
        if any(min(end, stop) - max(start, first) >= near for first, stop in joined)
    ]
    read = union(having)
    hit = size(common(read, joined))
    return hit / max(1, size(union([*read, *joined])))


def intact(chunks: Sequence[Pair], span: Pair) -> bool:
    """Say whether a span lies in one chunk, whole."""
    return any(start <= span[0] and span[1] <= end for start, end in chunks)
