"""Which language a text is in: by what is said of it, by its file name, else by Pygments and the parser."""

from __future__ import annotations

import re
from collections.abc import Sequence

from langchain_chunkers._extras import need
from langchain_chunkers.readers.code_languages import GRAMMARS, Grammar, by_file_name, canonical
from langchain_chunkers.readers.code_parse import parse

__all__ = ["guess_language"]

_LOOK = 8000  # characters that are looked at
_WRONG = 0.02  # of a text may be no program of the language that is guessed
_PARSED = 4000  # characters that all parsers are tried on
_ENDED = 0.3  # of lines of code, at the least, end so
_ENDS = ("{", "}", ";", ":", ")", ",", "(", "end", "then", "do", "=")
# Where two find as few errors, the first: each of these reads programs of those before it.
_CANDIDATES = (
    "python",
    "c",
    "cpp",
    "java",
    "csharp",
    "go",
    "rust",
    "javascript",
    "typescript",
    "kotlin",
    "swift",
    "ruby",
    "lua",
    "css",
)
# What these begin with says enough, and Pygments scores it low.
_SIGNS = (
    ("php", re.compile(r"\s*<\?php\b")),
    ("html", re.compile(r"(?i)\s*(?:<!doctype html|<html\b)")),
    ("json", re.compile(r"\s*(?:\{\s*(?:\"[^\"\n]{0,200}\"\s*:|\})|\[\s*(?:[\[{\"\d\]]|$))")),
    ("bash", re.compile(r"#![^\n]*\b(?:ba|z|k|da)?sh\b")),
    ("python", re.compile(r"#![^\n]*\bpython")),
    ("javascript", re.compile(r"#![^\n]*\bnode\b")),
    ("ruby", re.compile(r"#![^\n]*\bruby\b")),
    ("lua", re.compile(r"#![^\n]*\blua")),
)  # fmt: skip


def guess_language(
    text: str, file_names: Sequence[str] = (), said: str | None = None
) -> str | None:
    """Find out the language of a text.

    Args:
        text: Any string; its beginning is looked at.
        file_names: Names or paths, the best first.
        said: What metadata call its language; taken where it is the name of one with a grammar.

    Returns:
        The name, or ``None`` where nothing tells.

    Cost: none where the file name says it; else some milliseconds.

    Example:
        >>> guess_language("", ["lib/cache.go"]), guess_language("def f(x):\\n    return x\\n")
        ('go', 'python')
    """
    for name in file_names:
        found = by_file_name(name)
        if found is not None:
            return found
    if said is not None and (said in GRAMMARS or said == "yaml"):
        return said
    head = text[:_LOOK]
    for language, sign in _SIGNS:
        if sign.match(head):
            return language
    return _by_pygments(head)


def _by_pygments(head: str) -> str | None:
    """Ask Pygments."""
    lexers = need("pygments.lexers", "code", "CodeSplitter(language='auto')")
    try:
        lexer = lexers.guess_lexer(head)
    except Exception:  # noqa: BLE001 - some of its five hundred guesses stumble over odd text
        return None
    known = (canonical(alias) for alias in lexer.aliases)
    name = next((name for name in known if name in GRAMMARS), None)
    # it takes any text with "import" in it for Python, so the parser has the last word
    if name is not None and _wrong(head, GRAMMARS[name]) <= _WRONG:
        return name
    return _by_parsers(head[:_PARSED])


def _by_parsers(head: str) -> str | None:
    """Give the language whose parser finds the fewest errors, and definitions or imports."""
    lines = [line.rstrip() for line in head.splitlines() if line.strip()]
    if sum(line.endswith(_ENDS) for line in lines) < _ENDED * len(lines) or not lines:
        return None  # prose, on which parsers take their time
    found = [(_wrong(head, GRAMMARS[name], defines=True), name) for name in _CANDIDATES]
    wrong, name = min(found, key=lambda pair: pair[0])
    return name if wrong <= _WRONG else None


def _wrong(head: str, grammar: Grammar, *, defines: bool = False) -> float:
    """Give the share of a text that is wrong in a language.

    Args:
        head: The text.
        grammar: The grammar of the language.
        defines: All is wrong where nothing is defined or imported at the top.
    """
    root = parse(head, grammar)
    if root is None or not head:
        return 1.0
    known = grammar.functions | grammar.containers | grammar.imports
    if defines and not any(node.type in known for node in root.named_children):
        return 1.0
    wrong, stack = 0, [root]
    while stack:
        node = stack.pop()
        if node.has_error or node.is_error:
            children = node.children
            stack.extend(children)
            if node.is_error:
                leaves = (child for child in children if not child.child_count)
                wrong += sum(child.end_byte - child.start_byte for child in leaves)
    return wrong / len(head)
