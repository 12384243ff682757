"""The contract's rows of ``stable=True``: the splitters that pack by structure, on text of their kinds.

Chunks are not the fewest, so ``packs`` is off; every other guarantee is the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import pytest

from langchain_chunkers import (
    BaseSplitter,
    FixedSizeSplitter,
    RecursiveSplitter,
    SettingError,
    TokenCountSplitter,
)
from tests import (
    test_contract,
    test_contract_code,
    test_contract_documents,
    test_contract_html,
    test_contract_json,
    test_contract_markdown,
    test_contract_table,
)

# exact marks, marks that are estimates, marks that are guesses, marks that lie
_MEASURES = ("characters", "cl100k", "words", "lying")


class Stable:
    """What the rows have in common."""

    packs = False
    measures: ClassVar[Mapping[str, Any]] = {
        name: test_contract.MEASURES[name] for name in _MEASURES
    }
    splitter_params: ClassVar[Mapping[str, Any]] = {"stable": True}


class TestSentence(Stable, test_contract.TestSentence):
    pass


class TestParagraph(Stable, test_contract.TestParagraph):
    pass


class TestRecursive(Stable, test_contract.TestRecursive):
    pass


class TestRecursiveSeparatorsLeftOut(Stable, test_contract.TestRecursiveSeparatorsLeftOut):
    splitter_params: ClassVar = {
        **test_contract.TestRecursiveSeparatorsLeftOut.splitter_params,
        "stable": True,
    }


class TestTurns(Stable, test_contract.TestTurns):
    """Chunks with a prefix."""


class TestMarkdown(Stable, test_contract_markdown.TestMarkdown):
    pass


class TestHTML(Stable, test_contract_html.TestHTMLText):
    pass


class TestTable(Stable, test_contract_table.TestTable):
    pass


class TestPython(Stable, test_contract_code.TestPython):
    splitter_params: ClassVar = {**test_contract_code.TestPython.splitter_params, "stable": True}


class TestDialogue(Stable, test_contract_documents.TestDialogue):
    pass


class TestLegal(Stable, test_contract_documents.TestLegal):
    pass


class TestJSON(Stable, test_contract_json.TestJSON):
    pass


@pytest.mark.parametrize(
    "make",
    [
        lambda: FixedSizeSplitter(10, stable=True),
        lambda: TokenCountSplitter(stable=True),
        lambda: RecursiveSplitter(10, packing="fill", stable=True),
    ],
)
def test_what_fills_refuses_to_be_stable(make: Any) -> None:
    with pytest.raises(SettingError, match="cannot be stable"):
        make()


def test_a_setting_like_others() -> None:
    splitter = RecursiveSplitter(60, stable=True)
    config = splitter.to_config()
    assert config == {"splitter": "recursive", "chunk_size": 60, "stable": True}
    assert BaseSplitter.from_config(config).to_config() == config
    text = "One sentence. " * 40
    evenly = RecursiveSplitter(60)
    assert splitter.split_text(text, stable=False) == evenly.split_text(text)
    assert splitter.split_text(text) == evenly.split_text(text, stable=True)
    with pytest.raises(SettingError, match="stable must be"):
        RecursiveSplitter(60, stable="yes")
