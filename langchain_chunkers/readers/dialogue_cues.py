"""Subtitles and captions: WebVTT and SRT, by cue."""

from __future__ import annotations

import re

from langchain_chunkers.readers.dialogue_turns import Turn

__all__ = ["find_cues"]

_CLOCK = r"(?:\d{1,4}:)?\d{1,2}:\d{2}[.,]\d{1,3}"
_TIMING = re.compile(
    rf"^[ \t\ufeff]*({_CLOCK})[ \t]*-->[ \t]*({_CLOCK})[^\n]*(?:\n|\Z)", re.MULTILINE
)
_VOICE = re.compile(r"[ \t]*<v(?:\.[^\s>]{0,40})?[ \t]+([^>\n]{1,80})>")
_NAME = re.compile(
    r"[ \t]*(?:[-–][ \t]*|>>[ \t]*)?(?:\[([^\[\]\n]{1,40})\]|([^\W\d_][^\n:.,!?<>]{0,40}))[ \t]*:[ \t]+"
)
_ENDED = re.compile("[.!?…。！？♪)\\]][\"'”’»」]*(?:</?\\w[^<>]{0,20}>|\\s)*$")


def find_cues(text: str) -> list[Turn]:
    r"""List the cues of WebVTT or SRT; ``[]`` for other texts.

    Cues flow together where one speaker goes on, or, without speakers, where a sentence does.

    Example:
        >>> cues = find_cues(
        ...     "WEBVTT\n\n00:01.000 --> 00:02.500\n<v Ann>Tea?\n\n00:03.0 --> 00:04.0\n<v Ben>Yes.\n"
        ... )
        >>> [(cue.speaker, cue.time, cue.time_end) for cue in cues]
        [('Ann', '00:01.000', '00:02.500'), ('Ben', '00:03.0', '00:04.0')]
    """
    if "-->" not in text:
        return []
    found = list(_TIMING.finditer(text))
    if len(found) < 2 and not (found and text.lstrip("\ufeff").startswith("WEBVTT")):
        return []
    turns: list[Turn] = []
    starts = [_start(text, m.start()) for m in found]
    for index, m in enumerate(found):
        body = m.end()
        said = _VOICE.match(text, body) or _NAME.match(text, body)
        speaker = next(filter(None, said.groups()), "").strip() if said else ""
        before = turns[-1] if turns else None
        flows = False
        if before is not None:
            tail = text[max(before.body, starts[index] - 80) : starts[index]]
            same = before.speaker == speaker
            flows = same and (bool(speaker) or _ENDED.search(tail) is None)
        prefix = said[0].lstrip() if said else ""
        turns.append(
            Turn(starts[index], said.end() if said else body, speaker, m[1], m[2], prefix, flows)
        )
    return turns


def _start(text: str, at: int) -> int:
    """Give the start of a cue: its identifier stands on the line above."""
    line = text.rfind("\n", max(at - 200, 0), max(at - 1, 0)) + 1
    above = text[line : max(at - 1, 0)]
    if not line or not at or not above.strip() or at - line > 120:
        return at
    before = text[max(line - 8, 0) : line]
    return line if before.endswith(("\n\n", "\n\r\n")) or not before.strip() else at
