"""LaTeX: sections, environments whole, what is broken."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers.readers.latex import read_latex
from langchain_chunkers.strategies.latex import LatexSplitter
from tests.generators_documents import latex
from tests.golden_documents import check_golden, prove, text_of

GOLDEN = {"article.tex": 250, "image.tex": 300, "multicolumn.tex": 420}


@pytest.mark.parametrize("document", GOLDEN)
def test_golden_documents(document: str) -> None:
    text = text_of("latex", document)
    prove(lambda **params: LatexSplitter(GOLDEN[document], **params), text)
    check_golden("latex", document, LatexSplitter(GOLDEN[document]))


def paths(text: str, **params: object) -> list[dict[str, str]]:
    return [d.metadata for d in LatexSplitter(**params).create_documents([text])]  # type: ignore[arg-type]


def test_levels_are_those_that_the_text_uses() -> None:
    text = "\\chapter{A}\na\n\\section*{B}\nb\n\\subsubsection{C}\nc\n\\section{D}\nd\n\\paragraph{E} e\n"
    assert paths(text) == [
        {"Header 1": "A"}, {"Header 1": "A", "Header 2": "B"}, {"Header 1": "A", "Header 2": "B", "Header 3": "C"},
        {"Header 1": "A", "Header 2": "D"}, {"Header 1": "A", "Header 2": "D", "Header 4": "E"},
    ]  # fmt: skip


@pytest.mark.parametrize(
    "command, title",
    [
        (r"\section{A \textbf{bold \emph{word}}}", "A bold word"), (r"\section[short]{Long \& wide}", "Long & wide"),
        (r"\section{A}\label{sec:a}", "A"), (r"\section*{100\%~sure}", "100% sure"), ("\\section{two\n lines}", "two lines"),
    ],
)  # fmt: skip
def test_titles_are_plain_words(command: str, title: str) -> None:
    assert paths(f"{command}\ntext\n") == [{"Header 1": title}]


@pytest.mark.parametrize(
    "text",
    [
        "% \\section{no}\ntext", "\\begin{verbatim}\n\\section{no}\n\\end{verbatim}\n", "a \\verb|\\section{no}| b",
        "\\newcommand{\\x}[1]{\\section{#1}}", "\\section{never closed", "\\sectionmark{no}\n", "text \\section{no}",
    ],
)  # fmt: skip
def test_what_is_no_heading(text: str) -> None:
    assert all("Header 1" not in metadata for metadata in paths(text))


def test_a_heading_with_a_subheading_shares_its_text() -> None:
    text = "\\section{A}\n\\subsection{B}\ntext\n\\section{C}\n\\section{D}\nmore\n"
    assert [d.page_content for d in LatexSplitter().create_documents([text])] == [
        "\\section{A}\n\\subsection{B}\ntext", "\\section{C}", "\\section{D}\nmore",
    ]  # fmt: skip
    assert paths(text)[0] == {"Header 1": "A", "Header 2": "B"}


def test_the_preamble_is_a_part_of_its_own_and_the_end_belongs_to_the_text() -> None:
    text = "\\documentclass{article}\n\n\\begin{document}\n\\section{A}\ntext\n\n\\end{document}\n"
    assert LatexSplitter().split_text(text) == [
        "\\documentclass{article}", "\\begin{document}\n\\section{A}\ntext\n\n\\end{document}",
    ]  # fmt: skip


ENVIRONMENTS = (
    "\\begin{theorem}\nIt holds.\n\nIndeed.\n\\end{theorem}",
    "\\begin{itemize}\n\\item one\n\n\\item two\n\\end{itemize}",
    "\\begin{tabular}{ll}\na & b \\\\\nc & d \\\\\n\\end{tabular}",
    "\\begin{verbatim}\na\n\nb\n\\end{verbatim}",
    "\\begin{align*}\na &= b \\\\\nc &= d\n\\end{align*}",
    "\\begin{figure}\n\\includegraphics{x}\n\n\\caption{F}\n\\end{figure}",
)


@given(
    st.lists(st.sampled_from((*ENVIRONMENTS, "Some words here. And more.", "A line:")), min_size=1, max_size=9),
    st.sampled_from(("\n", "\n\n")), st.integers(60, 150),
)  # fmt: skip
def test_environments_that_fit_are_never_cut(blocks: list[str], gap: str, size: int) -> None:
    text = gap.join(blocks)
    spans = LatexSplitter(size).split_spans(text)
    for block in {block for block in blocks if block in ENVIRONMENTS and len(block) <= size}:
        for found in re.finditer(re.escape(block), text):
            assert any(s.start <= found.start() and found.end() <= s.end for s in spans), block


def test_a_table_is_divided_by_rows_under_its_head() -> None:
    rows = "".join(f"row {i} & {i * i} \\\\\n" for i in range(12))
    text = f"\\begin{{tabular}}{{lr}}\n\\toprule\nA & B \\\\\n\\midrule\n{rows}\\bottomrule\n\\end{{tabular}}\n"
    chunks = LatexSplitter(130).split_text(text)
    assert len(chunks) > 2
    for chunk in chunks:
        assert chunk.startswith("\\begin{tabular}{lr}\n\\toprule\nA & B \\\\\n\\midrule\nrow")
        assert chunk.endswith("\\end{tabular}")
        assert chunk.count("\\begin") == 1


def test_a_listing_over_the_cap_is_opened_again() -> None:
    code = "\n\n".join(f"def f{i}(x):\n    return x + {i}" for i in range(6))
    text = f"\\begin{{minted}}{{python}}\n{code}\n\\end{{minted}}\n"
    documents = LatexSplitter(110).create_documents([text])
    for document in documents:
        assert document.page_content.startswith("\\begin{minted}{python}\ndef f")
        assert document.page_content.endswith("\\end{minted}")
        assert document.metadata["language"] == "python"


@pytest.mark.parametrize(
    "text",
    [
        "\\begin{a}",
        "\\end{a}",
        "\\begin{a}\\begin{b}\\end{a}\\end{b}",
        "\\",
        "\\begin{",
        "\\item",
        "{" * 99,
        "\\\\",
    ],
)
def test_broken_text_is_text(text: str) -> None:
    assert "".join(LatexSplitter(5, strip_whitespace=False)(text)) == text


def test_depth_costs_no_recursion() -> None:
    text = "\\begin{a}\n" * 20_000 + "\\end{a}\n" * 20_000
    assert read_latex(text).text == text


@given(latex())
def test_reading_is_pure(text: str) -> None:
    assert read_latex(text) == read_latex(text)
