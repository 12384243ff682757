"""Whole source files in over twenty languages: the guarantees first, then the very chunks.

The expected chunks are in ``tests/golden/code/chunks``, to be read by people. After a change that is
meant, ``python -m tests.test_golden_code --update`` writes them anew: read the difference.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from langchain_chunkers import testing
from langchain_chunkers.strategies.code import CodeSplitter

GOLDEN = Path(__file__).parent / "golden" / "code"
DOCUMENTS = sorted(path.name for path in (GOLDEN / "documents").iterdir())
SETTINGS: dict[str, dict[str, Any]] = {
    "packed": {"chunk_size": 400},
    "each": {"chunk_size": None, "include_signatures": True},
}


def text_of(document: str) -> str:
    return (GOLDEN / "documents" / document).read_bytes().decode()


def splitter_of(document: str, **params: Any) -> CodeSplitter:
    return CodeSplitter(language=document.partition(".")[2], **params)


def render(splitter: CodeSplitter, text: str) -> str:
    """Show chunks with a line in front of each: the lines it has, its size and symbol."""
    parts = []
    for number, document in enumerate(splitter.create_documents([text])):
        known, content = document.metadata, document.page_content
        symbol = f", {known['symbol']}" if "symbol" in known else ""
        where = f"lines {known['line_start']}-{known['line_end']}, {len(content)}"
        parts.append(f"━━━ {number}: {where}{symbol}\n{content}\n")
    return "".join(parts)


def path_of(document: str, name: str) -> Path:
    return GOLDEN / "chunks" / f"{document}.{name}.chunks"


@pytest.mark.parametrize("size", [64, 256, None])
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_guarantees_hold(document: str, size: int | None) -> None:
    text = text_of(document)
    for params in ({}, {"strip_whitespace": False}, {"include_signatures": True}):
        splitter = splitter_of(document, chunk_size=size, **params)
        testing.check_sliced(splitter, text)
        testing.check_lossless(splitter, text)
        testing.check_total(splitter, text)
        testing.check_own_metadata(splitter, text)
        if size is not None:
            testing.check_capped(splitter, text)
            testing.check_whole_characters(splitter, text)
            testing.check_nested(splitter, text)
            if not params and size > 64:  # below, deep indentation alone may be most of a chunk
                testing.check_filled(splitter, text)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_chunks_are_the_golden_ones(document: str, name: str) -> None:
    found = render(splitter_of(document, **SETTINGS[name]), text_of(document))
    path = path_of(document, name)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(found.encode())
    assert found == path.read_bytes().decode(), (
        "The chunks changed. If that is meant: python -m tests.test_golden_code --update"
    )


def test_there_is_a_golden_file_for_each_and_no_other() -> None:
    expected = {path_of(document, name).name for document in DOCUMENTS for name in SETTINGS}
    assert {path.name for path in (GOLDEN / "chunks").iterdir()} == expected


def update() -> None:
    """Write the chunks of all documents anew."""
    for document in DOCUMENTS:
        for name, settings in SETTINGS.items():
            found = render(splitter_of(document, **settings), text_of(document))
            path_of(document, name).write_bytes(found.encode())


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.test_golden_code --update")
    update()
