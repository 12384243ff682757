"""Boundaries that a neural model finds: one probability for each character."""

from __future__ import annotations

import dataclasses
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from langchain_core.runnables.config import run_in_executor

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, ModelError, SettingError
from langchain_chunkers.ladder import content_start, grapheme_place, next_grapheme
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.plain import unglued
from langchain_chunkers.semantic.reading import ModelReader

__all__ = ["BoundaryModelSplitter"]

_VERBATIM = ("code", "verbatim")


class BoundaryModelSplitter(ModelReader):
    """Divides where a model of boundaries says that something ends.

    For text whose sentences punctuation does not show: transcripts of speech, chats, captions.
    Headings and blocks stay as the structure says; below the model's places come the engine's
    sentences, clauses and words, so cap and offsets hold whatever the model answers.

    Args:
        model: ``text -> probabilities``: for each character, from 0 to 1, how likely the text may
            be divided behind it. Such is ``SaT("sat-3l-sm").predict_proba`` of the wtpsplit
            package; `from_huggingface` makes one of a token classifier. Called once a text; it
            divides long texts into windows itself.
        chunk_size: The cap; ``None`` for one stretch between the model's boundaries a chunk.
        chunk_overlap: Units that a chunk may repeat of what came before.
        threshold: Least probability of a boundary.
        structure: A splitter whose reader says what headings and blocks there are; ``None`` for
            those of plain text.
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless, capped, whole characters, nested, filled, own metadata, total.
    Stable as far as the model is.

    Raises:
        SettingError: ``threshold`` is not between 0 and 1.
        ModelError: The model gave another number of probabilities than of characters, or none.

    Cost: that of the model, and a pass over its numbers.

    Source: Frohmann et al., Segment Any Text, 2024 (wtpsplit).

    Example:
        >>> def capitals(text):  # a model that has only learned that sentences begin with capitals
        ...     return [float(after.isupper()) for after in text[1:] + " "]
        >>> splitter = BoundaryModelSplitter(capitals, chunk_size=20)
        >>> splitter.split_text("the pump is hot Stop it now Then call")
        ['the pump is hot', 'Stop it now', 'Then call']
    """

    name = "boundary_model"

    def __init__(
        self,
        model: Callable[[str], Any],
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        threshold: float = 0.5,
        structure: BaseSplitter | None = None,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, structure=structure, **options)
        _check(model, threshold)
        self._model, self._threshold = model, threshold
        if chunk_size is None:
            self._limits = dataclasses.replace(self._limits, always=Strength.SENTENCE)

    @classmethod
    def from_huggingface(
        cls, model: Any, tokenizer: Any, *, label: int = 1, window: int = 0, **options: Any
    ) -> BoundaryModelSplitter:
        """Make one of a Hugging Face token classifier and its fast tokenizer.

        Args:
            model: A ``transformers`` model for token classification.
            tokenizer: Its fast tokenizer, which knows offsets.
            label: The class that means "a boundary is behind this token".
            window: Tokens that the model reads at once; 0 for what its configuration says.
            **options: Settings of the splitter.
        """
        return cls(_TokenClassifier(model, tokenizer, label, window), **options)

    def ask(self, text: str) -> Outline:
        """Read the structure, and ask the model for places."""
        outline = self._structure_of(text)
        return self._with_places(outline, self._model(outline.text) if outline.text else ())

    async def aask(self, text: str) -> Outline:
        """As `ask`, in a thread."""
        return await run_in_executor(None, self.ask, text)

    def _with_places(self, outline: Outline, answer: Any) -> Outline:
        text = outline.text
        try:
            found = np.asarray(answer, dtype=np.float64)
        except (TypeError, ValueError):
            found = np.empty(0)
        if found.shape != (len(text),):
            msg = (
                f"model must give one probability for each of {len(text)} characters: got "
                f"{type(answer).__name__} of shape {found.shape}."
            )
            raise ModelError(msg, answer)
        ends = (np.flatnonzero(found >= self._threshold) + 1).tolist()
        places = unglued(_outside(outline, _between(text, ends)), outline.regions)
        kept = [(at, Strength.SENTENCE) for at in places]
        return Outline.of(text, [*outline.boundaries(), *kept], outline.regions, outline.notes)


def _check(model: Any, threshold: Any) -> None:
    if not callable(model):
        msg = f"model must be a function of a text: got {type(model).__name__}."
        raise InputError(msg)
    if type(threshold) not in (int, float) or not 0 < threshold <= 1:
        msg = f"threshold must be a probability above 0 and at most 1: got {threshold!r}."
        raise SettingError(msg)


def _between(text: str, ends: Sequence[int]) -> list[int]:
    """Move places behind white space, which belongs to what is before it; none inside a character."""
    places: list[int] = []
    known = inside = 0  # a place between characters; where the character at hand ends
    for end in ends:
        if end < inside:
            continue
        at = content_start(text, end, len(text))
        if at >= len(text):
            break
        if at <= known:
            continue
        known = grapheme_place(text, known, at)
        if known == at:
            places.append(at)
        else:
            inside = known = next_grapheme(text, known)
    return places


def _outside(outline: Outline, ats: Sequence[int]) -> list[int]:
    """Leave out places inside code and what is repeated around chunks."""
    blocks = [r for r in outline.regions if r.kind in _VERBATIM or r.prefix]
    starts = [block.start for block in blocks]
    return [
        at for at in ats if (index := bisect_right(starts, at) - 1) < 0 or blocks[index].end <= at
    ]


class _TokenClassifier:
    """Gives the probabilities of a token classifier, a window of tokens at a time."""

    def __init__(self, model: Any, tokenizer: Any, label: int, window: int) -> None:
        if not getattr(tokenizer, "is_fast", False):
            msg = "tokenizer must be a fast one, which knows offsets: got a slow one."
            raise InputError(msg)
        limit = int(getattr(model.config, "max_position_embeddings", 512))
        self.model, self.tokenizer, self.label = model, tokenizer, label
        self.window = min(window, limit) if window > 0 else limit

    def __call__(self, text: str) -> Any:
        torch = need("torch", "torch", "BoundaryModelSplitter.from_huggingface")
        probabilities = np.zeros(len(text))
        encoded = self.tokenizer(
            text.encode("utf-8", "replace").decode("utf-8"),
            truncation=True,
            max_length=self.window,
            stride=self.window // 4,  # tokens that windows share; the surer of two answers counts
            return_overflowing_tokens=True,
            return_offsets_mapping=True,
        )
        for ids, offsets in zip(encoded["input_ids"], encoded["offset_mapping"], strict=True):
            with torch.no_grad():
                logits = self.model(torch.tensor([ids])).logits[0]
            for score, (start, end) in zip(
                logits.softmax(-1)[:, self.label].tolist(), offsets, strict=True
            ):
                if end > start:
                    probabilities[end - 1] = max(probabilities[end - 1], score)
        return probabilities
