"""The contract's rows of `HTMLSplitter`: both modes × every measure, on HTML valid and broken."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st

from langchain_chunkers.strategies.html import HTMLSplitter
from tests import generators_html, test_contract


class HTMLContract(test_contract.Contract):
    splitter_class = HTMLSplitter
    # What is repeated around chunks of a table takes room that no other chunk has to give.
    packs = overlaps_always = False

    def texts(self) -> st.SearchStrategy[str]:
        return generators_html.texts()


class TestHTMLText(HTMLContract):
    fitting_stays = False


class TestHTMLTextBySize(HTMLContract):
    splitter_params: ClassVar = {"split_on_headings": False, "links": True, "images": True}


class TestHTMLSource(HTMLContract):
    splitter_params: ClassVar = {"mode": "source"}
    fitting_stays = False


class TestHTMLSourceBySize(HTMLContract):
    splitter_params: ClassVar = {"mode": "source", "split_on_headings": False}


del HTMLContract  # a base, and no row of its own
