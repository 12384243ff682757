"""Real text for the benchmarks: sources and licences in `integration_tests/data/SOURCES.md`."""

from __future__ import annotations

import gzip
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).parent.parent / "data"
LANGUAGES = {"English": "english.jsonl.gz", "Chinese": "chinese.jsonl.gz"}
MEGABYTE = 1_000_000


@cache
def read_lines(name: str) -> tuple[dict[str, Any], ...]:
    """Read a `.jsonl` or `.jsonl.gz`: of the data folder, or by its whole path."""
    path = DATA / name
    raw = path.read_bytes()
    text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode()
    return tuple(json.loads(line) for line in text.splitlines())


@cache
def documents(language: str) -> tuple[str, ...]:
    """Give documents of one language, repeated until they have a megabyte of UTF-8."""
    texts = [line["text"] for line in read_lines(LANGUAGES[language])]
    found: list[str] = []
    size = 0
    while size < MEGABYTE:
        found += texts
        size += sum(len(text.encode()) for text in texts)
    return tuple(found)


def megabytes(texts: tuple[str, ...]) -> float:
    """Size in UTF-8."""
    return sum(len(text.encode()) for text in texts) / MEGABYTE


def use_encodings() -> None:
    """Make tiktoken work without the network, as the tests have it."""
    if "TIKTOKEN_CACHE_DIR" not in os.environ:
        from tests.tokenizers import use_tiktoken_cache

        use_tiktoken_cache()
