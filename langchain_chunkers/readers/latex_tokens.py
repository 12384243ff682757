"""What matters in LaTeX, in order: environments, headings, items, rows, blank lines.

A flat scan that looks at each character once. Nothing inside verbatim text or behind a comment sign is
seen; macros are not expanded.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["Event", "find_events", "match_pairs"]

_TOKEN = re.compile(
    r"""\\(?:
      (?P<edge>begin|end)[ \t]*\{(?P<name>[^{}\n]{1,40})\}
    | (?P<section>part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|addpart|addchap|addsec)\*?(?![A-Za-z@])
    | (?P<item>item)(?![A-Za-z@])
    | verb\*?(?P<quote>[^A-Za-z\s*])[^\n]{0,200}?(?P=quote)
    | (?P<math>[\[\]])
    | (?P<row>\\)
    | [A-Za-z@]+
    | .
    )
    | %[^\n]*
    | (?P<blank>\n[ \t\r]*\n\s*)""",
    re.VERBOSE | re.DOTALL,
)
_VERBATIM = frozenset((
    "verbatim", "Verbatim", "BVerbatim", "LVerbatim", "lstlisting", "minted", "alltt", "comment",
    "filecontents", "pycode", "tcblisting", "verbatimtab", "semiverbatim", "luacode", "sagesilent",
))  # fmt: skip
_TITLE = re.compile(r"\s{0,20}(?:\[[^\]]{0,500}\]\s{0,20})?\{")
_LABEL = re.compile(r"\s{0,20}\\label\s{0,4}\{[^{}\n]{0,200}\}")
_COMMAND = re.compile(
    r"\\(?:label|index|footnote|thanks)\s*\{[^{}]*\}|\\texorpdfstring\s*\{[^{}]*\}"
)
_WRAPPED = re.compile(r"\\[A-Za-z]+\*?\s*\{([^{}]*)\}")
_ESCAPED = re.compile(r"\\([&%$#_{} ])")
_LONGEST_TITLE = 400  # characters in which the closing brace of a title is looked for
_DEEPEST = 20  # braces inside a title; more are no title


class Event(NamedTuple):
    """What was found: ``begin``, ``end``, ``verbatim``, ``item``, ``row``, ``blank``, ``section``."""

    kind: str
    start: int
    end: int
    name: str = ""
    title: str = ""
    stop: int = 0


def find_events(text: str) -> list[Event]:
    """List what matters in a text, in order; nothing inside verbatim text."""
    events: list[Event] = []
    missing: set[str] = set()
    at = 0
    while (found := _TOKEN.search(text, at)) is not None:
        at, kind = found.end(), found.lastgroup
        if kind is None or kind == "quote":
            continue
        if kind == "name":
            name = found["name"].strip().rstrip("*")
            if found["edge"] == "end":
                events.append(Event("end", found.start(), at, name))
                continue
            closed = _verbatim_end(text, at, found["name"], missing) if name in _VERBATIM else -1
            if closed >= 0:
                end = text.index("}", closed) + 1
                events.append(Event("verbatim", found.start(), end, name, stop=closed))
                at = end
            else:
                events.append(Event("begin", found.start(), at, name))
        elif kind == "math":
            events.append(Event("begin" if found["math"] == "[" else "end", found.start(), at, "["))
        elif kind == "section":
            heading = _heading(text, found)
            if heading is not None:
                events.append(heading)
                at = heading.end
        else:
            events.append(Event(kind, found.start(), at))
    return events


def _verbatim_end(text: str, at: int, name: str, missing: set[str]) -> int:
    """Find where the ``\\end`` of verbatim text begins; -1 if there is none behind ``at``."""
    if name in missing:
        return -1
    end = text.find(f"\\end{{{name}}}", at)
    if end < 0:
        missing.add(name)
    return end


def _heading(text: str, found: re.Match[str]) -> Event | None:
    """Read a sectioning command that begins a line and has a title."""
    line = text[
        max(text.rfind("\n", max(found.start() - 80, 0), found.start()) + 1, 0) : found.start()
    ]
    opened = _TITLE.match(text, found.end())
    if opened is None or len(line) >= 80 or line.strip(" \t}\ufeff"):
        return None
    depth, at = 1, opened.end()
    limit = min(len(text), at + _LONGEST_TITLE)
    while 0 < depth < _DEEPEST and at < limit:
        character = text[at]
        if character == "\\":
            at += 1
        else:
            depth += (character == "{") - (character == "}")
        at += 1
    if depth or at > len(text):
        return None
    label = _LABEL.match(text, at)
    title = _clean(text[opened.end() : at - 1])
    end = label.end() if label else at
    return Event("section", found.start(), end, found["section"], title)


def _clean(title: str) -> str:
    """Give the words of a title without its commands."""
    title = _COMMAND.sub("", title)
    while (plain := _WRAPPED.sub(r"\1", title)) != title:
        title = plain
    title = _ESCAPED.sub(r"\1", title.replace("~", " ")).replace("\\\\", " ")
    return " ".join(title.replace("{", "").replace("}", "").split())


def match_pairs(events: list[Event]) -> dict[int, int]:
    """Match ``\\begin`` and ``\\end``: numbers of events, both ways. What has no partner is left out."""
    opened: list[int] = []
    waiting: dict[str, int] = {}
    pairs: dict[int, int] = {}
    for number, event in enumerate(events):
        if event.kind == "begin":
            opened.append(number)
            waiting[event.name] = waiting.get(event.name, 0) + 1
        elif event.kind == "end" and waiting.get(event.name):
            while True:
                begin = opened.pop()
                waiting[events[begin].name] -= 1
                if events[begin].name == event.name:
                    break
            pairs[begin], pairs[number] = number, begin
    return pairs
