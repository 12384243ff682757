"""`BoundaryModelSplitter`: a model says where, the engine keeps what it promises."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
import pytest

from langchain_chunkers import (
    BoundaryModelSplitter,
    InputError,
    MarkdownSplitter,
    ModelError,
    SettingError,
)
from tests import test_contract


def before_capitals(text: str) -> list[float]:
    """A tiny model: a boundary before each word with a capital."""
    return [0.9 if after.isupper() else 0.1 for after in text[1:] + " "]


def by_letter(text: str) -> Any:
    """Numbers that have nothing to do with the text, and fall anywhere."""
    return np.array([(ord(letter) * 7 + at) % 11 / 10 for at, letter in enumerate(text)])


class TestContract(test_contract.Contract):
    splitter_class = BoundaryModelSplitter
    splitter_params: ClassVar = {"model": by_letter}
    measures: ClassVar = {n: test_contract.MEASURES[n] for n in ("characters", "cl100k", "words")}


TALK = "so the pump is hot Stop it now Then we call the man He comes at noon"


def test_stretches_are_packed_to_the_cap() -> None:
    splitter = BoundaryModelSplitter(before_capitals, chunk_size=40)
    assert splitter.split_text(TALK) == [
        "so the pump is hot Stop it now",
        "Then we call the man He comes at noon",
    ]


def test_without_a_cap_each_stretch_is_a_chunk() -> None:
    splitter = BoundaryModelSplitter(before_capitals, chunk_size=None)
    assert splitter.split_text(TALK) == [
        "so the pump is hot",
        "Stop it now",
        "Then we call the man",
        "He comes at noon",
    ]


async def test_asynchronous_is_the_same() -> None:
    splitter = BoundaryModelSplitter(before_capitals, chunk_size=40)
    assert await splitter.asplit_text(TALK) == splitter.split_text(TALK)


def test_a_heading_is_not_parted_from_its_text_and_code_not_at_all() -> None:
    text = "# The Pump Room\n\nIt is hot.\n\n```\nA = B\nC = D\n```\n"
    splitter = BoundaryModelSplitter(
        before_capitals, chunk_size=None, structure=MarkdownSplitter(chunk_size=None)
    )
    starts = [span.start for span in splitter.split_spans(text)]
    assert all(text.index("It is") >= start or start >= text.index("```") for start in starts)
    assert not any(text.index("A = B") < start < text.rindex("```") for start in starts)


@pytest.mark.parametrize("threshold, count", [(0.05, 9), (0.5, 2), (0.95, 1)])
def test_the_threshold(threshold: float, count: int) -> None:
    def model(text: str) -> list[float]:
        return [0.6 if letter == "." else 0.1 if letter == " " else 0.0 for letter in text]

    text = "one two. three four five six seven eight nine"
    splitter = BoundaryModelSplitter(model, chunk_size=None, threshold=threshold)
    assert len(splitter.split_text(text)) == count


@pytest.mark.parametrize("answer", [[], [0.1], None, "no", [[0.1]] * 5, ["a"] * 5])
def test_an_answer_of_no_use_is_a_model_error(answer: Sequence[float]) -> None:
    with pytest.raises(ModelError, match="one probability for each of 5 characters"):
        BoundaryModelSplitter(lambda _: answer).split_text("ab cd")


def test_numbers_that_are_none_are_no_boundaries() -> None:
    splitter = BoundaryModelSplitter(lambda text: [float("nan")] * len(text), chunk_size=None)
    assert splitter.split_text("ab cd ef") == ["ab cd ef"]


@pytest.mark.parametrize("threshold", [0, -1, 2, "x", True, None])
def test_a_threshold_that_is_no_probability(threshold: Any) -> None:
    with pytest.raises(SettingError, match="threshold must be"):
        BoundaryModelSplitter(before_capitals, threshold=threshold)


def test_a_model_that_cannot_be_called() -> None:
    with pytest.raises(InputError, match="function of a text"):
        BoundaryModelSplitter("sat-3l")  # type: ignore[arg-type]
