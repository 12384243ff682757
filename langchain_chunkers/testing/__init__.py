"""The contract of this package's splitters as tests, for your own splitters too.

Subclass `SplitterContract` in a test module and pytest runs each guarantee over hostile text and
over every length measure; or call one ``check_…`` function with a splitter and a text. LangChain's
own ``TextSplitter`` classes can be checked as well.

Needs the extra ``testing`` (hypothesis and pytest).

Example:
    >>> from langchain_chunkers import RecursiveSplitter
    >>> from langchain_chunkers.testing import check_capped, check_sliced
    >>> splitter = RecursiveSplitter(chunk_size=20, chunk_overlap=5)
    >>> check_sliced(splitter, "one two one two one two one two")
    >>> check_capped(splitter, "one two one two one two one two")
"""

from langchain_chunkers._extras import need

for _package in ("hypothesis", "pytest"):  # said now, and in full, rather than by an import below
    need(_package, "testing", "langchain_chunkers.testing")

from langchain_chunkers.testing.behaviour import (  # noqa: E402
    check_bounded,
    check_own_metadata,
    check_portable,
    check_stable,
    check_total,
)
from langchain_chunkers.testing.contract import SplitterContract  # noqa: E402
from langchain_chunkers.testing.fakes import LetterEmbeddings, ScriptedChatModel  # noqa: E402
from langchain_chunkers.testing.measures import (  # noqa: E402
    CountingMeasure,
    huge,
    lying_measure,
    words,
    zero,
)
from langchain_chunkers.testing.packing import (  # noqa: E402
    check_filled,
    check_nested,
    check_overlap,
)
from langchain_chunkers.testing.spans import (  # noqa: E402
    check_capped,
    check_lossless,
    check_sliced,
    check_whole_characters,
)
from langchain_chunkers.testing.texts import hostile_texts  # noqa: E402

__all__ = [
    "CountingMeasure",
    "LetterEmbeddings",
    "ScriptedChatModel",
    "SplitterContract",
    "check_bounded",
    "check_capped",
    "check_filled",
    "check_lossless",
    "check_nested",
    "check_overlap",
    "check_own_metadata",
    "check_portable",
    "check_sliced",
    "check_stable",
    "check_total",
    "check_whole_characters",
    "hostile_texts",
    "huge",
    "lying_measure",
    "words",
    "zero",
]
