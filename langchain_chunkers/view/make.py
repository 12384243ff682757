"""`view`, and what it gives."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document
from langchain_text_splitters import TextSplitter

from langchain_chunkers.errors import InputError
from langchain_chunkers.view.page import draw, summary
from langchain_chunkers.view.panes import Pane, pane_of

if TYPE_CHECKING:
    from rich.console import Group

__all__ = ["View", "view"]

_HEIGHT = 640  # pixels of the frame in a notebook: a page of text, and the notebook still scrolls


class View:
    """What a splitter did to a text, to be looked at.

    In a notebook it shows itself as the last value of a cell; ``rich.print`` shows it in a
    terminal.

    Attributes:
        title: The heading of the page.
        panes: One for each strategy.
    """

    def __init__(self, title: str, panes: Sequence[Pane]) -> None:
        self.title = title
        self.panes = tuple(panes)

    @cached_property
    def html(self) -> str:
        """The page: self-contained, without network, and inert whatever the text holds."""
        return draw(self.title, self.panes)

    def save(self, path: str | Path) -> Path:
        """Write the page to a file in UTF-8.

        Args:
            path: Where to; a file that is there is replaced.

        Returns:
            The path.

        Raises:
            OSError: The file cannot be written.
        """
        path = Path(path)
        path.write_bytes(self.html.encode())
        return path

    def _repr_html_(self) -> str:
        """Show the page inside a notebook, in a frame of its own: neither can reach the other."""
        return (
            f'<iframe sandbox="allow-scripts" title="Chunks" width="100%" height="{_HEIGHT}" '
            f'style="border:1px solid #8a919a" srcdoc="{html.escape(self.html)}"></iframe>'
        )

    def __rich__(self) -> Group:
        """Show the chunks in a terminal."""
        from langchain_chunkers.view.terminal import render

        return render(self.panes)

    def __repr__(self) -> str:
        """Show what is compared, not the text."""
        told = "; ".join(f"{pane.name}: {summary(pane)}" for pane in self.panes)
        return f"<View {self.title!r} ({told})>"


def view(what: Any, text: str | Document | None = None, *, title: str = "") -> View:
    """Show what a splitter does to a text, or what a list of chunks holds.

    Takes a splitter at its word: it splits once, and sizes are in its unit. Chunks that come
    without their splitter are placed by ``start_index``, else by searching for them in the text;
    their sizes are in characters, and why they were cut is not known. Without a text they are
    laid one behind the other.

    Args:
        what: A splitter of this package or of LangChain; or a list of documents, strings or spans;
            or several of these, side by side: a mapping from names, or a list of splitters.
        text: What to split, or what the chunks were split from; a document brings its metadata.
        title: The heading of the page.

    Returns:
        A `View`: ``.html``, ``.save(path)``; notebooks and ``rich`` show it.

    Guarantees:
        Every character of the text is on the page once for each strategy, in order. Nothing in the
        text, in metadata or in names can run, load or style anything.

    Raises:
        InputError: It is nothing of the above, or a splitter came without a text.

    Cost:
        One split, one count of each chunk, and a page of about three times the text (500 characters a
        chunk); measured: a megabyte in half a second.

    Example:
        >>> from langchain_chunkers import RecursiveSplitter
        >>> text = "One sentence. Another sentence."
        >>> view(RecursiveSplitter(chunk_size=20), text, title="Two")
        <View 'Two' (RecursiveSplitter(chunk_size=20): 2 chunks; characters: mean 15, least 13, most 17, cap 20)>
    """
    metadata: Mapping[str, Any] = {}
    if isinstance(text, Document):
        metadata, text = text.metadata, text.page_content
    if text is not None and not isinstance(text, str):
        raise InputError(f"text must be a string or a Document: got {type(text).__name__}.")
    panes = [pane_of(one, text, metadata, name) for name, one in _several(what)]
    if not title:
        source = metadata.get("source")
        title = source if isinstance(source, str) and source else "Chunks"
    return View(title, panes)


def _several(what: Any) -> list[tuple[str | None, Any]]:
    """Give what is to be shown side by side, each with its name if it has one."""
    if isinstance(what, Mapping):
        if not what:
            raise InputError(
                "view needs at least one splitter or list of chunks: got an empty mapping."
            )
        return [(str(name), one) for name, one in what.items()]
    if isinstance(what, list | tuple) and what and isinstance(what[0], TextSplitter):
        return [(None, one) for one in what]
    return [(None, what)]
