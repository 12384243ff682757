"""Tables for the tests: CSV, Markdown and HTML, valid and broken."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from tests import generators, generators_html

CELLS = (
    "", "1", "2.50", "2019", "x", "Tea", "Green tea, hot", "a | b", "c\\|d", "two words", "-", '"', '"open', 'in"side', '""',
    '"a, b"', '"say ""hi"""', '"two\nlines"', '"a\r\nb"', "今天天气很好", "क्षि", "👨‍👩‍👧‍👦", "e\u0301", " spaced ", "\ud800", "\u0301",
    "Nobody noticed it. Not even the crew; they slept.", "---", ":-:", "<b>bold</b>", "\ufeff", "a;b", "a\tb", "name:",
)  # fmt: skip
MARKS = (",", ";", "\t", "|")
NEWLINES = ("\n", "\n", "\r\n", "\r", "\n\n")
PROSE = (
    "Words, and more words.", "# Heading", "Before the table:", "```\n| a |\n|---|\n| b |\n```", "x | y", "> quoted",
)  # fmt: skip


@cache
def rows() -> st.SearchStrategy[list[list[str]]]:
    """Give rows, most of them of one width."""
    cell = st.sampled_from(CELLS)
    even = st.integers(1, 5).flatmap(
        lambda n: st.lists(st.lists(cell, min_size=n, max_size=n), max_size=6)
    )
    return even | even | st.lists(st.lists(cell, max_size=5), max_size=6)


@cache
def csvs() -> st.SearchStrategy[str]:
    def joined(table: list[list[str]], mark: str, newline: str, end: str) -> str:
        return newline.join(mark.join(row) for row in table) + end

    marks, newlines = st.sampled_from(MARKS), st.sampled_from(NEWLINES)
    return st.builds(joined, rows(), marks, newlines, st.sampled_from(("", "\n")))


@cache
def pipes() -> st.SearchStrategy[str]:
    """Give tables of Markdown, some without their delimiter row, some with it elsewhere."""

    def joined(table: list[list[str]], at: int, width: int, indent: str) -> str:
        lines = ["| " + " | ".join(cell.replace("\n", " ") for cell in row) + " |" for row in table]
        width = len(table[0]) if table and not width else width
        lines[at:at] = ["|" + "---|" * max(width, 1)] if at < 4 else []
        return "".join(indent + line + "\n" for line in lines)

    return st.builds(
        joined, rows(), st.sampled_from((1, 1, 1, 2, 0, 9)), st.sampled_from((0, 0, 0, 2)),
        st.sampled_from(("", "", "  ", "> ")),
    )  # fmt: skip


@cache
def htmls() -> st.SearchStrategy[str]:
    def joined(table: list[list[str]], head: int, end: str) -> str:
        lines = [
            "<tr>" + "".join(f"<{'th' if number < head else 'td'}>{cell}" for cell in row)
            for number, row in enumerate(table)
        ]
        return "<table>" + "\n".join(lines) + end

    ends = st.sampled_from(("", "</table>", "</table><p>"))
    return st.builds(joined, rows(), st.sampled_from((0, 1, 1, 2)), ends)


@cache
def documents() -> st.SearchStrategy[str]:
    """Give tables with prose around them."""
    prose = st.sampled_from(PROSE) | generators.texts()
    markdown = st.lists(pipes() | prose, max_size=5).map("\n\n".join)
    return markdown | st.lists(htmls() | prose, max_size=4).map("".join)


@cache
def texts() -> st.SearchStrategy[str]:
    return st.one_of(
        csvs(), csvs(), pipes(), htmls(), documents(), generators_html.texts(), generators.texts()
    )
