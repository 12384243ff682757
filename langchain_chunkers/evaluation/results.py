"""What a comparison found, as data, as a table, as files."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from langchain_core.documents import Document

from langchain_chunkers.evaluation.bootstrap import Interval
from langchain_chunkers.evaluation.chunking import Chunked, Sizes
from langchain_chunkers.evaluation.questions import Question
from langchain_chunkers.evaluation.scoring import Found

__all__ = ["Comparison", "Row", "SplitterFacts"]


@dataclass(frozen=True)
class SplitterFacts:
    """What is known of the chunks of a splitter without asking a question.

    Attributes:
        chunks: How many.
        sizes: Their sizes, in the unit of the comparison.
        total: Sum of the sizes: what is embedded.
        seconds: What splitting took.
        heading_only: Chunks that are a heading and nothing else.
        blocks_cut: Code fences, tables and paragraphs that were cut, though no larger than the
            largest chunk.
        blocks: How many of them are no larger than the largest chunk.
        unplaced: Chunks that stand nowhere in their document, since their text was rewritten.
        intact: Share of the evidence (else of the answers) that lies whole in one chunk; ``None``
            without questions.
        precision_omega: Mean precision omega, a measure of boundaries alone; ``None`` likewise.
        cost: Price of embedding all chunks once; ``None`` without a price.
    """

    chunks: int
    sizes: Sizes
    total: int
    seconds: float
    heading_only: int
    blocks_cut: int
    blocks: int
    unplaced: int
    intact: float | None = None
    precision_omega: float | None = None
    cost: float | None = None


@dataclass(frozen=True)
class Row:
    """One splitter with one retriever.

    Attributes:
        splitter: Name.
        retriever: Name.
        seconds: What building the index took.
        scores: Mean of each measure, with its interval.
        differences: To the baseline, on the same questions; empty for the baseline itself.
        found: The answer to each question.
    """

    splitter: str
    retriever: str
    seconds: float
    scores: Mapping[str, Interval]
    differences: Mapping[str, Interval]
    found: Sequence[Found]


@dataclass(frozen=True)
class Comparison:
    """The result of `compare`.

    Attributes:
        facts: Of each splitter, by name.
        rows: Of each splitter and retriever.
        measures: Names of the measures.
        questions: The questions that were asked.
        baseline: Name of the splitter that others are compared with.
        unit: What sizes and budgets count.
        notes: What the reader should know: answers not found, and the like.
        chunked: The chunks of each splitter.
        documents: The documents by name.
    """

    facts: Mapping[str, SplitterFacts]
    rows: Sequence[Row]
    measures: Sequence[str]
    questions: Sequence[Question]
    baseline: str
    unit: str
    notes: Sequence[str]
    chunked: Mapping[str, Chunked] = field(repr=False)
    documents: Mapping[str, Document] = field(repr=False)

    def header(self) -> list[str]:
        """Give the names of the columns of `table`."""
        retriever = ["retriever"] if len({row.retriever for row in self.rows}) > 1 else []
        shown = ["answers intact", *self._shown()] if self.rows else []
        cost = ["cost"] if any(fact.cost is not None for fact in self.facts.values()) else []
        index = ["index s"] if self.rows else []
        return [
            "splitter",
            *retriever,
            *shown,
            "chunks",
            f"mean {self.unit.split(' ')[0]}",
            "headings alone",
            "blocks cut",
            "split s",
            *index,
            *cost,
        ]

    def _shown(self) -> list[str]:
        """Name the measures that a table has room for: the others are in the data."""
        kinds = ("hit", "mrr", "noise@", "recall in", "iou")
        budgets = [name for name in self.measures if name.startswith("recall in")]
        middle = budgets[len(budgets) // 2 : len(budgets) // 2 + 1]
        return [
            name
            for name in self.measures
            if name.startswith(kinds) and (name not in budgets or name in middle)
        ]

    def table(self) -> list[list[str]]:
        """Give the rows of the table as text: a number is marked ``+`` or ``-`` where it surely differs."""
        if not self.rows:
            return [
                [name, *self._facts(name), f"{f.seconds:.2f}"] for name, f in self.facts.items()
            ]
        several = "retriever" in self.header()
        table = []
        for row in self.rows:
            fact = self.facts[row.splitter]
            table.append(
                [
                    row.splitter,
                    *([row.retriever] if several else []),
                    f"{fact.intact or 0:.3f}",
                    *(self._cell(row, name) for name in self._shown()),
                    *self._facts(row.splitter),
                    f"{fact.seconds:.2f}",
                    f"{row.seconds:.2f}",
                    *([f"{fact.cost:.4g}"] if fact.cost is not None else []),
                ]
            )
        return table

    def _facts(self, name: str) -> list[str]:
        fact = self.facts[name]
        return [
            str(fact.chunks),
            f"{fact.sizes.mean:.0f}",
            str(fact.heading_only),
            f"{fact.blocks_cut} of {fact.blocks}",
        ]

    def _cell(self, row: Row, name: str) -> str:
        difference = row.differences.get(name)
        mark = {"better": " +", "worse": " -"}.get(difference.verdict, "") if difference else ""
        if mark and name.startswith("noise"):  # less noise is better
            mark = {" +": " -", " -": " +"}[mark]
        return f"{row.scores[name].mean:.3f}{mark}"

    def legend(self) -> str:
        """Say how to read the table."""
        if not self.rows:
            return (
                "No questions were given, so nothing is said of retrieval: these are sizes and "
                "boundaries only. Give questions with their answers to see which splitter finds them."
            )
        return (
            f"{len(self.questions)} questions. '+': better than {self.baseline!r} on the same "
            "questions, '-': worse, in 95 of 100 draws (paired bootstrap); no mark: no difference "
            "that these questions show."
        )

    def to_markdown(self) -> str:
        """Give the table as Markdown, with its legend and notes."""
        header = self.header()
        lines = [header, ["---", *["---:"] * (len(header) - 1)], *self.table()]
        table = "\n".join(f"| {' | '.join(line)} |" for line in lines)
        return "\n\n".join([table, self.legend(), *(f"Note: {note}." for note in self.notes)])

    __str__ = to_markdown
    _repr_markdown_ = to_markdown

    def to_csv(self) -> str:
        """Give all measures with their intervals as CSV, a line for each splitter and retriever."""
        out = io.StringIO()
        writer = csv.writer(out, lineterminator="\n")
        ends = ("", " low", " high", " difference", " difference low", " difference high")
        facts = ["chunks", "total", "mean", "p5", "p95", "heading_only", "blocks_cut", "intact"]
        columns = [f"{name}{end}" for name in self.measures for end in ends]
        writer.writerow(
            ["splitter", "retriever", *facts, "split_seconds", "index_seconds", *columns]
        )
        for row in self.rows or [Row(name, "", 0.0, {}, {}, ()) for name in self.facts]:
            fact = self.facts[row.splitter]
            sizes = fact.sizes
            cells: list[Any] = [row.splitter, row.retriever, fact.chunks, fact.total, sizes.mean]
            cells += [sizes.p5, sizes.p95, fact.heading_only, fact.blocks_cut, fact.intact]
            cells += [fact.seconds, row.seconds]
            for name in self.measures:
                cells += [*row.scores.get(name, ("",) * 3), *row.differences.get(name, ("",) * 3)]
            writer.writerow(cells)
        return out.getvalue()

    def to_dict(self) -> dict[str, Any]:
        """Give everything but the texts as JSON values; answers by number of question and chunk."""
        return {
            "baseline": self.baseline,
            "unit": self.unit,
            "notes": list(self.notes),
            "splitters": {name: asdict(fact) for name, fact in self.facts.items()},
            "rows": [
                {
                    "splitter": row.splitter,
                    "retriever": row.retriever,
                    "index_seconds": row.seconds,
                    "scores": {name: one._asdict() for name, one in row.scores.items()},
                    "differences": {
                        name: {**one._asdict(), "verdict": one.verdict}
                        for name, one in row.differences.items()
                    },
                    "questions": [
                        {"rank": one.rank, "chunks": list(one.chunks), **one.values}
                        for one in row.found
                    ],
                }
                for row in self.rows
            ],
            "questions": [
                {"id": q.id, "question": q.text, "source": q.source, "spans": q.spans}
                for q in self.questions
            ],
        }

    def to_json(self) -> str:
        """Give `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def missed(self, splitter: str, retriever: str | None = None) -> list[Question]:
        """List the questions that no chunk of a splitter answered, in the first k."""
        return [
            question
            for row in self.rows
            if row.splitter == splitter and retriever in (None, row.retriever)
            for question, found in zip(self.questions, row.found, strict=True)
            if not found.rank
        ]

    def save(self, path: str | Path) -> Path:
        """Write a file; its suffix says what: ``.html``, ``.md``, ``.csv`` or ``.json``.

        Raises:
            ValueError: The suffix is none of these.
        """
        path = Path(path)
        if path.suffix == ".html":
            from langchain_chunkers.evaluation.reporting import report

            text = report(self)
        else:
            ways = {".md": self.to_markdown, ".csv": self.to_csv, ".json": self.to_json}
            if path.suffix not in ways:
                msg = f"A comparison is written as .html, .md, .csv or .json: got {path.name!r}."
                raise ValueError(msg)
            text = ways[path.suffix]()
        path.write_text(text, encoding="utf-8", errors="replace")
        return path
