"""Turns that begin a line: with a name, a time, or both."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from langchain_chunkers.readers.dialogue_turns import STAMP, Turn

__all__ = ["find_line_turns"]

_MARKS = "[\u200e\u200f\u202a\ufeff]{0,3}[ \t]{0,8}"
_PLAIN = r"[^\n:：<>\[\]{}|\"“”!?;。，！？()]"
_NAME = (
    rf"[^\W_]{_PLAIN}{{0,60}}+"
    rf"(?:\((?:[^()\n]|\([^()\n]{{0,60}}\)){{0,120}}\){_PLAIN}{{0,20}}+)?"
)
_TIMED = re.compile(
    rf"""^{_MARKS}(?:\[(?P<t1>{STAMP})\]|\((?P<t2>{STAMP})\)|(?P<t3>{STAMP}))
    (?P<dash>[ \t]{{0,4}}[-–—|][ \t]|[ \t]{{0,4}}[,:]?[ \t]|(?=[<*])|(?=[^\W\d_]))
    [ \t\u200e\u200f\u202a\u202c~]{{0,8}}(?:
      <[ @+%&~!]?(?P<nick>[^<>\s]{{1,40}})>[ \t]*
    | (?P<act>\*[ \t]+(?P<actor>[^\s*]{{1,40}})(?=[ \t]))
    | (?P<notice>-!-|\*{{3}}|-->|<--|={{2,3}})
    | (?:\*\*)?(?P<speaker>[^\s:：<>\[\]{{}}|][^\n:：<>\[\]{{}}|]{{0,60}}?)(?:\*\*)?
      [ \t]?[:：](?:\*\*)?(?:[ \t]+|(?=[\r\n]|[^\x00-\u02ff])|\Z)
    )?""",
    re.MULTILINE | re.VERBOSE,
)
_NICKED = re.compile(
    r"^(?:<[ @+%&~!]?(?P<nick>[^<>\s/]{1,40})>[ \t]+|\*[ \t]+(?P<actor>[^\s*]{1,40})(?=[ \t]))",
    re.MULTILINE,
)
_HEADED = re.compile(
    rf"""[ \t]*(?:(?P<s1>[^\W_][^\n:：<>\[\]{{}}|\"“”!?;。，！？()]{{0,60}}?)
      (?:[ ]+APP)?(?:[ \t]+|[ \t]*[,—–-][ \t]*)
      [\[(]?(?P<t1>(?:(?:Today|Yesterday|[A-Z][a-z]{{2,8}}day),?[ ](?:at[ ])?)?{STAMP})[\])]?:?
    | [\[(](?P<t2>{STAMP})[\])][ \t]+(?P<s2>{_NAME})
    )[ \t\r]*$""",
    re.VERBOSE,
)
_CLOCK = re.compile(r"\d[:.h]\d{2}")
_MARKED = re.compile(r"^<\|im_start\|>(?P<speaker>[\w.-]{1,40})[^\n]{0,40}\n", re.MULTILINE)
_NAMED = re.compile(
    rf"^{_MARKS}(?:\*\*|__)?(?P<speaker>{_NAME})(?:[\[(](?P<time>{STAMP})[\])][ \t]?)?"
    rf"[:：](?:\*\*|__)?(?:[ \t]+|(?=[\r\n]|[^\x00-\u02ff])|\Z)",
    re.MULTILINE,
)
_ROLE = re.compile(
    r"(?i)(?:user|assistant|system|human|ai|bot|chatbot|tool|function|model|agent|customer|client|caller"
    r"|operator|interviewer|interviewee|moderator|host|guest|speaker|participant|q|a|question|answer"
    r"|patient|doctor|therapist|nurse|student|teacher|support|主持人|记者|问|答|用户|客服|助手)"
    r"(?:[ _]?\d{1,3}|[ _][A-Z])?$"
)
_NO_NAME = re.compile(
    r"(?i)(?:notes?|warnings?|caution|important|tips?|hints?|examples?|fig(?:ure)?|tables?|steps?|sources?|see"
    r"|summary|todo|fixme|p\.?s|n\.?b|info|errors?|title|subject|date|time|from|to|cc|bcc|re|fwd|sent|urls?"
    r"|links?|address|phone|tel|fax|e-?mail|website|name|price|total|input|output|results?|returns?|args"
    r"|arguments|parameters|raises|yields|usage|dear|https?|ftp|mailto|file|chapter|section|part|article"
    r"|appendix|version|authors?|license|copyright|keywords|abstract|conclusion|introduction|definition"
    r"|theorem|lemma|proof|pros|cons|location|agenda|attendees|participants|present|absent|action|decision"
    r"|options?|default|type|required|description|status|id|key|value|注意?|例如?|备注|来源|地址|电话|时间|地点)\b"
)
_LEVEL = re.compile(r"(?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|FATAL|CRITICAL)\b")
_HEAD = 130  # characters of a line with a name and a time
_SMALL = frozenset((
    "of", "the", "for", "and", "de", "da", "do", "van", "von", "der", "den", "la", "le", "el", "al",
    "bin", "from", "to", "in", "&", "y",
))  # fmt: skip
_SPOKEN = re.compile("[.!?…。！？~][\"'”’»」)*]*\\s*$")
_BLANK = re.compile(r"\n[ \t\r]*\n\s*")
_PARTICLE = re.compile(r"[a-z]{1,2}['’][^\W\d_]")


def find_line_turns(text: str) -> list[Turn]:
    """List the turns that begin a line, in the format that explains most; ``[]`` for none.

    Example:
        >>> [turn.speaker for turn in find_line_turns("[12:03] Ann: Tea?\\n[12:04] Ben: Yes.\\n")]
        ['Ann', 'Ben']
        >>> find_line_turns("Note: this is no turn.\\nhttp://example.org: neither.\\n")
        []
    """
    rows = text.split("\n")
    lines = sum(not row.isspace() for row in rows if row)
    if lines < 2:
        return []
    found = [
        _marked(text),
        _timed(text, lines),
        _nicked(text, lines),
        _headed(rows, lines),
        _named(text, lines),
    ]
    return max(found, key=lambda turns: len(turns) + sum(bool(turn.speaker) for turn in turns))


def _marked(text: str) -> list[Turn]:
    """List the turns of a text with the tokens of ChatML."""
    if "<|im_start|>" not in text:
        return []
    return [Turn(m.start(), m.end(), m["speaker"]) for m in _MARKED.finditer(text)]


def _timed(text: str, lines: int) -> list[Turn]:
    """List the turns that begin with a time: WhatsApp, IRC, transcripts, logs."""
    turns, bare = [], []
    spoken = 0
    for m in _TIMED.finditer(text):
        time = m["t1"] or m["t2"] or m["t3"]
        speaker = (
            m["nick"] or m["actor"] or (m["speaker"] or "").strip(" *_~\u200e\u200f\u202a\u202c")
        )
        if m["speaker"] and _LEVEL.match(speaker):
            speaker = ""
        if not speaker and not m["notice"]:
            dated = m["t3"] and len(time) > 8 and m["dash"].strip()
            if not (m["t1"] or m["t2"] or dated):
                continue  # a line that begins with a time, such as an item of an agenda
        spoken += bool(speaker)
        body = m.start("act") if m["act"] else m.end()
        turns.append(Turn(m.start(), body, speaker, time.strip()))
        bare.append(m.end("dash"))
    if spoken * 2 < len(turns):  # times alone; what a colon follows is a name if it comes again
        counts = Counter(turn.speaker for turn in turns)
        turns = [
            turn if counts[turn.speaker] > 1 else turn._replace(speaker="", body=body)
            for turn, body in zip(turns, bare, strict=True)
        ]
    enough = len(turns) >= 2 and len(turns) >= (0.1 if spoken * 2 >= len(turns) else 0.3) * lines
    return turns if enough else []


def _nicked(text: str, lines: int) -> list[Turn]:
    """List the turns of IRC without times: ``<nick> words`` and ``* nick does``."""
    found = list(_NICKED.finditer(text))
    known = {m["nick"] for m in found if m["nick"]}
    turns = [
        Turn(m.start(), m.end() if m["nick"] else m.start(), m["nick"] or m["actor"])
        for m in found
        if m["nick"] or m["actor"] in known
    ]
    return turns if len(turns) >= 2 and len(turns) >= 0.5 * lines else []


def _headed(rows: Sequence[str], lines: int) -> list[Turn]:
    """List the turns with name and time on a line of their own: copies of Slack, Discord, Teams, Zoom."""
    turns = []
    at = 0
    for number, row in enumerate(rows):
        start, at = at, at + len(row) + 1
        if len(row) > _HEAD or not (row[:1] in "[(" or _CLOCK.search(row, max(len(row) - 16, 0))):
            continue
        m = _HEADED.match(row) if number + 1 < len(rows) and rows[number + 1].strip() else None
        name = (m["s1"] or m["s2"]).strip() if m else ""
        if m and (" " not in name or _is_name(name)):
            turns.append(Turn(start, at, name, m["t1"] or m["t2"]))
    again = sum(count for count in Counter(t.speaker for t in turns).values() if count > 1)
    dense = len(turns) >= 0.3 * lines
    return (
        turns if len(turns) >= 2 and (dense or (again >= 2 and len(turns) >= 0.05 * lines)) else []
    )


def _named(text: str, lines: int) -> list[Turn]:
    """List the turns that begin with a name and a colon.

    Many lines look so that are no turns: a name must come again, or be a role, or all lines must
    look so and read as speech.
    """
    found = [m for m in _NAMED.finditer(text) if not _NO_NAME.match(m["speaker"])]
    names = [m["speaker"].strip(" *_") for m in found]
    counts = Counter(names)
    sure = {name for name in counts if _is_name(name) and (counts[name] > 1 or _ROLE.match(name))}
    good = sum(counts[name] for name in sure)
    dense = len(found) >= 0.6 * lines
    if dense and good * 2 >= len(found):
        sure |= {name for name in counts if _is_name(name) or counts[name] > 1}
    elif len(found) == lines and _read_as_speech(text, found):
        sure = set(counts)
    elif dense:
        sure |= {name for name in counts if counts[name] > 1}
    kept = [(m, name) for m, name in zip(found, names, strict=True) if name in sure]
    voices = {name for _, name in kept}
    if len(kept) < 2 or (len(voices) < 2 and not all(map(_ROLE.match, voices))):
        return []
    blocks = 1 + sum(1 for _ in _BLANK.finditer(text))
    if len(kept) < 0.15 * lines and len(kept) < 0.3 * blocks:
        return []
    if len(kept) * 2 < len(found):
        return []
    return [Turn(m.start(), _body(text, m.end()), name, m["time"] or "") for m, name in kept]


def _body(text: str, at: int) -> int:
    """Give where the words begin: on the next line, where the name has one for itself."""
    line = text[at : at + 3]
    return at + len(line) - len(line.lstrip("\r\n")) if line[:1] in ("\r", "\n") else at


def _is_name(name: str) -> bool:
    """Say whether words look like the name of a speaker: few, and large but for particles."""
    if _ROLE.match(name):
        return True
    words = re.sub(r"\([^()]*\)", "", name).split()
    return 0 < len(words) <= 6 and all(
        word in _SMALL or not word[0].islower() or _PARTICLE.match(word) for word in words
    )


def _read_as_speech(text: str, found: Sequence[re.Match[str]]) -> bool:
    """Say whether half of the turns end as sentences do, so that they are no list of fields."""
    ends = [*(m.start() for m in found[1:]), len(text)]
    spoken = sum(
        _SPOKEN.search(text, max(m.end(), end - 20), end) is not None
        for m, end in zip(found, ends, strict=True)
    )
    return spoken * 2 >= len(found) and all(_is_name(m["speaker"].strip(" *_")) for m in found)
