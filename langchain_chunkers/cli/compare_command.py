"""The command `langchain-chunkers compare` and its options; `compare.py` does it."""

from typing import Annotated

import typer

from langchain_chunkers.cli.options import Encoding, Quiet, Tokenizer

__all__ = ["HELP", "compare"]

HELP = r"""
Compare splitters on your own documents, and on questions if you have some.

DOCS are files, folders or globs; or a folder with corpora.jsonl and questions.jsonl. Questions are
JSON Lines or CSV: [bold]question[/], [bold]answer[/] (a piece of the document, as it stands there) and
[bold]source[/] (its file name). Without questions only sizes and boundaries are compared.

The table says for each splitter how often the answer was found, and marks with + and - what surely
differs from the first splitter (or --baseline) on these questions.

[bold]Examples[/]

What is best for these pages?

    langchain-chunkers compare docs --questions questions.jsonl

Three splitters at two sizes, and a report to look at:

    langchain-chunkers compare docs -Q questions.jsonl -s recursive:200 -s recursive:400 \
        -s markdown:400 -o report.html -o scores.csv

With embeddings beside BM25:

    langchain-chunkers compare docs -Q questions.jsonl -r bm25 -r wordllama
"""


def compare(
    docs: Annotated[
        list[str],
        typer.Argument(metavar="DOCS", help="Files, folders, 'globs', or a set's folder."),
    ],
    *,
    questions: Annotated[
        str | None,
        typer.Option("--questions", "-Q", metavar="FILE", help="Questions: .jsonl, .json or .csv."),
    ] = None,
    splitter: Annotated[
        list[str] | None,
        typer.Option(
            "--splitter",
            "-s",
            metavar="NAME",
            help="NAME, NAME:SIZE or NAME:SIZE/OVERLAP; may be repeated.",
            show_default="fixed, token, sentence, paragraph, recursive, markdown",
        ),
    ] = None,
    chunk_size: Annotated[
        int, typer.Option("--chunk-size", "-c", metavar="N", help="The size where none is said.")
    ] = 256,
    tokenizer: Tokenizer = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(
            "--retriever",
            "-r",
            metavar="NAME",
            help="bm25 or wordllama (embeddings, offline); may be repeated.",
            show_default="bm25",
        ),
    ] = None,
    k: Annotated[int, typer.Option("--k", "-k", metavar="N", help="Chunks read a question.")] = 5,
    budget: Annotated[
        list[int] | None,
        typer.Option(
            "--budget",
            metavar="N",
            help="A size of prompt to give recall for; may be repeated.",
            show_default="500, 1000, 2000, 4000",
        ),
    ] = None,
    baseline: Annotated[
        str | None,
        typer.Option(
            "--baseline",
            metavar="NAME",
            help="The splitter, as named after --splitter, that the others are compared with.",
            show_default="the first",
        ),
    ] = None,
    price: Annotated[
        float | None,
        typer.Option("--price", metavar="X", help="Price of embedding a million units."),
    ] = None,
    output: Annotated[
        list[str] | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write .html (the report), .md, .csv or .json; may be repeated.",
        ),
    ] = None,
    encoding: Encoding = "utf-8",
    quiet: Quiet = False,
) -> None:
    """Compare splitters on documents and questions."""
    from langchain_chunkers.cli.compare import Asked, run_compare

    asked = Asked(
        docs,
        questions,
        splitter or [],
        chunk_size,
        tokenizer,
        retriever or ["bm25"],
        k,
        budget or [500, 1000, 2000, 4000],
        baseline,
        price,
        output or [],
        encoding,
        quiet=quiet,
    )
    raise typer.Exit(run_compare(asked))
