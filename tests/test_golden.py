"""Whole documents: the guarantees first, then the very chunks.

The expected chunks are in ``tests/golden/chunks``, to be read by people. After a change that is
meant, ``python -m tests.test_golden --update`` writes them anew: read the difference.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from langchain_chunkers import (
    BaseSplitter,
    ParagraphSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    TokenCountSplitter,
    testing,
)

GOLDEN = Path(__file__).parent / "golden"
DOCUMENTS = sorted(path.name for path in (GOLDEN / "documents").iterdir())
SPLITTERS: dict[str, tuple[type[BaseSplitter], dict[str, Any]]] = {
    "recursive": (RecursiveSplitter, {"chunk_size": 400}),
    "sentence": (SentenceSplitter, {"chunk_size": 250, "chunk_overlap": 80}),
    "paragraph": (ParagraphSplitter, {"chunk_size": 600, "min_chunk_size": 40}),
    "token": (TokenCountSplitter, {"min_tokens": 30, "max_tokens": 120, "chunk_overlap": 12}),
}


def text_of(document: str) -> str:
    return (GOLDEN / "documents" / document).read_bytes().decode()


def splitter_of(name: str, **params: Any) -> BaseSplitter:
    cls, settings = SPLITTERS[name]
    return cls(**{**settings, **params})


def render(splitter: BaseSplitter, text: str) -> str:
    """Show chunks with a line in front of each: where it is, what is new, how large."""
    parts = []
    for number, span in enumerate(splitter.split_spans(text)):
        chunk = text[span.start : span.end]
        repeated = f", {span.fresh - span.start} repeated" if span.fresh > span.start else ""
        where = f"{span.start}-{span.end}{repeated}, {splitter.length(chunk)} {splitter.unit}"
        parts.append(f"━━━ {number}: {where}, {span.strength.name}\n{chunk}\n")
    return "".join(parts)


def path_of(document: str, name: str) -> Path:
    return GOLDEN / "chunks" / f"{document}.{name}.chunks"


@pytest.mark.parametrize("strip", [True, False])
@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_guarantees_hold(document: str, name: str, strip: bool) -> None:
    text, splitter = text_of(document), splitter_of(name, strip_whitespace=strip)
    testing.check_sliced(splitter, text)
    testing.check_lossless(splitter, text)
    testing.check_capped(splitter, text)
    testing.check_whole_characters(splitter, text)
    testing.check_overlap(splitter, text, always=False)
    testing.check_total(splitter, text)
    testing.check_own_metadata(splitter, text)
    if name != "token":
        plain = splitter_of(name, strip_whitespace=strip, min_chunk_size=0)
        testing.check_nested(plain, text)
        testing.check_filled(plain, text)


@pytest.mark.parametrize("name", SPLITTERS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_chunks_are_the_golden_ones(document: str, name: str) -> None:
    found = render(splitter_of(name), text_of(document))
    path = path_of(document, name)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(found.encode())
    assert found == path.read_bytes().decode(), (
        "The chunks changed. If that is meant: python -m tests.test_golden --update"
    )


def test_there_is_a_golden_file_for_each_and_no_other() -> None:
    expected = {path_of(document, name).name for document in DOCUMENTS for name in SPLITTERS}
    assert {path.name for path in (GOLDEN / "chunks").iterdir()} == expected


def update() -> None:
    """Write the chunks of all documents anew."""
    from tests.tokenizers import use_tiktoken_cache

    use_tiktoken_cache()
    for document in DOCUMENTS:
        for name in SPLITTERS:
            found = render(splitter_of(name), text_of(document))
            path_of(document, name).write_bytes(found.encode())


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.test_golden --update")
    update()
