"""The contract's rows of the code splitter, on programs and on text of all kinds."""

from __future__ import annotations

from typing import Any, ClassVar

from hypothesis import strategies as st

from langchain_chunkers.strategies.code import CodeSplitter
from tests import generators, generators_code, test_contract


class Row(test_contract.Contract):
    """What the rows share: programs of the language, and now and then any other text."""

    __test__ = False
    splitter_class = CodeSplitter
    parts: ClassVar[tuple[str, ...]] = generators_code.PYTHON

    def texts(self) -> st.SearchStrategy[str]:
        programs = generators_code.code(*self.parts)
        return st.one_of(programs, programs, programs, generators.texts())


class TestPython(Row):
    __test__ = True
    splitter_params: ClassVar = {"language": "python"}


class TestScript(Row):
    __test__ = True
    splitter_params: ClassVar = {"language": "tsx"}
    parts = generators_code.SCRIPT


class TestRustWithSignatures(Row):
    __test__ = True
    splitter_params: ClassVar = {"language": "rust", "include_signatures": True}
    parts = generators_code.RUST
    packs = overlaps_always = False


class TestPythonEachDefinition(Row):
    __test__ = True
    splitter_params: ClassVar = {
        "language": "python",
        "split_on_definitions": True,
        "include_signatures": True,
    }
    packs = overlaps_always = fitting_stays = False


class TestByIndentation(Row):
    __test__ = True
    splitter_params: ClassVar = {"language": "logo"}
    parts = generators_code.PYTHON + generators_code.DATA


class TestAnyLanguage(Row):
    """The language changes with the text, and all are guessed."""

    __test__ = True
    splitter_params: ClassVar = {"language": "auto"}
    parts = generators_code.DATA + generators_code.SCRIPT + generators_code.RUST

    def splitter(self, **params: Any) -> CodeSplitter:
        return CodeSplitter(**{**self.splitter_params, **params})
