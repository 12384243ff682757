"""Checks of how a splitter behaves: stable, total, bounded, portable, metadata its own."""

from __future__ import annotations

import asyncio
import copy
import json
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document

from langchain_chunkers.testing._split import Split, complain
from langchain_chunkers.testing.measures import CountingMeasure, words

if TYPE_CHECKING:
    from collections.abc import Callable

    from langchain_text_splitters import TextSplitter

__all__ = [
    "check_bounded",
    "check_own_metadata",
    "check_portable",
    "check_stable",
    "check_total",
]


def check_stable(splitter: TextSplitter, text: str, *, fitting_stays: bool = True) -> None:
    """Check that the same text gives the same chunks, and that what fits is not divided.

    Args:
        splitter: The splitter.
        text: Any string.
        fitting_stays: A text within the cap is one chunk; ``False`` where a rule of the strategy
            divides it (a chunk for each heading), and for measures that lie.

    Raises:
        AssertionError: Two runs differ, or a text that fits is divided.
    """
    split = Split(splitter, text)
    splitter.split_text(text[len(text) // 3 :] + "another text. " * 3)  # leaves no trace
    again = Split(splitter, text)
    same = (split.chunks, split.spans) == (again.chunks, again.spans)
    split.demand(same, f"The second time it gives {again.chunks!r}.")
    content = split.content
    if fitting_stays and split.measure(content) <= split.size:
        expected = 1 if content else 0
        what = f"The text fits ({split.measure(content)} of {split.size}) and is divided."
        split.demand(len(split.chunks) == expected, what)


def check_total(splitter: TextSplitter, text: str) -> None:
    """Check that no text raises, and that all ways to split give the same.

    Args:
        splitter: The splitter.
        text: Any string.

    Raises:
        AssertionError: Two ways differ.
        Exception: Whatever the splitter raises; it should raise nothing.
    """
    chunks = splitter.split_text(text)
    ways = {
        "create_documents": [d.page_content for d in splitter.create_documents([text])],
        "split_documents": [
            d.page_content for d in splitter.split_documents([Document(page_content=text)])
        ],
    }
    pieces: Any = splitter
    if hasattr(splitter, "asplit_text"):
        ways["asplit_text"] = asyncio.run(pieces.asplit_text(text))
        documents = pieces.lazy_split_documents(iter([Document(page_content=text)]))
        ways["lazy_split_documents"] = [d.page_content for d in documents]
    if callable(splitter):
        ways["called with a pair"] = [chunk for chunk, _ in pieces((text, {}))]
    if not all(type(chunk) is str for chunk in chunks):
        complain("Chunks must be strings.", splitter, text)
    for name, found in ways.items():
        if found != chunks:
            complain(f"{name} gives {found!r}, split_text {chunks!r}.", splitter, text)


def check_own_metadata(splitter: TextSplitter, text: str) -> None:
    """Check that each chunk has its own copy of the source's metadata, in JSON values.

    Args:
        splitter: The splitter.
        text: Any string.

    Raises:
        AssertionError: Keys are lost, values shared or no JSON, or the document's id is gone.
    """
    given: dict[str, Any] = {
        "source": "a.txt",
        "tags": ["x"],
        "place": {"page": 1, "lines": [1, 2]},
    }
    source = Document(page_content=text, metadata=copy.deepcopy(given), id="document-7")
    documents = splitter.split_documents([source])
    for document in documents:
        kept = {key: document.metadata.get(key) for key in given}
        if kept != given:
            complain(f"The source's metadata became {kept!r}.", splitter, text)
        if document.metadata.get("document_id") != "document-7":
            complain(f"The document's id is lost: {document.metadata!r}.", splitter, text)
        try:
            back = json.loads(json.dumps(document.metadata))
        except (TypeError, ValueError) as error:
            back = error
        if back != document.metadata:
            complain(f"No JSON values: {document.metadata!r}: {back!r}.", splitter, text)
        document.metadata["tags"].append("y")  # seen in all chunks that share it
        document.metadata["place"]["lines"].clear()
        document.metadata["own"] = True
    if source.metadata != given:
        complain(f"The source's own metadata changed: {source.metadata!r}.", splitter, text)


def check_portable(splitter: TextSplitter, text: str) -> None:
    """Check that copies, pickles and threads give the same chunks.

    Args:
        splitter: The splitter; its length function must be picklable.
        text: Any string.

    Raises:
        AssertionError: They differ.
    """
    expected = splitter.split_text(text)
    others = {
        "copy.copy": copy.copy(splitter),
        "copy.deepcopy": copy.deepcopy(splitter),
        "pickle": pickle.loads(pickle.dumps(splitter)),  # noqa: S301 - what was dumped just now
    }
    for name, other in others.items():
        found = other.split_text(text)
        if found != expected:
            complain(f"After {name} it gives {found!r}, before {expected!r}.", splitter, text)
    texts = [text, text[::-1], text + text]
    alone = [splitter.split_text(each) for each in texts]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(splitter.split_text, texts * 4))
    if together != alone * 4:
        complain("Threads disturb each other.", splitter, text)


def check_bounded(
    make: Callable[[Callable[[str], int]], TextSplitter],
    text: str,
    *,
    function: Callable[[str], int] = words,
    characters: int = 4_000,
) -> None:
    """Check that eight times the text is at most about nine times the work.

    Work is how often the measure is called and how many characters it is given: unlike time, the
    same on every machine.

    Args:
        make: Makes a splitter that counts with the function that it is given.
        text: Repeated until it is long enough; not empty.
        function: What counts.
        characters: Length of the shorter text.

    Raises:
        AssertionError: The work grows faster than the text.
    """
    short = text * max(1, -(-characters // len(text)))
    what = ""
    for times in (1, 4):  # a text of one or two chunks is not the rule: then longer ones decide
        small, large = CountingMeasure(function), CountingMeasure(function)
        make(small).split_text(short * times)
        make(large).split_text(short * times * 8)
        # The first and the last chunks of a text may need some calls more than those between.
        calls, given = 9 * small.calls + 200, 9 * small.characters + 8 * characters
        if large.calls <= calls and large.characters <= given:
            return
        what = (
            f"8 times the text took {large.calls} calls after {small.calls}, "
            f"{large.characters} characters after {small.characters}."
        )
    complain(what, make(words), short)
