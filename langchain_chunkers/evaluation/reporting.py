"""The report of a comparison: one page that needs nothing else and lets no text do anything.

All text is escaped, no text goes into an attribute but as a frame's source and a label, and the
page's policy allows its own style sheet and that of the chunk view in the frame, by their hashes,
and nothing from the network.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterator, Sequence
from importlib import resources
from typing import Any

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.evaluation.charts import curves, histogram, whiskers
from langchain_chunkers.evaluation.questions import Question
from langchain_chunkers.evaluation.results import Comparison, Row
from langchain_chunkers.evaluation.scoring import Found
from langchain_chunkers.evaluation.spans import union
from langchain_chunkers.view.make import view
from langchain_chunkers.view.safe import as_html, as_plain

__all__ = ["report"]

_MISSED = 25  # questions shown of those that a splitter missed
_SHOWN = 3  # chunks shown of what was retrieved instead
_VIEWED = 60_000  # characters of the document whose chunks are shown side by side
_BESIDE = 4  # splitters side by side: more do not fit on a screen


def report(comparison: Comparison, title: str = "Which splitter for these documents?") -> str:
    """Write the report.

    Args:
        comparison: What `compare` gave.
        title: Its heading.

    Returns:
        The page as HTML: table, intervals, recall against prompt size, sizes, the questions each
        splitter missed with the chunks it retrieved, and chunks side by side.
    """
    style = _file("langchain_chunkers.evaluation", "report.css")
    frame_style = _file("langchain_chunkers.view", "page.css")
    script = _file("langchain_chunkers.view", "page.js")
    policy = (
        f"default-src 'none'; style-src {_hash(style)} {_hash(frame_style)}; "
        f"script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    body = [
        f"<h1>{_shown(title)}</h1>",
        *_opening(comparison),
        *_table(comparison),
        *_intervals(comparison),
        *_budgets(comparison),
        *_sizes(comparison),
        *_missed(comparison),
        *_beside(comparison),
    ]
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{_shown(title)}</title><style>{style}</style></head>\n<body><main>\n"
        + "\n".join(body)
        + "\n</main></body></html>\n"
    )


def _file(package: str, name: str) -> str:
    return resources.files(package).joinpath(name).read_text(encoding="utf-8")


def _hash(content: str) -> str:
    digest = hashlib.sha256(content.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def _shown(text: str) -> str:
    return as_html(as_plain(text))


def _opening(comparison: Comparison) -> Iterator[str]:
    documents = comparison.documents.values()
    length = sum(len(document.page_content) for document in documents)
    yield (
        f"<p>{len(comparison.documents)} documents, {length:,} characters; "
        f"{len(comparison.questions)} questions; {len(comparison.facts)} splitters. "
        f"Sizes are in {_shown(comparison.unit)}.</p>"
    )
    yield f"<p>{_shown(comparison.legend())}</p>"
    if comparison.notes:
        lines = "".join(f"<li>{_shown(note)}</li>" for note in comparison.notes)
        yield f"<details><summary>{len(comparison.notes)} notes</summary><ul>{lines}</ul></details>"


def _table(comparison: Comparison) -> Iterator[str]:
    head = "".join(f'<th scope="col">{_shown(name)}</th>' for name in comparison.header())
    yield '<h2>The table</h2><div class="wide" tabindex="0" role="region" aria-label="The table">'
    yield f"<table><thead><tr>{head}</tr></thead><tbody>"
    for line in comparison.table():
        first, *cells = line
        marked = "".join(f"<td{_kind(cell)}>{_shown(cell)}</td>" for cell in cells)
        yield f'<tr><th scope="row">{_shown(first)}</th>{marked}</tr>'
    yield "</tbody></table></div>"
    if comparison.rows:
        yield (
            "<p class='soft'>hit: one of the first chunks answers. mrr: 1 / rank of the first that "
            "does. noise: share of the first three that do not; one chunk can answer one question, so "
            ".667 is the floor there. iou: what was read against what should be. recall in N: share of "
            f"the evidence in a prompt of N {_shown(comparison.unit)}: the fair measure for chunks of "
            "different size.</p>"
        )


def _kind(cell: str) -> str:
    return (
        ' class="plus"' if cell.endswith(" +") else ' class="minus"' if cell.endswith(" -") else ""
    )


def _retrievers(comparison: Comparison) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in comparison.rows:
        found.setdefault(row.retriever, []).append(row)
    return found


def _budget_names(comparison: Comparison) -> list[str]:
    return [name for name in comparison.measures if name.startswith("recall in ")]


def _intervals(comparison: Comparison) -> Iterator[str]:
    budgets = _budget_names(comparison)
    wanted = [
        name
        for name in comparison.measures
        if name.startswith(("hit", "mrr")) or name in budgets[len(budgets) // 2 :][:1]
    ]
    for retriever, rows in _retrievers(comparison).items():
        yield f"<h2>How sure is it? ({_shown(retriever)})</h2>"
        yield (
            "<p>Dots are means, lines 95 % intervals. Where lines overlap the table decides: it "
            "compares question by question.</p>"
        )
        yield '<div class="row">'
        for name in wanted:
            chart = whiskers(name, {row.splitter: row.scores[name] for row in rows})
            yield f"<figure><figcaption>{_shown(name)}</figcaption>{chart}</figure>"
        yield "</div>"


def _budgets(comparison: Comparison) -> Iterator[str]:
    names = _budget_names(comparison)
    if len(names) < 2:
        return
    budgets = [int(name.rpartition(" ")[2]) for name in names]
    for retriever, rows in _retrievers(comparison).items():
        recalls = {row.splitter: [row.scores[name].mean for name in names] for row in rows}
        yield f"<h2>Recall against the size of the prompt ({_shown(retriever)})</h2>"
        yield f"<figure>{curves(budgets, recalls, comparison.unit)}</figure>"


def _sizes(comparison: Comparison) -> Iterator[str]:
    yield '<h2>Sizes of chunks</h2><div class="row">'
    for name, made in comparison.chunked.items():
        yield f"<figure>{histogram(name, made.sizes, comparison.unit.split(' ')[0])}</figure>"
    yield "</div>"


def _missed(comparison: Comparison) -> Iterator[str]:
    if not comparison.rows:
        return
    yield "<h2>Questions that were missed</h2>"
    for row in comparison.rows:
        missed = [
            (question, found)
            for question, found in zip(comparison.questions, row.found, strict=True)
            if not found.rank
        ]
        name = f"{row.splitter}, {row.retriever}: {len(missed)} of {len(comparison.questions)}"
        yield f"<details><summary>{_shown(name)}</summary>"
        for question, found in missed[:_MISSED]:
            yield from _miss(comparison, row, question, found)
        if len(missed) > _MISSED:
            yield f"<p class='soft'>And {len(missed) - _MISSED} more; the JSON has all.</p>"
        yield "</details>"


def _miss(comparison: Comparison, row: Row, question: Question, found: Found) -> Iterator[str]:
    text = comparison.documents[question.source].page_content
    gold = union(question.gold)
    yield f"<details><summary>{_shown(question.text)}</summary><p>The answer, in {_shown(question.source)}:</p>"
    for start, end in gold[:_SHOWN]:
        low, high = max(0, start - 80), min(len(text), end + 80)
        yield (
            f"<blockquote dir='auto'>…{as_html(text[low:start])}<mark>{as_html(text[start:end])}</mark>"
            f"{as_html(text[end:high])}…</blockquote>"
        )
    yield "<p>What was retrieved:</p>"
    made = comparison.chunked[row.splitter]
    for number in found.chunks[:_SHOWN]:
        yield (
            f"<p class='soft'>{_shown(made.sources[number])}</p>"
            f"<blockquote dir='auto'>{as_html(made.documents[number].page_content)}</blockquote>"
        )
    if not found.chunks:
        yield "<p class='soft'>Nothing.</p>"
    yield "</details>"


def _beside(comparison: Comparison) -> Iterator[str]:
    """Show the chunks of one document side by side, of the splitters that differ most in size."""
    fitting = [
        (len(document.page_content), name)
        for name, document in comparison.documents.items()
        if 0 < len(document.page_content) <= _VIEWED
    ]
    if not fitting:
        return
    source = max(fitting)[1]
    names = _different(comparison)
    shown: dict[str, Any] = {}
    for name in names:
        made = comparison.chunked[name]
        # a splitter says why it cut; of chunks alone that is not known
        ours = isinstance(made.splitter, BaseSplitter)
        chunks = [made.documents[number] for number in made.inside[source]]
        if chunks:
            shown[name] = made.splitter if ours else chunks
    if not shown:
        return
    page = view(shown, comparison.documents[source], title=source).html
    yield f"<h2>Chunks side by side: {_shown(source)}</h2>"
    yield (
        f'<iframe sandbox="allow-scripts" title="Chunks side by side" srcdoc="{html.escape(page)}">'
        "</iframe>"
    )


def _different(comparison: Comparison) -> Sequence[str]:
    """Name a few splitters: the first of each number of chunks, in the order given."""
    seen: dict[int, str] = {}
    for name, fact in comparison.facts.items():
        seen.setdefault(fact.chunks, name)
    return list(seen.values())[:_BESIDE]
