"""Public sets of documents and questions, read from the files that they are published in."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from langchain_core.documents import Document

from langchain_chunkers.errors import InputError
from langchain_chunkers.evaluation.questions import Question, question_from
from langchain_chunkers.evaluation.spans import Pair

__all__ = ["read_chroma", "read_set", "read_squad"]


def read_squad(path: str | Path) -> tuple[list[Document], list[Question]]:
    """Read a file in the format of SQuAD 1.1: also XQuAD, CMRC 2018, DRCD, JSQuAD, KorQuAD.

    Each article is one document: its title as a heading, then its paragraphs, blank lines between.
    The first answer is the answer, the others are alternatives; questions without one are left out.

    Args:
        path: A ``.json``.

    Returns:
        Documents, whose ``metadata["source"]`` is the title, and questions.

    Source: Rajpurkar and others, *SQuAD* (2016).
    """
    articles = json.loads(Path(path).read_text("utf-8"))["data"]
    documents: list[Document] = []
    questions: list[Question] = []
    for number, article in enumerate(articles):
        source = str(article.get("title") or article.get("id") or number)
        text = f"# {source}"
        for paragraph in article["paragraphs"]:
            start = len(text) + 2
            text = f"{text}\n\n{paragraph['context']}"
            for asked in paragraph["qas"]:
                places = _answers(asked.get("answers") or (), paragraph["context"], start)
                if places:
                    found = Question(
                        asked["question"], source, places[:1], places[1:], id=str(asked["id"])
                    )
                    questions.append(found)
        documents.append(Document(page_content=text, metadata={"source": source}))
    return documents, questions


def _answers(answers: Any, context: str, start: int) -> tuple[Pair, ...]:
    """Give the places of answers; published offsets that miss are looked up."""
    places: dict[Pair, None] = {}
    for answer in answers:
        text, at = answer["text"], answer["answer_start"]
        if context[at : at + len(text)] != text:
            at = context.find(text)
        if text and at >= 0:
            places[start + at, start + at + len(text)] = None
    return tuple(places)


def read_chroma(folder: str | Path) -> tuple[list[Document], list[Question]]:
    """Read the set of Chroma's *Evaluating Chunking Strategies for Retrieval*.

    Args:
        folder: ``general_evaluation_data`` of its repository: ``questions_df.csv``, and
            ``corpora/*.md`` or ``*.txt``.

    Returns:
        Documents, and questions whose spans are the excerpts.
    """
    folder = Path(folder)
    documents = [
        Document(page_content=path.read_text("utf-8"), metadata={"source": path.stem})
        for path in sorted((folder / "corpora").iterdir())
        if path.suffix in (".md", ".txt")
    ]
    with (folder / "questions_df.csv").open(encoding="utf-8", newline="") as file:
        questions = [
            Question(
                row["question"],
                row["corpus_id"],
                tuple((r["start_index"], r["end_index"]) for r in json.loads(row["references"])),
                id=str(number),
            )
            for number, row in enumerate(csv.DictReader(file))
        ]
    return documents, questions


def read_set(folder: str | Path) -> tuple[list[Document], list[Question]]:
    """Read a folder with ``corpora.jsonl`` and ``questions.jsonl``, or the same with ``.gz``.

    A document is ``{"doc_id", "text"}``, a question as `read_questions` has it.

    Raises:
        InputError: A file is missing.
    """
    folder = Path(folder)
    documents = [
        Document(page_content=row["text"], metadata={"source": str(row["doc_id"])})
        for row in _rows(folder, "corpora")
    ]
    questions = [
        question_from(row, f"questions.jsonl, question {number}")
        for number, row in enumerate(_rows(folder, "questions"), 1)
    ]
    return documents, questions


def _rows(folder: Path, name: str) -> Iterator[Any]:
    for path, opened in ((folder / f"{name}.jsonl", False), (folder / f"{name}.jsonl.gz", True)):
        if path.exists():
            raw = gzip.decompress(path.read_bytes()) if opened else path.read_bytes()
            return (json.loads(line) for line in raw.decode("utf-8").split("\n") if line.strip())
    msg = f"{folder} has no {name}.jsonl."
    raise InputError(msg)
