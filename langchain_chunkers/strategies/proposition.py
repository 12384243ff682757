"""Self-contained statements that a chat model writes, each with the sentences it came from."""

from __future__ import annotations

import dataclasses
import warnings
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from langchain_core.documents import Document
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import BaseMessage

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import ModelError, SettingError
from langchain_chunkers.ladder import content_end
from langchain_chunkers.llm.calls import Caller, Failure
from langchain_chunkers.llm.prompts import propositions_schema, statements_question
from langchain_chunkers.llm.windows import Window, make_windows, numbered
from langchain_chunkers.outline import Outline, Regions, Strength
from langchain_chunkers.packing import Chunk
from langchain_chunkers.semantic.reading import ModelReader
from langchain_chunkers.semantic.units import TOPIC, Units, raised, read_units
from langchain_chunkers.settings import check_count
from langchain_chunkers.strategies.llm import check_calls, check_llm, check_window

__all__ = ["PropositionSplitter"]

_STATEMENT = "statement"  # key under which a chunk carries its text until it is emitted


class _Proposition(NamedTuple):
    """A statement, and the numbers of the units that say it, ascending."""

    units: list[int]
    statement: str


class _Notes(NamedTuple):
    inner: Any
    units: Units
    propositions: list[_Proposition]
    failed: list[tuple[int, int, str]]  # units, and the reason


class PropositionSplitter(ModelReader):
    """Turns a text into self-contained statements, written by a chat model.

    The text of a chunk is a statement, not a slice. Its span is that of the sentences that the
    model says it came from: sentences of the text, checked. A sentence that no statement is from is
    a chunk of its own, as it stands, so nothing is lost. A statement over the cap is left out in
    favour of its sentences.

    A statement may be wrong: check what is said against the span before you quote it.

    Args:
        llm: Any LangChain chat model; see `LLMSplitter`.
        chunk_size: The cap of a statement; ``None`` for none.
        chunk_overlap: Must be 0.
        instructions: Added to what the model is told.
        keep_unsaid: Sentences that no statement is from become chunks of their own.
        window_size: Most characters that the model is shown at once.
        window_overlap: Sentences of the window before that are shown again, so that the model knows
            who is meant; what is said of them alone is taken from the window before.
        max_concurrency: Most calls at a time.
        max_retries: How often a window is asked again.
        retry_wait: Seconds before asking again after an error; doubled each time.
        structure: As in `LLMSplitter`.
        **options: Settings of `BaseSplitter`.

    Returns:
        Documents in the order of their spans. ``metadata["spans"]`` has ``[start, end]`` of each
        sentence; ``start_index`` and ``end_index`` enclose them all. Where the model failed,
        ``metadata["llm_fallback"]`` has the reason, and there is a warning.

    Guarantees: capped, own metadata, total, portable; spans are inside the text, and of whole
    sentences.

    Cost: one call a window; about as many tokens come back as are sent.

    Source: Chen et al., Dense X Retrieval, 2023.

    Example:
        >>> from langchain_chunkers.testing.fakes import ScriptedChatModel
        >>> answer = '{"propositions": [{"sentences": [1, 2], "statement": "Ada Lovelace died in 1852."}]}'
        >>> splitter = PropositionSplitter(ScriptedChatModel(answers=[answer]))
        >>> text = "Ada Lovelace wrote programs. She died in 1852."
        >>> [(d.page_content, d.metadata["spans"]) for d in splitter.create_documents([text])]
        [('Ada Lovelace died in 1852.', [[0, 28], [29, 46]])]
    """

    name = "proposition"

    def __init__(
        self,
        llm: BaseChatModel,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        instructions: str = "",
        keep_unsaid: bool = True,
        window_size: int = 4_000,
        window_overlap: int = 4,
        max_concurrency: int = 8,
        max_retries: int = 2,
        retry_wait: float = 1.0,
        structure: BaseSplitter | None = None,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, structure=structure, **options)
        if chunk_overlap:
            msg = f"chunk_overlap must be 0: statements do not overlap. Got {chunk_overlap}."
            raise SettingError(msg)
        self._llm = check_llm(llm)
        check_calls(max_concurrency, max_retries, retry_wait)
        check_window(window_size)
        check_count("window_overlap", window_overlap, None, "sentences")
        self._instructions, self._keep_unsaid = instructions, keep_unsaid
        self._window_size, self._window_overlap = window_size, window_overlap
        self._calls: dict[str, Any] = {
            "concurrency": max_concurrency,
            "retries": max_retries,
            "wait": retry_wait,
        }
        self._limits = dataclasses.replace(self._limits, always=TOPIC, least=0)

    # ------------------------------------------------------------------ reading

    def ask(self, text: str) -> Outline:
        """Read the text, and ask for the statements of its windows."""
        units, windows, questions = self._questions(text)
        answers = self._caller(windows).run(questions, show=self._show_progress)
        return _outline(units, windows, answers)

    async def aask(self, text: str) -> Outline:
        """As `ask`; the model is awaited."""
        units, windows, questions = self._questions(text)
        answers = await self._caller(windows).arun(questions, show=self._show_progress)
        return _outline(units, windows, answers)

    def _caller(self, windows: Sequence[Window]) -> Caller[list[_Proposition]]:
        return Caller(self._llm, partial(_parsed, windows), propositions_schema, **self._calls)

    def _questions(self, text: str) -> tuple[Units, list[Window], list[list[BaseMessage]]]:
        units = read_units(self._structure_of(text), self.ladder)
        windows = make_windows(units, self._window_size, self._window_overlap)
        if units.count == 1:
            windows = [Window(0, 1)]
        questions = [
            statements_question(
                numbered(units, window), window.last - window.first, self._instructions
            )
            for window in windows
        ]
        return units, windows, questions

    # ------------------------------------------------------------------ chunks

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        """Give statements, and the sentences that none is from, by where they begin."""
        notes: _Notes = outline.notes
        text, edges = outline.text, notes.units.edges
        plain, regions = dataclasses.replace(outline, notes=notes.inner), Regions(outline.regions)
        said: set[int] = set()
        found: list[Chunk] = []
        for units, statement in notes.propositions:
            if self._measure(statement) > self._limits.size:
                continue
            said.update(units)
            spans = [[edges[u], content_end(text, edges[u], edges[u + 1])] for u in units]
            start, end = spans[0][0], spans[-1][1]
            known = {_STATEMENT: statement, "spans": spans}
            known = {**self.describe(plain, regions, start, end), **known}
            found.append(Chunk(start, end, start, Strength.SENTENCE, metadata=known))
        for chunk in super()._chunks(plain):
            unit = bisect_right(edges, chunk.fresh) - 1
            window = bisect_right(notes.failed, unit, key=lambda failed: failed[0]) - 1
            inside = window >= 0 and unit < notes.failed[window][1]
            reason = notes.failed[window][2] if inside else ""
            if unit in said or not (self._keep_unsaid or reason):
                continue
            known = {**chunk.metadata, "spans": [[chunk.start, chunk.end]]}
            if reason:
                known["llm_fallback"] = reason
            found.append(chunk._replace(metadata=known))
        return iter(sorted(found, key=lambda chunk: chunk[:2]))

    def _emitted(self, source: str, chunk: Chunk) -> str:
        statement = chunk.metadata.get(_STATEMENT)
        return super()._emitted(source, chunk) if statement is None else str(statement)

    def _documents(self, text: str, metadata: Any) -> list[Document]:
        documents = super()._documents(text, metadata)
        for document in documents:
            document.metadata.pop(_STATEMENT, None)
        return documents


def _outline(units: Units, windows: Sequence[Window], answers: Sequence[Any]) -> Outline:
    """Put the answers of windows together; all sentences are boundaries."""
    propositions: list[_Proposition] = []
    failed: list[tuple[int, int, str]] = []
    for number, (window, answer) in enumerate(zip(windows, answers, strict=True)):
        fresh = windows[number - 1].last if number else 0  # what is before was shown as context
        if isinstance(answer, Failure):
            failed.append((fresh, window.last, answer.reason))
        else:
            propositions += [each for each in answer if each.units[-1] >= fresh]
    if failed:
        warnings.warn(
            f"The chat model gave no statements for {len(failed)} of {len(windows)} windows; their "
            f"sentences stand as they are. The reason of the first: {failed[0][2]}",
            stacklevel=3,
        )
    outline = raised(units, range(1, units.count))
    notes = _Notes(outline.notes, units, propositions, failed)
    return dataclasses.replace(outline, notes=notes)


def _parsed(windows: Sequence[Window], number: int, answer: Any) -> list[_Proposition]:
    """Read an answer: statements, and sentences that are in the window.

    Raises:
        ModelError: It has another form, or a number is not in the window.
    """
    window = windows[number]
    entries = answer.get("propositions") if isinstance(answer, dict) else answer
    if not isinstance(entries, list):
        raise ModelError('It must have a list "propositions".', answer)
    found = []
    for entry in entries:
        numbers = entry.get("sentences") if isinstance(entry, dict) else None
        statement = entry.get("statement") if isinstance(entry, dict) else None
        if not isinstance(statement, str) or not statement.strip():
            raise ModelError('Each entry must have a "statement".', answer)
        count = window.last - window.first
        if not isinstance(numbers, list) or not numbers:
            raise ModelError('Each entry must have "sentences", a list of numbers.', answer)
        if any(type(n) is not int or not 1 <= n <= count for n in numbers):
            raise ModelError(f"Sentences must be numbers of 1 to {count}.", answer)
        units = sorted({window.first + n - 1 for n in numbers})
        clean = " ".join(statement.split()).encode("utf-8", "replace").decode("utf-8")
        found.append(_Proposition(units, clean))
    return found
