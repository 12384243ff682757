"""The options that several commands have, and how help is written."""

import re
from pathlib import Path
from typing import Annotated

import typer

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILES", help="Files, folders, 'globs' or - (standard input)."),
]
SplitterName = Annotated[
    str | None,
    typer.Option(
        "--splitter",
        "-s",
        metavar="NAME",
        help="How to split; `langchain-chunkers splitters` lists the names.",
        show_default="recursive",
    ),
]
ChunkSize = Annotated[
    int | None,
    typer.Option(
        "--chunk-size",
        "-c",
        metavar="N",
        help="The most that a chunk may hold, in characters or in tokens of --tokenizer.",
        show_default="the splitter's own",
    ),
]
Overlap = Annotated[
    int | None,
    typer.Option(
        "--overlap",
        metavar="N",
        help="How much of a chunk the next one may repeat, in the same unit.",
        show_default="0",
    ),
]
MinChunkSize = Annotated[
    int | None,
    typer.Option(
        "--min-chunk-size",
        metavar="N",
        help="Chunks smaller than this join a neighbour where they fit.",
    ),
]
Tokenizer = Annotated[
    str | None,
    typer.Option(
        "--tokenizer",
        "-t",
        metavar="NAME|PATH",
        help="What sizes count: 'characters', an encoding (cl100k_base, o200k_base), a model "
        "(gpt-4o), or a tokenizer.json or the folder of one.",
        show_default="characters",
    ),
]
Output = Annotated[
    str,
    typer.Option("--output", "-o", metavar="FILE", help="Where to write; - is standard output."),
]
Config = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="A YAML or JSON file of settings (splitter, tokenizer, chunk_size, ...). What is "
        "said on the command line wins over it.",
    ),
]
Options = Annotated[
    list[str] | None,
    typer.Option(
        "--option",
        "-O",
        metavar="NAME=VALUE",
        help="Any other setting of the splitter, as YAML; may be repeated.",
    ),
]
Encoding = Annotated[
    str,
    typer.Option(
        "--encoding", metavar="NAME", help="The encoding of the files. Output is always UTF-8."
    ),
]
Engine = Annotated[
    str | None,
    typer.Option(
        "--engine",
        metavar="NAME",
        help="FILES are tables, Parquet or JSON Lines, a document a row, here or in object storage; "
        "'daft', 'ray' or 'spark' splits them, or 'local', this process.",
        show_default="local for *.parquet",
    ),
]
TextColumn = Annotated[
    str,
    typer.Option("--text-column", metavar="NAME", help="With --engine: the column of texts."),
]
IdColumn = Annotated[
    str | None,
    typer.Option(
        "--id-column",
        metavar="NAME",
        help="With --engine: the column that names documents.",
        show_default="a digest of the text",
    ),
]
KeepColumns = Annotated[
    list[str] | None,
    typer.Option(
        "--keep-column",
        metavar="NAME",
        help="With --engine: a column to repeat beside each chunk; may be repeated.",
    ),
]
Quiet = Annotated[
    bool,
    typer.Option("--quiet", "-q", help="No summary and no progress; problems are still named."),
]


def paragraphs(text: str) -> str:
    """Join the lines of each paragraph, so that the terminal's width decides; keep examples."""
    return re.sub(r"(?<=\S)\n(?=\S)", " ", text.strip())
