"""Measures how time and memory grow with the document and with the chunk, and writes the tables of a page.

    python -m integration_tests.benchmarks.cost_model --write

Each run is a process of its own that splits one text: processor time is the less of two passes, memory
is what the peak (``VmHWM``) adds to what the process had before, text excluded.
"""

from __future__ import annotations

import argparse
import gc
import json
import math
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from integration_tests.benchmarks import corpus

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "cost-model.md"
SIZES = (1, 4, 16, 64)  # megabytes of UTF-8
CHUNK_SIZES = (100, 1_000, 10_000, 100_000)
GROWING = {
    ("recursive", "characters"): "`RecursiveSplitter(1000)`",
    ("fixed", "characters"): "`FixedSizeSplitter(1000)`",
    ("sentence", "characters"): "`SentenceSplitter(1000)`",
    ("markdown", "characters"): "`MarkdownSplitter(1000)`",
    ("recursive", "tokens"): "`RecursiveSplitter`, 256 tokens",
    ("token", "tokens"): "`TokenCountSplitter`, 256 tokens",
}
LANGUAGES = ("English", "Chinese", "code")
LANGCHAIN = ("langchain", "characters")


class Cost(NamedTuple):
    """What one text took."""

    seconds: float
    megabytes: float
    chunks: int


def text_of(language: str, megabytes: float) -> str:
    """Give a text of so many megabytes of UTF-8, cut from real documents."""
    if language == "code":
        folder = Path(json.__file__).parents[1]
        texts = tuple(path.read_text("utf-8", "ignore") for path in sorted(folder.glob("*.py")))
    else:
        texts = corpus.documents(language)
    wanted, found, size = megabytes * corpus.MEGABYTE, list[str](), 0
    while size < wanted:
        for text in texts:
            found.append(text)
            size += len(text.encode())
            if size >= wanted:
                break
    joined = "\n\n".join(found)
    return joined[: int(len(joined) * wanted / size)]


def make(name: str, unit: str, chunk_size: int) -> Callable[[str], Sequence[str]]:
    """Make ``split_text`` of a splitter."""
    import langchain_chunkers as ours

    if name == "langchain":
        from langchain_text_splitters import RecursiveCharacterTextSplitter

        return RecursiveCharacterTextSplitter(chunk_size=chunk_size, chunk_overlap=0).split_text
    made: Any = {
        "recursive": ours.RecursiveSplitter,
        "fixed": ours.FixedSizeSplitter,
        "sentence": ours.SentenceSplitter,
        "markdown": ours.MarkdownSplitter,
        "token": ours.TokenCountSplitter,
    }[name]
    if unit == "tokens":
        corpus.use_encodings()
        return made.from_tiktoken_encoder(chunk_size=chunk_size).split_text  # type: ignore[no-any-return]
    return made(chunk_size=chunk_size).split_text  # type: ignore[no-any-return]


def peak() -> float:
    """Give the largest memory of this process so far, in megabytes."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / corpus.MEGABYTE
    raise OSError("no VmHWM in /proc/self/status")


def run(name: str, unit: str, language: str, megabytes: float, chunk_size: int) -> Cost:
    """Split one text in this process."""
    split = make(name, unit, chunk_size)
    split(text_of(language, 0.1))  # imports, tables and patterns
    text = text_of(language, megabytes)
    gc.collect()
    Path("/proc/self/clear_refs").write_text("5")  # the peak counts from here on
    before = peak()
    times, chunks = [], 0
    for _ in range(2):
        start = time.process_time()
        found = split(text)
        times.append(time.process_time() - start)
        chunks = len(found)
        del found
    return Cost(min(times), peak() - before, chunks)


def apart(name: str, unit: str, language: str, megabytes: float, chunk_size: int) -> Cost:
    """Split one text in a process of its own."""
    command = [sys.executable, "-m", "integration_tests.benchmarks.cost_model", "--run"]
    asked = [*command, name, unit, language, str(megabytes), str(chunk_size)]
    done = subprocess.run(asked, check=True, capture_output=True, text=True)
    return Cost(*json.loads(done.stdout.splitlines()[-1]))


def slope(points: Iterable[tuple[float, float]]) -> float:
    """Fit a line through the logarithms: 1 is linear."""
    logs = [(math.log(x), math.log(max(y, 1e-9))) for x, y in points]
    mean_x = sum(x for x, _ in logs) / len(logs)
    mean_y = sum(y for _, y in logs) / len(logs)
    above = sum((x - mean_x) * (y - mean_y) for x, y in logs)
    return above / sum((x - mean_x) ** 2 for x, _ in logs)


def growth() -> Iterator[str]:
    """Give the table of growth with the size of the document."""
    heads = " | ".join(f"{size} MB" for size in SIZES)
    yield f"| splitter | text | {heads} | slope of time | memory at 64 MB | slope of memory |"
    yield "|---|---|" + "---:|" * (len(SIZES) + 3)
    for (name, unit), title in GROWING.items():
        for language in LANGUAGES:
            chunk_size = 256 if unit == "tokens" else 1000
            costs = [apart(name, unit, language, size, chunk_size) for size in SIZES]
            times = [(size, cost.seconds) for size, cost in zip(SIZES, costs, strict=True)]
            memory = [(size, cost.megabytes) for size, cost in zip(SIZES, costs, strict=True)]
            cells = " | ".join(f"{seconds:.3g} s" for _, seconds in times)
            yield (
                f"| {title} | {language} | {cells} | {slope(times):.2f} | "
                f"{costs[-1].megabytes:.0f} MB | {slope(memory):.2f} |"
            )
            print(name, unit, language, costs, file=sys.stderr, flush=True)


def sizes() -> Iterator[str]:
    """Give the table of growth with the size of the chunk."""
    yield "| splitter | text | " + " | ".join(f"{size:,}" for size in CHUNK_SIZES) + " |"
    yield "|---|---|" + "---:|" * len(CHUNK_SIZES)
    for language in LANGUAGES:
        for (name, unit), title in (
            (LANGCHAIN, "LangChain's `RecursiveCharacterTextSplitter`"),
            (("recursive", "characters"), "`RecursiveSplitter`"),
            (("sentence", "characters"), "`SentenceSplitter`"),
        ):
            costs = [apart(name, unit, language, 4, size) for size in CHUNK_SIZES]
            cells = " | ".join(f"{cost.seconds:.3g} s" for cost in costs)
            yield f"| {title} | {language} | {cells} |"
            print(name, language, costs, file=sys.stderr, flush=True)


def write(tables: dict[str, list[str]]) -> None:
    """Put tables in place of those of the page."""
    page = PAGE.read_text(encoding="utf-8")
    for name, lines in tables.items():
        start, end = f"<!-- {name}: start -->", f"<!-- {name}: end -->"
        before, _, rest = page.partition(start)
        _, _, after = rest.partition(end)
        page = before + start + "\n\n" + "\n".join(lines) + "\n\n" + end + after
    PAGE.write_text(page, encoding="utf-8")


def main() -> None:
    """Run one cost, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", nargs=5, help="one run, as JSON")
    parser.add_argument("--write", action="store_true", help="write the page")
    asked = parser.parse_args()
    if asked.run:
        name, unit, language, megabytes, chunk_size = asked.run
        print(json.dumps(run(name, unit, language, float(megabytes), int(chunk_size))))
        return
    tables = {"chunk": list(sizes()), "document": list(growth())}
    for lines in tables.values():
        print("\n".join(lines), end="\n\n")
    if asked.write:
        write(tables)


if __name__ == "__main__":
    main()
