"""Chat logs and transcripts, by turn."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable, Mapping
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.outline import Outline, Regions, Strength
from langchain_chunkers.readers.dialogue import ANSWER, Turns, read_dialogue
from langchain_chunkers.readers.dialogue_json import message_parts, render

__all__ = ["DialogueSplitter"]


class DialogueSplitter(BaseSplitter):
    r"""Keeps the turns of a dialogue whole, and a question with its answer where both fit.

    Finds out the format: ``Name: words``, with times before or behind the name; WhatsApp; IRC; copies of Slack,
    Discord, Teams and Zoom; WebVTT and SRT; e-mail threads; ChatML; messages in JSON, as model APIs
    and exports have them. A text without turns is split as prose. A turn over the cap is divided, and
    each part begins with its speaker.

    Chunks have ``speakers``, ``turn_start`` and ``turn_end`` (numbers from 1), and ``time_start`` and
    ``time_end`` as the text writes them, where it does.

    Offsets and spans are those of ``read(text).text``: for JSON, the messages as ``speaker: words``.

    Args:
        chunk_size: The cap; ``None`` for each turn a chunk of its own.
        chunk_overlap: Units that a chunk may repeat of what came before, in whole turns.
        overlap_turns: Most turns that a chunk repeats; ``None`` for as many as ``chunk_overlap`` holds.
            Without ``chunk_overlap`` they may take a quarter of the cap. A chunk of one turn is not
            repeated.
        keep_questions: A question and its answer share a chunk where both fit.
        turn_pattern: A regular expression that matches what begins a turn, with the groups
            ``speaker`` and ``time`` if there are such. ``^`` matches at each line.
        **options: Settings of `BaseSplitter`.

    Guarantees: all of `RecursiveSplitter`; overlap in whole turns only.

    Raises:
        SettingError: ``turn_pattern`` is no regular expression or empty; ``overlap_turns`` is
            negative, or given without ``chunk_size``.

    Cost: linear in the text.

    Example:
        >>> text = "Ann: Is there tea?\nBen: Yes, black and green.\nAnn: Green, please.\nBen: Here it is.\n"
        >>> for chunk in DialogueSplitter(50).create_documents([text]):
        ...     print(repr(chunk.page_content), chunk.metadata["turn_start"])
        'Ann: Is there tea?\nBen: Yes, black and green.' 1
        'Ann: Green, please.\nBen: Here it is.' 3
    """

    name = "dialogue"

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        overlap_turns: int | None = None,
        keep_questions: bool = True,
        turn_pattern: str | None = None,
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, **options)
        self._pattern = _compiled(turn_pattern)
        self._keep_questions = keep_questions
        turns = overlap_turns
        given: Any = turns
        if given is not None and (
            not isinstance(given, int) or isinstance(given, bool) or given < 0
        ):
            msg = f"overlap_turns must be a number of turns, zero or more, or None: got {turns!r}."
            raise SettingError(msg)
        if turns and not chunk_overlap:
            if chunk_size is None:
                msg = "overlap_turns needs a chunk_size: without one, each turn is a chunk of its own."
                raise SettingError(msg)
            self._chunk_overlap = chunk_size // 4
        elif turns == 0:
            self._chunk_overlap = 0
        self._limits = dataclasses.replace(
            self._limits,
            overlap=self._chunk_overlap,
            overlap_from=ANSWER,
            overlap_parts=turns or 0,
            always=ANSWER if chunk_size is None else self._limits.always,
        )

    def read(self, text: str) -> Outline:
        """Read a dialogue in any of the formats."""
        outline = read_dialogue(text, self._pattern)
        answers = outline.places.get(ANSWER)
        if self._keep_questions or not answers or not isinstance(outline.notes, Turns):
            return outline
        moved = {
            **outline.places,
            Strength.BLOCK: sorted([*answers, *outline.places.get(Strength.BLOCK, ())]),
        }
        del moved[ANSWER]
        return dataclasses.replace(outline, places=moved)

    def describe(
        self, outline: Outline, regions: Regions, start: int, end: int
    ) -> Mapping[str, Any]:
        """Say who speaks in a chunk, in which turns, and when."""
        del regions
        return outline.notes.describe(start, end) if isinstance(outline.notes, Turns) else {}

    def _partition(self) -> dict[str, Any]:
        """Give the settings under which nothing is repeated."""
        return {"overlap_turns": 0}

    @staticmethod
    def text_of(messages: Iterable[Any]) -> str:
        """Write messages as text that this splitter reads: ``speaker: words``, a blank line between.

        Args:
            messages: Dictionaries as model APIs take them (``role`` and ``content``), or LangChain
                messages, in any mix.

        Returns:
            The text.

        Raises:
            InputError: Something is neither.

        Example:
            >>> from langchain_core.messages import AIMessage, HumanMessage
            >>> DialogueSplitter.text_of(
            ...     [HumanMessage("Tea?"), AIMessage("Yes."), {"role": "user", "content": "Now."}]
            ... )
            'human: Tea?\\n\\nai: Yes.\\n\\nuser: Now.'
        """
        return render([[_parts(message) for message in messages]])[0]


def _parts(message: Any) -> tuple[str, str, str]:
    if isinstance(message, Mapping):
        return message_parts(message)
    if hasattr(message, "type") and hasattr(message, "content"):
        calls = getattr(message, "tool_calls", None)
        return message_parts(
            {"role": message.type, "content": message.content, "tool_calls": calls}
        )
    msg = f"A message must be a dictionary or a LangChain message: got {type(message).__name__}."
    raise InputError(msg)


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    """Compile the user's pattern, or say what is wrong with it."""
    if pattern is None:
        return None
    try:
        compiled = re.compile(pattern, re.MULTILINE)
    except (re.error, TypeError) as error:
        msg = f"turn_pattern must be a regular expression as a str: got {pattern!r} ({error})."
        raise SettingError(msg) from error
    if not pattern:
        msg = "turn_pattern must match what begins a turn: got ''. Leave it out to find out the format."
        raise SettingError(msg)
    return compiled
