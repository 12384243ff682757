"""One run of `langchain-chunkers view`: a file, one or more splitters, a page."""

from __future__ import annotations

import sys
import webbrowser
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_chunkers.cli.report import make_console
from langchain_chunkers.cli.session import ALL_DONE, BAD_SETTING, INTERRUPTED, SOME_FAILED
from langchain_chunkers.cli.settings import Wishes, make_splitter
from langchain_chunkers.errors import ChunkerError, SettingError
from langchain_chunkers.files import FileError, check_encoding, find_sources, read_text, reason_of
from langchain_chunkers.view import View, view

if TYPE_CHECKING:
    from rich.console import Console

__all__ = ["run_playground", "run_view"]


def run_view(
    file: str,
    wishes: Sequence[Wishes],
    *,
    output: str | None = None,
    encoding: str = "utf-8",
    terminal: bool = False,
    browse: bool = False,
) -> int:
    """Split a file with each of the splitters and write the page that shows the chunks.

    Args:
        file: A file, or ``-`` for standard input.
        wishes: What was asked for, once for each strategy, in the order shown.
        output: Where to write the page; ``-`` is standard output; ``None`` is the file's name with
            ``.chunks.html`` behind, in the current folder.
        encoding: Of the file.
        terminal: Show the chunks in the terminal, and write no page unless ``output`` is said.
        browse: Open the page in the browser.

    Returns:
        The exit code: 0; 1 where the file cannot be read or the page not written; 2 for a wrong
        setting.
    """
    console = make_console(stderr=True)
    try:
        check_encoding(encoding)
        target = _target(file, output)
        shown = _look(file, wishes, target, encoding)
        if terminal:
            make_console(stderr=False).print(shown)
        if not terminal or output is not None:
            _write(shown, target, console, browse=browse)
    except FileError as error:
        return _complain(console, str(error), SOME_FAILED)
    except ChunkerError as error:
        return _complain(console, str(error), BAD_SETTING)
    except OSError as error:
        return _complain(console, f"the page cannot be written: {reason_of(error)}", SOME_FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    return ALL_DONE


def run_playground(port: int, *, browse: bool) -> int:
    """Serve the playground until Ctrl-C.

    Returns:
        The exit code: 0 after Ctrl-C, 1 where the port is taken.
    """
    from langchain_chunkers.view.playground import Playground

    console = make_console(stderr=True)
    try:
        server = Playground(port)
    except OSError as error:
        return _complain(console, f"port {port} cannot be used: {reason_of(error)}", SOME_FAILED)
    with server:
        console.print(f"The playground is at {server.url} (Ctrl-C ends it)", markup=False)
        if browse:
            webbrowser.open(server.url)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            console.print()
    return ALL_DONE


def _target(file: str, output: str | None) -> Path | None:
    """Give where the page goes; ``None`` for standard output."""
    if output == "-":
        return None
    if output is not None:
        return Path(output)
    return Path("stdin.chunks.html" if file == "-" else f"{Path(file).name}.chunks.html")


def _look(file: str, wishes: Sequence[Wishes], target: Path | None, encoding: str) -> View:
    splitters = [make_splitter(one) for one in wishes]
    sources, problems = find_sources([file], target)
    if problems:
        raise problems[0]
    if len(sources) != 1:
        raise SettingError(f"view shows one file at a time: {file} has {len(sources):,}.")
    text = read_text(sources[0], encoding)
    names = [_name(one, number, wishes) for number, one in enumerate(wishes, start=1)]
    return view(dict(zip(names, splitters, strict=True)), text, title=sources[0].name)


def _name(wish: Wishes, number: int, wishes: Sequence[Wishes]) -> str:
    """Name a strategy as the command line did; numbered, since two may differ in a setting only."""
    name = wish.splitter or (str(wish.config) if wish.config else "recursive")
    return f"{number}. {name}" if len(wishes) > 1 else name


def _write(shown: View, target: Path | None, console: Console, *, browse: bool) -> None:
    if target is None:
        sys.stdout.buffer.write(shown.html.encode())
        sys.stdout.buffer.flush()
        return
    shown.save(target)
    console.print(f"The page is {target}", markup=False, soft_wrap=True)
    if browse:
        webbrowser.open(target.resolve().as_uri())


def _complain(console: Console, message: str, code: int) -> int:
    console.print("[bold red]error:[/]", end=" ")
    console.print(" ".join(message.split()), markup=False, soft_wrap=True)
    return code
