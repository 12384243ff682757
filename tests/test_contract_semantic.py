"""The contract's rows of the splitters that ask a model."""

from __future__ import annotations

import json
import re
import warnings
from typing import Any, ClassVar

from langchain_chunkers import RecursiveSplitter, SentenceSplitter
from langchain_chunkers.strategies.llm import LLMSplitter
from langchain_chunkers.strategies.semantic import SemanticSplitter
from langchain_chunkers.testing.fakes import LetterEmbeddings, ScriptedChatModel
from langchain_chunkers.wrappers import ContextualSplitter, with_context
from tests import test_contract

# calls of a chat model cost a millisecond each even where the answer is scripted
FEW = {name: test_contract.MEASURES[name] for name in ("characters", "cl100k", "words")}


class TestSemantic(test_contract.Contract):
    splitter_class = SemanticSplitter
    splitter_params: ClassVar = {"embeddings": LetterEmbeddings()}
    fitting_stays = False


class TestSemanticMinima(test_contract.Contract):
    splitter_class = SemanticSplitter
    splitter_params: ClassVar = {
        "embeddings": LetterEmbeddings(), "method": "minima", "buffer_size": 2, "batch_size": 3,
    }  # fmt: skip
    fitting_stays = False


class TestSemanticPercentile(test_contract.Contract):
    splitter_class = SemanticSplitter
    splitter_params: ClassVar = {
        "embeddings": LetterEmbeddings(), "method": "percentile", "amount": 60, "batch_size": 7,
    }  # fmt: skip
    fitting_stays = False


class TestSemanticWholeSections(test_contract.Contract):
    splitter_class = SemanticSplitter
    splitter_params: ClassVar = {"embeddings": LetterEmbeddings(), "whole_sections": True}


def every_third(prompt: str) -> str:
    """A model that begins a topic at every third sentence, and now and then answers nonsense."""
    if len(prompt) % 7 == 3:
        return "banana"
    numbers = [int(number) for number in re.findall(r"^\[(\d+)\]", prompt, re.MULTILINE)]
    topics = [{"start": n, "title": f"Topic {n}"} for n in numbers if n % 3 == 1]
    return json.dumps({"topics": topics})


def two_statements(prompt: str) -> str:
    """A model that states the first sentence, and the last."""
    numbers = [int(number) for number in re.findall(r"^\[(\d+)\]", prompt, re.MULTILINE)]
    return json.dumps(
        {"propositions": [{"sentences": [n], "statement": f"Sentence {n}."} for n in numbers]}
    )


class TestLLM(test_contract.Contract):
    measures = FEW
    splitter_class = LLMSplitter
    splitter_params: ClassVar = {
        "llm": ScriptedChatModel(answers=every_third), "titles": True, "window_size": 200,
        "window_overlap": 2, "max_retries": 0, "max_concurrency": 2,
    }  # fmt: skip
    fitting_stays = False

    def prove(self, guarantee: str, measure: str, check: Any, **fixed: Any) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the model's nonsense
            super().prove(guarantee, measure, check, **fixed)


class TestContextual(test_contract.Contract):
    """Structure alone: the path of headings, and the sentences before and behind."""

    measures = FEW

    knows_structure = packs = overlaps_always = fitting_stays = False

    def splitter(self, **params: Any) -> ContextualSplitter:
        return with_context(RecursiveSplitter(**params), parts=("headings", "previous", "next"))


class TestContextualByModel(test_contract.Contract):
    measures = FEW
    knows_structure = packs = overlaps_always = fitting_stays = False

    def splitter(self, **params: Any) -> ContextualSplitter:
        model = ScriptedChatModel(answers=["Of the manual of the pump, the part on seals."])
        return ContextualSplitter(SentenceSplitter(**params), llm=model, context_size=0)


class TestContextualOfSemantic(test_contract.Contract):
    measures = FEW
    knows_structure = packs = overlaps_always = fitting_stays = False

    def splitter(self, **params: Any) -> ContextualSplitter:
        inner = SemanticSplitter(LetterEmbeddings(), **params)
        return with_context(inner, content="source")
