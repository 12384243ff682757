"""`DoclingSplitter` beside docling-core's `HybridChunker`: the same documents, the same tokenizer, the same cap.

Run as a program, it prints the table of the page on `DoclingSplitter`:
``python -m integration_tests.benchmarks.docling_peers``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import tiktoken
from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
from docling_core.transforms.chunker.tokenizer.openai import OpenAITokenizer
from docling_core.types.doc.document import DoclingDocument

from integration_tests.benchmarks.timing import Ratio, compare
from langchain_chunkers import DoclingParser, DoclingSplitter

ROOT = Path(__file__).parent.parent.parent
FILES, PDF = ROOT / "integration_tests" / "data" / "docling", ROOT / "tests" / "data" / "pdf"
CAPS = (64, 128, 256, 512)
ENCODING = tiktoken.get_encoding("cl100k_base")


class Losses(NamedTuple):
    """What went wrong, over all documents and caps.

    Attributes:
        chunks: How many there were.
        over: Chunks over the cap.
        rows: Rows of tables that stand whole in no chunk, though header and row take a quarter of the cap at most.
        headless: Such rows that are in no chunk with the names of the columns (but the first, which `HybridChunker`
            never writes), where the table has a header.
        headings: Headings in no chunk.
        words: Words of the documents in no chunk.
    """

    chunks: int
    over: int
    rows: int
    headless: int
    headings: int
    words: int

    def __add__(self, other: tuple[int, ...]) -> Losses:  # type: ignore[override]
        return Losses(*(a + b for a, b in zip(self, other, strict=True)))


@cache
def documents() -> dict[str, Any]:
    """Convert the files once: DOCX, PPTX, XLSX, HTML, EPUB, CSV and PDF."""
    parser = DoclingParser(max_seconds=None)
    files = [*sorted(FILES.glob("[!S]*")), *sorted(PDF.glob("*.pdf"))]
    return {file.name: DoclingDocument.model_validate(parser.convert(file)) for file in files}


def ours(document: Any, cap: int) -> list[str]:
    """Split as this package does."""
    return DoclingSplitter(max_tokens=cap).split_text(document)


def theirs(document: Any, cap: int) -> list[str]:
    """Split as docling-core does, headings and captions in front of each chunk."""
    chunker = HybridChunker(tokenizer=OpenAITokenizer(tokenizer=ENCODING, max_tokens=cap))
    return [chunker.contextualize(chunk) for chunk in chunker.chunk(document)]


def tokens(text: str) -> int:
    """Count tokens."""
    return len(ENCODING.encode(text, disallowed_special=()))


def losses(document: Any, chunks: Sequence[str], cap: int) -> Losses:
    """Look for what is cut, lost or too long."""
    flat = [" ".join(chunk.split()) for chunk in chunks]
    headings = [
        " ".join(item.text.split())
        for item in document.texts
        if item.label in ("section_header", "title") and item.content_layer == "body"
    ]
    words = {
        word
        for item, _ in document.iterate_items()
        for word in getattr(item, "text", "").split()
        if word.isalnum()
    }
    seen = {word for chunk in flat for word in chunk.replace("$", " ").split()}
    joined = " ".join(flat)
    rows = headless = 0
    for table in document.tables:
        names, *body = cells(table) or [[]]
        declared = any(cell.column_header for cell in table.data.table_cells)
        for row in body:
            said = [chunk for chunk in flat if all(cell in chunk for cell in row)]
            fits = tokens(" | ".join([*names, *row])) <= cap / 4
            rows += fits and not said
            headless += (
                bool(said)
                and fits
                and declared
                and not any(all(n in c for n in names[1:]) for c in said)
            )
    return Losses(
        len(chunks),
        sum(tokens(chunk) > cap for chunk in chunks),
        rows,
        headless,
        sum(heading[:100] not in joined for heading in headings),
        len([word for word in words - seen if word not in joined]),
    )


def cells(table: Any) -> list[list[str]]:
    """Give the rows of a table that say something, as the cells that do."""
    rows = [[" ".join(cell.text.split()) for cell in row] for row in table.data.grid]
    return [[cell for cell in row if cell] for row in rows if any(row)]


def compared() -> dict[str, Losses]:
    """Count over all documents and caps."""
    contenders: dict[str, Callable[[Any, int], list[str]]] = {
        "DoclingSplitter": ours,
        "HybridChunker": theirs,
    }
    return {
        name: sum(
            (
                losses(document, split(document, cap), cap)
                for document in documents().values()
                for cap in CAPS
            ),
            Losses(0, 0, 0, 0, 0, 0),
        )
        for name, split in contenders.items()
    }


def speed(turns: int = 3) -> Ratio:
    """Say how many times as long `HybridChunker` takes."""
    ready = documents()

    def all_of(split: Callable[[Any, int], list[str]]) -> Callable[[], object]:
        return lambda: [split(document, 256) for document in ready.values()]

    return compare(all_of(theirs), all_of(ours), turns)


def main() -> None:
    """Print the table."""
    print(f"{len(documents())} documents, caps of {', '.join(map(str, CAPS))} tokens")
    print("| | " + " | ".join(Losses._fields) + " |")
    print("|---|" + "---|" * len(Losses._fields))
    for name, found in compared().items():
        print(f"| `{name}` | " + " | ".join(map(str, found)) + " |")
    print(f"HybridChunker takes {speed()} times as long at 256 tokens")


if __name__ == "__main__":
    main()
