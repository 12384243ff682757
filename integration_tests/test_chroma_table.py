"""The published table of Chroma's evaluation, reproduced: the measures and offsets are right.

Source: Smith and Troynikov, *Evaluating Chunking Strategies for Retrieval* (Chroma, 2024), the
splitters of LangChain with the settings of its code. Their code counts characters, looks a chunk up
without its last full stop, and counts chunks that only touch an excerpt.
"""

from __future__ import annotations

from pathlib import Path
from statistics import fmean, pstdev

import pytest
from langchain_text_splitters import RecursiveCharacterTextSplitter, TokenTextSplitter

from langchain_chunkers.evaluation import compare, precision_omega, read_set

DATA = Path(__file__).parent / "data" / "chroma"
SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]
# size, overlap, mean and deviation of precision omega in percent
RECURSIVE = [
    (800, 400, 6.7, 5.2),
    (400, 200, 13.9, 10.4),
    (400, 0, 17.7, 14.0),
    (200, 0, 29.9, 18.4),
]
TOKENS = [(800, 400, 4.7, 3.1), (400, 200, 8.4, 5.1), (400, 0, 12.5, 8.1), (200, 0, 21.0, 11.9)]
MEANS = {(800, 400): 661, (400, 200): 312, (400, 0): 276, (200, 0): 137}


def recursive(size, overlap):
    return RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        "cl100k_base", chunk_size=size, chunk_overlap=overlap, separators=SEPARATORS
    )


def tokens(size, overlap):
    return TokenTextSplitter("cl100k_base", chunk_size=size, chunk_overlap=overlap)


@pytest.fixture(scope="module")
def chroma():
    documents, questions = read_set(DATA)
    assert (len(documents), len(questions)) == (5, 472)
    return {document.metadata["source"]: document.page_content for document in documents}, questions


def placed(chunk: str, text: str):
    """Look a chunk up as their code does."""
    sought = chunk.removesuffix(".")
    at = text.find(sought)
    return None if at < 0 else (at, at + len(sought))


@pytest.mark.parametrize(
    "make,size,overlap,mean,deviation",
    [(recursive, *row) for row in RECURSIVE] + [(tokens, *row) for row in TOKENS],
)
def test_precision_omega(chroma, make, size, overlap, mean, deviation):
    texts, questions = chroma
    splitter = make(size, overlap)
    places = {
        name: [place for chunk in splitter.split_text(text) if (place := placed(chunk, text))]
        for name, text in texts.items()
    }
    values = [
        precision_omega(places[question.source], question.gold, touching=True)
        for question in questions
    ]
    assert 100 * fmean(values) == pytest.approx(mean, abs=0.051)
    assert 100 * pstdev(values) == pytest.approx(deviation, abs=0.051)


@pytest.mark.parametrize("size,overlap", MEANS)
def test_mean_sizes(chroma, size, overlap):
    splitter = recursive(size, overlap)
    lengths = [
        splitter._length_function(c)
        for text in chroma[0].values()
        for c in splitter.split_text(text)
    ]
    assert fmean(lengths) == pytest.approx(MEANS[size, overlap], abs=1)


def test_recall_with_bm25(chroma):
    texts, questions = chroma
    found = compare({"recursive": recursive(200, 0)}, texts, questions, budgets=())
    scores = found.rows[0].scores
    # 84.5, 6.4 and 6.3 were found with another BM25 on the same chunks
    assert 100 * scores["recall@5"].mean == pytest.approx(84.5, abs=1)
    assert 100 * scores["precision@5"].mean == pytest.approx(6.4, abs=0.2)
    assert 100 * scores["iou@5"].mean == pytest.approx(6.3, abs=0.2)
    assert found.facts["recursive"].unplaced == 0
