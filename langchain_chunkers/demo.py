"""Splits real documents with several splitters, and says which finds the answers: `make demo`.

Each splitter is run through the command line, as typed. Then the chunks are read back from its
output and shown: whole chunks of each document, and where each splitter divides the same passage.
At the end splitters are compared on two documents about caching with ten questions each, and on a
public set of questions; the report is the page that `langchain-chunkers compare` writes.
More than 300 lines, since all of it is one show.

The documents are those in `docs/demo_data`, which is not installed with the package (their licences
are not the package's): elsewhere, name files to be split.

    python -m langchain_chunkers.demo [FILES...]
"""

from __future__ import annotations

import itertools
import json
import os
import shlex
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import Console
    from rich.table import Table

    from langchain_chunkers.cli.run import Row

DOCUMENTS = Path(__file__).parent.parent / "docs" / "demo_data" / "documents"
COMPARED = DOCUMENTS.parent / "comparison"
OUTPUT = Path("build", "demo")

ENCODING = "cl100k_base"
TOKENS = 120  # small, so that even the shortest document is several chunks
CHARACTERS = 500  # about the same in English
SPLITTERS = ("fixed", "token", "sentence", "paragraph", "recursive")
SHOWN = "recursive"
COMPARISON = (
    *("fixed:128", "token:128", "sentence:128", "paragraph:128", "recursive:128/16"),
    *("markdown:128", "semantic:128"),
)

_PATIENCE = 5.0  # seconds for an encoding to be had; a download without a network may hang
_LINES = 4  # of a chunk that are shown at its start; fewer at its end
_NAME = 10  # columns for a splitter's name


@dataclass(frozen=True)
class Outcome:
    """What one splitter wrote: the chunks of each source, in order."""

    splitter: str
    chunks: dict[str, list[Row]]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the demo.

    Args:
        arguments: Files and folders to split; the documents of the repository by default.

    Returns:
        0, or 1 where a run failed or a chunk is not the slice of its source that it says it is.
    """
    files = list(sys.argv[1:] if arguments is None else arguments)
    whole = not files
    if not files:
        if not DOCUMENTS.is_dir():
            print("The demo's documents are in its repository. Here, name files to split.")
            return 1
        files = [os.path.relpath(DOCUMENTS)]
        notes = os.path.relpath(DOCUMENTS.parent / "SOURCES.md")
        print(f"Real documents in several languages; sources and licences are in\n{notes}\n")
    tokens = has_encoding()
    if not tokens:
        print(
            f"The encoding {ENCODING} cannot be had (no network, and no TIKTOKEN_CACHE_DIR with "
            "it), so sizes are in characters, and the token splitter is left out.\n"
        )
    outcomes, failed = _run_all(files, tokens=tokens)
    if not outcomes:
        return 1
    console = _console()
    wrong = show(console, outcomes, unit=f"{ENCODING} tokens" if tokens else "characters")
    if whole:
        failed |= _compare(tokens=tokens)
    return int(failed or wrong > 0)


def _compare(*, tokens: bool) -> bool:
    """Compare splitters on the documents about caching, and on a public set; say whether it failed."""
    splitters = [name for name in COMPARISON if tokens or not name.startswith("token")]
    options = [part for name in splitters for part in ("--splitter", name)]
    options += ["--tokenizer", ENCODING if tokens else "characters"]
    folder = Path(os.path.relpath(COMPARED))
    guides = [str(path) for path in sorted(folder.glob("*.markdown"))]
    asked = ["--questions", str(folder / "questions.jsonl")]
    report = OUTPUT / "report.html"
    print("\nWhich finds the answers? Twenty questions on two guides, English and Chinese:\n")
    failed = _run(["compare", *guides, *asked, *options, "--output", str(report)]) != 0
    public = OUTPUT / "xquad.html"
    print("The same on a public set (XQuAD, 363 questions on 14 English documents):\n")
    failed |= _run(["compare", str(folder / "xquad"), *options, "--output", str(public)]) != 0
    print(f"The reports, to be opened in a browser:\n  {report}\n  {public}")
    return failed


def has_encoding() -> bool:
    """Say whether the encoding is at hand or can be downloaded soon."""
    from langchain_chunkers import RecursiveSplitter

    made: list[object] = []

    def make() -> None:
        try:
            made.append(RecursiveSplitter.from_tiktoken_encoder(encoding_name=ENCODING).length("a"))
        except Exception:  # noqa: BLE001 - whatever the reason, the demo goes on without
            return

    thread = threading.Thread(target=make, daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    return bool(made)


def _run_all(files: Sequence[str], *, tokens: bool) -> tuple[list[Outcome], bool]:
    OUTPUT.mkdir(parents=True, exist_ok=True)
    outcomes, failed = [], False
    size = TOKENS if tokens else CHARACTERS
    for splitter in SPLITTERS:
        if splitter == "token" and not tokens:
            continue
        output = OUTPUT / f"{splitter}.jsonl"
        command = ["split", *files, "--splitter", splitter, "--chunk-size", str(size)]
        command += ["--tokenizer", ENCODING] if tokens else []
        failed |= _run([*command, "--output", str(output)]) != 0
        if output.exists():
            outcomes.append(Outcome(splitter, read_chunks(output)))
    return outcomes, failed


def _run(arguments: Sequence[str]) -> int | str | None:
    """Run the command line in this process: five starts of Python would be most of the time."""
    from langchain_chunkers.cli import main as command_line

    print("$", shlex.join(["langchain-chunkers", *arguments]) + "\n", flush=True)
    try:
        command_line(arguments)
    except SystemExit as exit_:
        print(flush=True)
        return exit_.code


def read_chunks(path: Path) -> dict[str, list[Row]]:
    """Read the lines that the command line wrote, by source."""
    chunks: dict[str, list[Row]] = {}
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row: Row = json.loads(line)
            chunks.setdefault(str(row["metadata"]["source"]), []).append(row)
    return chunks


def _console() -> Console:
    from langchain_chunkers.cli.report import make_console

    return make_console(stderr=False)


def show(console: Console, outcomes: Sequence[Outcome], *, unit: str) -> int:
    """Show chunks of each document; return how many chunks are not what their offsets say."""
    shown = next((each for each in outcomes if each.splitter == SHOWN), outcomes[-1])
    total = wrong = 0
    for source, rows in shown.chunks.items():
        text = Path(source).read_bytes().decode("utf-8").removeprefix("\ufeff")
        console.print()
        console.rule(f"[bold]{Path(source).name}[/]", align="left", characters="═")
        console.print(f"{len(text):,} characters. Two chunks of {SHOWN}, one after the other:\n")
        first = max(0, min(len(rows) // 2, len(rows) - 2))
        for number in range(first, min(first + 2, len(rows))):
            _show_chunk(console, rows[number], f"chunk {number + 1} of {len(rows)}")
        console.print(seams(outcomes, source, len(text), console.width))
        for outcome in outcomes:
            of_source = outcome.chunks.get(source, [])
            total += len(of_source)
            wrong += sum(
                text[row["start_index"] : row["end_index"]] != row["text"] for row in of_source
            )
    console.print()
    console.rule(characters="═")
    verdict = "each" if not wrong else f"all but {wrong:,}"
    console.print(
        f"{total:,} chunks; {verdict} the exact text of its file from start_index to end_index.\n"
        f"At most {TOKENS if unit != 'characters' else CHARACTERS} {unit} each. "
        f"All of them are in {OUTPUT}{os.sep}*.jsonl",
        soft_wrap=True,
    )
    return wrong


def _is_slice(row: Row, text: str) -> bool:
    return text[row["start_index"] : row["end_index"]] == row["text"]


def _show_chunk(console: Console, row: Row, title: str) -> None:
    from rich.text import Text

    place = f"characters {row['start_index']:,} to {row['end_index']:,}"
    console.print(Text(f"┌ {title}, {place}", style="cyan"))
    lines = Text(row["text"]).wrap(console, console.width - 2)
    hidden = len(lines) - 2 * _LINES
    for number, line in enumerate(lines):
        if hidden > 1 and _LINES <= number < _LINES + hidden:
            if number == _LINES:
                console.print(Text(f"┊ … {hidden} lines …", style="dim"))
            continue
        line.rstrip()
        console.print(Text.assemble(("│ ", "cyan"), line), no_wrap=True)
    console.print(Text("└", style="cyan"))


def seams(outcomes: Sequence[Outcome], source: str, length: int, width: int) -> Table:
    """Show, for each splitter, the two sides of its boundary nearest to the middle of the text."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    side = (width - _NAME - 10) // 2
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    table.add_column("splitter", width=_NAME)
    table.add_column("the middle: a chunk ends …", justify="right", width=side, no_wrap=True)
    table.add_column("┃", width=1)
    table.add_column("… and the next begins", width=side, no_wrap=True)
    for outcome in outcomes:
        rows = outcome.chunks.get(source, [])
        if len(rows) < 2:
            table.add_row(outcome.splitter, "one chunk", "", "")
            continue
        before, after = min(
            itertools.pairwise(rows), key=lambda pair: abs(pair[1]["start_index"] - length // 2)
        )
        left, right = _visible(before["text"][-side:]), _visible(after["text"][:side])
        table.add_row(outcome.splitter, Text(_last(left, side)), "┃", Text(_first(right, side)))
    return table


def _visible(text: str) -> str:
    return text.replace("\r", "").replace("\n", "⏎").replace("\t", " ")


def _first(text: str, width: int) -> str:
    """Take from the front what fits in so many columns of a terminal; a CJK character takes two."""
    return "".join(_fitting(text, width))


def _last(text: str, width: int) -> str:
    return "".join(_fitting(text[::-1], width))[::-1]


def _fitting(text: str, width: int) -> Iterator[str]:
    from rich.cells import cell_len

    for character in text:
        width -= cell_len(character)
        if width < 0:
            return
        yield character


if __name__ == "__main__":
    sys.exit(main())
