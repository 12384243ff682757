"""The commands and their options.

Importing this must stay quick, because `--help` does: the engine is imported inside the commands.
"""

from typing import Annotated

import typer

from langchain_chunkers.cli import compare_command
from langchain_chunkers.cli.options import (
    ChunkSize,
    Config,
    Encoding,
    Engine,
    Files,
    IdColumn,
    KeepColumns,
    MinChunkSize,
    Options,
    Output,
    Overlap,
    Quiet,
    SplitterName,
    TextColumn,
    Tokenizer,
    paragraphs,
)

HELP = """
Split documents into chunks for retrieval and language models.

Start with [bold]langchain-chunkers split FILE[/]: it writes each chunk as one line of JSON. More:
[bold]langchain-chunkers split --help[/].
"""

SPLIT_HELP = r"""
Split files into chunks and write each as one line of JSON.

FILES are files, folders (all that is in them, hidden files aside), globs in quotes, or - for
standard input.

Each line has the chunk's [bold]text[/], [bold]start_index[/] and [bold]end_index[/], and
[bold]metadata[/] (source, and what the splitter knows). Offsets count characters of the decoded
text, with newlines as they are and without a byte order mark, so text is the source from
start_index to end_index.

A file that cannot be read or decoded is named and skipped, the others are done, and the exit code
is 1. A wrong setting is exit code 2.

[bold]Examples[/]

Chunks of at most 500 characters, to the screen:

    langchain-chunkers split notes.txt

A folder; at most 400 tokens of GPT-4, up to 40 of them repeated from the chunk before:

    langchain-chunkers split docs -c 400 --overlap 40 -t gpt-4 -o out.jsonl

All Markdown files, by sentences, each chunk with its number:

    langchain-chunkers split 'docs/**/*.md' -s sentence \
        --option 'add_metadata=\[chunk_index]'

From a pipe into a pipe:

    cat notes.txt | langchain-chunkers split - | jq .text
"""

app = typer.Typer(
    help=paragraphs(HELP),
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["--help", "-h"]},
)


def _show_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        typer.echo(f"langchain-chunkers {version('langchain-chunkers')}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    """Take the options that stand before the command."""


@app.command(help=paragraphs(SPLIT_HELP))
def split(
    files: Files,
    *,
    splitter: SplitterName = None,
    chunk_size: ChunkSize = None,
    overlap: Overlap = None,
    min_chunk_size: MinChunkSize = None,
    tokenizer: Tokenizer = None,
    output: Output = "-",
    config: Config = None,
    option: Options = None,
    encoding: Encoding = "utf-8",
    engine: Engine = None,
    text_column: TextColumn = "text",
    id_column: IdColumn = None,
    keep_column: KeepColumns = None,
    quiet: Quiet = False,
) -> None:
    """Split files into chunks and write each as one line of JSON."""
    from langchain_chunkers.cli.session import Session
    from langchain_chunkers.cli.settings import Wishes

    wishes = Wishes(
        splitter, chunk_size, overlap, min_chunk_size, tokenizer, config, tuple(option or ())
    )
    if engine or all(name.endswith(".parquet") for name in files):
        from langchain_chunkers.cli.engines import TableWishes, run_tables

        tables = TableWishes(engine or "local", text_column, id_column, tuple(keep_column or ()))
        raise typer.Exit(run_tables(files, wishes, tables, output, quiet=quiet))
    raise typer.Exit(Session(wishes, output, encoding, quiet=quiet).run(files))


@app.command()
def splitters() -> None:
    """List the splitters, one line on each, and their settings."""
    from langchain_chunkers.base import BaseSplitter, registry
    from langchain_chunkers.cli.report import make_console, splitter_list

    make_console(stderr=False).print(splitter_list(registry(), BaseSplitter))


VIEW_HELP = r"""
Show the chunks of a file on a page of its own.

The page is one HTML file that loads nothing: the text with its chunks in colours, what each repeats,
its size, offsets and metadata, and why it starts there.

[bold]Examples[/]

The page notes.md.chunks.html, opened in the browser:

    langchain-chunkers view notes.md --splitter markdown --open

Two strategies side by side:

    langchain-chunkers view notes.md -s markdown -s fixed -c 300 -o chunks.html

In the terminal:

    langchain-chunkers view notes.md --terminal
"""


@app.command(help=paragraphs(VIEW_HELP))
def view(
    file: Annotated[str, typer.Argument(metavar="FILE", help="A file, or - (standard input).")],
    *,
    splitter: Annotated[
        list[str] | None,
        typer.Option(
            "--splitter",
            "-s",
            metavar="NAME",
            help="How to split; said twice or more, the strategies stand side by side.",
            show_default="recursive",
        ),
    ] = None,
    chunk_size: ChunkSize = None,
    overlap: Overlap = None,
    min_chunk_size: MinChunkSize = None,
    tokenizer: Tokenizer = None,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Where to write the page; - is standard output.",
            show_default="FILE.chunks.html",
        ),
    ] = None,
    config: Config = None,
    option: Options = None,
    encoding: Encoding = "utf-8",
    terminal: Annotated[
        bool, typer.Option("--terminal", help="Show the chunks here, and write no page.")
    ] = False,
    browse: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Show the chunks of a file on a page of its own."""
    from langchain_chunkers.cli.settings import Wishes
    from langchain_chunkers.cli.view import run_view

    wishes = [
        Wishes(name, chunk_size, overlap, min_chunk_size, tokenizer, config, tuple(option or ()))
        for name in splitter or (None,)
    ]
    raise typer.Exit(
        run_view(file, wishes, output=output, encoding=encoding, terminal=terminal, browse=browse)
    )


@app.command()
def playground(
    *,
    port: Annotated[
        int, typer.Option("--port", metavar="N", help="The port; 0 takes one that is free.")
    ] = 0,
    browse: Annotated[
        bool, typer.Option("--open/--no-open", help="Open the page in the browser.")
    ] = True,
) -> None:
    """Try splitters on a page: paste a text, move the sliders, see the chunks. For this machine only."""
    from langchain_chunkers.cli.view import run_playground

    raise typer.Exit(run_playground(port, browse=browse))


app.command(name="compare", help=paragraphs(compare_command.HELP))(compare_command.compare)
