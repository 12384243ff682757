"""Parsing with tree-sitter, within bounds.

The parser is given one byte for each character, so that its offsets are places in the text: what
is not ASCII becomes a letter or a space of the same kind, which no grammar tells from the original
where it matters (names, strings and comments).

Error recovery takes quadratic time in some grammars, and hours for junk of a megabyte. Signs of that
are counted first, so that the answer is the same on every machine: the parser reads back again and
again, or stands still. What shows in neither is stopped by processor time, at ten times of what a
program takes; no sooner does a slow machine differ from a fast one. Then, and for more than `LARGEST`
characters, there is no tree, and the caller reads by indentation.
"""

from __future__ import annotations

import re
import time
from functools import cache
from typing import Any

import numpy as np

from langchain_chunkers._extras import need
from langchain_chunkers.readers.code_languages import Grammar

__all__ = ["LARGEST", "as_bytes", "load", "parse"]

LARGEST = 10_000_000  # characters; a tree takes some fifty bytes for each
_WINDOW = 1 << 16
_EVERY = 128  # reports of the parser between looks at how far it is
_LEAST = 3200  # characters that it comes forward in as many, at the least: a tenth of the usual
_STRIKES = 4  # looks at which it came less far, before it is stopped
_SECONDS = 1.0, 5e-6  # of processor time: at the least, and for each character
_DEEPEST = 2000  # open tags of HTML: its scanner copies them at each tag
_TAG = re.compile(r"<(/?)[A-Za-z][^\s/>]*")
_LONE_RETURN = re.compile("\r(?!\n)")


@cache
def _language(module: str, function: str) -> Any:
    tree_sitter = need("tree_sitter", "code", "CodeSplitter")
    wheel = need(module, "code", f"CodeSplitter for {module.removeprefix('tree_sitter_')}")
    return tree_sitter.Language(getattr(wheel, function)())


def load(grammar: Grammar) -> Any:
    """Load a grammar once in a process.

    Raises:
        MissingExtraError: tree-sitter or the wheel of the language is not installed.
    """
    return _language(grammar.module, grammar.function)


def as_bytes(text: str) -> bytes:
    r"""Give one ASCII byte for each character.

    Example:
        >>> as_bytes("naïve = '\u3000\ud800\0'\r")
        b"naxve = ' x '\n"
    """
    if "\r" in text:  # some grammars know no newline but LF
        text = _LONE_RETURN.sub("\n", text)
    if text.isascii() and "\0" not in text:
        return text.encode()
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype=np.uint32)
    plain = np.where(codes < 128, codes, ord("x")).astype(np.uint8)
    blank = (codes == 0xA0) | (codes == 0xFEFF) | (codes == 0x3000) | (codes == 0)
    blank |= (codes >= 0x2000) & (codes <= 0x200B)
    plain[blank] = ord(" ")
    return plain.tobytes()


def parse(text: str, grammar: Grammar) -> Any:
    """Give the root of the syntax tree, whose offsets are places in ``text``; ``None`` where it must not be had.

    Raises:
        MissingExtraError: tree-sitter or the wheel of the language is not installed.

    Cost: linear; 2 to 8 MB/s. Holds the interpreter's lock.
    """
    language = load(grammar)
    if len(text) > LARGEST or (grammar.module == "tree_sitter_html" and _is_deep(text)):
        return None
    from tree_sitter import Parser

    source = memoryview(as_bytes(text))
    most_reads = min(50 + len(text) // 100, 10_000)
    reads = reports = before = strikes = 0
    deadline = time.thread_time() + _SECONDS[0] + _SECONDS[1] * len(text)

    def read(at: int, _: Any) -> memoryview:
        nonlocal reads
        reads += 1
        return source[at : at + _WINDOW]

    def stop(at: int, _: bool) -> bool:
        nonlocal reports, before, strikes
        reports += 1
        if reports % _EVERY == 0:
            strikes += at - before < _LEAST
            before = at
        return reads > most_reads or strikes >= _STRIKES or time.thread_time() > deadline

    try:
        tree = Parser(language).parse(read, progress_callback=stop)
    except ValueError:  # stopped
        return None
    return tree.root_node


def _is_deep(text: str) -> bool:
    """Say whether far more tags are opened than closed."""
    depth = deepest = 0
    for found in _TAG.finditer(text):
        depth = max(depth - 1, 0) if found.group(1) else depth + 1
        deepest = max(deepest, depth)
    return deepest > _DEEPEST
