"""Boundaries that a chat model chooses among numbered sentences.

A few lines over 300, a third of them the docstring of what can be set.
"""

from __future__ import annotations

import dataclasses
import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from langchain_chunkers import metadata as facts
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, ModelError, SettingError
from langchain_chunkers.llm.calls import Caller, Failure
from langchain_chunkers.llm.estimate import Estimate
from langchain_chunkers.llm.prompts import topics_question, topics_schema
from langchain_chunkers.llm.windows import Topic, Window, join, make_windows, numbered, topics_in
from langchain_chunkers.outline import Outline, Regions
from langchain_chunkers.semantic.reading import ModelReader
from langchain_chunkers.semantic.units import TOPIC, Units, raised, read_units
from langchain_chunkers.settings import check_choice, check_count

__all__ = ["LLMSplitter"]

_ENTRY = 12  # tokens of {"start": 12}, with commas
_TITLE, _SUMMARY = 12, 45  # tokens of such, with their names
_SENTENCES = 8  # sentences of a topic, as models cut


class _Notes(NamedTuple):
    """What `read` leaves for `describe`: topics and failed windows, by where they begin and end."""

    inner: Any  # the notes of the structure's reader
    starts: list[int]
    topics: list[Topic]
    failed: list[tuple[int, int, str]]


class LLMSplitter(ModelReader):
    """Divides where a chat model says that a new topic begins.

    The model is shown numbered sentences, window by window, and answers with numbers; it writes
    nothing that becomes text of a chunk. So text, offsets and cap are safe, and the worst that an
    instruction hidden in the document can do is to move a boundary. Topics never reach over a
    heading; a topic over the cap is divided like any text.

    Args:
        llm: Any LangChain chat model. Structured output is used where it has it, JSON in text
            where not. Give it a temperature of 0, for chunks that stay the same; LangChain's LLM
            cache (``set_llm_cache``) serves repeats.
        chunk_size: The cap, not an aim; ``None`` for none.
        chunk_overlap: Units that a chunk may repeat of what came before.
        titles: Also ask for a title of each topic: ``metadata["topic"]``.
        summaries: Also ask for a summary: ``metadata["topic_summary"]``.
        instructions: Added to what the model is told, such as ``"Keep each recipe whole."``.
        window_size: Most characters that the model is shown at once.
        window_overlap: Sentences that a window shares with the one before.
        max_concurrency: Most calls at a time.
        max_retries: How often a window is asked again after an error or an answer of no use.
        retry_wait: Seconds before asking again after an error; doubled each time.
        fallback: What divides a window that the model did not: another splitter of this package,
            such as ``SemanticSplitter()``; ``None`` for structure alone, as in `RecursiveSplitter`.
            There is a warning, and its chunks have ``metadata["llm_fallback"]``, the reason.
        on_failure: ``"fallback"``, or ``"raise"`` a `ModelError`.
        structure: A splitter whose reader says what headings and blocks there are; ``None`` for
            those of plain text.
        **options: Settings of `BaseSplitter`. ``show_progress`` shows the calls too.

    Guarantees: sliced, lossless, capped, whole characters, nested, own metadata, bounded, total.
    Stable as far as the model is.

    Raises:
        SettingError: A setting cannot be used.

    Cost: one call a window; see `estimate`. A document is sent once and a little more, and about
    a fiftieth of it comes back; four times that with titles and summaries.

    Source: Chroma's LLMSemanticChunker; Duarte et al., LumberChunker, 2024.

    Example:
        >>> from langchain_chunkers.testing.fakes import ScriptedChatModel
        >>> model = ScriptedChatModel(answers=['{"topics": [{"start": 1}, {"start": 3}]}'])
        >>> LLMSplitter(model).split_text("Kilns are hot. Glaze melts. Taxes rose. Few paid.")
        ['Kilns are hot. Glaze melts.', 'Taxes rose. Few paid.']
    """

    name = "llm"

    def __init__(
        self,
        llm: BaseChatModel,
        chunk_size: int | None = 2000,
        chunk_overlap: int = 0,
        *,
        titles: bool = False,
        summaries: bool = False,
        instructions: str = "",
        window_size: int = 12_000,
        window_overlap: int = 12,
        max_concurrency: int = 8,
        max_retries: int = 2,
        retry_wait: float = 1.0,
        fallback: BaseSplitter | None = None,
        on_failure: Literal["fallback", "raise"] = "fallback",
        structure: BaseSplitter | None = None,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, structure=structure, **options)
        self._llm = check_llm(llm)
        check_choice("on_failure", on_failure, ("fallback", "raise"))
        check_count("window_overlap", window_overlap, None, "sentences")
        check_calls(max_concurrency, max_retries, retry_wait)
        check_window(window_size)
        _check_fallback(fallback)
        self._titles, self._summaries, self._instructions = titles, summaries, instructions
        self._window_size, self._window_overlap = window_size, window_overlap
        self._calls: dict[str, Any] = {
            "concurrency": max_concurrency,
            "retries": max_retries,
            "wait": retry_wait,
        }
        self._fallback, self._on_failure = fallback, on_failure
        self._limits = dataclasses.replace(self._limits, always=TOPIC)

    # ------------------------------------------------------------------ reading

    def ask(self, text: str) -> Outline:
        """Read the text, ask about its windows, and raise the boundaries of topics."""
        units, windows, questions = self._questions(text)
        answers = self._caller(windows).run(questions, show=self._show_progress)
        failed = self._failed(units, windows, answers)
        spans = [self._fallback.split_spans(part) if self._fallback else [] for part in failed]
        return self._outline(units, windows, answers, spans)

    async def aask(self, text: str) -> Outline:
        """As `ask`; model and fallback are awaited."""
        units, windows, questions = self._questions(text)
        answers = await self._caller(windows).arun(questions, show=self._show_progress)
        failed = self._failed(units, windows, answers)
        spans = [
            await self._fallback.asplit_spans(part) if self._fallback else [] for part in failed
        ]
        return self._outline(units, windows, answers, spans)

    def _caller(self, windows: Sequence[Window]) -> Caller[list[Topic]]:
        schema = topics_schema(titles=self._titles, summaries=self._summaries)
        return Caller(self._llm, partial(_parsed, windows), schema, **self._calls)

    def _questions(self, text: str) -> tuple[Units, list[Window], list[list[BaseMessage]]]:
        units = read_units(self._structure_of(text), self.ladder)
        windows = make_windows(units, self._window_size, self._window_overlap)
        questions = [
            topics_question(
                numbered(units, window),
                window.last - window.first,
                titles=self._titles,
                summaries=self._summaries,
                instructions=self._instructions,
            )
            for window in windows
        ]
        return units, windows, questions

    def _failed(self, units: Units, windows: Sequence[Window], answers: Sequence[Any]) -> list[str]:
        """Give the texts of the windows without an answer; warn, or raise."""
        failed = [
            (window, answer)
            for window, answer in zip(windows, answers, strict=True)
            if isinstance(answer, Failure)
        ]
        if not failed:
            return []
        reason = failed[0][1].reason
        if self._on_failure == "raise":
            msg = f"The chat model gave no boundaries for {len(failed)} of {len(windows)} windows: {reason}"
            raise ModelError(msg, getattr(failed[0][1].error, "answer", None)) from failed[0][
                1
            ].error
        name = type(self._fallback).__name__ if self._fallback else "structure"
        warnings.warn(
            f"The chat model gave no boundaries for {len(failed)} of {len(windows)} windows; they "
            f"are divided by {name}. The reason of the first: {reason}",
            stacklevel=3,
        )
        text, edges = units.outline.text, units.edges
        return [text[edges[window.first] : edges[window.last]] for window, _ in failed]

    def _outline(
        self,
        units: Units,
        windows: Sequence[Window],
        answers: Sequence[Any],
        spans: Sequence[Sequence[Any]],
    ) -> Outline:
        """Join the answers, those of the fallback in place of what is missing, and raise them."""
        given, failed, others = [], [], iter(spans)
        for window, answer in zip(windows, answers, strict=True):
            if isinstance(answer, Failure):
                base = units.edges[window.first]
                given.append(_at_edges(units, window, [base + s.fresh for s in next(others)]))
                failed.append((base, units.edges[window.last], answer.reason))
            else:
                given.append(answer)
        topics = join(windows, given)
        outline = raised(units, [topic.start for topic in topics if topic.start])
        starts = [units.edges[topic.start] for topic in topics]
        return dataclasses.replace(outline, notes=_Notes(outline.notes, starts, topics, failed))

    # ------------------------------------------------------------------ what is known of a chunk

    def describe(
        self, outline: Outline, regions: Regions, start: int, end: int
    ) -> Mapping[str, Any]:
        """Give title and summary of the topic, and why a window was not answered."""
        notes: _Notes = outline.notes
        inner = dataclasses.replace(outline, notes=notes.inner)
        known = dict(super().describe(inner, regions, start, end))
        # by its last character: an overlap in front belongs to the topic before
        index = bisect_right(notes.starts, end - 1) - 1
        if index >= 0:
            topic = notes.topics[index]
            if topic.title and self._titles:
                known["topic"] = topic.title
            if topic.summary and self._summaries:
                known["topic_summary"] = topic.summary
        index = bisect_right(notes.failed, end - 1, key=lambda failed: failed[0]) - 1
        if index >= 0 and end - 1 < notes.failed[index][1]:
            known["llm_fallback"] = notes.failed[index][2]
        return known

    # ------------------------------------------------------------------ before the run

    def estimate(self, texts: str | Iterable[str]) -> Estimate:
        """Say how many calls and tokens splitting will take; nothing is asked.

        Args:
            texts: A text, or several.

        Returns:
            Calls and tokens; ``cost(input_price, output_price)`` makes them money.
        """
        count = facts.token_measure(self._measure)
        total = Estimate(0, 0, 0)
        entry = _ENTRY + _TITLE * self._titles + _SUMMARY * self._summaries
        for text in [texts] if isinstance(texts, str) else texts:
            units, _, questions = self._questions(text)
            prompts = sum(
                count(send_whole(message.text)) + 4 for each in questions for message in each
            )
            answers = sum(8 for _ in questions) + entry * (
                units.count // _SENTENCES + len(questions)
            )
            total += Estimate(len(questions), prompts, answers if questions else 0)
        return total


def _parsed(windows: Sequence[Window], number: int, answer: Any) -> list[Topic]:
    return topics_in(answer, windows[number])


def _at_edges(units: Units, window: Window, ats: Sequence[int]) -> list[Topic]:
    """Give the units of a window that begin at one of the places."""
    topics = []
    for at in ats:
        index = bisect_left(units.edges, at, window.first, window.last)
        if index < window.last and units.edges[index] == at:
            topics.append(Topic(index))
    return topics


def check_llm(llm: Any) -> BaseChatModel:
    """Refuse what is no chat model."""
    if not isinstance(llm, BaseChatModel):
        msg = f"llm must be a LangChain chat model: got {type(llm).__name__}."
        raise InputError(msg)
    return llm


def check_calls(concurrency: Any, retries: Any, wait: Any) -> None:
    """Check the settings of calls."""
    if isinstance(concurrency, bool) or not isinstance(concurrency, int) or concurrency < 1:
        msg = f"max_concurrency must be a positive integer: got {concurrency!r}."
        raise SettingError(msg)
    check_count("max_retries", retries, None, "tries")
    if isinstance(wait, bool) or not isinstance(wait, int | float) or not 0 <= wait < 3600:
        msg = f"retry_wait must be a number of seconds, 0 or more: got {wait!r}."
        raise SettingError(msg)


def check_window(size: Any) -> None:
    """Check the size of windows."""
    if isinstance(size, bool) or not isinstance(size, int) or size < 200:
        msg = f"window_size must be an integer of characters, 200 or more: got {size!r}."
        raise SettingError(msg)


def _check_fallback(fallback: Any) -> None:
    if fallback is not None and not isinstance(fallback, BaseSplitter):
        msg = f"fallback must be a splitter of this package: got {type(fallback).__name__}."
        raise SettingError(msg)


def send_whole(text: str) -> str:
    """Replace lone surrogates, which tokenizers refuse, in a text of any length."""
    return text.encode("utf-8", "replace").decode("utf-8")
