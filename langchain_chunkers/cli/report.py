"""What a person reads: the summary table, the progress bar, the list of splitters."""

from __future__ import annotations

import inspect
import os
import time
from dataclasses import replace
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Self

from rich import box
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    Progress,
    SpinnerColumn,
    TaskProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)
from rich.table import Table
from rich.text import Text

from langchain_chunkers.cli.run import Tally
from langchain_chunkers.settings import setting_names

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from types import TracebackType

    from langchain_chunkers import BaseSplitter
    from langchain_chunkers.files import FileError

# A longer table pushes the total, which is what one looks for, off the screen.
MOST_ROWS = 40

_LONG_WORK = 0.5  # seconds; below this a bar would only flicker
_LARGE = 1_000_000  # bytes; about what is split in that time where sizes are tokens
_FRAME = 0.1  # seconds between two updates: a text may have a million chunks


def make_console(*, stderr: bool) -> Console:
    """Make a console that never fails on a character that the terminal's encoding lacks."""
    console = Console(stderr=stderr, highlight=False)
    reconfigure = getattr(console.file, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="backslashreplace")
    return console


def summary(title: str, cap: int | None, tallies: Sequence[Tally]) -> Table:
    """Make the table of chunks and sizes, a row for each file and one for all."""
    table = Table(
        box=box.SIMPLE_HEAD,
        title=title,
        title_justify="left",
        title_style="bold",
        show_edge=False,
        pad_edge=False,
    )
    folder = _common_folder(tallies)
    table.add_column(Text(f"file in {folder}" if folder else "file"), overflow="fold")
    for heading in ("chunks", "mean", "min", "max", "cap", "over cap", "time"):
        table.add_column(heading, justify="right", no_wrap=True)
    shown = tallies if len(tallies) <= MOST_ROWS else tallies[: MOST_ROWS // 2]
    for tally in shown:
        table.add_row(*_cells(replace(tally, name=tally.name.removeprefix(folder)), cap))
    if len(shown) < len(tallies):
        table.add_row(f"… and {len(tallies) - len(shown):,} more", style="dim")
    if len(tallies) != 1:
        total = Tally(f"total, {len(tallies):,} files")
        for tally in tallies:
            total.include(tally)
        table.add_section()
        table.add_row(*_cells(total, cap), style="bold")
    return table


def _common_folder(tallies: Sequence[Tally]) -> str:
    """Find the folder that all files are in, to say it once; "" where there is none."""
    folders = {str(PurePath(tally.name).parent) for tally in tallies}
    if len(tallies) < 2 or len({Path(each).is_absolute() for each in folders}) > 1:
        return ""
    folder = os.path.commonpath(folders)
    return "" if folder in {"", ".", os.sep} else folder + os.sep


def _cells(tally: Tally, cap: int | None) -> list[str | Text]:
    mean = f"{tally.total / tally.chunks:,.0f}" if tally.chunks else "-"
    return [
        Text(printable(tally.name)),
        f"{tally.chunks:,}",
        mean,
        _number(tally.smallest),
        _number(tally.largest),
        "none" if cap is None else f"{cap:,}",
        Text(f"{tally.over:,}", style="bold red" if tally.over else ""),
        _time(tally.seconds),
    ]


def _number(value: int | None) -> str:
    return "-" if value is None else f"{value:,}"


def _time(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"


def printable(name: str) -> str:
    """Show bytes of a file's name that are no characters as escapes."""
    return name.encode("utf-8", "backslashreplace").decode()


class Progressor:
    """A bar on standard error, only on a terminal and only when the work is long."""

    def __init__(self, console: Console, total: int, *, shown: bool) -> None:
        self._console = console
        self._bar = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
        )
        self._task = self._bar.add_task("", total=total or None)
        self._name = ""
        self._shown = shown and console.is_terminal
        # One large text may take long before its first chunk: no waiting then.
        self._next = time.monotonic() + (0 if total > _LARGE else _LONG_WORK)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._started:  # else it would end a line that it never began
            self._bar.stop()

    @property
    def _started(self) -> bool:
        return self._bar.live.is_started

    def advance(self, name: str, done: float) -> None:
        """Move the bar, at most every `_FRAME` seconds, and for each file that is begun."""
        now = time.monotonic()
        if not self._shown or (now < self._next and (name == self._name or not self._started)):
            return
        self._next, self._name = now + _FRAME, name
        self._bar.start()
        self._bar.update(self._task, completed=done, description=escape(printable(name)))

    def problem(self, problem: FileError) -> None:
        """Name a file that was skipped, above the bar."""
        name, reason = escape(printable(problem.name)), escape(problem.reason)
        self._console.print(f"[yellow]skipped[/] {name}: {reason}", soft_wrap=True)


def splitter_list(kinds: Mapping[str, type[BaseSplitter]], common: type[BaseSplitter]) -> Table:
    """Show each splitter: its name, one line on it, its own settings; then what all have."""
    shared = _settings(common)
    table = Table.grid(padding=(0, 2))
    table.add_column(style="bold cyan", no_wrap=True)
    table.add_column(overflow="fold")
    for name, kind in kinds.items():
        first = (inspect.getdoc(kind) or "").partition("\n")[0]
        table.add_row(Text(name), Text(first.replace("``", "")))
        own = [text for text in _settings(kind) if text not in shared]
        if own:
            table.add_row("", Text(", ".join(own), style="dim"))
    table.add_row()
    table.add_row("all", Text("These settings, but where a splitter says otherwise above:"))
    table.add_row("", Text(", ".join(shared), style="dim"))
    return table


def _settings(kind: type[BaseSplitter]) -> list[str]:
    """Write the settings with their defaults, those of the class itself first."""
    parameters: dict[str, inspect.Parameter] = {}
    for base in kind.__mro__:
        if "__init__" in base.__dict__:
            parameters = {**inspect.signature(base.__dict__["__init__"]).parameters, **parameters}
    known = setting_names(kind)
    return [_setting(each) for name, each in parameters.items() if name in known]


def _setting(parameter: inspect.Parameter) -> str:
    default: Any = parameter.default
    if default is inspect.Parameter.empty:
        return parameter.name
    value = default.__name__ if callable(default) else repr(default)
    return f"{parameter.name}={value}"
