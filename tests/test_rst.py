"""reStructuredText: titles by adornment, blocks whole, tables by row."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers.readers.rst import read_rst
from langchain_chunkers.strategies.rst import RSTSplitter
from tests.generators_documents import rst
from tests.golden_documents import check_golden, prove, text_of

GOLDEN = {"tea.rst": 160, "jinjadesignerdoc.rst": 600}


@pytest.mark.parametrize("document", GOLDEN)
def test_golden_documents(document: str) -> None:
    text = text_of("rst", document)
    prove(lambda **params: RSTSplitter(GOLDEN[document], **params), text[:6_000])
    check_golden("rst", document, RSTSplitter(GOLDEN[document]))


def paths(text: str) -> list[dict[str, str]]:
    return [d.metadata for d in RSTSplitter().create_documents([text])]


def test_levels_follow_the_order_of_adornments() -> None:
    text = "===\nOne\n===\n\na\n\nTwo\n===\n\nb\n\nThree\n~~~~~\n\nc\n\nFour\n====\n\nd\n\n====\nFive\n====\n\ne\n"
    assert paths(text) == [
        {"Header 1": "One"}, {"Header 1": "One", "Header 2": "Two"}, {"Header 1": "One", "Header 2": "Two", "Header 3": "Three"},
        {"Header 1": "One", "Header 2": "Four"}, {"Header 1": "Five"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "text\n\n----\n\nmore\n", "a longer title\n==\n\ntext\n", "text ends here\nin two lines\n------------\n", "- - -\n\ntext\n",
        ".. note::\n====\n", "== ==\na  b\n== ==\n\ntext\n", "+--+\n|a |\n+--+\n", "::\n\n   Title\n   =====\n",
    ],
)  # fmt: skip
def test_what_is_no_title(text: str) -> None:
    assert all("Header 1" not in metadata for metadata in paths(text))


def test_a_target_stays_with_the_title_behind_it() -> None:
    text = "One\n===\n\nText.\n\n.. _two:\n.. index:: two\n\nTwo\n===\n\nMore.\n"
    assert RSTSplitter().split_text(text)[1] == ".. _two:\n.. index:: two\n\nTwo\n===\n\nMore."


def test_a_byte_order_mark_and_windows_newlines_change_nothing() -> None:
    text = "\ufeffOne\r\n===\r\n\r\na\r\n\r\nTwo\r\n===\r\n\r\nb\r\n"
    assert paths(text) == [{"Header 1": "One"}, {"Header 1": "Two"}]


BLOCKS = (
    ".. note::\n\n   One.\n\n   Two.",
    ".. code-block:: python\n\n   x = 1\n\n   y = 2",
    "+--+--+\n|a |b |\n+==+==+\n|1 |2 |\n+--+--+\n|3 |4 |\n+--+--+",
    "== ==\na  b\n== ==\n1  2\n3  4\n== ==",
    "- one\n- two,\n  wrapped\n\n  and more\n- three",
    ">>> f(1)\n2\n>>> f(2)\n3",
    ".. figure:: a.png\n   :alt: A\n\n   Caption.\n\n   Legend.",
)


@given(
    st.lists(st.sampled_from((*BLOCKS, "Some words here. And more.", "A line:")), min_size=1, max_size=9),
    st.integers(60, 150),
)  # fmt: skip
def test_blocks_that_fit_are_never_cut(blocks: list[str], size: int) -> None:
    text = "\n\nWords between.\n\n".join(blocks)  # two lists in a row would be one
    spans = RSTSplitter(size).split_spans(text)
    for block in {block for block in blocks if block in BLOCKS}:
        for found in re.finditer(re.escape(block), text):
            assert any(s.start <= found.start() and found.end() <= s.end for s in spans), block


def test_a_literal_block_is_whole_and_goes_with_its_paragraph_where_both_fit() -> None:
    text = "Some words before. Enough of them.\n\nLike so::\n\n    a = 1\n\n    b = 2\n\nSome words behind it.\n"
    assert RSTSplitter(45).split_text(text) == [
        "Some words before. Enough of them.", "Like so::\n\n    a = 1\n\n    b = 2", "Some words behind it.",
    ]  # fmt: skip
    assert RSTSplitter(20).split_text(text)[2:4] == ["Like so::", "    a = 1\n\n    b = 2"]


def test_tables_are_divided_by_rows_under_their_heads() -> None:
    line = "+------+------+\n"
    grid = f"{line}| Name | Size |\n+======+======+\n" + "".join(
        f"| n{i:03} | {i:4} |\n{line}" for i in range(9)
    )
    for chunk in RSTSplitter(160).split_text(grid):
        assert chunk.startswith(f"{line}| Name | Size |\n+======+======+\n| n")
        assert chunk.endswith(line.strip())
    edge = "====  ====\n"
    simple = f"{edge}Name  Size\n{edge}" + "".join(f"n{i:03}  {i:4}\n" for i in range(12)) + edge
    chunks = RSTSplitter(90).split_text(simple)
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.startswith(f"{edge}Name  Size\n{edge}n")
        assert chunk.endswith(edge.strip())


def test_code_over_the_cap_is_opened_again_and_says_its_language() -> None:
    code = "\n\n".join(f"   def f{i}(x):\n       return x + {i}" for i in range(6))
    documents = RSTSplitter(120).create_documents(
        [f".. code-block:: Python\n   :linenos:\n\n{code}\n"]
    )
    assert len(documents) > 2
    for document in documents:
        assert document.page_content.startswith(".. code-block:: Python\n   :linenos:\n\n   def f")
        assert document.metadata["language"] == "python"


@given(rst())
def test_reading_is_pure(text: str) -> None:
    assert read_rst(text) == read_rst(text)
