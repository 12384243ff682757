"""Names and signatures of definitions, as the text spells them."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from langchain_chunkers.readers.code_languages import MODIFIERS

__all__ = ["Definition", "body_of", "head_of"]

_LABEL = 120  # characters of a name
_HEAD = 2000  # characters of a signature
_NAME_END = re.compile(r"[({=;\n]")
_DECLARED = re.compile(r"[({=;]")  # C writes the name on a line of its own
_SQL = re.compile(r"(?i)(?:create|alter|drop)\s[^(;]*?(?=\s*(?:\(|;|\bas\b|\breturns\b|\n|$))")
_MARKS = ("#", "//", "/*", "--")


class Definition(NamedTuple):
    """A function or class: from its comments to its end.

    Attributes:
        start: Where its comments and decorators begin.
        head_end: Where its signature ends.
        end: Behind its last character.
        label: The words of its signature up to its name, such as ``class Cache``.
        signature: Its signature on one line, with its indentation.
        parent: Number of the definition around it; -1 for none.
        depth: How many definitions are around it.
    """

    start: int
    head_end: int
    end: int
    label: str
    signature: str
    parent: int
    depth: int


def body_of(node: Any) -> Any:
    """Give the part of a definition that is opened: its body, not its signature; else itself."""
    body = node.child_by_field_name("body")
    if body is not None:
        return body
    named = node.named_children
    if named and (named[-1].end_byte - named[-1].start_byte) * 2 > node.end_byte - node.start_byte:
        return named[-1]
    return node


def head_of(text: str, node: Any, body: Any, *, signed: bool) -> tuple[str, str, int]:
    """Give the label of a definition, its signature ("" unless ``signed``), and where that ends."""
    start, end = node.start_byte, node.end_byte
    limit = body.start_byte if body.start_byte > start else end
    head_end = start + len(text[start:limit].rstrip())
    if node.type == "statement":
        found = _SQL.match(text, start, min(end, start + _LABEL))
        return (" ".join(found.group().split()) if found else ""), "", head_end
    first = start
    for child in node.children if head_end - start <= _HEAD else ():
        if child.type not in MODIFIERS:
            first = child.start_byte
            break
    name = node.child_by_field_name("name")
    if name is not None and name.end_byte > first:
        label = text[first : min(name.end_byte, first + _LABEL)]
    else:
        label = text[first : min(end, first + _LABEL)]
        ends = _NAME_END if node.child_by_field_name("declarator") is None else _DECLARED
        found = ends.search(label, 1)
        label = label[: found.start()] if found else label
    signature = _signature(text, node, body, head_end) if signed and body is not node else ""
    return " ".join(label.split()), signature, head_end


def _signature(text: str, node: Any, body: Any, head_end: int) -> str:
    """Give a signature on one line, without comments, with its indentation."""
    start = node.start_byte
    head = text[start:head_end]
    if len(head) > _HEAD:
        head = head[:_HEAD]
    elif any(mark in head for mark in _MARKS):
        for first, last in sorted(_comments(node, head_end), reverse=True):
            head = head[: first - start] + head[last - start :]
    look = text[max(0, start - _LABEL) : start]
    indent = look[len(look.rstrip(" \t")) :]
    opens = " {" if text.startswith("{", body.start_byte) else ""
    return indent + " ".join(head.split()) + opens


def _comments(node: Any, end: int) -> list[tuple[int, int]]:
    """List the comments of a signature, wherever they stand in it."""
    found, stack = [], [node]
    while stack:
        for child in stack.pop().children:
            if child.start_byte >= end:
                break
            if "comment" in child.type:
                found.append((child.start_byte, min(child.end_byte, end)))
            elif child.child_count:
                stack.append(child)
    return found
