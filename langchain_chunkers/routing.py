"""Tells of what kind a document is: by its name, by its MIME type, by its content.

A name says it for certain, most of the time; so content is looked at only where no name does, and
no more than its first part. The looks are cheap signs, not parsers: what they miss is split as
plain text, which loses nothing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from langchain_chunkers.readers.code_languages import by_file_name
from langchain_chunkers.readers.dialogue_json import read_messages
from langchain_chunkers.readers.dialogue_lines import find_line_turns

__all__ = ["KINDS", "kind_of"]

KINDS = (
    "markdown", "html", "code", "table", "json", "dialogue", "latex", "rst", "legal", "text",
)  # fmt: skip

_SUFFIXES = {
    "markdown": "md markdown mdx mkd mdown rmd qmd",
    "html": "html htm xhtml shtml",
    "table": "csv tsv tab psv",
    "json": "json jsonl ndjson geojson ipynb",
    "dialogue": "vtt srt",
    "latex": "tex ltx sty cls",
    "rst": "rst rest",
    "text": "txt text log adoc asciidoc org",
}
# without a grammar here: by indentation and blank lines
_OTHER_CODE = frozenset(
    [
        "adb",
        "asm",
        "awk",
        "bat",
        "clj",
        "cljs",
        "cmake",
        "coffee",
        "d",
        "dart",
        "elm",
        "erl",
        "ex",
        "exs",
        "f90",
        "fs",
        "gleam",
        "gradle",
        "groovy",
        "hs",
        "jl",
        "m",
        "ml",
        "nim",
        "nix",
        "pas",
        "pl",
        "pm",
        "proto",
        "ps1",
        "purs",
        "r",
        "rkt",
        "scm",
        "sol",
        "sv",
        "tcl",
        "v",
        "vb",
        "vhd",
        "vhdl",
        "vim",
        "xml",
        "zig",
    ]
)
_BY_SUFFIX = {suffix: kind for kind, names in _SUFFIXES.items() for suffix in names.split()}
_TYPES = {
    "text/markdown": "markdown", "text/x-markdown": "markdown", "text/html": "html",
    "application/xhtml+xml": "html", "text/csv": "table", "text/tab-separated-values": "table",
    "application/json": "json", "application/x-ndjson": "json", "application/jsonl": "json",
    "text/vtt": "dialogue", "application/x-subrip": "dialogue", "application/x-tex": "latex",
    "text/x-tex": "latex", "text/x-rst": "rst", "text/prs.fallenstein.rst": "rst",
    "text/x-python": "code", "text/javascript": "code", "application/javascript": "code",
    "text/css": "code", "application/yaml": "code", "text/x-c": "code", "text/x-java": "code",
    "application/x-sh": "code", "application/sql": "code", "application/toml": "code",
}  # fmt: skip
_NAMES = ("source", "file_path", "file_name", "filename", "path", "url", "file")
_MIMES = ("mime_type", "mimetype", "content_type", "filetype", "Content-Type")
_LOOK = 20_000  # characters whose signs are looked at
_MARKS = {
    "html": re.compile(
        r"\A\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
    ),
    "latex": re.compile(
        r"^\s*\\(?:documentclass|begin\{document\}|(?:sub)*section\*?\{)", re.MULTILINE
    ),
    "rst": re.compile(r"^\.\. [\w-]+::|^\.\. _[^:\n]+:\s*$", re.MULTILINE),
}
_CUES = re.compile(r"\A\ufeff?(?:WEBVTT\b|\s*1\r?\n\d\d:\d\d:\d\d[,.]\d{3} --> )")
_MARKDOWN = re.compile(
    r"^#{1,6} \S|^(?:```|~~~)|^[-*+] \S|^> \S|\]\([^)\s]+\)|^\|.*\|\s*$|\*\*\S", re.MULTILINE
)
# alone between blank lines or above text: comments of scripts come in runs, or above code
_HEADING = re.compile(r"(?:\A|\n[ \t]*\r?\n)#{1,6} [^\n#]+\n[ \t]*\r?\n(?=[^\n#])")
_COMMENT = re.compile(r"^# \S", re.MULTILINE)
_SCRIPT = re.compile(r"\A#!\s*\S*/(?:env\s+)?(\w+)")
_CODE_LINE = re.compile(
    r"^(?:(?:from [\w.]+ )?import [\w.*{]|def \w+\(|class \w+[(:{ ]|function \w+\(|package \w|#include\s*[<\"]"
    r"|public (?:class|static)|(?:const|let|var) \w+ =|fn \w+|func \w+|use \w+::|\}\s*;?$|\s+return\b.*;?$)",
    re.MULTILINE,
)
_CLAUSE = re.compile(
    r"^\s*(?:(?:article|section|clause|schedule|annex)\s+[\dIVXLC]+\b|§\s*\d|第[\d一二三四五六七八九十百]+[条條章]"
    r"|\d+\.\d+(?:\.\d+)*\.?\s+[A-Z])",
    re.MULTILINE | re.IGNORECASE,
)


def kind_of(text: str, metadata: Mapping[str, Any] | None = None) -> str:
    """Tell the kind of a document, one of `KINDS`.

    Args:
        text: The document.
        metadata: Its metadata; a file's name in ``source``, ``file_path``, ``file_name`` … and a
            MIME type in ``mime_type``, ``content_type`` … are believed.

    Example:
        >>> kind_of("a,b", {"source": "prices.csv"})
        'table'
        >>> kind_of("# Pumps\\n\\n- one\\n- two\\n")
        'markdown'
        >>> kind_of("The pump failed. The crew came.")
        'text'
    """
    known = metadata or {}
    for key in _NAMES:
        kind = _by_name(known.get(key))
        if kind is not None and kind != "text":
            return kind
    for key in _MIMES:
        value = known.get(key)
        if isinstance(value, str):
            kind = _TYPES.get(value.partition(";")[0].strip().lower())
            if kind is not None:
                return kind
    return _by_content(text)


def _by_name(name: object) -> str | None:
    if not isinstance(name, str):
        return None
    path = PurePosixPath(name.replace("\\", "/").partition("?")[0])
    suffix = path.suffix[1:].lower()
    if suffix in _BY_SUFFIX:
        return _BY_SUFFIX[suffix]
    return "code" if suffix in _OTHER_CODE or by_file_name(path.name) else None


def _by_content(whole: str) -> str:
    """Tell the kind by signs in the text, the surest first."""
    text = whole[:_LOOK]
    if _CUES.match(text):
        return "dialogue"
    if _MARKS["html"].match(text):
        return "html"
    if _is_json(text):
        return "json" if read_messages(whole) is None else "dialogue"
    if _SCRIPT.match(text):
        return "code"
    for kind in ("latex", "rst"):
        if _MARKS[kind].search(text):
            return kind
    return _by_lines(text)


def _by_lines(text: str) -> str:
    """Tell the kind by what most lines look like."""
    lines = [line for line in text.splitlines() if line.strip()]
    if not lines:
        return "text"
    if _is_table(lines):
        return "table"
    if len(find_line_turns(text)) >= max(3, len(lines) * 0.2):
        return "dialogue"
    signs = len(_MARKDOWN.findall(text))
    if _HEADING.search(text) and signs >= 2 and not len(_CODE_LINE.findall(text)) > signs:
        return "markdown"
    if len(_CODE_LINE.findall(text)) >= max(3, len(lines) * 0.15):
        return "code"
    if len(_CLAUSE.findall(text)) >= max(3, len(lines) * 0.1):
        return "legal"
    marks = signs - len(_COMMENT.findall(text))
    return "markdown" if marks >= max(3, len(lines) * 0.2) else "text"


def _is_json(text: str) -> bool:
    """Say whether a text, or its first line, is a JSON object or array, or the beginning of one."""
    start = text.lstrip("\ufeff \t\r\n")
    if start[:1] not in ("{", "["):
        return False
    for piece in (start, start.partition("\n")[0]):
        try:
            json.loads(piece)
        except RecursionError:
            return True
        except ValueError:
            continue
        return True
    # a long one is cut where the look ends: what a JSON text begins with tells
    return len(text) >= _LOOK and re.match(r'[{\[]\s*(?:"[^"\n]*"\s*[:,]|[{\[])', start) is not None


def _is_table(lines: list[str]) -> bool:
    """Say whether all lines have the same number, above one, of the same delimiter."""
    if len(lines) < 3:
        return False
    for delimiter in ("\t", ",", ";"):
        counts = {line.count(delimiter) for line in lines[:-1] if '"' not in line}
        if len(counts) == 1 and counts.pop() >= 2:
            return True
    return False
