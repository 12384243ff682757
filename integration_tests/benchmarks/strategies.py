"""Which splitter finds the answers? Ours and the peers on public sets, at equal prompts.

    python -m integration_tests.benchmarks.strategies [FOLDER] [--sets chroma,xquad_en,...] [--retrievers bm25,wordllama]

FOLDER has one folder a set (`corpora.jsonl`, `questions.jsonl`); without it, the set in this
repository is taken. All splitters make chunks of at most 256 tokens of `cl100k_base`, without overlap. What
was measured is kept in `results/strategies.json`, and docs/explanation/strategies-measured.md is written of it;
sets that are not asked for keep what is there.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from langchain_core.documents import Document

from integration_tests.benchmarks import blocks, corpus, peers
from langchain_chunkers import MarkdownSplitter, SemanticSplitter
from langchain_chunkers.evaluation import compare, read_set

KEPT = Path(__file__).parent / "results" / "strategies.json"
PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "strategies-measured.md"
SIZE = 256
BASE = "RecursiveCharacterTextSplitter"
DOCLING = "docling-core: HybridChunker"
SHOWN = ("hit@1", "hit@5", "recall in 500", "recall in 1000", "recall in 2000")


_LEGEND = (
    "Chunks of at most 256 tokens (`cl100k_base`), no overlap; the index holds the chunks of all documents "
    "of a set. `recall in N`: share of the evidence in a prompt of N tokens. **Bold**: surely better than "
    "LangChain's recursive splitter on the same questions; *slanted*: surely worse (paired bootstrap, 95 %); "
    "else no difference that these questions show. `over`: the largest chunk, where it is over the cap. "
    "docling writes the text anew and says no offsets: its chunks are found by their letters and digits."
)


class Peer:
    """A contender behind the face that `compare` calls."""

    def __init__(self, contender: peers.Contender) -> None:
        self.contender = contender

    def split_documents(self, documents: list[Document]) -> list[Document]:
        made = []
        for document in documents:
            for text, start in self.contender.pieces(document.page_content):
                known = {} if start is None else {"start_index": start}
                made.append(Document(page_content=text, metadata={**document.metadata, **known}))
        return made


def splitters() -> dict[str, Any]:
    """Name all that is compared; LangChain's recursive splitter first."""
    named: dict[str, Any] = {}
    for contender in peers.contenders(SIZE, 0, "tokens"):
        name = contender.name if contender.ours else f"{contender.package}: {contender.name}"
        named[BASE if contender.name == BASE else name] = Peer(contender)
    tokens = {"chunk_size": SIZE}
    named[DOCLING] = Docling()
    named["MarkdownSplitter"] = MarkdownSplitter.from_tiktoken_encoder(**tokens)
    named["SemanticSplitter"] = SemanticSplitter.from_tiktoken_encoder(**tokens)
    return {BASE: named.pop(BASE), **named}


class Docling:
    """docling's reader of Markdown with its chunker, behind the face that `compare` calls.

    It reports no offsets and writes text anew: where a chunk stands is found by its letters and digits.
    """

    def __init__(self) -> None:
        self.convert, self.chunker = blocks.docling_reader(SIZE)

    def split_documents(self, documents: list[Document]) -> list[Document]:
        made = []
        for document in documents:
            text = document.page_content
            places = [at for at, character in enumerate(text) if character.isalnum()]
            letters, behind = "".join(text[at] for at in places), 0
            for chunk in self.chunker.chunk(self.convert(text)):
                wanted = "".join(filter(str.isalnum, chunk.text))
                at = letters.find(wanted, behind) if wanted else -1
                known = {}
                if at >= 0:
                    behind = at + len(wanted)
                    known = {"source_start": places[at], "source_end": places[behind - 1] + 1}
                content = self.chunker.contextualize(chunk)
                made.append(Document(page_content=content, metadata={**document.metadata, **known}))
        return made


def measure(folder: Path, name: str, retrievers: list[str], only: list[str]) -> dict[str, Any]:
    """Compare on one set: all, or LangChain's recursive splitter and those named."""
    documents, questions = read_set(folder / name)
    named = splitters()
    if only:
        named = {one: named[one] for one in (BASE, *only)}
    found = compare(named, documents, questions, retrievers=retrievers, budgets=(500, 1000, 2000))
    return {
        "documents": len(documents),
        "questions": len(found.questions),
        "rows": [
            {
                "splitter": row.splitter,
                "retriever": row.retriever,
                "chunks": found.facts[row.splitter].chunks,
                "mean": round(found.facts[row.splitter].sizes.mean, 1),
                "most": found.facts[row.splitter].sizes.most,
                "intact": round(found.facts[row.splitter].intact or 0, 4),
                "scores": {
                    measure: [
                        round(row.scores[measure].mean, 4),
                        *(round(v, 4) for v in row.differences.get(measure, (0.0, 0.0, 0.0))),
                    ]
                    for measure in SHOWN
                },
            }
            for row in found.rows
        ],
    }


def page(kept: Mapping[str, Any]) -> str:
    """Write the page: a table for each set and retriever."""
    parts = ["# Splitters and peers on public questions, measured", _LEGEND]
    for name, found in kept.items():
        for retriever in dict.fromkeys(row["retriever"] for row in found["rows"]):
            parts.append(f"## {name}, {retriever}")
            parts.append(f"{found['documents']} documents, {found['questions']:,} questions.")
            lines = [
                "| splitter | intact | " + " | ".join(SHOWN) + " | chunks | mean | over |",
                "|---|---:|" + "---:|" * (len(SHOWN) + 3),
            ]
            for row in found["rows"]:
                if row["retriever"] != retriever:
                    continue
                cells = [_cell(row["scores"][one]) for one in SHOWN]
                over = str(row["most"]) if row["most"] > SIZE else ""
                mean = f"{row['mean']:.0f}"
                cells += [f"{row['chunks']:,}", mean, over]
                lines.append(f"| {row['splitter']} | {_intact(row)} | " + " | ".join(cells) + " |")
            parts.append("\n".join(lines))
    parts.append(
        "Made by `python -m integration_tests.benchmarks.strategies`, of `results/strategies.json`."
    )
    return "\n\n".join(parts) + "\n"


def _intact(row: Mapping[str, Any]) -> str:
    """Write how many sentences are whole; docling writes them anew, so that none is found as it was."""
    return "" if row["splitter"] == DOCLING else f"{row['intact']:.3f}"


def _cell(score: list[float]) -> str:
    mean, _, low, high = score
    mark = "**" if low > 0 else "*" if high < 0 else ""
    return f"{mark}{mean:.3f}{mark}"


def main() -> None:
    """Measure, keep, and write the page."""
    corpus.use_encodings()
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=corpus.DATA)
    parser.add_argument("--sets", default="chroma")
    parser.add_argument("--retrievers", default="bm25,wordllama")
    parser.add_argument(
        "--only", default="", help="of these splitters; what is kept of others stays"
    )
    options = parser.parse_args()
    kept = json.loads(KEPT.read_text("utf-8")) if KEPT.exists() else {}
    for name in options.sets.split(","):
        retrievers = options.retrievers.split(",")
        if options.only and name in kept:
            retrievers = list(dict.fromkeys(row["retriever"] for row in kept[name]["rows"]))
        only = options.only.split(",") if options.only else []
        measured = measure(options.folder, name, retrievers, only)
        if only and name in kept:
            others = [row for row in kept[name]["rows"] if row["splitter"] not in only]
            measured["rows"] = others + [r for r in measured["rows"] if r["splitter"] in only]
        kept[name] = measured
        KEPT.write_text(json.dumps(kept, indent=1) + "\n", "utf-8")
        PAGE.write_text(page(kept), "utf-8")
        print(name, flush=True)


if __name__ == "__main__":
    main()
