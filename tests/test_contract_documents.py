"""The contract's rows of the splitters for dialogue, LaTeX, reStructuredText and numbered documents."""

from __future__ import annotations

from typing import ClassVar

from hypothesis import strategies as st

from langchain_chunkers.strategies.dialogue import DialogueSplitter
from langchain_chunkers.strategies.latex import LatexSplitter
from langchain_chunkers.strategies.legal import LegalSplitter
from langchain_chunkers.strategies.rst import RSTSplitter
from tests import generators_documents as generators
from tests import test_contract


class TestDialogue(test_contract.Contract):
    splitter_class = DialogueSplitter
    overlaps_always = False
    packs = False  # room for overlap in whole turns differs from chunk to chunk; without it: test_dialogue
    fitting_stays = False  # JSON is read as text

    def texts(self) -> st.SearchStrategy[str]:
        return generators.dialogues()


class TestDialogueByPattern(test_contract.Contract):
    splitter_class = DialogueSplitter
    splitter_params: ClassVar = {"turn_pattern": r"^(?P<speaker>\w+): ", "keep_questions": False}
    packs = overlaps_always = False

    def texts(self) -> st.SearchStrategy[str]:
        return generators.dialogues()


class TestLatex(test_contract.Contract):
    splitter_class = LatexSplitter
    fitting_stays = overlaps_always = False  # no overlap into a head that is repeated anyway

    def texts(self) -> st.SearchStrategy[str]:
        return generators.latex()


class TestLatexBySize(TestLatex):
    splitter_params: ClassVar = {"split_on_headings": False}
    fitting_stays = True


class TestRST(test_contract.Contract):
    splitter_class = RSTSplitter
    fitting_stays = overlaps_always = False  # no overlap into a head that is repeated anyway

    def texts(self) -> st.SearchStrategy[str]:
        return generators.rst()


class TestRSTBySize(TestRST):
    splitter_params: ClassVar = {"split_on_headings": False}
    fitting_stays = True


class TestLegal(test_contract.Contract):
    splitter_class = LegalSplitter
    fitting_stays = False

    def texts(self) -> st.SearchStrategy[str]:
        return generators.legal()


class TestLegalBySize(TestLegal):
    splitter_params: ClassVar = {"split_on_headings": False}
    fitting_stays = True
