"""Our splitters beside Pathway's on the same text: what is lost, what is broken, how fast.

    python -m integration_tests.benchmarks.pathway_peers

Needs Pathway (see `make integration_test_pathway`). Lost: characters of the text, white space aside,
that no chunk has; Pathway's normal form is applied before that is counted, so that it counts as no loss.
"""

from __future__ import annotations

import time
import unicodedata
from collections import Counter
from collections.abc import Callable

from integration_tests.benchmarks import corpus
from langchain_chunkers import RecursiveSplitter, TokenCountSplitter
from langchain_chunkers.tokens import TiktokenMeasure

HOSTILE = (
    'He said "yes." She said "no." (Why?) See https://example.org/a.b?c=d.e ' * 200
    + "👩‍👩‍👧‍👦 家族の写真。写真は海で撮った。" * 200
    + "हिन्दी में एक वाक्य। दूसरा वाक्य भी है। " * 200
    + "x² ½ … ﬁ Ⅳ ① ＡＢＣ " * 100
)
SIZE = 500


def lost(text: str, chunks: list[str]) -> int:
    """Characters that are in the text more often than in the chunks."""

    def counted(some: str) -> Counter[str]:
        return Counter(c for c in unicodedata.normalize("NFKC", some) if not c.isspace())

    return sum((counted(text) - counted("".join(chunks))).values())


def main() -> None:
    """Print the table."""
    corpus.use_encodings()
    from pathway.xpacks.llm import splitters as pathway

    measure = TiktokenMeasure()
    texts = {
        "hostile": HOSTILE,
        "English": "\n\n".join(corpus.documents("English")),
        "Chinese": "\n\n".join(corpus.documents("Chinese")),
    }
    theirs = pathway.TokenCountSplitter(50, SIZE)
    other = pathway.RecursiveSplitter(SIZE, encoding_name="cl100k_base")
    ways: dict[str, Callable[[str], list[str]]] = {
        "`TokenCountSplitter`": TokenCountSplitter(50, SIZE).split_text,
        "Pathway `TokenCountSplitter`": lambda text: [c for c, _ in theirs.chunk(text)],
        "`RecursiveSplitter`": RecursiveSplitter(SIZE, encoding_name="cl100k_base").split_text,
        "Pathway `RecursiveSplitter`": lambda text: [c for c, _ in other.chunk(text)],
    }
    print(
        "| splitter | text | chunks | over the cap | U+FFFD | lost | no slices | MB per CPU second |"
    )
    print("|---|---|---:|---:|---:|---:|---:|---:|")
    for name, text in texts.items():
        for way, split in ways.items():
            best = 1e9
            for _ in range(3):
                start = time.process_time()
                chunks = split(text)
                best = min(best, time.process_time() - start)
            cells = [
                len(chunks),
                sum(measure(chunk) > SIZE for chunk in chunks),
                sum(chunk.count("\ufffd") for chunk in chunks),
                lost(text, chunks),
                sum(chunk not in text for chunk in chunks),
                f"{len(text.encode()) / 1e6 / best:.1f}",
            ]
            print(f"| {way} | {name} | " + " | ".join(map(str, cells)) + " |", flush=True)


if __name__ == "__main__":
    main()
