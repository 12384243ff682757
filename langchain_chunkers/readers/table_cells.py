"""Rows and cells of tables in text: CSV with any delimiter, and the pipe tables of Markdown.

CSV is read as Python's ``csv`` reads it: a quote opens a cell only at its start, a doubled quote inside is
one quote, newlines inside quotes belong to the cell. One difference: a quote that never closes is text, so
that it does not swallow the rest of the file.
"""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

from langchain_chunkers.ladder import Rung, clause_places, sentence_places
from langchain_chunkers.outline import Strength

__all__ = ["PIPE", "cells_of", "find_delimiter", "ladder_of", "row_starts"]

PIPE = "pipe"
"""The syntax of Markdown's tables; that of CSV is named by its delimiter."""
_DELIMITERS = (",", "\t", ";", "|")
_SAMPLE = 1 << 16  # characters that are looked at to find the delimiter
_ROWS = 200
_NEWLINE = re.compile(r"\r\n|\n|\r")
_BAR = re.compile(r"(?<!\\)\|")
_QUOTED = r'"(?:[^"]++|"")*+"'


@cache
def _cell(delimiter: str) -> re.Pattern[str]:
    """Match a cell; after a closed quote, what follows up to the delimiter belongs to it."""
    mark = re.escape(delimiter)
    return re.compile(rf"(?P<quoted>{_QUOTED})?(?P<rest>[^{mark}\r\n]*+)(?P<end>{mark})?")


@cache
def _row(delimiter: str) -> re.Pattern[str]:
    mark = re.escape(delimiter)
    cell = rf"(?:{_QUOTED})?+[^{mark}\r\n]*+"
    return re.compile(rf"{cell}(?:{mark}{cell})*+(?:\r\n|\n|\r|\Z)")


def row_starts(text: str, start: int, end: int, delimiter: str) -> list[int]:
    """List where the rows of CSV begin, blank lines left out.

    Args:
        text: The text.
        start: Where a row begins.
        end: Behind the last row.
        delimiter: One character.

    Cost: linear; no object is made for a cell.

    Example:
        >>> row_starts('a,b\\n"1\\n2",3\\n\\n4,5', 0, 16, ",")
        [0, 4, 13]
    """
    starts = []
    if text.find('"', start, end) < 0:
        edges = [start, *(found.end() for found in _NEWLINE.finditer(text, start, end))]
        edges += [end] if edges[-1] < end else []
    else:
        found = _row(delimiter).finditer(text, start, end)
        edges = [start, *(row.end() for row in found if row.end() > row.start())]
    for index in range(len(edges) - 1):
        at = edges[index]
        if text[at] > " " or not text[at : edges[index + 1]].isspace():
            starts.append(at)
    return starts


def cells_of(row: str, syntax: str) -> list[str]:
    """Give the values of a row.

    Args:
        row: One row, with or without its newline.
        syntax: A delimiter, or `PIPE`.

    Example:
        >>> cells_of('a,"b ""c"", d",', ",")
        ['a', 'b "c", d', '']
        >>> cells_of("| a | b \\\\| c |", PIPE)
        ['a', 'b | c']
    """
    if syntax == PIPE:
        line = row.strip().partition("\n")[0].rstrip().lstrip("> \t")  # no delimiter row
        line = line.removeprefix("|")
        if line.endswith("|") and not line.endswith("\\|"):
            line = line[:-1]
        return [cell.strip().replace("\\|", "|") for cell in _BAR.split(line)]
    row = row.rstrip("\r\n")
    if '"' not in row:
        if "\n" in row or "\r" in row:  # blank lines behind it
            row = _NEWLINE.split(row, maxsplit=1)[0]
        return row.split(syntax)
    values: list[str] = []
    at = 0
    pattern = _cell(syntax)
    while True:
        found = pattern.match(row, at)
        if found is None:  # a stray newline, which no row has
            return values
        quoted, rest = found.group("quoted"), found.group("rest")
        values.append((quoted[1:-1].replace('""', '"') if quoted else "") + rest)
        at = found.end()
        if not found.group("end"):
            return values


def _csv_places(text: str, start: int, end: int, delimiter: str) -> list[int]:
    """List where cells begin behind others; ``start`` is the start of a cell."""
    pattern = _cell(delimiter)
    places, at = [], start
    while at < end:
        found = pattern.match(text, at)
        if found is None:
            break
        at = found.end()
        if found.group("end"):
            if at < end:
                places.append(at)
        else:
            newline = _NEWLINE.match(text, at)
            at = newline.end() if newline else at + 1
    return places


def _pipe_places(text: str, start: int, end: int) -> list[int]:
    """List the bars at which a cell begins: not the first of a row, not the last."""
    bars = [found.start() for found in _BAR.finditer(text, start + 1, end)]
    return [at for at in bars if text[at + 1 : at + 2].strip() or text[at + 1 : at + 3].strip()]


@cache
def ladder_of(kind: str) -> tuple[Rung, ...]:
    """Give the rungs inside a row of a kind ``"table,"``, ``"table;"`` …, or ``"tablepipe"``.

    Cells first; in a cell that does not fit, sentences and clauses.
    """
    syntax = kind.removeprefix("table")

    def places(text: str, start: int, end: int) -> list[int]:
        if syntax == PIPE:
            return _pipe_places(text, start, end)
        return _csv_places(text, start, end, syntax)

    return (
        Rung(Strength.SENTENCE, places, local=False),
        Rung(Strength.CLAUSE, sentence_places),
        Rung(Strength.CLAUSE, clause_places),
    )


def find_delimiter(text: str, *, sure: bool = True) -> str:
    """Find the delimiter of CSV: the one that gives most rows one number of columns.

    Args:
        text: Any string.
        sure: Give ``""`` unless most rows agree, as those of prose do not; else the best guess.

    Cost: that of the first rows.

    Example:
        >>> find_delimiter('name;note\\n"Ann; B";1,5\\nCy;2,5\\n')
        ';'
    """
    sample = text[:_SAMPLE]
    best, best_score = "", (0.0, 0)
    for delimiter in _DELIMITERS:
        if delimiter not in sample:
            continue
        starts = row_starts(sample, 0, len(sample), delimiter)[: _ROWS + 1]
        if len(starts) > 1 and (len(text) > _SAMPLE or len(starts) > _ROWS):
            last = starts.pop()  # perhaps cut off
        else:
            last = len(sample)
        edges = [*starts, last]
        rows = [sample[edges[i] : edges[i + 1]] for i in range(len(starts))]
        score = _score(rows, delimiter, sure=sure)
        if score > best_score:
            best, best_score = delimiter, score
    return best if best or sure else ","


def _score(rows: list[str], delimiter: str, *, sure: bool) -> tuple[float, int]:
    """Say how well a delimiter explains rows: the share that agrees, in tenths, and the columns."""
    if not rows:
        return 0.0, 0
    counts = Counter(len(cells_of(row, delimiter)) for row in rows)
    columns, votes = max(counts.items(), key=lambda item: (item[1], item[0]))
    share = votes / len(rows)
    if columns < 2:
        several = [(n, c) for n, c in counts.items() if n > 1]
        if sure or not several:
            return 0.0, 0
        columns, votes = max(several, key=lambda item: (item[1], item[0]))
        share = votes / len(rows)
    if sure and (len(rows) < 2 or share < 0.7 or _is_prose(rows, delimiter)):
        return 0.0, 0
    return round(share, 1), columns


def _is_prose(rows: list[str], delimiter: str) -> bool:
    """Say whether what separates cells is the punctuation of sentences: a space behind each."""
    if delimiter not in ",;":
        return False
    spaced = sum(row.count(delimiter + " ") for row in rows)
    return len(rows) < 4 and spaced >= sum(row.count(delimiter) for row in rows)
