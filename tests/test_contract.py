"""The contract's table: every splitter × every length measure, on text of all kinds.

A new splitter adds one class here. Sizes, overlaps and stripping vary inside each cell. A usual run
tries the same few examples a cell each time; ``HYPOTHESIS_PROFILE=thorough`` tries 200 new ones.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from functools import cache
from typing import Any, ClassVar

from hypothesis import settings
from hypothesis import strategies as st

from langchain_chunkers import (
    FixedSizeSplitter,
    HuggingFaceMeasure,
    NullSplitter,
    ParagraphSplitter,
    PipelineSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    TiktokenMeasure,
    TokenCountSplitter,
)
from langchain_chunkers.testing import SplitterContract, check_lossless, lying_measure, words
from tests import generators
from tests import tokenizers as real
from tests.test_packing import Turns

THOROUGH = os.environ.get("HYPOTHESIS_PROFILE") == "thorough"
MEASURES: dict[str, Any] = {
    "characters": lambda: len,
    "cl100k": lambda: TiktokenMeasure("cl100k_base"),
    "o200k": lambda: TiktokenMeasure("o200k_base"),
    "wordpiece": lambda: HuggingFaceMeasure(real.train_bert_tokenizer()),
    "deepseek": lambda: HuggingFaceMeasure(real.load_deepseek_tokenizer()),
    "words": lambda: words,
    "lying": lambda: lying_measure,
}
SLOW = {"deepseek": 0.4}  # its table of 128,000 tokens makes pickling take a second


@cache
def load(name: str) -> Any:
    """Load a measure once in a process, and only where a test asks for it."""
    return MEASURES[name]()


class Contract(SplitterContract):
    """What all rows share."""

    measures = MEASURES
    random_seed = None if THOROUGH else 1

    def measure(self, name: str) -> Any:
        return load(name)

    def texts(self) -> st.SearchStrategy[str]:
        return generators.texts()

    def examples(self, measure: str, guarantee: str) -> int:
        most = super().examples(measure, guarantee)
        if THOROUGH:  # the bar: 200 examples a cell
            return most
        return max(1, int(most * 0.25 * SLOW.get(measure, 1)))

    def test_portable(self, measure: str) -> None:
        if measure == "deepseek":
            return  # as wordpiece, which is the same class; its table takes a second to pickle
        super().test_portable(measure)


class TestFixed(Contract):
    splitter_class = FixedSizeSplitter
    knows_structure = packs = False
    fills = True


class TestToken(Contract):
    splitter_class = TokenCountSplitter
    knows_structure = packs = False


class TestSentence(Contract):
    splitter_class = SentenceSplitter
    overlaps_always = False


class TestParagraph(Contract):
    splitter_class = ParagraphSplitter
    fitting_stays = False


class TestRecursive(Contract):
    splitter_class = RecursiveSplitter


class TestRecursiveFill(Contract):
    splitter_class = RecursiveSplitter
    splitter_params: ClassVar = {"packing": "fill"}
    knows_structure = packs = False


class TestRecursiveLiteralSeparators(Contract):
    splitter_class = RecursiveSplitter
    splitter_params: ClassVar = {"separators": ["\n\n", "\n", "。", ". ", " ", ""]}


class TestRecursiveRegexSeparators(Contract):
    splitter_class = RecursiveSplitter
    splitter_params: ClassVar = {
        "separators": [r"\n(?=#)", r"(\n)\s*\n", r"[.!?。]\s*", r"\s+"],
        "is_separator_regex": True,
        "keep_separator": "end",
    }


class TestRecursiveSeparatorsLeftOut(Contract):
    splitter_class = RecursiveSplitter
    splitter_params: ClassVar = {"separators": ["\n\n", "\n", "|", " "], "keep_separator": False}
    keeps_all = overlaps_always = packs = False


class TestFromLanguagePython(Contract):
    def splitter(self, **params: Any) -> RecursiveSplitter:
        return RecursiveSplitter.from_language("python", **params)


class TestNull(Contract):
    splitter_class = NullSplitter
    takes_size = False


class TestTurns(Contract):
    """A reader whose regions have metadata, and a prefix for chunks that start inside."""

    splitter_class = Turns
    packs = overlaps_always = False


class TestPipeline(Contract):
    knows_structure = packs = overlaps_always = fitting_stays = False

    def splitter(self, **params: Any) -> PipelineSplitter:
        strip = {"strip_whitespace": params.get("strip_whitespace", True)}
        return ParagraphSplitter(chunk_size=200, **strip) | SentenceSplitter(**params)


def test_a_pipeline_says_itself_whether_it_strips() -> None:
    coarse = ParagraphSplitter(chunk_size=None, strip_whitespace=False)
    splitter = coarse | SentenceSplitter(strip_whitespace=False)
    assert not splitter._strip_whitespace
    check_lossless(splitter, " One.  Two. \n\n Three. ")


def test_another_process_with_another_hash_seed_gives_the_same() -> None:
    program = """
import sys
from langchain_chunkers import RecursiveSplitter, SentenceSplitter
text = sys.stdin.buffer.read().decode()
print([tuple(s) for k in (RecursiveSplitter, SentenceSplitter) for s in k(60, 20).split_spans(text)])
"""
    text = "\n\n".join(" ".join(part) for part in generators.SENTENCES.values()) * 3
    digests = set()
    for seed in ("0", "1"):
        answer = subprocess.run(
            [sys.executable, "-c", program],
            input=text.encode(),
            capture_output=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        digests.add(hashlib.sha256(answer).hexdigest())
    assert len(digests) == 1


def test_thorough_is_what_the_bar_asks_for() -> None:
    if THOROUGH:
        assert settings().max_examples == 200
