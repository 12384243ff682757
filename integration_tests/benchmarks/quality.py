"""Does the answer come back? Retrieval with BM25 on questions whose answers have offsets.

    python -m integration_tests.benchmarks.quality [FOLDER] [--sets drcd_dev,...] [--misses N]

FOLDER has one folder a set, each with `corpora.jsonl` and `questions.jsonl`; without it, the small
set of this repository is taken. No model, no network: the index is the BM25 of
`langchain_chunkers.evaluation`. It holds the chunks of all documents of a set.

- hit@k: one of the first k chunks has the answer, whole.
- intact: the sentence with the answer lies in one chunk.
- headings: chunks that are a heading and nothing else.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from langchain_core.documents import Document

from integration_tests.benchmarks.corpus import read_lines
from langchain_chunkers.evaluation.chunking import heading_only
from langchain_chunkers.evaluation.search import BM25Index

Spans = list[tuple[int, int]]
Split = Callable[[str], Spans]


class Result(NamedTuple):
    hit1: float
    hit3: float
    intact: float
    headings: int
    chunks: int
    misses: list[tuple[dict[str, Any], list[tuple[str, str]]]]

    def __str__(self) -> str:
        return (
            f"hit@1 {self.hit1:.3f}  hit@3 {self.hit3:.3f}  intact {self.intact:.3f}  "
            f"heading-only {self.headings} of {self.chunks}"
        )


def evaluate(
    corpora: Sequence[dict[str, Any]], questions: Sequence[dict[str, Any]], split: Split
) -> Result:
    """Split, index, ask."""
    texts = {line["doc_id"]: line["text"] for line in corpora}
    spans = {doc_id: split(text) for doc_id, text in texts.items()}
    places = [(doc_id, s, e) for doc_id, found in spans.items() for s, e in found]
    index = BM25Index([Document(page_content=texts[doc_id][s:e]) for doc_id, s, e in places])
    answered = index.search([question["question"] for question in questions], 3)
    hit1 = hit3 = 0
    misses = []
    for question, numbers in zip(questions, answered, strict=True):
        # another annotator's answer counts as well
        answers = [*question["spans"], *question.get("alt_spans", ())]
        found = [places[i] for i in numbers]
        hits = [
            doc_id == question["doc_id"] and any(s <= a and b <= e for a, b in answers)
            for doc_id, s, e in found
        ]
        hit1 += any(hits[:1])
        hit3 += any(hits)
        if not any(hits[:1]):
            misses.append((question, [(doc_id, texts[doc_id][s:e]) for doc_id, s, e in found]))
    total = len(questions)
    return Result(
        hit1 / total,
        hit3 / total,
        intact(questions, spans),
        sum(heading_only(texts[doc_id][s:e]) for doc_id, s, e in places),
        len(places),
        misses,
    )


def intact(questions: Sequence[dict[str, Any]], spans: dict[str, Spans]) -> float:
    """Share of answer sentences that lie in one chunk."""
    sentences = [(q["doc_id"], s, e) for q in questions for s, e in q["evidence_spans"]]
    whole = sum(any(a <= s and e <= b for a, b in spans[doc_id]) for doc_id, s, e in sentences)
    return whole / max(1, len(sentences))


def langchain(size: int, **options: Any) -> Split:
    """LangChain's recursive splitter, its defaults."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter(
        chunk_size=size, chunk_overlap=0, add_start_index=True, **options
    )

    def split(text: str) -> Spans:
        found = splitter.create_documents([text])
        starts = [document.metadata["start_index"] for document in found]
        return [(s, s + len(d.page_content)) for s, d in zip(starts, found, strict=True)]

    return split


def langchain_cjk(size: int) -> Split:
    """LangChain's recursive splitter with the separators that its documentation gives for CJK."""
    return langchain(
        size,
        separators=["\n\n", "\n", "。", "！", "？", "；", "，", " ", ""],
        keep_separator="end",
    )


def langchain_markdown(size: int) -> Split:
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    separators = RecursiveCharacterTextSplitter.get_separators_for_language("markdown")
    return langchain(size, separators=separators, is_separator_regex=True)


def ours(size: int, name: str = "recursive", **options: Any) -> Split:
    """A splitter of this package."""
    from langchain_chunkers import BaseSplitter

    splitter = BaseSplitter.from_config({"splitter": name, "chunk_size": size, **options})
    return lambda text: [(span.start, span.end) for span in splitter.split_spans(text)]


def fixed(size: int) -> Split:
    return lambda text: [(at, min(at + size, len(text))) for at in range(0, len(text), size)]


SIZES = {"en": 800}  # characters; 200 for all other languages
SETS = ("xquad_zh", "drcd_dev", "cmrc2018_dev", "xquad_th", "xquad_en", "chroma")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", nargs="?", type=Path)
    parser.add_argument("--sets", default=",".join(SETS))
    parser.add_argument("--questions", type=int, default=1000, help="so many of each set")
    parser.add_argument(
        "--misses", type=int, default=0, help="show questions that only ours misses"
    )
    args = parser.parse_args()
    for name in args.sets.split(",") if args.folder else ["xquad_zh"]:
        corpora, questions = load(args.folder, name)
        questions = questions[: args.questions]
        size = SIZES.get(corpora[0]["lang"], 200)
        print(f"{name}, {size} characters, {len(questions)} questions")
        splits = {
            "fixed windows": fixed(size),
            "LangChain recursive": langchain(size),
            "LangChain recursive, CJK separators": langchain_cjk(size),
            "ours, recursive": ours(size),
            "ours, sentence": ours(size, "sentence"),
            "ours, paragraph": ours(size, "paragraph"),
        }
        results = {}
        for label, split in splits.items():
            results[label] = evaluate(corpora, questions, split)
            print(f"  {label:36} {results[label]}", flush=True)
        theirs = {q["qid"] for q, _ in results["LangChain recursive, CJK separators"].misses}
        only = [m for m in results["ours, recursive"].misses if m[0]["qid"] not in theirs]
        for question, found in only[: args.misses]:
            show(question, found)


def load(folder: Path | None, name: str) -> tuple[Sequence[Any], Sequence[Any]]:
    """Read a set: of the folder, or the one in this repository."""
    if folder is None:
        corpora = [line for line in read_lines("chinese.jsonl.gz") if "xquad" in line["doc_id"]]
        return corpora, read_lines("xquad_zh_questions.jsonl.gz")
    path = folder / name
    return read_lines(str(path / "corpora.jsonl")), read_lines(str(path / "questions.jsonl"))


def show(question: dict[str, Any], found: Sequence[tuple[str, str]]) -> None:
    print("   ?", question["question"], "→", question.get("answers"), question["doc_id"])
    for doc_id, text in found:
        print("      ", "=" if doc_id == question["doc_id"] else "≠", doc_id, repr(text))


if __name__ == "__main__":
    main()
