"""Draws panes as one page that needs nothing else and lets the text do nothing.

Three walls, each enough: text is escaped (`langchain_chunkers.view.safe`), no text goes into an
attribute, and the page's policy allows only the one script and the one style sheet whose hashes
it names, and no network at all.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from importlib import resources
from string import Template
from typing import Any

from langchain_chunkers.outline import Strength
from langchain_chunkers.view.panes import Pane, Piece
from langchain_chunkers.view.safe import as_html, as_json, as_plain

__all__ = ["draw", "reason", "summary"]

_COLOURS = 4  # neighbours differ, also where two of them overlap a third
_LONGEST = 2_000  # characters shown of one value of metadata


def draw(title: str, panes: Sequence[Pane]) -> str:
    """Give the page as HTML."""
    style, script = _file("page.css"), _file("page.js")
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "base-uri 'none'; form-action 'none'"
    )
    return Template(_file("page.html")).substitute(
        title=as_html(as_plain(title)),
        policy=policy,
        style=style,
        script=script,
        panes="\n".join(_pane(number, pane) for number, pane in enumerate(panes)),
        data=as_json([_data(pane) for pane in panes]),
    )


@cache
def _file(name: str) -> str:
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def reason(piece: Piece, *, first: bool) -> str:
    """Say in words why a chunk starts where it does.

    Example:
        >>> reason(Piece(9, 20, 9, 11, Strength.SECTION2), first=False)
        'section 2 (11 of 13)'
    """
    if not piece.placed:
        return "not a slice of the text"
    if first and piece.fresh == 0:
        return "start of the text"
    if piece.strength is None:
        return "not known"
    word = piece.strength.name.lower().replace("section", "section ")
    return f"{word} ({int(piece.strength)} of {int(Strength.DOCUMENT)})"


def summary(pane: Pane) -> str:
    """Say how many chunks there are, and how large they are.

    Example:
        >>> summary(Pane("all", "abc", [Piece(0, 3, 0, 3)], cap=5))
        '1 chunk; characters: mean 3, least 3, most 3, cap 5'
    """
    sizes = [piece.size for piece in pane.pieces]
    if not sizes:
        return "no chunks"
    plural = "" if len(sizes) == 1 else "s"
    cap = "" if pane.cap is None else f", cap {pane.cap:,}"
    mean = sum(sizes) / len(sizes)
    return (
        f"{len(sizes):,} chunk{plural}; {pane.unit}: "
        f"mean {mean:,.0f}, least {min(sizes):,}, most {max(sizes):,}{cap}"
    )


def _pane(number: int, pane: Pane) -> str:
    return (
        f'<section aria-labelledby="name{number}"><div class="about">'
        f'<h2 id="name{number}">{as_html(as_plain(pane.name))}</h2>'
        f"<p>{as_html(as_plain(summary(pane)))}</p></div>"
        f'<ol aria-labelledby="name{number}">{"".join(_items(number, pane))}</ol></section>'
    )


def _items(number: int, pane: Pane) -> Iterator[str]:
    """Give the list's items: every character of the source in one of them, in order.

    White space that belongs to no chunk ends the item before it; other text that belongs to none
    is an item of its own.
    """
    pieces, source, cursor = pane.pieces, pane.source, 0
    shading = _Shading(pieces)
    for index, piece in enumerate(pieces):
        start, end = max(piece.fresh, cursor), max(piece.end, cursor)
        if start > cursor:  # before the first chunk, or where white space was not all that is left
            yield _left_out(source[cursor:start])
        behind = max(pieces[index + 1].fresh, end) if index + 1 < len(pieces) else len(source)
        gap = source[end:behind]
        if gap and not gap.isspace():
            gap = gap[: len(gap) - len(gap.lstrip())]
        cursor = end + len(gap)
        yield _item(number, index, pane, shading.parts(source, start, end), gap)
    if cursor < len(source):
        yield _left_out(source[cursor:])


def _item(number: int, index: int, pane: Pane, text: str, gap: str) -> str:
    piece = pane.pieces[index]
    cap = "" if pane.cap is None else f" of {pane.cap:,}"
    facts = [f"<b>{index + 1:,}</b>", f"<span>size {piece.size:,}{cap}</span>"]
    if pane.has_offsets and piece.placed:
        facts.append(f"<span>{piece.start:,}&#8211;{piece.end:,}</span>")
    facts.append(f"<span>starts at: {reason(piece, first=not index)}</span>")
    if repeated := piece.fresh - piece.start:
        facts.append(f"<span>repeats {repeated:,}</span>")
    before = f'<ins class="x">{as_html(piece.prefix)}</ins>' if piece.prefix else ""
    after = f'<ins class="x">{as_html(piece.suffix)}</ins>' if piece.suffix else ""
    tail = f'<span class="s g">{as_html(gap)}</span>' if gap else ""
    emitted = ""
    if piece.emitted is not None:
        emitted = (
            '<details class="e"><summary>The text of the chunk, which is no slice</summary>'
            f'<div class="t" dir="auto">{as_html(piece.emitted)}</div></details>'
        )
    return (
        f'<li class="c k{index % _COLOURS}" data-pane="{number}" data-n="{index}" '
        f'tabindex="{-1 if index else 0}"><p class="h">{" ".join(facts)}</p>'
        f'<div class="t" dir="auto">{before}{text}{after}{tail}</div>{emitted}</li>'
    )


def _left_out(text: str) -> str:
    return (
        '<li class="left"><p class="h"><span>in no chunk</span></p>'
        f'<div class="t" dir="auto"><span class="s g">{as_html(text)}</span></div></li>'
    )


class _Shading:
    """Divides stretches of text, given in order, into what a later chunk repeats and what none does."""

    def __init__(self, pieces: Sequence[Piece]) -> None:
        self._spans = sorted(
            (piece.start, piece.fresh, index)
            for index, piece in enumerate(pieces)
            if piece.start < piece.fresh
        )
        self._next = 0

    def parts(self, source: str, start: int, end: int) -> str:
        spans, at, parts = self._spans, start, []
        while self._next < len(spans) and spans[self._next][0] < end:
            left, right, index = spans[self._next]
            left, right = max(left, at), min(right, end)
            if left < right:
                parts.append(_plain(source[at:left]))
                shaded = as_html(source[left:right])
                parts.append(f'<mark class="s o" data-n="{index}">{shaded}</mark>')
                at = right
            if spans[self._next][1] > end:  # goes on in the next item
                break
            self._next += 1
        parts.append(_plain(source[at:end]))
        return "".join(parts)


def _plain(text: str) -> str:
    return f'<span class="s">{as_html(text)}</span>' if text else ""


def _data(pane: Pane) -> Mapping[str, Any]:
    """Give what the script needs: places for linked scrolling, and facts to show."""
    chunks, cursor = [], 0
    for index, piece in enumerate(pane.pieces):
        start, end = max(piece.fresh, cursor), max(piece.end, cursor)
        cursor = end
        facts = list(_facts(pane, piece, index))
        chunks.append({"fresh": start, "end": end, "about": facts})
    return {"length": len(pane.source), "chunks": chunks}


def _facts(pane: Pane, piece: Piece, index: int) -> Iterable[tuple[str, str]]:
    cap = "" if pane.cap is None else f" of {pane.cap:,}"
    yield "chunk", f"{index + 1:,} of {len(pane.pieces):,}"
    yield "size", f"{piece.size:,}{cap} {as_plain(pane.unit)}"
    if pane.has_offsets and piece.placed:
        yield (
            "offsets",
            f"{piece.start:,} to {piece.end:,} ({piece.end - piece.start:,} characters)",
        )
    yield "starts at", reason(piece, first=not index)
    if index + 1 < len(pane.pieces):
        yield "ends before", reason(pane.pieces[index + 1], first=False)
    else:
        yield "ends before", "end of the text"
    if piece.start < piece.fresh:
        yield "overlap", f"{piece.fresh - piece.start:,} of what came before, in characters"
    if piece.prefix:
        yield "prefix", _short(piece.prefix.strip("\n"))
    if piece.suffix:
        yield "suffix", _short(piece.suffix.strip("\n"))
    for key, value in piece.metadata.items():
        told = {"prefix": piece.prefix, "suffix": piece.suffix}.get(key)
        if not told or value != told:
            yield f"metadata: {as_plain(str(key))}", _short(_written(value))


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, default=repr)
    except (TypeError, ValueError, RecursionError):  # keys that JSON lacks, a value inside itself
        return repr(value)


def _short(text: str) -> str:
    return as_plain(text if len(text) <= _LONGEST else text[:_LONGEST] + " …")
