"""Which splitter is best for these documents and these questions?"""

from __future__ import annotations

import asyncio
import time
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean
from typing import Any

from langchain_core.documents import Document

from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.evaluation import scoring
from langchain_chunkers.evaluation.bootstrap import interval, paired
from langchain_chunkers.evaluation.chunking import Chunked, Sizes, blocks_of, chunk, heading_only
from langchain_chunkers.evaluation.metrics import intact, precision_omega
from langchain_chunkers.evaluation.questions import Question, locate_all
from langchain_chunkers.evaluation.results import Comparison, Row, SplitterFacts
from langchain_chunkers.evaluation.search import Index, indexes
from langchain_chunkers.length import measure_for
from langchain_chunkers.metadata import with_progress
from langchain_chunkers.tokens import TiktokenMeasure

__all__ = ["acompare", "compare", "named_documents"]


def compare(
    splitters: Mapping[str, Any],
    documents: Iterable[Document] | Mapping[str, str],
    questions: Iterable[Question] | None = None,
    *,
    retrievers: Mapping[str, Any] | Sequence[Any] = ("bm25",),
    k: int = 5,
    budgets: Sequence[int] = (500, 1000, 2000, 4000),
    baseline: str | None = None,
    relevance: str = "auto",
    length_function: Any = None,
    price_per_million: float | None = None,
    max_concurrency: int = 8,
    show_progress: bool = False,
    seed: int = 0,
) -> Comparison:
    """Compare splitters on your documents, and on your questions if you have some.

    For each splitter all documents are split, an index is built over the chunks of all documents,
    and each question is asked. Differences to the baseline come with intervals over the questions.

    Args:
        splitters: Splitters by name: of this package, or any `TextSplitter`.
        documents: Documents, named by ``metadata["source"]`` (else by their number), or texts by name.
        questions: Questions with their answers; ``None`` to measure sizes and boundaries only.
        retrievers: ``"bm25"``; ``"wordllama"`` (offline embeddings, extra ``semantic``); any
            `Embeddings`; or a function that makes a LangChain retriever of a list of documents. A
            dictionary gives them names.
        k: Chunks that are looked at for each question, at least 1.
        budgets: Sizes of prompts for which evidence recall is given, in units of
            ``length_function``: the fair way to compare chunks of different size.
        baseline: The splitter to compare with; ``None`` for the first.
        relevance: When a chunk answers: ``"whole"``, ``"half"`` or ``"auto"``; see
            `Question.answered_by`.
        length_function: What sizes count; ``None`` for tokens of ``cl100k_base``.
        price_per_million: Price of embedding a million units, for the cost column.
        max_concurrency: Questions that a LangChain retriever is asked at a time.
        show_progress: Show a bar over the splitters; needs the extra ``progress``.
        seed: Seed of the intervals.

    Returns:
        A `Comparison`.

    Raises:
        SettingError: No splitter, no such baseline, ``k`` below 1, an unknown retriever.
        InputError: No documents, or two with one name.
        MissingExtraError: A retriever needs an extra.

    Cost: each splitter splits once; each retriever embeds each different chunk once.

    Example:
        >>> from langchain_chunkers import FixedSizeSplitter, SentenceSplitter
        >>> text = "The pump failed in May. A worn seal was the cause. It was replaced in June."
        >>> asked = Question(
        ...     "What made the pump fail?", "log", answers=("A worn seal was the cause.",)
        ... )
        >>> splitters = {"fixed": FixedSizeSplitter(30), "sentence": SentenceSplitter(30)}
        >>> found = compare(splitters, {"log": text}, [asked], k=2, length_function=len)
        >>> [(row.splitter, row.scores["hit@2"].mean) for row in found.rows]
        [('fixed', 0.0), ('sentence', 1.0)]
    """
    named = named_documents(documents)
    if not splitters:
        msg = "No splitter to compare: give a dictionary of splitters by name."
        raise SettingError(msg)
    base = next(iter(splitters)) if baseline is None else baseline
    if base not in splitters:
        msg = f"baseline must be one of {', '.join(map(repr, splitters))}: got {baseline!r}."
        raise SettingError(msg)
    if k < 1 or relevance not in ("auto", "whole", "half"):
        msg = f"k must be at least 1, relevance 'auto', 'whole' or 'half': got {k}, {relevance!r}."
        raise SettingError(msg)
    measure = TiktokenMeasure() if length_function is None else measure_for(length_function)
    ways = scoring.Ways(k, tuple(budgets), relevance)
    asked, notes = locate_all(
        questions or (), {name: document.page_content for name, document in named.items()}
    )
    builders = indexes(retrievers, max_concurrency) if asked else {}
    chunked: dict[str, Chunked] = {}
    facts: dict[str, SplitterFacts] = {}
    found: dict[tuple[str, str], tuple[float, list[scoring.Found]]] = {}
    for name in with_progress(splitters, show=show_progress, total=len(splitters)):
        made = chunked[name] = chunk(name, splitters[name], named, measure)
        facts[name] = _facts(made, named, asked, price_per_million)
        for retriever, build in builders.items():
            found[name, retriever] = _ask(made, build, asked, ways)
    rows = _rows(found, base, scoring.names(ways), seed)
    notes += _doubts(facts, rows, chunked, ways)
    if questions is not None and not asked:
        notes.append("no question is left that could be asked")
    return Comparison(
        facts,
        rows,
        scoring.names(ways) if asked else [],
        asked,
        base,
        measure.unit,
        notes,
        chunked,
        named,
    )


async def acompare(*args: Any, **options: Any) -> Comparison:
    """As `compare`, in a thread: the event loop stays free."""
    return await asyncio.to_thread(compare, *args, **options)


def named_documents(documents: Iterable[Any] | Mapping[str, str]) -> dict[str, Document]:
    """Give the documents by name."""
    if isinstance(documents, Mapping):
        documents = [
            Document(page_content=text, metadata={"source": name})
            for name, text in documents.items()
        ]
    named: dict[str, Document] = {}
    for number, document in enumerate(documents):
        if not isinstance(document, Document):
            msg = f"Documents are wanted, or a dictionary of texts by name: got {document!r:.80}."
            raise InputError(msg)
        name = str(document.metadata.get("source") or document.id or number)
        if name in named:
            msg = f"Two documents are named {name!r}: metadata['source'] must tell them apart."
            raise InputError(msg)
        named[name] = document
    if not named:
        msg = "No documents to compare splitters on."
        raise InputError(msg)
    return named


def _facts(
    made: Chunked,
    named: Mapping[str, Document],
    questions: Sequence[Question],
    price: float | None,
) -> SplitterFacts:
    """Say what is known of chunks without asking."""
    total = sum(made.sizes)
    spans = {source: made.spans_of(source) for source in named}
    largest = max((end - start for found in spans.values() for start, end in found), default=0)
    blocks = cut = 0
    for source, document in named.items():
        own = blocks_of(document.page_content)
        fitting = [(a, b) for a, b in own if b - a <= largest]
        blocks += len(fitting)
        edges = sorted(spans[source])
        cut += sum(not _inside(edges, a, b) for a, b in fitting)
    whole = [intact(spans[q.source], span) for q in questions for span in q.gold]
    omegas = [precision_omega(spans[q.source], q.gold) for q in questions]
    return SplitterFacts(
        len(made.documents),
        Sizes.of(made.sizes),
        total,
        made.seconds,
        sum(heading_only(one.page_content) for one in made.documents),
        cut,
        blocks,
        sum(span is None for span in made.spans),
        fmean(whole) if whole else None,
        fmean(omegas) if omegas else None,
        None if price is None else total * price / 1_000_000,
    )


def _inside(spans: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Say whether a block lies in one of some ascending spans."""
    index = bisect_right(spans, (start, 1 << 62)) - 1
    # where chunks overlap, one that began earlier may hold the block too
    return any(spans[i][1] >= end for i in range(max(0, index - 2), index + 1))


def _ask(
    made: Chunked,
    build: Callable[[Sequence[Document]], Index],
    questions: Sequence[Question],
    ways: scoring.Ways,
) -> tuple[float, list[scoring.Found]]:
    """Build an index, and ask all questions."""
    started = time.perf_counter()
    index = build(made.documents)
    seconds = time.perf_counter() - started
    depth = scoring.depth_for(made, ways)
    answers = index.search([question.text for question in questions], depth)
    return seconds, [
        scoring.score(question, numbers, made, ways)
        for question, numbers in zip(questions, answers, strict=True)
    ]


def _doubts(
    facts: Mapping[str, SplitterFacts],
    rows: Sequence[Row],
    chunked: Mapping[str, Chunked],
    ways: scoring.Ways,
) -> list[str]:
    """Say where a score speaks of something else than the splitter."""
    notes = [
        f"{name}: {fact.unplaced} of {fact.chunks} chunks stand nowhere in their document, "
        "and count as wrong"
        for name, fact in facts.items()
        if fact.unplaced
    ]
    for row in rows:
        there = len(chunked[row.splitter].documents)
        given = {len(one.chunks) for one in row.found}
        # BM25 may know few chunks for a question; a number that never varies is a limit
        if len(given) == 1 and 0 < (most := given.pop()) < min(ways.k, there):
            notes.append(
                f"{row.splitter}, {row.retriever}: the retriever gave {most} chunks to each question, "
                f"though k is {ways.k}: scores at k and in large budgets are too low"
            )
    return notes


def _rows(
    found: Mapping[tuple[str, str], tuple[float, list[scoring.Found]]],
    base: str,
    names: Sequence[str],
    seed: int,
) -> list[Row]:
    """Make the rows, with intervals and differences to the baseline."""
    rows = []
    for (splitter, retriever), (seconds, answers) in found.items():
        columns = {name: [one.values[name] for one in answers] for name in names}
        theirs = found[base, retriever][1]
        differences = {
            name: paired(columns[name], [one.values[name] for one in theirs], seed=seed)
            for name in names
            if splitter != base
        }
        scores = {name: interval(columns[name], seed=seed) for name in names}
        rows.append(Row(splitter, retriever, seconds, scores, differences, answers))
    return rows
