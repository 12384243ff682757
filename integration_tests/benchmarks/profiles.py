"""Where the time goes: each splitter, in each unit, on each kind of text.

    python -m integration_tests.benchmarks.profiles [--write]

A table of speeds (the best of some runs, no profiler), and beside each what part of the time, by cProfile,
is spent in each part of the package. The profiler makes calls of Python dearer than they are, so the
parts that are one long call of C (a tokenizer, a regular expression) are a little larger than shown.
``--write`` puts the table into `docs/explanation/where-time-goes.md`.
"""

from __future__ import annotations

import argparse
import cProfile
import os
import pstats
import re
import sysconfig
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from integration_tests.benchmarks import corpus
from tests.tokenizers import load_deepseek_tokenizer

PAGE = Path(__file__).parents[2] / "docs" / "explanation" / "where-time-goes.md"
START, END = "<!-- table: start -->", "<!-- table: end -->"
MEGABYTE = 1_000_000

# The first pattern that matches a file (or a built-in function) names the part.
PARTS = {
    "tokenizer": r"tiktoken|toktok|tokenizers|_thread\.lock|concurrent|threading|tokens\.py|huggingface\.py|token_scale\.py|bisect",
    "ladder": r"ladder\.py|sentences\.py|_abbreviations\.py|regex|'re\.",
    "reading": r"plain\.py|quick\.py|readers/|pyromark|tree_sitter|strategies/|outline\.py",
    "packing": r"structure\.py|grouping\.py|packing\.py|filling\.py|overlapping\.py|length\.py",
    "documents": r"base\.py|metadata\.py|pydantic|documents",
}


def texts() -> dict[str, str]:
    """Give a megabyte of each kind of text."""
    library = Path(sysconfig.get_path("stdlib"))
    code = "\n\n".join(path.read_text("utf-8") for path in sorted(library.glob("a*.py")))
    english = "\n\n".join(corpus.documents("English"))
    return {
        "English": english,
        "Chinese": "\n\n".join(corpus.documents("Chinese")),
        "code": code[:MEGABYTE],
        "no spaces": re.sub(r"[\W_]+", "", english)[:MEGABYTE],
    }


def splitters() -> Iterator[tuple[str, str, Any]]:
    """Give the splitters: name, unit, splitter."""
    from langchain_chunkers import HuggingFaceMeasure, TiktokenMeasure
    from langchain_chunkers.base import registry
    from langchain_chunkers.fast_tokens import SWITCH

    fast = TiktokenMeasure()
    os.environ[SWITCH] = "0"
    measures = {
        "characters": (len, 1000),
        "cl100k, fast": (fast, 256),
        "cl100k": (TiktokenMeasure(), 256),
        "Hugging Face": (HuggingFaceMeasure(load_deepseek_tokenizer()), 256),
    }
    del os.environ[SWITCH]
    names = ("fixed", "recursive", "sentence", "token", "paragraph", "markdown", "code")
    for name in names:
        for unit, (measure, size) in measures.items():
            if name in names[:4] or unit in ("characters", "cl100k, fast"):
                options = {"add_start_index": True, "length_function": measure}
                if name == "code":
                    options["language"] = "python"
                yield name, unit, registry()[name](chunk_size=size, **options)


def best(job: Callable[[], object], runs: int = 3) -> float:
    """Give the least CPU seconds of some runs, threads included; neighbours only add."""
    found = float("inf")
    for _ in range(runs):
        start = time.process_time()
        job()
        found = min(found, time.process_time() - start)
    return found


def shares(job: Callable[[], object]) -> dict[str, float]:
    """Give the share of each part of the package, by the profiler."""
    profile = cProfile.Profile()
    profile.enable()
    job()
    profile.disable()
    found: Counter[str] = Counter()
    for (file, _, function), (_, _, own, _, _) in pstats.Stats(profile).stats.items():  # type: ignore[attr-defined]
        name = file if file != "~" else function
        part = next((part for part, named in PARTS.items() if re.search(named, name)), "other")
        found[part] += own
    total = sum(found.values())
    return {part: found[part] / total for part in (*PARTS, "other")}


def number(speed: float) -> str:
    """Write two or three digits: more would only show the machine's mood."""
    return f"{speed:.0f}" if speed >= 10 else f"{speed:.1f}"


def rows() -> Iterator[str]:
    """Measure, and write a row of the table for each."""
    corpus.use_encodings()
    kinds = texts()
    for name, unit, splitter in splitters():
        for kind, text in kinds.items():
            if (name == "code") != (kind == "code") and name == "code":
                continue

            def job(splitter: Any = splitter, text: str = text) -> object:
                return splitter.create_documents([text])

            job()
            speed = len(text.encode()) / MEGABYTE / best(job)
            cells = [f"{share:.0%}" for share in shares(job).values()]
            yield f"| {name} | {unit} | {kind} | {number(speed)} | {' | '.join(cells)} |"


HEADER = (
    f"| splitter | unit | text | MB/s | {' | '.join(PARTS)} | other |\n"
    f"|---|---|---|---:|{'---:|' * (len(PARTS) + 1)}"
)


def main() -> None:
    """Print the table, and write it where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into the page")
    asked = parser.parse_args()
    print(HEADER, flush=True)
    found = []
    for row in rows():
        print(row, flush=True)
        found.append(row)
    if asked.write:
        page = PAGE.read_text("utf-8")
        before, _, rest = page.partition(START)
        _, _, after = rest.partition(END)
        table = "\n".join([HEADER, *found])
        PAGE.write_text(f"{before}{START}\n\n{table}\n\n{END}{after}", "utf-8")


if __name__ == "__main__":
    main()
