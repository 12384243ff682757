"""Golden documents of one kind: the guarantees first, then the very chunks, with their metadata.

Used by the tests of the splitters for dialogue, LaTeX, reStructuredText and numbered documents. After a
change that is meant, ``UPDATE_GOLDEN=1 pytest tests/test_<kind>.py`` writes the chunks anew: read the
difference.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from langchain_chunkers import BaseSplitter, testing

TESTS = Path(__file__).parent


def text_of(kind: str, document: str) -> str:
    return (TESTS / "data" / kind / document).read_bytes().decode()


def prove(make: Any, text: str, *, nested: bool = True) -> None:
    """Check the guarantees, with stripping and without."""
    for strip in (True, False):
        splitter = make(strip_whitespace=strip)
        testing.check_sliced(splitter, text)
        testing.check_lossless(splitter, text)
        testing.check_capped(splitter, text)
        testing.check_whole_characters(splitter, text)
        testing.check_overlap(splitter, text, always=False)
        testing.check_own_metadata(splitter, text)
        if nested:
            testing.check_nested(splitter, text)


def render(splitter: BaseSplitter, text: str) -> str:
    """Show chunks with what is known of each."""
    parts = []
    for document in splitter.create_documents([text]):
        facts = json.dumps(document.metadata, ensure_ascii=False)
        parts.append(
            f"━━━ {splitter.length(document.page_content)} {facts}\n{document.page_content}\n"
        )
    return "".join(parts)


def check_golden(kind: str, document: str, splitter: BaseSplitter) -> None:
    """Check that the chunks are those in ``tests/golden/<kind>/<document>.chunks``."""
    path = TESTS / "golden" / kind / f"{document}.chunks"
    found = render(splitter, text_of(kind, document))
    if os.environ.get("UPDATE_GOLDEN"):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(found.encode())
    assert found == path.read_bytes().decode(), (
        "The chunks changed. If that is meant: UPDATE_GOLDEN=1"
    )
