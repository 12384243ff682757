"""Windows of numbered sentences, what a model is asked about one, and how answers join.

Windows overlap, since a model judges badly at the edges of what it sees. In the middle of an
overlap one window hands over to the next; where both name a start near it, that is one start.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

from langchain_chunkers.errors import ModelError
from langchain_chunkers.semantic.units import Units

__all__ = ["Topic", "Window", "join", "make_windows", "numbered", "topics_in"]

_SENTENCE = 1_000  # characters of a sentence that are shown; where it begins is what matters


class Window(NamedTuple):
    """Units ``first`` to ``last - 1`` of a text."""

    first: int
    last: int


class Topic(NamedTuple):
    """A topic that a model named.

    Attributes:
        start: Number of the unit that begins it.
        title: Its title, or ``""``.
        summary: Its summary, or ``""``.
    """

    start: int
    title: str = ""
    summary: str = ""


def make_windows(units: Units, size: int, overlap: int) -> list[Window]:
    """Divide units into windows.

    Args:
        units: The units.
        size: Most characters of a window, numbers aside; one unit is always allowed.
        overlap: Units that a window shares with the one before; fewer in windows of few units.

    Returns:
        The windows, in order; none for a text of fewer than two units.
    """
    if units.count < 2:
        return []
    lengths = [min(end - start, _SENTENCE) for start, end in pairwise(units.edges)]
    windows, first = [], 0
    while True:
        last, room = first, size
        while last < units.count and (last == first or lengths[last] <= room):
            room -= lengths[last]
            last += 1
        windows.append(Window(first, last))
        if last == units.count:
            return windows
        # half of the window at most, and room for what is new, so that windows move on
        first = last - min(overlap, (last - first) // 2)
        room = size - lengths[last] - sum(lengths[first:last])
        while first < last and room < 0:
            room += lengths[first]
            first += 1


def numbered(units: Units, window: Window) -> str:
    """Write the units of a window one a line, numbered from 1."""
    lines = []
    for number in range(window.first, window.last):
        text = " ".join(units.text(number, number + 1)[:_SENTENCE].split())
        lines.append(f"[{number - window.first + 1}] {text}")
    return "\n".join(lines)


def topics_in(answer: Any, window: Window) -> list[Topic]:
    """Read an answer: which units of the window begin a topic.

    Takes what models give for ``{"topics": [{"start": 3, "title": "…"}]}``: bare numbers, a bare
    list, another name for the list.

    Raises:
        ModelError: There is no list, or its numbers do not ascend or are not in the window.
    """
    entries = answer
    if isinstance(answer, dict):
        lists = [value for value in answer.values() if isinstance(value, list)]
        entries = answer["topics"] if isinstance(answer.get("topics"), list) else None
        if entries is None and len(lists) == 1:
            entries = lists[0]
    if not isinstance(entries, list):
        raise ModelError('It must have a list "topics".', answer)
    topics: list[Topic] = []
    count = window.last - window.first
    for entry in entries:
        number = _whole(entry.get("start") if isinstance(entry, dict) else entry)
        if number is None or not 1 <= number <= count:
            raise ModelError(f'Each "start" must be a number of 1 to {count}.', answer)
        start = window.first + number - 1
        if topics and start <= topics[-1].start:
            raise ModelError('The "start" numbers must ascend.', answer)
        words = entry if isinstance(entry, dict) else {}
        topics.append(Topic(start, _line(words.get("title")), _line(words.get("summary"))))
    return topics


def _whole(value: Any) -> int | None:
    if isinstance(value, str) and value.strip(" []").isdecimal() and len(value) < 12:
        return int(value.strip(" []"))
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _line(value: Any) -> str:
    """Bring a title to one line of at most 500 characters that can be written as JSON and UTF-8."""
    if not isinstance(value, str):
        return ""
    return " ".join(value.split())[:500].encode("utf-8", "replace").decode("utf-8")


def join(windows: Sequence[Window], answers: Sequence[Sequence[Topic]]) -> list[Topic]:
    """Join the topics of overlapping windows.

    Args:
        windows: The windows, in order.
        answers: The topics of each.

    Returns:
        Topics of the whole text, ascending.
    """
    joined: list[Topic] = []
    for number, (window, topics) in enumerate(zip(windows, answers, strict=True)):
        low = _middle(windows[number - 1], window) if number else window.first
        high = _middle(window, windows[number + 1]) if number + 1 < len(windows) else window.last
        kept = [topic for topic in topics if low <= topic.start < high]
        if number and kept and joined and _same(joined[-1], kept[0], windows[number - 1], window):
            left = any(topic.start == joined[-1].start for topic in topics)
            right = any(topic.start == kept[0].start for topic in answers[number - 1])
            if right and not left:  # both windows name the right one, one alone the left
                joined.pop()
            elif not right:
                kept = kept[1:]
        joined += kept
    return joined


def _middle(before: Window, after: Window) -> int:
    return (after.first + before.last + 1) // 2


def _same(left: Topic, right: Topic, before: Window, after: Window) -> bool:
    """Say whether two starts beside a seam are one: both in the overlap, and near each other."""
    overlap = before.last - after.first
    inside = after.first < left.start and right.start < before.last
    return inside and right.start - left.start <= max(1, overlap // 3)
