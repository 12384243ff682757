"""The contract's rows of `DoclingSplitter` × every measure, on documents valid and broken, and on text."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st

from langchain_chunkers.strategies.docling import DoclingSplitter
from tests import generators_docling, test_contract


class DoclingContract(test_contract.Contract):
    splitter_class = DoclingSplitter
    # What is repeated in front of chunks takes room that no other chunk has to give; a section is a chunk.
    packs = overlaps_always = fitting_stays = False

    def texts(self) -> st.SearchStrategy[str]:
        return generators_docling.texts()


class TestDocling(DoclingContract):
    pass


class TestDoclingEachBlock(DoclingContract):
    splitter_params: ClassVar = {"merge_peers": False, "include_headings": False, "key_columns": 0}


class TestDoclingAllLayers(DoclingContract):
    splitter_params: ClassVar = {
        "content_layers": ["body", "furniture"],
        "traverse_pictures": True,
        "repeat_table_header": False,
    }


del DoclingContract  # a base, and no row of its own
