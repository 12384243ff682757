"""Which blocks a Markdown text has: CommonMark by pyromark, as positions in characters.

The parser is given the text with every character beyond ASCII put as a question mark, so that its
byte ranges are character ranges. Marks that can only matter inside a line (emphasis, code spans,
links) are made letters before: the blocks are the same, and the parser gives half as many events.
What must not be parsed (front matter, display math) is made letters or blanks as well. Nothing of
this is ever seen outside: positions are all that is taken from it.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyromark import Markdown

__all__ = ["Block", "flatten", "parse"]


Block = tuple[str, int, int, int]
"""The start of a block: kind, first character behind the indentation, end, level.

Kinds are ``"Paragraph"``, ``"Heading"``, ``"CodeBlock"``, ``"HtmlBlock"``, ``"Rule"``, ``"BlockQuote"``,
``"List"``, ``"Item"`` and ``"FootnoteDefinition"``. The level is that of a heading, 1 to 6; for code 1
if it is fenced, 0 if it is indented.
"""

# Where one of these is found, the marks in question are left: at the start of a line they may be a
# thematic break, or keep a line of backticks from being a fence.
_STARS = re.compile(rb"\*[ \t]*\*[ \t]*\*")
_LOW_LINES = re.compile(rb"_[ \t]*_[ \t]*_")
_TICKED_INFO = re.compile(rb"````*(?!`)[^`\n]*`")
_ROWS = re.compile(rb"\n\|[^\n]*(?:\n\|[^\n]*)+")
# TeX allows no blank line in display math; without that rule one stray $$ would hide a chapter.
_MATH = re.compile(r"(?m)^ {0,3}\$\$(?:(?!\n[ \t]*\n|```|~~~|\$\$)[\s\S])*\$\$")


@cache
def _parser() -> Markdown:
    import pyromark

    return pyromark.Markdown(options=pyromark.Options.ENABLE_FOOTNOTES)


def flatten(text: str) -> str:
    r"""Give the text in ASCII, with ``\n`` for every end of a line, as long as before."""
    flat = text if text.isascii() else text.encode("ascii", "replace").decode("ascii")
    if "\r" in flat:
        flat = flat.replace("\r\n", " \n").replace("\r", "\n")
    if text.startswith("\ufeff"):
        flat = " " + flat[1:]
    return flat


def parse(flat: str) -> list[Block]:
    """List the blocks of a text.

    Args:
        flat: What `flatten` gave; stretches that are not to be parsed may be blanked out in it.

    Returns:
        The blocks, ascending. Text of a tight list item is no block of its own.

    Cost: linear; 30 to 60 MB/s.
    """
    blocks: list[Block] = []
    add = blocks.append
    events: Any = _parser().events_with_range(_masked(flat), merge_text=True)
    for event, where in events:
        if event.__class__ is str:
            if event == "Rule":
                add(("Rule", where["start"], where["end"], 0))
        elif "Start" in event:
            begun = event["Start"]
            level = 0
            if begun.__class__ is not str:
                ((begun, facts),) = begun.items()
                level = _level(begun, facts)
            if begun in _BLOCKS:
                add((begun, where["start"], where["end"], level))
    return blocks


_BLOCKS = frozenset(
    ("Paragraph", "Heading", "CodeBlock", "HtmlBlock", "BlockQuote", "List", "Item")
) | {"FootnoteDefinition"}


def _level(kind: str, facts: Any) -> int:
    if kind == "Heading":
        return int(facts["level"][1])
    return int(kind == "CodeBlock" and facts != "Indented")


def _masked(flat: str) -> str:
    """Make letters of the marks that matter inside a line only."""
    if "$$" in flat:
        flat = _MATH.sub(lambda found: "a" * len(found.group()), flat)
    masked = flat.encode("ascii")
    if b"`" in masked and not _TICKED_INFO.search(masked):
        # runs of three and more open and close fences; the others are code spans
        masked = masked.replace(b"```", b"\1\1\1")
        masked = masked.replace(b"\1`", b"\1\1").replace(b"\1`", b"\1\1")
        masked = masked.replace(b"`", b"a").replace(b"\1", b"`")
    if b"**" in masked and not _STARS.search(masked):
        masked = masked.replace(b"**", b"aa")
    if b"_" in masked and not _LOW_LINES.search(masked):
        masked = masked.replace(b"_", b"a")
    masked = masked.replace(b"&", b"a")
    if b"]:" not in masked and b"<![" not in masked:  # no definitions, no CDATA
        masked = masked.replace(b"[", b"a")
    if b"\n|" in masked:  # a row behind a row begins no block
        masked = _ROWS.sub(lambda rows: b"\n|" + rows[0][2:].replace(b"\n", b"a"), masked)
    return masked.decode("ascii")
