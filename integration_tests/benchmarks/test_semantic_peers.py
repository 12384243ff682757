"""`SemanticSplitter` beside the real langchain-experimental, with a real model."""

from __future__ import annotations

import warnings

import pytest

from langchain_chunkers import NullSplitter
from langchain_chunkers.semantic import WordLlamaEmbeddings
from langchain_chunkers.strategies.semantic import SemanticSplitter

TEXT = " ".join(  # noqa: FLY002 - sentences, a line each
    [
        "The kiln is fired at cone six for ten hours.", "Glaze melts and flows over the clay.",
        "Potters watch the cones through a small hole.", "A cooling kiln must stay closed for a day.",
        "The central bank raised its rate again.", "Inflation had passed six percent in May.",
        "Bonds fell, and the currency rose a little.", "Analysts expect one more increase this year.",
        "The river rises in the northern hills.", "It carries silt to a wide delta.",
        "Herons nest there in early spring.", "Floods are common when the snow melts.",
    ]
)  # fmt: skip


@pytest.mark.parametrize("kind", ["percentile", "standard_deviation", "interquartile", "gradient"])
@pytest.mark.parametrize("amount", [None, 1.0])
@pytest.mark.parametrize("buffer", [0, 1, 2])
def test_langchains_methods_divide_as_langchain_does(
    kind: str, amount: float | None, buffer: int
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it announces its own end
        from langchain_experimental.text_splitter import SemanticChunker
    model = WordLlamaEmbeddings()
    if amount is not None and kind in ("percentile", "gradient"):
        amount = 70.0
    theirs = SemanticChunker(
        model,
        buffer_size=buffer,
        breakpoint_threshold_type=kind,
        breakpoint_threshold_amount=amount,
    )
    ours = SemanticSplitter(
        model, None, method=kind, amount=amount, buffer_size=buffer, structure=NullSplitter()
    )
    assert ours.split_text(TEXT) == theirs.split_text(TEXT)
