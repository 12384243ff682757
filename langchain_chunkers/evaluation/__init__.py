"""Which splitter is best for your documents: measures, questions, comparison, report.

Each name is imported at its first use.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

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
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

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


def __getattr__(name: str) -> Any:
    """Import a public name when it is asked for."""
    home = _HOME_OF.get(name)
    if home is None:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{home}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names."""
    return sorted(__all__)
