"""The reader of dialogue: finds the turns of a chat log or transcript, whatever its format.

Each format has a function that lists its turns, or nothing where a text is not in it. The format that
explains most lines holds for the whole text, so that a line such as ``Note: …`` is no turn in
a chat whose turns begin with a time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from typing import Any, NamedTuple

from langchain_chunkers.ladder import content_end
from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.plain import read_plain
from langchain_chunkers.readers.dialogue_cues import find_cues
from langchain_chunkers.readers.dialogue_json import read_messages
from langchain_chunkers.readers.dialogue_lines import find_line_turns
from langchain_chunkers.readers.dialogue_mail import find_mail
from langchain_chunkers.readers.dialogue_turns import Turn

__all__ = ["TURN", "Turns", "read_dialogue"]

TURN = Strength.BLOCK
"""Between two turns."""
ANSWER = Strength.PARAGRAPH
"""Between a question and its answer: they share a chunk where both fit."""
_INSIDE = Strength.LINE

_QUESTION = re.compile(
    "[?？؟]\\s*(?:[\"'”’»」)*_]|\\{[^{}]{0,40}\\}|\\[[^\\[\\]]{0,40}\\]|<[^<>]{0,40}>|\\s)*$"
)
_ASKS = frozenset((
    "user", "human", "customer", "client", "q", "question", "patient", "caller", "interviewer", "问",
    "用户", "提问",
))  # fmt: skip
_ANSWERS = frozenset((
    "assistant", "ai", "bot", "chatbot", "model", "gpt", "a", "answer", "agent", "support", "doctor",
    "operator", "interviewee", "答", "客服", "助手", "回答",
))  # fmt: skip
_REPEATED = 200  # characters of a prefix: a name and a time, not a paragraph


class Turns(NamedTuple):
    """The turns of a text, for describing chunks.

    Attributes:
        starts: Where each begins.
        turns: What is known of each.
        numbers: Its number, from 1; cues of one speaker share one.
    """

    starts: Sequence[int]
    turns: Sequence[Turn]
    numbers: Sequence[int]

    def describe(self, start: int, end: int) -> dict[str, Any]:
        """Say who speaks in a stretch, in which turns, and when."""
        first = max(bisect_right(self.starts, start) - 1, 0)
        last = bisect_right(self.starts, end - 1)
        inside = self.turns[first:last]
        if not inside:
            return {}
        facts: dict[str, Any] = {
            "speakers": list(dict.fromkeys(turn.speaker for turn in inside if turn.speaker)),
            "turn_start": self.numbers[first],
            "turn_end": self.numbers[last - 1],
        }
        times = [turn for turn in inside if turn.time]
        if times:
            facts["time_start"] = times[0].time
            facts["time_end"] = times[-1].time_end or times[-1].time
        return facts


def read_dialogue(text: str, turn_pattern: re.Pattern[str] | None = None) -> Outline:
    """Read a chat log or a transcript.

    Args:
        text: Any string.
        turn_pattern: Matches what begins a turn; ``None`` to find out the format.

    Returns:
        BLOCK between turns, PARAGRAPH between a question and its answer, LINE between paragraphs
        inside a turn. A text without turns is read as prose. For JSON, the text is the
        messages, one ``speaker: words`` after another.

    Cost: linear, 1 to 3 MB/s.

    Example:
        >>> outline = read_dialogue("Ann: Tea?\\nBen: Yes.\\nAnn: Here.\\n")
        >>> [(b.at, b.strength.name) for b in outline.boundaries()]
        [(10, 'PARAGRAPH'), (20, 'BLOCK')]
    """
    if turn_pattern is not None:
        return _outline(text, _by_pattern(text, turn_pattern))
    messages = read_messages(text)
    if messages is not None:
        return _outline(*messages)
    for find in (find_cues, find_mail, find_line_turns):
        turns = find(text)
        if turns:
            return _outline(text, turns)
    return read_plain(text)


def _by_pattern(text: str, pattern: re.Pattern[str]) -> list[Turn]:
    """List the turns that the user's own pattern finds."""
    turns = []
    for found in pattern.finditer(text):
        if found.end() > found.start():
            groups = {name: (value or "").strip() for name, value in found.groupdict().items()}
            turn = Turn(
                found.start(), found.end(), groups.get("speaker", ""), groups.get("time", "")
            )
            turns.append(turn)
    return turns


def _outline(text: str, turns: Sequence[Turn]) -> Outline:
    """Make the outline of a text with turns; of prose where there are none."""
    plain = read_plain(text)
    if not turns:
        return plain
    starts = [turn.start for turn in turns]
    boundaries: list[tuple[int, Strength]] = []
    numbers: list[int] = []
    regions: list[Region] = []
    for index, turn in enumerate(turns):
        before = turns[index - 1] if index else None
        numbers.append(numbers[-1] + (not turn.flows) if numbers else 1)
        boundaries.append((turn.start, _strength(text, before, turn)))
        end = starts[index + 1] if index + 1 < len(turns) else len(text)
        regions.append(Region(turn.start, end, "prose", {}, _prefix(text, turn)))
    bodies = [turn.body for turn in turns]
    for at, _ in plain.boundaries():
        index = bisect_right(starts, at) - 1
        if index < 0:
            boundaries.append((at, TURN))
        elif bodies[index] < at:
            boundaries.append((at, _INSIDE))
    return Outline.of(text, boundaries, regions, Turns(starts, turns, numbers))


def _strength(text: str, before: Turn | None, turn: Turn) -> Strength:
    """Say how strong the place before a turn is."""
    if turn.opens:
        return Strength.SECTION1
    if before is None:
        return TURN
    if turn.flows:
        return _INSIDE
    asks, answers = before.speaker.lower(), turn.speaker.lower()
    if turn.answers or (asks in _ASKS and answers in _ANSWERS):
        return ANSWER
    last = content_end(text, before.start, turn.start)
    asked = asks != answers and _QUESTION.search(text, max(before.body, last - 60), last)
    return ANSWER if asked else TURN


def _prefix(text: str, turn: Turn) -> str:
    """Give what a chunk repeats that goes on with a turn: who speaks."""
    if turn.prefix or not turn.speaker:
        return turn.prefix
    prefix = text[turn.start : turn.body]
    return prefix if len(prefix) <= _REPEATED else ""
