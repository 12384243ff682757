"""Messages in JSON: lists as model APIs take them, exports of chat programs, JSON Lines.

The scanner is flat, so that depth costs no recursion, and takes Python's way of writing the same
(single quotes, ``None``) too. What it cannot read is no dialogue, and is left to other readers.
Of a torn file it takes the messages that are whole.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from langchain_chunkers.readers.dialogue_turns import Turn

__all__ = ["message_parts", "read_messages", "render"]

_TOKEN = re.compile(
    r"""\s*+(?:(?P<text>"[^"\\]*+(?:\\.[^"\\]*+)*+"|'[^'\\]*+(?:\\.[^'\\]*+)*+')|(?P<sign>[\[\]{}:,])|(?P<atom>[^\s\[\]{}:,"']++))""",
    re.DOTALL,
)
_TEXT = ("content", "text", "value", "message", "body", "utterance", "msg", "parts")
_WHO = (
    "role",
    "from",
    "speaker",
    "author",
    "user_profile",
    "sender",
    "user",
    "username",
    "name",
    "from_name",
    "nick",
    "type",
)
_NAME = ("real_name", "display_name", "nickname", "global_name", "name", "username", "role", "id")
_WHEN = ("timestamp", "ts", "time", "date", "created_at", "create_time", "datetime", "sent_at")
_LEAST = 0.5  # share of the text that messages must make


class _Object(dict[str, Any]):
    """A JSON object that knows where it stands."""

    start = end = 0


def read_messages(text: str) -> tuple[str, list[Turn]] | None:
    """Read messages in JSON.

    Args:
        text: Any string.

    Returns:
        The messages as text, and its turns; ``None`` for a text that is not made of messages.

    Example:
        >>> said = read_messages(
        ...     '[{"role": "user", "content": "Tea?"}, {"role": "assistant", "content": "Yes."}]'
        ... )
        >>> said[0]
        'user: Tea?\\n\\nassistant: Yes.'
    """
    head = text.lstrip("\ufeff \t\r\n")[:1]
    if head not in ("[", "{") or not any(
        f'"{name}"' in text or f"'{name}'" in text for name in _TEXT
    ):
        return None
    roots, whole = _parse(text)
    conversations = _conversations(roots)
    said = [[message_parts(message) for message in each] for each in conversations]
    count = sum(len(each) for each in said)
    covered = sum(message.end - message.start for each in conversations for message in each)
    if count < 2 or covered < _LEAST * len(text.strip()):
        return None
    if not whole:  # a torn file: what is left of it is kept as it stands
        end = max(message.end for each in conversations for message in each)
        said.append([("", text[end:].strip(" ,\r\n\t"), "")])
    return render(said)


def render(conversations: Iterable[Iterable[tuple[str, str, str]]]) -> tuple[str, list[Turn]]:
    """Write messages as ``speaker: words``, a blank line between, and say where the turns are.

    Args:
        conversations: Of triples of speaker, words and time.
    """
    pieces: list[str] = []
    turns: list[Turn] = []
    at = 0
    for number, conversation in enumerate(conversations):
        for index, (speaker, words, time) in enumerate(conversation):
            prefix = f"{speaker}: " if speaker else ""
            opens = number > 0 and index == 0
            turns.append(Turn(at, at + len(prefix), speaker, time, opens=opens))
            piece = f"{prefix}{words}\n\n"
            pieces.append(piece)
            at += len(piece)
    return "".join(pieces).removesuffix("\n\n"), turns


# ------------------------------------------------------------------ the scanner


def _parse(text: str) -> tuple[list[Any], bool]:
    """Parse JSON values one after another, and say whether all of the text is JSON."""
    roots: list[Any] = []
    stack: list[list[Any] | _Object] = []
    keys: list[str | None] = []
    at, size = len(text) - len(text.lstrip("\ufeff")), len(text.rstrip())
    while at < size:
        found = _TOKEN.match(text, at)
        if found is None:
            return roots, False
        at, sign = found.end(), found["sign"]
        if sign in ("{", "["):
            value: Any = _Object() if sign == "{" else []
            if sign == "{":
                value.start = at - 1
            if not _put(roots, stack, keys, value):
                return roots, False
            stack.append(value)
            keys.append(None)
        elif sign in ("}", "]"):
            if not stack or (type(stack[-1]) is _Object) != (sign == "}"):
                return roots, False
            closed = stack.pop()
            keys.pop()
            if isinstance(closed, _Object):
                closed.end = at
        elif sign is None:
            token = found["text"]
            value = _string(token) if token else found["atom"]
            if not _put(roots, stack, keys, value):
                return roots, False
    return roots, not stack


def _put(roots: list[Any], stack: list[Any], keys: list[str | None], value: Any) -> bool:
    """Put a value where it belongs: as a key, a member, an item or a root."""
    if not stack:
        roots.append(value)
        return isinstance(value, list | dict)
    parent = stack[-1]
    if isinstance(parent, list):
        parent.append(value)
        return True
    key = keys[-1]
    if key is None:
        if not isinstance(value, str):
            return False
        keys[-1] = value
    else:
        parent[key] = value
        keys[-1] = None
    return True


def _string(token: str) -> str:
    """Decode a string as JSON writes it, or as Python does."""
    if "\\" not in token:
        return token[1:-1]
    if token[0] == '"':
        try:
            return str(json.loads(token, strict=False))
        except ValueError:
            pass
    try:
        return str(ast.literal_eval(token.replace("\r", "\\r").replace("\n", "\\n")))
    except (ValueError, SyntaxError):
        return token[1:-1]


# ------------------------------------------------------------------ messages


def _conversations(roots: list[Any]) -> list[list[_Object]]:
    """Collect messages in order, those of one list (or of one file of lines) together."""
    found: dict[int, list[_Object]] = {}
    stack: list[tuple[Any, int]] = [(root, 0) for root in reversed(roots)]
    while stack:
        value, group = stack.pop()
        if isinstance(value, list):
            stack.extend((item, id(value)) for item in reversed(value))
        elif isinstance(value, _Object):
            if value.end and _is_message(value):
                found.setdefault(group, []).append(value)
                continue
            own = id(value) if "mapping" in value else group
            stack.extend((item, own) for item in reversed(list(value.values())))
    return list(found.values())


def _is_message(value: Mapping[str, Any]) -> bool:
    if not any(name in value for name in _WHO):
        return False
    words = next((value[name] for name in _TEXT if name in value), None)
    if isinstance(words, Mapping):
        return "parts" in words or "text" in words
    if isinstance(words, list):
        return all(
            isinstance(part, str) or (isinstance(part, Mapping) and "type" in part)
            for part in words
        )
    return isinstance(words, str)


def message_parts(message: Mapping[str, Any]) -> tuple[str, str, str]:
    """Give speaker, words and time of a message."""
    who = next((message[name] for name in _WHO if message.get(name)), "")
    if isinstance(who, Mapping):
        who = next((who[name] for name in _NAME if who.get(name)), "")
    when = next((message[name] for name in _WHEN if message.get(name)), "")
    words = next((message[name] for name in _TEXT if name in message), "")
    said = "\n".join(filter(None, _words(words))).strip()
    calls = message.get("tool_calls")
    if isinstance(calls, list):
        said = "\n".join(filter(None, [said, *(_call(call) for call in calls)]))
    return _flat(who), said, _flat(when)


def _flat(value: Any) -> str:
    """Give a name or a time on one line; "" for what is neither."""
    return " ".join(str(value).split()) if isinstance(value, str | int | float) else ""


def _words(value: Any) -> Iterator[str]:
    """Give the words of content: a string, or parts of which some are text."""
    if value in (None, "null", "None"):
        return
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from _words(value.get("text", value.get("parts")))
    elif isinstance(value, list | tuple):
        for part in value:
            words = part if isinstance(part, str) else None
            if isinstance(part, Mapping):
                words = part.get("text", part.get("content"))
            if isinstance(words, str):
                yield words


def _call(call: Any) -> str:
    """Write a call of a tool."""
    function = call.get("function", call) if isinstance(call, Mapping) else {}
    if not isinstance(function, Mapping):
        return ""
    arguments = function.get("arguments", function.get("args", ""))
    return f"{function.get('name', '')}({arguments})"
