"""The contract, over Markdown documents and texts of all kinds: each row × every length measure."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st

from langchain_chunkers.strategies.markdown import MarkdownSplitter
from tests import generators, generators_markdown, test_contract


class _Markdown(test_contract.Contract):
    splitter_class = MarkdownSplitter
    packs = fitting_stays = False

    def texts(self) -> st.SearchStrategy[str]:
        documents = generators_markdown.documents()
        return st.one_of(documents, documents, generators.texts())


class TestMarkdown(_Markdown):
    pass


class TestMarkdownBySizeAlone(_Markdown):
    splitter_params: ClassVar = {"split_on_headings": False, "front_matter": "text"}
    fitting_stays = True
