"""Whole Markdown documents: the guarantees first, then the very chunks with their metadata.

After a change that is meant, ``python -m tests.test_golden_markdown --update`` writes the chunks
anew: read the difference.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest

from langchain_chunkers import testing
from langchain_chunkers.strategies.markdown import MarkdownSplitter

GOLDEN = Path(__file__).parent / "golden" / "markdown"
DOCUMENTS = sorted(path.name for path in (GOLDEN / "documents").iterdir())
SETTINGS: dict[str, dict[str, Any]] = {
    "blocks": {"chunk_size": 160},
    "sections": {"chunk_size": 600, "min_chunk_size": 60},
    "size": {"chunk_size": 800, "chunk_overlap": 100, "split_on_headings": False},
    "headers": {
        "chunk_size": None,
        "headers_to_split_on": [("#", "H1"), ("##", "H2")],
        "strip_headers": True,
        "front_matter": "metadata",
    },
}


def text_of(document: str) -> str:
    return (GOLDEN / "documents" / document).read_bytes().decode()


def render(splitter: MarkdownSplitter, text: str) -> str:
    """Show chunks with a line in front of each: where it is, and its metadata."""
    parts = []
    for number, chunk in enumerate(splitter.create_documents([text], add_start_index=True)):
        known = dict(chunk.metadata)
        where = f"{known.pop('start_index')}-{known.pop('end_index')}"
        facts = json.dumps(known, ensure_ascii=False)
        parts.append(f"━━━ {number}: {where} {facts}\n{chunk.page_content}\n")
    return "".join(parts)


def path_of(document: str, name: str) -> Path:
    return GOLDEN / "chunks" / f"{document}.{name}.chunks"


@pytest.mark.parametrize("strip", [True, False])
@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_guarantees_hold(document: str, name: str, strip: bool) -> None:
    text = text_of(document)
    splitter = MarkdownSplitter(**SETTINGS[name], strip_whitespace=strip)
    testing.check_sliced(splitter, text)
    if name != "headers":  # which leaves text out on purpose
        testing.check_lossless(splitter, text)
    testing.check_capped(splitter, text)
    testing.check_whole_characters(splitter, text)
    testing.check_overlap(splitter, text, always=False)
    testing.check_total(splitter, text)
    testing.check_own_metadata(splitter, text)
    plain = MarkdownSplitter(**{**SETTINGS[name], "min_chunk_size": 0}, strip_whitespace=strip)
    testing.check_nested(plain, text)


@pytest.mark.parametrize("name", SETTINGS)
@pytest.mark.parametrize("document", DOCUMENTS)
def test_the_chunks_are_the_golden_ones(document: str, name: str) -> None:
    found = render(MarkdownSplitter(**SETTINGS[name]), text_of(document))
    path = path_of(document, name)
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_bytes(found.encode())
    assert found == path.read_bytes().decode(), (
        "The chunks changed. If that is meant: python -m tests.test_golden_markdown --update"
    )


def test_there_is_a_golden_file_for_each_and_no_other() -> None:
    expected = {path_of(document, name).name for document in DOCUMENTS for name in SETTINGS}
    assert {path.name for path in (GOLDEN / "chunks").iterdir()} == expected


def update() -> None:
    """Write the chunks of all documents anew."""
    for document in DOCUMENTS:
        for name, settings in SETTINGS.items():
            found = render(MarkdownSplitter(**settings), text_of(document))
            path_of(document, name).write_bytes(found.encode())


if __name__ == "__main__":
    if sys.argv[1:] != ["--update"]:
        sys.exit("usage: python -m tests.test_golden_markdown --update")
    update()
