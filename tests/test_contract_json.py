"""The contract's rows of `JSONSplitter`: both renderings × every measure, on JSON valid and broken."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st

from langchain_chunkers.strategies.json_ import JSONSplitter
from tests import generators_json, test_contract


class JSONContract(test_contract.Contract):
    splitter_class = JSONSplitter
    # What is repeated around chunks takes room, and overlap is of whole elements.
    packs = overlaps_always = False

    def texts(self) -> st.SearchStrategy[str]:
        return generators_json.texts()


class TestJSON(JSONContract):
    # Between chunks stand commas and brackets, which belong to none: see test_json for what is kept.
    keeps_all = False


class TestJSONLines(JSONContract):
    splitter_params: ClassVar = {"render": "lines"}
    fitting_stays = False  # lines are longer than JSON


del JSONContract  # a base, and no row of its own
