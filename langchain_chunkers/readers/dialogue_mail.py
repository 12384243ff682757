"""E-mail threads: messages one below the other, and quoted ones with answers between."""

from __future__ import annotations

import re
from typing import NamedTuple

from langchain_chunkers.readers.dialogue_turns import Turn

__all__ = ["find_mail"]

_QUOTE = re.compile(r"(?:[ ]?>)*[ ]?")
_WROTE = re.compile(
    r"(?:On|Am|Le|El|Il|Em|Op|Den|W dniu|\d).{4,240}?"
    r"(?:wrote|writes|schrieb|a écrit|escribió|ha scritto|escreveu|schreef|skrev|napisał\(a\)|写道|написал)"
    r"(?P<after>[^:：]{0,120})[ \u00a0]?[:：]$"
)
_OPENS = re.compile(r"(?:On|Am|Le|El|Il|Em|Op) .{8,200}$")
_HEADER = re.compile(
    r"\*{0,2}(From|To|Cc|Sent|Date|Subject|Reply-To|Von|An|Gesendet|Datum|Betreff|De|À|A|Para|Envoyé|Enviado|Objet"
    r"|Asunto|Assunto|发件人|收件人|抄送|发送时间|日期|主题)\*{0,2}[ ]?[:：]\*{0,2}[ \t]*(.*)$"
)
_FROM = frozenset(("From", "Von", "De", "发件人"))
_WHEN = frozenset(("Date", "Sent", "Gesendet", "Datum", "Envoyé", "Enviado", "发送时间", "日期"))
_RULE = re.compile(
    r"(?:-{2,}|_{5,}|={5,}|\*{5,})(?:[ ]?[\w ]{0,40}[ ]?-{2,})?$"
    r"|Begin forwarded message:$|Anfang der weitergeleiteten"
)
_ADDRESS = re.compile(r"<[^<>]*>|\[mailto:[^\]]*\]|\([^()]*@[^()]*\)")
_BEHIND_TIME = re.compile(
    r".*(?:\d{1,2}[:.]\d{2}(?:[:.]\d{2})?(?:[ \u202f]?[AaPp]\.?[Mm]\.?)?(?:[ ]?[+-]\d{4})?|,)[ ,]*(.*)$"
)


class _Line(NamedTuple):
    start: int
    end: int
    depth: int
    text: str


def find_mail(text: str) -> list[Turn]:
    """List the messages of an e-mail thread, and quotations and answers in them; ``[]`` for other texts.

    Example:
        >>> thread = "Yes.\\n\\nOn 5 May 2025 at 10:03, Ann Bell <a@b.c> wrote:\\n> Tea?\\n"
        >>> [(turn.start, turn.speaker) for turn in find_mail(thread)]
        [(0, ''), (6, 'Ann Bell')]
    """
    wrote = _could_quote(text)
    if (
        not wrote
        and "From:" not in text
        and not any(f"{name}:" in text for name in ("Von", "De", "发件人"))
    ):
        return []
    return _Thread(text).turns()


def _could_quote(text: str) -> bool:
    return any(
        word in text
        for word in (
            "wrote",
            "writes",
            "schrieb",
            "écrit",
            "escribió",
            "scritto",
            "escreveu",
            "schreef",
            "写道",
            "написал",
        )
    )


class _Thread:
    """Goes through the lines once."""

    def __init__(self, text: str) -> None:
        self.lines = _lines(text)
        self.found: list[Turn] = []
        self.names: dict[int, tuple[str, str]] = {}  # by depth: who speaks, and what is repeated
        self.depth = -1
        self.sure = 0

    def turns(self) -> list[Turn]:
        """List the turns, where the text is a thread at all."""
        number, lines = 0, self.lines
        while number < len(lines):
            line = lines[number]
            after = number + 1
            if line.text:
                after = self._header(number) or self._attribution(number) or self._words(number)
            number = after
        return self.found if self.sure and len(self.found) >= 2 else []

    def _start(self, number: int) -> int:
        """Give where a message begins: at the rule above it, blank lines between."""
        at = number
        while at > 0 and number - at < 3 and not self.lines[at - 1].text:
            at -= 1
        if at > 0 and _RULE.match(self.lines[at - 1].text):
            return self.lines[at - 1].start
        return self.lines[number].start

    def _header(self, number: int) -> int:
        """Read a block of header lines with a sender."""
        lines, after = self.lines, number
        fields: dict[str, str] = {}
        while after < len(lines) and (found := _HEADER.match(lines[after].text)):
            fields.setdefault(found[1], found[2])
            after += 1
        sender = next((value for name, value in fields.items() if name in _FROM), None)
        if sender is None or len(fields) < 2:
            return 0
        depth, when = lines[number].depth, next((v for n, v in fields.items() if n in _WHEN), "")
        name = _name(sender)
        self.names = {d: known for d, known in self.names.items() if d < depth}
        self.names[depth] = name, f"From: {name}\n" if name else ""
        start = self._start(number)
        if self.found and self.found[-1].start >= start:
            self.found.pop()  # the rule above was taken for words
        body = lines[after - 1].end
        self.found.append(Turn(start, body, name, when, "", self.names[depth][1]))
        self.depth = depth
        self.sure += 1
        return after

    def _attribution(self, number: int) -> int:
        """Read a line such as ``On …, Ann wrote:``, wrapped over two perhaps."""
        lines, line = self.lines, self.lines[number]
        words, after = line.text, number + 1
        found = _WROTE.match(words) if words[-1:] in ":：" else None
        if (
            found is None
            and after < len(lines)
            and lines[after].depth == line.depth
            and _OPENS.match(words)
        ):
            joined = f"{words} {lines[after].text}"
            found = _WROTE.match(joined) if joined[-1:] in ":：" and len(joined) < 400 else None
            after += 1
        if found is None:
            return 0
        name, time = _who(found)
        depth = line.depth + 1
        self.names = {d: known for d, known in self.names.items() if d < depth}
        self.names[depth] = name, f"{name} wrote:\n" if name else ""
        self.found.append(
            Turn(line.start, lines[after - 1].end, name, time, "", self.names[depth][1])
        )
        self.depth = depth
        self.sure += 1
        return after

    def _words(self, number: int) -> int:
        """Read a line of words: a new turn begins where the depth of quotation changes."""
        line = self.lines[number]
        if line.depth != self.depth and not (self.depth == line.depth + 1 and self._bare(number)):
            name, prefix = self.names.get(line.depth, ("", ""))
            answers = 0 <= line.depth < self.depth
            self.found.append(Turn(line.start, line.start, name, "", "", prefix, answers=answers))
            self.depth = line.depth
        return number + 1

    def _bare(self, number: int) -> bool:
        """Say whether words right behind an attribution are not marked as quoted, as some programs do."""
        return self.found[-1].body == self.lines[number].start and bool(self.found[-1].prefix)


def _lines(text: str) -> list[_Line]:
    lines, at = [], 0
    for raw in text.split("\n"):
        quote = _QUOTE.match(raw)
        marks = quote[0] if quote else ""
        depth = min(marks.count(">"), 50)
        body = raw[len(marks) :] if depth else raw
        end = min(at + len(raw) + 1, len(text))
        lines.append(_Line(at, end, depth, body.strip()))
        at += len(raw) + 1
    return lines


def _name(sender: str) -> str:
    """Give the name of a sender; the address where there is none."""
    name = _ADDRESS.sub("", sender).strip(" \"'*,;")
    return name or sender.strip(" <>")


def _who(found: re.Match[str]) -> tuple[str, str]:
    """Give name and time of an attribution."""
    said = found[0].rstrip(" :：\u00a0")
    after = _ADDRESS.sub("", found["after"]).strip(" ,")
    if after:  # "Am … schrieb Ann:"
        return after, said[3 : found.start("after") - found.start() - len("schrieb")].strip(" ,")
    said = (
        _ADDRESS.sub("", said).rpartition(" ")[0].removesuffix(" a").removesuffix(" ha").strip(" ,")
    )
    behind = _BEHIND_TIME.match(said)
    name = behind[1].strip() if behind else ""
    time = said[: len(said) - len(name)] if name else said
    return name, time.partition(" ")[2].strip(" ,") if time[:1].isalpha() else time.strip(" ,")
