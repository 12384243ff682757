"""What is read after the search: parents, windows and stitching beside flat chunks, at equal prompts.

    python -m integration_tests.benchmarks.retrieval_tables [FOLDER] [--sets chroma,xquad_en,...]

FOLDER has one folder a set (`corpora.jsonl`, `questions.jsonl`); without it, Chroma's set in this
repository. Chunks are found with BM25; then each way fills a prompt of N tokens, the best first, the last
piece cut. What is printed is the share of the evidence in the prompt and, in brackets, the difference
to flat chunks of 256 tokens with its 95 % interval (paired bootstrap over the questions).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from statistics import fmean
from typing import Any

from langchain_core.documents import Document

from integration_tests.benchmarks import corpus
from langchain_chunkers import ParentChildSplitter, RecursiveSplitter, SentenceWindowSplitter
from langchain_chunkers.evaluation import Question, paired, read_set
from langchain_chunkers.evaluation.search import indexes
from langchain_chunkers.evaluation.spans import common, size, union
from langchain_chunkers.tokens import TiktokenMeasure

BUDGETS = (500, 1000, 2000)
DEPTH = 60  # chunks that are retrieved; fills the largest prompt with the smallest pieces
Piece = tuple[str, int, int]  # source, start, end: what is read for one hit


def place(chunk: Document) -> Piece:
    """Where a chunk stands."""
    return chunk.metadata["source"], chunk.metadata["start_index"], chunk.metadata["end_index"]


class Flat:
    """Chunks, read as they were found."""

    def __init__(self, size: int, overlap: int = 0) -> None:
        self.splitter: Any = RecursiveSplitter(
            size, overlap, encoding_name="cl100k_base", add_start_index=True
        )

    def chunks(self, documents: Sequence[Document]) -> list[Document]:
        return self.splitter.split_documents(documents)

    def read(self, hits: Sequence[Document]) -> Iterator[Piece]:
        yield from map(place, hits)


class Stitched(Flat):
    """Chunks, of each only what was not read yet: what `stitch` does."""

    def read(self, hits: Sequence[Document]) -> Iterator[Piece]:
        seen: dict[str, list[tuple[int, int]]] = {}
        for hit in hits:
            source, start, end = place(hit)
            for first, last in fresh(start, end, seen.setdefault(source, [])):
                yield source, first, last
            seen[source] = union([*seen[source], (start, end)])


class Neighbours(Flat):
    """Chunks with the one before and the one behind, nothing read twice."""

    def chunks(self, documents: Sequence[Document]) -> list[Document]:
        found = super().chunks(documents)
        for before, chunk in pairwise(found):
            if before.metadata["source"] == chunk.metadata["source"]:
                before.metadata["until"] = chunk.metadata["end_index"]
                chunk.metadata["from"] = before.metadata["start_index"]
        return found

    def read(self, hits: Sequence[Document]) -> Iterator[Piece]:
        wide = []
        for hit in hits:
            source, start, end = place(hit)
            known = hit.metadata
            wide.append((source, known.get("from", start), known.get("until", end)))
        yield from once(wide)


class Parents:
    """Children are found, their parents are read."""

    def __init__(self, parent: int, child: int) -> None:
        sizes = {"encoding_name": "cl100k_base"}
        self.splitter: Any = ParentChildSplitter(
            RecursiveSplitter(parent, **sizes), RecursiveSplitter(child, **sizes)
        )

    def chunks(self, documents: Sequence[Document]) -> list[Document]:
        families = self.splitter.split_families(documents)
        self.parents = {parent.id: place(parent) for parent in families.parents}
        return families.children

    def read(self, hits: Sequence[Document]) -> Iterator[Piece]:
        yield from once([self.parents[hit.metadata["parent_id"]] for hit in hits])


class Windows:
    """Sentences are found, the windows around them are read."""

    def __init__(self, around: int) -> None:
        self.splitter: Any = SentenceWindowSplitter(around, around)

    def chunks(self, documents: Sequence[Document]) -> list[Document]:
        return self.splitter.split_documents(documents)

    def read(self, hits: Sequence[Document]) -> Iterator[Piece]:
        wide = [
            (hit.metadata["source"], hit.metadata["window_start"], hit.metadata["window_end"])
            for hit in hits
        ]
        yield from once(wide)


def once(pieces: Sequence[Piece]) -> Iterator[Piece]:
    """Give of each piece only what was not given yet."""
    seen: dict[str, list[tuple[int, int]]] = {}
    for source, start, end in pieces:
        for first, last in fresh(start, end, seen.setdefault(source, [])):
            yield source, first, last
        seen[source] = union([*seen[source], (start, end)])


def fresh(start: int, end: int, seen: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Give the stretches of a span that some others do not cover."""
    for first, last in seen:
        if last <= start or first >= end:
            continue
        if first > start:
            yield start, first
        start = max(start, last)
    if start < end:
        yield start, end


WAYS: Mapping[str, Any] = {
    "flat 256": Flat(256),
    "flat 128": Flat(128),
    "flat 512": Flat(512),
    "flat 256, overlap 64": Flat(256, 64),
    "the same, stitched": Stitched(256, 64),
    "128, neighbours": Neighbours(128),
    "children 128, parents 512": Parents(512, 128),
    "children 64, parents 256": Parents(256, 64),
    "sentences, windows of 3": Windows(3),
}


def recalls(
    way: Any, documents: Sequence[Document], questions: Sequence[Question]
) -> dict[int, list[float]]:
    """Give for each size of prompt the recall of each question."""
    measure = TiktokenMeasure()
    scales = {d.metadata["source"]: measure.scale(d.page_content) for d in documents}
    chunks = way.chunks(documents)
    index = indexes(["bm25"], 8)["bm25"](chunks)
    found: dict[int, list[float]] = {budget: [] for budget in BUDGETS}
    answers = index.search([question.text for question in questions], DEPTH)
    for question, numbers in zip(questions, answers, strict=True):
        pieces = list(way.read([chunks[number] for number in numbers]))
        gold = union(question.gold)
        for budget in BUDGETS:
            read, left = [], float(budget)
            for source, start, end in pieces:
                scale = scales[source]
                tokens = scale.mark(end) - scale.mark(start)
                if tokens > left:
                    end = start + int((end - start) * left / tokens)
                if source == question.source:
                    read.append((start, end))
                left -= tokens
                if left <= 0:
                    break
            found[budget].append(size(common(union(read), gold)) / max(1, size(gold)))
    return found


def table(name: str, documents: Sequence[Document], questions: Sequence[Question]) -> str:
    """Give the table of one set as Markdown."""
    lines = [f"| {name} | " + " | ".join(f"{budget} tokens" for budget in BUDGETS) + " |"]
    lines.append("|---|" + "---:|" * len(BUDGETS))
    base: dict[int, list[float]] | None = None
    for way, made in WAYS.items():
        values = recalls(made, documents, questions)
        base = base or values
        cells = []
        for budget in BUDGETS:
            gap = paired(values[budget], base[budget])
            told = (
                "" if values is base else f" ({gap.mean:+.3f}, {gap.low:+.3f} to {gap.high:+.3f})"
            )
            strong = "**" if gap.verdict == "better" else ""
            cells.append(f"{strong}{fmean(values[budget]):.3f}{strong}{told}")
        lines.append(f"| {way} | " + " | ".join(cells) + " |")
        print(lines[-1], flush=True)
    return "\n".join(lines)


def main() -> None:
    """Print the tables, and keep them in `results/`."""
    corpus.use_encodings()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=corpus.DATA)
    parser.add_argument("--sets", default="chroma")
    options = parser.parse_args()
    tables = [table(name, *read_set(options.folder / name)) for name in options.sets.split(",")]
    kept = Path(__file__).parent / "results" / "retrieval.md"
    kept.write_text("\n\n".join(tables) + "\n", "utf-8")


if __name__ == "__main__":
    main()
