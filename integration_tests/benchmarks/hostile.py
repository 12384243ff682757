"""Very large hostile texts: time and peak memory, each in a process of its own.

    python -m integration_tests.benchmarks.hostile [--only recursive] [--texts newlines] [--timeout S]

Not part of `make bench`: it takes minutes. Half of the floor is the bare encode of the text, which
is printed first for the measure in tokens.
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

from integration_tests.benchmarks import corpus

MB = 1_000_000


def _no_space() -> str:
    letters = "".join(random.Random(0).choices("abcdefghijklmnopqrstuvwxyz", k=MB))
    return letters * 50


def _one_line() -> str:
    words = " ".join(" ".join(corpus.documents("English")).split())
    return (words * (5 * MB // len(words) + 1))[: 5 * MB]


TEXTS: dict[str, Callable[[], str]] = {
    "no-space": _no_space,  # 50 MB
    "newlines": lambda: "\n" * (10 * MB),
    "one-line": _one_line,  # 5 MB
    "one-token": lambda: " hello" * (10 * MB // 6),
    "brackets": lambda: "[" * 100_000 + "]" * 100_000,
}
SPLITTERS = ("recursive", "sentence", "paragraph", "fixed", "token")


def make(name: str, unit: str, *, strip: bool = True) -> Any:
    """Make a splitter, or the bare encode."""
    from langchain_chunkers.base import registry

    corpus.use_encodings()
    if name == "encode":
        import tiktoken

        return tiktoken.get_encoding("cl100k_base").encode_ordinary
    kind = registry()[name]
    options: dict[str, Any] = {"strip_whitespace": strip}
    splitter: Any = (
        kind.from_tiktoken_encoder(chunk_size=256, **options)
        if unit == "tokens"
        else kind(chunk_size=1000, **options)
    )
    return splitter.split_text


def run_one(name: str, unit: str, text_name: str) -> None:
    """Run in this process, and print what it took as JSON."""
    # stripped, nothing would be left of newlines
    split = make(name, unit, strip=text_name != "newlines")
    split("Warm up. " * 100)
    text = TEXTS[text_name]()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    wall, cpu = time.perf_counter(), time.process_time()
    chunks = len(split(text))
    wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    found = {
        "chunks": chunks,
        "wall": wall,
        "cpu": cpu,
        "before": before // 1024,
        "peak": peak // 1024,
    }
    print(json.dumps({**found, "size": len(text) / MB}))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", help="splitters, with commas between")
    parser.add_argument("--texts", help="texts, with commas between")
    parser.add_argument("--timeout", type=float, default=300)
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        run_one(*args.one)
        return
    print("| text | MB | splitter | unit | chunks | CPU s | wall s | peak MB (before) |")
    print("|---|---:|---|---|---:|---:|---:|---:|")
    names = args.only.split(",") if args.only else ["encode", *SPLITTERS]
    for text in args.texts.split(",") if args.texts else TEXTS:
        for name in names:
            for unit in ("characters", "tokens"):
                if unit == "characters" and name in ("token", "encode"):
                    continue
                print(_line(name, unit, text, args.timeout), flush=True)


def _line(name: str, unit: str, text: str, timeout: float) -> str:
    command = [sys.executable, "-m", "integration_tests.benchmarks.hostile", "--one"]
    start = f"| {text} |"
    try:
        answer = subprocess.run(
            [*command, name, unit, text],
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"{start} | {name} | {unit} | over {timeout:.0f} s | | | |"
    if answer.returncode:
        last = (answer.stderr.strip().splitlines() or [f"signal {-answer.returncode}"])[-1]
        return f"{start} | {name} | {unit} | failed: {last[:80]} | | | |"
    found = json.loads(answer.stdout)
    return (
        f"{start} {found['size']:.1f} | {name} | {unit} | {found['chunks']} | {found['cpu']:.1f} "
        f"| {found['wall']:.1f} | {found['peak']} ({found['before']}) |"
    )


if __name__ == "__main__":
    main()
