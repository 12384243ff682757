"""The contract's rows of parents and children, and of sentence windows."""

from __future__ import annotations

from typing import Any, ClassVar

from langchain_chunkers import ParagraphSplitter, RecursiveSplitter, SentenceSplitter
from langchain_chunkers.wrappers.inside import InsideSplitter
from langchain_chunkers.wrappers.parents import HierarchicalSplitter, ParentChildSplitter
from langchain_chunkers.wrappers.window import SentenceWindowSplitter
from tests import test_contract

FEW = {name: test_contract.MEASURES[name] for name in ("characters", "cl100k", "lying")}


class TestHierarchical(test_contract.Contract):
    """One outline for all levels. A child is packed within its parent, so neighbours in two parents stay apart."""

    measures = FEW
    knows_structure = packs = overlaps_always = fitting_stays = False

    def splitter(self, **params: Any) -> HierarchicalSplitter:
        top = RecursiveSplitter(200, length_function=params.get("length_function", len))
        return HierarchicalSplitter([top, RecursiveSplitter(**params)])


class TestParentChild(test_contract.Contract):
    """Two kinds of splitter: the finer one reads again."""

    measures = FEW
    knows_structure = packs = overlaps_always = fitting_stays = False

    def splitter(self, **params: Any) -> ParentChildSplitter:
        return ParentChildSplitter(ParagraphSplitter(150), SentenceSplitter(**params))


class TestInside(test_contract.Contract):
    measures = FEW

    def splitter(self, **params: Any) -> InsideSplitter:
        return InsideSplitter(RecursiveSplitter(**params))


class TestSentenceWindow(test_contract.Contract):
    measures = FEW
    splitter_class = SentenceWindowSplitter
    packs = overlaps_always = fitting_stays = False


class TestSentenceWindowCopies(TestSentenceWindow):
    splitter_params: ClassVar = {"window": "text", "before": 1, "after": 0}
