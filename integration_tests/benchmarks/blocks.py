"""Which blocks are cut though they would have fitted, and how fast, beside the peers.

python -m integration_tests.benchmarks.blocks [--write]

A block is whole if some chunk has its letters and digits in a row: that asks nothing of a splitter's
offsets, and lets docling write the marks of Markdown in its own way, so each is judged alike. Blocks of Markdown are found by markdown-it-py, functions by
Python's own `ast`, neither of which any splitter here uses.
"""

from __future__ import annotations

import ast
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from integration_tests.benchmarks import corpus

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "explanation" / "blocks-measured.md"
_HEAD = """# Blocks that are cut though they fit, measured

How many fences, tables, list items and functions would have fitted into a chunk, and are in no chunk whole. Markdown is the pages of
this repository and real documents of others; code is modules of Python's standard library. MB/s is of processor time, after a first
run that loads what is needed. docling reads Markdown into its own document, and writes tables as sentences.

`python -m integration_tests.benchmarks.blocks --write` measures again and writes this page.
"""
SIZES = {"characters": 1000, "tokens": 256}
_MODULES = (
    "argparse", "calendar", "csv", "dataclasses", "difflib", "enum", "fractions", "functools", "heapq",
    "inspect", "ipaddress", "shutil", "statistics", "tarfile", "textwrap", "typing", "uuid", "zipfile",
)  # fmt: skip


class Row(NamedTuple):
    """What one splitter did to one corpus.

    Attributes:
        name: Library and class.
        cut: Blocks that were cut though they fitted.
        blocks: Blocks that fitted.
        over: Chunks above the cap.
        crashes: Texts that it raised on; their blocks are left out.
        rate: MB/s of UTF-8, CPU time.
    """

    name: str
    cut: int
    blocks: int
    over: int
    crashes: int
    rate: float


def markdown_texts() -> list[str]:
    """Give the Markdown of this repository: its own pages, and real documents of others."""
    folders = ("docs", "tests/golden/markdown/documents", "tests/data/markdown")
    paths = [
        path for name in folders for path in sorted((ROOT / name).rglob("*.m*d*")) if path.is_file()
    ]
    return [path.read_text("utf-8") for path in paths]


def code_texts() -> list[str]:
    """Give modules of the standard library, which every machine has."""
    folder = Path(sysconfig.get_path("stdlib"))
    return [(folder / f"{name}.py").read_text("utf-8") for name in _MODULES]


def markdown_blocks(text: str) -> list[tuple[str, str]]:
    """List fences, tables and list items, and each with the headings right above it."""
    from tests.markdown_blocks import whole_blocks

    return [
        (text[block.start : block.end], text[block.lead : block.end])
        for block in whole_blocks(text)
    ]


def functions(text: str) -> list[tuple[str, str]]:
    """List functions and methods, decorators included."""
    lines = text.splitlines(keepends=True)
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            first = min([node.lineno, *(item.lineno for item in node.decorator_list)])
            block = "".join(lines[first - 1 : node.end_lineno])
            found.append((block, block))
    return found


@cache
def _encoding() -> Any:
    import tiktoken

    corpus.use_encodings()
    return tiktoken.get_encoding("cl100k_base")


def measure(unit: str) -> Callable[[str], int]:
    """Give what counts a unit."""
    return len if unit == "characters" else lambda text: len(_encoding().encode_ordinary(text))


def _texts(documents: list[Any]) -> list[str]:
    return [document.page_content for document in documents]


def for_markdown(unit: str) -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    """Give the splitters that people use for Markdown."""
    from langchain_text_splitters import MarkdownTextSplitter
    from semantic_text_splitter import MarkdownSplitter as RustSplitter

    from langchain_chunkers import MarkdownSplitter, RecursiveSplitter

    size = SIZES[unit]
    options: dict[str, Any] = {"length_function": measure(unit), "chunk_overlap": 0}
    for kind in (MarkdownSplitter, RecursiveSplitter):
        made = kind.from_tiktoken_encoder if unit == "tokens" else kind
        yield f"**{kind.__name__}**", made(chunk_size=size).split_text
    yield (
        "langchain-text-splitters MarkdownTextSplitter",
        MarkdownTextSplitter(chunk_size=size, **options).split_text,
    )
    if unit == "tokens":
        yield (
            "semantic-text-splitter MarkdownSplitter",
            RustSplitter.from_tiktoken_model("gpt-4", size).chunks,
        )
    else:
        yield "semantic-text-splitter MarkdownSplitter", RustSplitter(size).chunks
    yield from _general(unit)
    if unit == "tokens":
        yield "docling-core HybridChunker", docling_chunks(size)


def docling_chunks(size: int) -> Callable[[str], list[str]]:
    """Make docling's reader of Markdown with its chunker, which knows tokens only."""
    convert, chunker = docling_reader(size)
    return lambda text: [chunker.contextualize(chunk) for chunk in chunker.chunk(convert(text))]


def docling_reader(size: int) -> tuple[Callable[[str], Any], Any]:
    """Give what reads Markdown, and what chunks it."""
    from io import BytesIO

    from docling.datamodel.base_models import DocumentStream, InputFormat
    from docling.document_converter import DocumentConverter
    from docling_core.transforms.chunker.hybrid_chunker import HybridChunker
    from docling_core.transforms.chunker.tokenizer.openai import OpenAITokenizer

    converter = DocumentConverter(allowed_formats=[InputFormat.MD])
    chunker = HybridChunker(tokenizer=OpenAITokenizer(tokenizer=_encoding(), max_tokens=size))

    def convert(text: str) -> Any:
        stream = DocumentStream(name="text.md", stream=BytesIO(text.encode()))
        return converter.convert(stream).document

    return convert, chunker


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text))


def for_code(unit: str) -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    """Give the splitters that people use for code."""
    import tree_sitter
    import tree_sitter_python
    from langchain_text_splitters import Language, RecursiveCharacterTextSplitter
    from llama_index.core.node_parser import CodeSplitter as LlamaSplitter
    from semantic_text_splitter import CodeSplitter as RustSplitter

    from langchain_chunkers import CodeSplitter

    size = SIZES[unit]
    made = CodeSplitter.from_tiktoken_encoder if unit == "tokens" else CodeSplitter
    yield "**CodeSplitter**", made(chunk_size=size, language="python").split_text
    options: dict[str, Any] = {
        "chunk_size": size,
        "chunk_overlap": 0,
        "length_function": measure(unit),
    }
    theirs = RecursiveCharacterTextSplitter.from_language(Language.PYTHON, **options)
    yield "langchain-text-splitters from_language(PYTHON)", theirs.split_text
    language = tree_sitter_python.language()
    if unit == "tokens":
        rust = RustSplitter.from_tiktoken_model(language, "gpt-4", size)
    else:
        rust = RustSplitter(language, size)
    yield "semantic-text-splitter CodeSplitter", rust.chunks
    parser = tree_sitter.Parser(tree_sitter.Language(language))
    counting: dict[str, Any] = {"max_chars": size}
    if unit == "tokens":
        counting = {
            "count_mode": "token",
            "max_tokens": size,
            "tokenizer": _encoding().encode_ordinary,
        }
    llama = LlamaSplitter(language="python", parser=parser, **counting)
    yield "llama-index-core CodeSplitter", llama.split_text
    yield from _general(unit)


def _general(unit: str) -> Iterator[tuple[str, Callable[[str], list[str]]]]:
    from chonkie import RecursiveChunker
    from llama_index.core.node_parser import SentenceSplitter

    size = SIZES[unit]
    tokenizer = "character" if unit == "characters" else _encoding()
    chunker = RecursiveChunker(tokenizer, chunk_size=size)
    yield "chonkie RecursiveChunker", lambda text: [chunk.text for chunk in chunker.chunk(text)]
    counter = list if unit == "characters" else _encoding().encode_ordinary
    llama = SentenceSplitter(chunk_size=size, chunk_overlap=0, tokenizer=counter)
    yield "llama-index-core SentenceSplitter", llama.split_text


def judge(
    texts: list[str],
    blocks_of: Callable[[str], list[tuple[str, str]]],
    split: Callable[[str], list[str]],
    unit: str,
) -> tuple[int, int, int, int, float]:
    """Count blocks cut without need, blocks that fitted, chunks above the cap, crashes, and seconds."""
    count, size = measure(unit), SIZES[unit]
    cut = fitted = over = crashes = 0
    seconds = 0.0
    for text in texts:
        start = time.process_time()
        try:
            chunks = split(text)
        except Exception:  # noqa: BLE001 - whatever a peer raises on real text
            crashes += 1
            continue
        seconds += time.process_time() - start
        over += sum(count(chunk) > size for chunk in chunks)
        plain = [_letters(chunk) for chunk in chunks]
        for block, led in blocks_of(text):
            if count(led) > size:
                continue
            fitted += 1
            wanted = _letters(block)
            cut += not any(wanted in chunk for chunk in plain)
    return cut, fitted, over, crashes, seconds


def table(kind: str, unit: str) -> list[Row]:
    """Measure all splitters of a kind of text."""
    markdown = kind == "markdown"
    texts = markdown_texts() if markdown else code_texts()
    size = sum(len(text.encode()) for text in texts) / 1e6
    rows = []
    for name, split in for_markdown(unit) if markdown else for_code(unit):
        for text in texts:  # grammars and tables are loaded at the first use of each
            with suppress(Exception):
                split(text)
        *judged, seconds = judge(texts, markdown_blocks if markdown else functions, split, unit)
        rows.append(Row(name, *judged, size / seconds))
    return rows


def page() -> str:
    """Write the page."""
    lines = [_HEAD]
    for kind, what in (("markdown", "fences, tables, list items"), ("code", "functions, methods")):
        for unit, size in SIZES.items():
            lines += [
                f"## {kind.capitalize()}, {size:,} {unit}",
                "",
                f"Blocks: {what}.",
                "",
                "| splitter | cut without need | of | chunks over the cap | crashes | MB/s |",
                "|---|---:|---:|---:|---:|---:|",
            ]
            for row in table(kind, unit):
                cells = (row.name, row.cut, row.blocks, row.over, row.crashes, f"{row.rate:.2f}")
                lines.append(f"| {' | '.join(map(str, cells))} |")
            lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    made = page()
    print(made)
    if "--write" in sys.argv[1:]:
        PAGE.write_text(made, "utf-8")
