"""The command line: `langchain-chunkers split FILES…` and `langchain-chunkers splitters`.

Needs the extra `cli` (typer, rich, pyyaml). `main` is what the installed command calls; it says
what to install when they are missing, which the commands themselves could not.

    app.py       the commands and their options
    session.py   one run: settings, files, output, exit code
    inputs.py    files, folders, globs and standard input, found and decoded
    settings.py  options and a configuration file, made into a splitter
    run.py       files in, JSON Lines out, sizes counted
    report.py    what a person reads: summary, progress, list of splitters
"""

from __future__ import annotations

import os
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["main"]

_NEEDED = {"typer": "typer", "rich": "rich", "pyyaml": "yaml"}
_INTERRUPTED = 130  # what a shell reports for a program that Ctrl-C ended: 128 + SIGINT


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and exit.

    Args:
        arguments: What was typed after the command's name; `sys.argv` by default.

    Exit codes: 0 all done, 1 a file was skipped or the output could not be written, 2 a setting is
    wrong or something must be installed, 130 interrupted, 141 the reader of the output went away.
    """
    missing = [package for package, module in _NEEDED.items() if find_spec(module) is None]
    if missing:
        print(
            f"langchain-chunkers: not installed: {', '.join(missing)}. "
            "Install the command line with: pip install 'langchain-chunkers[cli]'",
            file=sys.stderr,
        )
        sys.exit(2)
    from langchain_chunkers.cli.app import app

    code = 0
    try:
        app(arguments, prog_name="langchain-chunkers")
    except KeyboardInterrupt:
        code = _INTERRUPTED
    except SystemExit as left:
        code = left.code if isinstance(left.code, int) else int(left.code is not None)
    if "daft" in sys.modules:
        # all is written; one time in ten a thread of Daft's aborts the end of the interpreter
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)
