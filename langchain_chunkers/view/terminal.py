"""Draws panes in a terminal with `rich`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from langchain_chunkers.view.page import reason, summary
from langchain_chunkers.view.panes import Pane
from langchain_chunkers.view.safe import as_plain, as_terminal

__all__ = ["render"]

# Colours of the palette that every terminal has, so that its own theme decides how they look.
_COLOURS = ("cyan", "yellow", "green", "magenta")


def render(panes: Sequence[Pane]) -> Group:
    """Give the chunks of each pane one below the other; overlap is underlined, additions italic."""
    parts: list[RenderableType] = []
    for pane in panes:
        parts.append(Text(as_plain(pane.name), style="bold"))
        parts.append(Text(as_plain(summary(pane))))
        parts.extend(_chunks(pane))
    return Group(*parts)


def _chunks(pane: Pane) -> Iterator[Text]:
    for index, piece in enumerate(pane.pieces):
        offsets = f" · {piece.start:,}–{piece.end:,}" if pane.has_offsets and piece.placed else ""
        about = f"{index + 1:,} · size {piece.size:,}{offsets} · {reason(piece, first=not index)}"
        yield Text(f"── {about}", style="dim")
        colour = _COLOURS[index % len(_COLOURS)]
        text = Text(style=colour)
        if piece.emitted is not None:
            text.append(as_terminal(piece.emitted))
        else:
            text.append(as_terminal(piece.prefix), style="italic dim")
            text.append(as_terminal(pane.source[piece.start : piece.fresh]), style="underline")
            text.append(as_terminal(pane.source[piece.fresh : piece.end]))
            text.append(as_terminal(piece.suffix), style="italic dim")
        yield text
