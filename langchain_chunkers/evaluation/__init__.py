"""Which splitter is best for your documents: measures, questions, comparison, report.

Each name is imported at its first use.
"""

from typing import TYPE_CHECKING

from langchain_chunkers._lazy import on_first_use

if TYPE_CHECKING:
    from langchain_chunkers.evaluation.bootstrap import Interval, interval, paired
    from langchain_chunkers.evaluation.comparing import acompare, compare
    from langchain_chunkers.evaluation.datasets import read_chroma, read_set, read_squad
    from langchain_chunkers.evaluation.generating import generate_questions
    from langchain_chunkers.evaluation.metrics import (
        Coverage,
        coverage,
        gain,
        hit_rate,
        intact,
        ndcg,
        noise_rate,
        precision_omega,
        reciprocal_rank,
    )
    from langchain_chunkers.evaluation.questions import (
        Question,
        locate,
        locate_all,
        read_questions,
    )
    from langchain_chunkers.evaluation.recommending import Recommendation, recommend
    from langchain_chunkers.evaluation.reporting import report
    from langchain_chunkers.evaluation.results import Comparison, Row, SplitterFacts
    from langchain_chunkers.evaluation.segments import boundary_f1, pk, window_diff

_HOMES = {
    "bootstrap": ("Interval", "interval", "paired"),
    "comparing": ("acompare", "compare"),
    "datasets": ("read_chroma", "read_set", "read_squad"),
    "generating": ("generate_questions",),
    "metrics": (
        "Coverage",
        "coverage",
        "gain",
        "hit_rate",
        "intact",
        "ndcg",
        "noise_rate",
        "precision_omega",
        "reciprocal_rank",
    ),
    "questions": ("Question", "locate", "locate_all", "read_questions"),
    "recommending": ("Recommendation", "recommend"),
    "reporting": ("report",),
    "results": ("Comparison", "Row", "SplitterFacts"),
    "segments": ("boundary_f1", "pk", "window_diff"),
}

__all__ = [
    "Comparison",
    "Coverage",
    "Interval",
    "Question",
    "Recommendation",
    "Row",
    "SplitterFacts",
    "acompare",
    "boundary_f1",
    "compare",
    "coverage",
    "gain",
    "generate_questions",
    "hit_rate",
    "intact",
    "interval",
    "locate",
    "locate_all",
    "ndcg",
    "noise_rate",
    "paired",
    "pk",
    "precision_omega",
    "read_chroma",
    "read_questions",
    "read_set",
    "read_squad",
    "reciprocal_rank",
    "recommend",
    "report",
    "window_diff",
]

__getattr__, __dir__ = on_first_use(__name__, _HOMES)
