"""One run of `langchain-chunkers compare`: documents and questions in, a table and files out."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.documents import Document
from rich import box
from rich.cells import cell_len
from rich.table import Table
from rich.text import Text

from langchain_chunkers.cli.report import make_console
from langchain_chunkers.cli.session import ALL_DONE, BAD_SETTING, INTERRUPTED, SOME_FAILED
from langchain_chunkers.cli.settings import CHARACTERS, Wishes, make_splitter
from langchain_chunkers.errors import ChunkerError, SettingError
from langchain_chunkers.evaluation import Comparison, Question, compare, read_questions, read_set
from langchain_chunkers.files import FileError, check_encoding, find_sources, read_text, reason_of

if TYPE_CHECKING:
    from rich.console import Console

    from langchain_chunkers import BaseSplitter

__all__ = ["Asked", "run_compare", "show_table"]

_SPLITTERS = ("fixed", "token", "sentence", "paragraph", "recursive", "markdown")
_SPLITTER = re.compile(r"(?P<name>[^:]+)(?::(?P<size>\d+)(?:/(?P<overlap>\d+))?)?")
_ENCODING = "cl100k_base"
_WRITTEN = (".html", ".md", ".csv", ".json")


@dataclass(frozen=True)
class Asked:
    """What the command line said; see its help."""

    docs: Sequence[str]
    questions: str | None
    splitters: Sequence[str]
    chunk_size: int
    tokenizer: str | None
    retrievers: Sequence[str]
    k: int
    budgets: Sequence[int]
    baseline: str | None
    price: float | None
    outputs: Sequence[str]
    encoding: str
    quiet: bool = False


def run_compare(asked: Asked) -> int:
    """Compare, show the table, write the files.

    Returns:
        The exit code: 0; 1 where a document could not be read or a file not be written; 2 for a
        wrong setting.
    """
    console = make_console(stderr=True)
    try:
        check_encoding(asked.encoding)
        wrong = [name for name in asked.outputs if PurePath(name).suffix not in _WRITTEN]
        if wrong:
            raise SettingError(f"--output must end in {', '.join(_WRITTEN)}: got {wrong[0]}")
        splitters = make_splitters(asked)
        documents, questions, failed = _read(asked, console)
        found = compare(
            splitters,
            documents,
            questions,
            retrievers=list(asked.retrievers),
            k=asked.k,
            budgets=sorted(set(asked.budgets)),
            baseline=asked.baseline,
            length_function=next(iter(splitters.values()))._measure,
            price_per_million=asked.price,
            show_progress=not asked.quiet and console.is_terminal and find_spec("tqdm") is not None,
        )
        show_table(make_console(stderr=False), found)
        for name in asked.outputs:
            console.print(f"{found.save(name)}", markup=False, soft_wrap=True)
    except FileError as error:
        return _complain(console, str(error), SOME_FAILED)
    except ChunkerError as error:
        return _complain(console, str(error), BAD_SETTING)
    except OSError as error:
        return _complain(console, f"a file cannot be written: {reason_of(error)}", SOME_FAILED)
    except KeyboardInterrupt:
        return INTERRUPTED
    return SOME_FAILED if failed else ALL_DONE


def make_splitters(asked: Asked) -> dict[str, BaseSplitter]:
    """Make the splitters, by the names they were given."""
    named = asked.splitters
    if not named:
        named = [name for name in _SPLITTERS if name != "markdown" or find_spec("pyromark")]
        if asked.tokenizer == CHARACTERS:
            named = [name for name in named if name != "token"]
    made: dict[str, BaseSplitter] = {}
    for name in named:
        said = _SPLITTER.fullmatch(name)
        if said is None:
            raise SettingError(
                f"--splitter must be NAME, NAME:SIZE or NAME:SIZE/OVERLAP: got {name!r}"
            )
        wish = Wishes(
            said["name"],
            int(said["size"] or asked.chunk_size),
            int(said["overlap"] or 0) or None,
            tokenizer=asked.tokenizer or _ENCODING,
        )
        if said["name"] == "token":
            # its floor must lie below the size
            wish = replace(wish, options=[f"min_tokens={min(50, (wish.chunk_size or 0) // 4)}"])
        if name in made:
            raise SettingError(f"--splitter {name} is given twice")
        made[name] = make_splitter(wish)
    return made


def _read(
    asked: Asked, console: Console
) -> tuple[list[Document], list[Question] | None, list[FileError]]:
    """Read documents and questions; broken documents are named and left out."""
    documents: list[Document] = []
    questions: list[Question] = []
    plain: list[str] = []
    for name in asked.docs:
        if any((Path(name) / f"corpora.jsonl{gz}").exists() for gz in ("", ".gz")):
            more, theirs = read_set(name)
            documents += more
            questions += theirs
        else:
            plain.append(name)
    sources, problems = find_sources(plain, None) if plain else ([], [])
    failed = list(problems)
    for source in sources:
        try:
            text = read_text(source, asked.encoding)
        except FileError as error:
            failed.append(error)
            continue
        documents.append(Document(page_content=text, metadata={"source": source.name}))
    for problem in failed:
        console.print(f"skipped: {problem}", markup=False, soft_wrap=True)
    if asked.questions is not None:
        try:
            own = read_questions(asked.questions)
        except (OSError, UnicodeError, ValueError) as error:
            reason = reason_of(error) if isinstance(error, OSError) else error
            raise SettingError(f"{asked.questions} cannot be read: {reason}") from error
        questions += _named_alike(own, documents)
    return documents, questions if asked.questions or questions else None, failed


def _named_alike(questions: Sequence[Question], documents: Sequence[Any]) -> list[Question]:
    """Let questions name a document by its file name alone, where only one has it."""
    names = [str(document.metadata["source"]) for document in documents]
    short: dict[str, list[str]] = {}
    for name in names:
        short.setdefault(PurePath(name).name, []).append(name)
    return [
        replace(question, source=short[question.source][0])
        if question.source not in names and len(short.get(question.source, ())) == 1
        else question
        for question in questions
    ]


def show_table(console: Console, found: Comparison) -> None:
    """Print the table of a comparison, its legend and its notes.

    Where the terminal is narrow, columns that matter less are left out.
    """
    header, lines = found.header(), found.table()
    shown = list(range(len(header)))
    needed = [
        max(*map(cell_len, header[number].split()), *(cell_len(line[number]) for line in lines))
        for number in range(len(header))
    ]
    for name in (
        "index s",
        "split s",
        "iou",
        "mrr",
        "headings alone",
        "blocks cut",
        "hit@1",
        "noise",
        "mean",
    ):
        if sum(needed[number] + 3 for number in shown) - 3 <= console.width:
            break
        shown = [number for number in shown if not header[number].startswith(name)]
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    for number in shown:
        side: Literal["left", "right"] = "right" if number else "left"
        table.add_column(header[number], justify=side, width=needed[number])
    for line in lines:
        table.add_row(*(_cell(line[number]) for number in shown))
    console.print(table)
    console.print()
    console.print(found.legend(), markup=False)
    if len(shown) < len(header):
        console.print("A wider terminal, or --output report.html, shows more.")
    for note in found.notes[:10]:
        console.print(f"Note: {note}", markup=False)
    if len(found.notes) > 10:
        console.print(f"And {len(found.notes) - 10} more notes; --output report.html has all.")


def _cell(cell: str) -> Text:
    style = "bold green" if cell.endswith(" +") else "red" if cell.endswith(" -") else ""
    return Text(cell, style, no_wrap=True)


def _complain(console: Console, message: str, code: int) -> int:
    console.print("[bold red]error:[/]", end=" ")
    console.print(" ".join(message.split()), markup=False, soft_wrap=True)
    return code
