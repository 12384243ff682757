"""Hypothesis strategies: dialogue, LaTeX, reStructuredText and numbered documents, valid and broken."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from langchain_chunkers.testing import hostile_texts
from langchain_chunkers.testing.texts import runs_of
from tests.generators import PARAGRAPHS

SAID = (
    "Yes.", "Is there tea?", "No: none at all.", "真的吗？", "OK 👍🏽", "I think so, but the pump failed at noon. Nobody noticed!",
    "See http://a.b/c?d=e and\nthe second line.", "One.\n\nTwo, after a blank line.", "Note: not a name.", "```\nx = 1\n\ny = 2\n```",
)  # fmt: skip
NAMES = (
    "Ann: ",
    "Ben: ",
    "Dr. Ruiz (chair): ",
    "user: ",
    "assistant: ",
    "主持人：",
    "**Ann:** ",
    "Q: ",
    "A: ",
)
TIMES = (
    "[12:03] Ann: ", "[12:04] Ben: ", "12/31/23, 11:59 PM - Ann: ", "[31.12.23, 23:59:01] Ben: ", "10:01 <ann> ",
    "<ben> ", "* ann ", "Ann Bell  10:23 AM\n", "ben — Today at 10:24 AM\n", "00:00:01.000 --> 00:00:02.000\n<v Ann>",
    "7\n00:00:03,000 --> 00:00:04,000\n", "WEBVTT\n\n", "<|im_start|>user\n", "<|im_end|>\n",
)  # fmt: skip
MAIL = (
    "From: Ann <a@b.c>\nDate: 5 May 2025\nSubject: Tea\n\n", "On 5 May 2025 at 10:03, Ann Bell <a@b.c> wrote:\n", "> Is there tea?\n",
    ">> And milk?\n", ">\n", "-----Original Message-----\nFrom: Ben\nSent: today\n", "No, thanks.\n\n", "Am 5.5.2025 schrieb Ben:\n",
)  # fmt: skip
JSON = (
    '{"role": "user", "content": "Is there tea?"}, ', '{"role": "assistant", "content": "Yes: \\"black\\".\\nGreen."}, ',
    '{"type": "message", "user": "U1", "text": "好", "ts": "1.2"}, ', "{'content': 'It\\'s', 'role': 'user'}, ",
    '{"messages": [', "]}", "[", "]", '"', "{", '{"role": "user", "content": [{"type": "text", "text": "part"}]}\n', "null, ",
)  # fmt: skip
LATEX = (
    "\\section{One}\n", "\\subsection*{Two \\emph{words}}\\label{s}\n", "\\chapter{C}\n", "\\paragraph{P} ", "\\begin{document}\n",
    "\\end{document}\n", "\\documentclass{article}\n", "\\begin{itemize}\n\\item one\n\\item two, longer\n\n  still two\n\\end{itemize}\n",
    "\\begin{tabular}{ll}\n\\toprule\nA & B \\\\\n\\midrule\n1 & 2 \\\\\n3 & 4 \\\\\n\\bottomrule\n\\end{tabular}\n",
    "\\begin{verbatim}\n\\section{no}\n\n% text\n\\end{verbatim}\n", "\\begin{lstlisting}[language=Python]\nx = 1\n\n\ny = 2\n\\end{lstlisting}\n",
    "\\begin{equation}\nx = 1 \\\\\ny = 2\n\\end{equation}.\n", "\\[ x^2 \\]\n", "\\begin{figure}\n\\caption{F}\n", "\\end{figure}\n",
    "\\begin{x}", "\\end{y}", "\\item ", "% \\section{comment}\n", "100\\% sure\n", "\\verb|\\end{x}| ", "\\section{", "}", "\\\\\n", "$$y$$\n",
    "\\begin{minted}{c}\nint x;\n\\end{minted}\n", "\\begin{verbatim}\n",
)  # fmt: skip
RST = (
    "Title\n=====\n\n", "=====\nOver\n=====\n\n", "Sub\n---\n\n", "Deeper\n~~~~~~\n", ".. _target:\n\n", ".. note::\n\n   Body of it.\n\n   More.\n\n",
    ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y = 2\n\n", "Like so::\n\n    literal\n\n      text\n\n", "::\n\n  x\n",
    "+---+---+\n| A | B |\n+===+===+\n| 1 | 2 |\n+---+---+\n| 3 | 4 |\n|   | 5 |\n+---+---+\n\n", "==  ==\nA   B\n==  ==\n1   2\n3   4\n    5\n==  ==\n\n",
    "- one\n- two,\n  wrapped\n\n  - nested\n\n", "1. first\n2. second\n\n", ":field: value\n", ">>> 1 + 1\n2\n\n", "| verse\n| lines\n\n", ".. comment\n   of two lines\n\n",
    "----\n\n", "    indented quote\n\n", "term\n    definition\n\n", "=====\n", "+---+\n", "==  ==\n", "::\n", ".. ", "..\n", ".. image:: x.png\n", "\t", "  ",
)  # fmt: skip
LEGAL = (
    "Article 5\nScope of it\n\n", "ARTICLE I\n\n", "Section 1.1 Terms. As used here,\n", "1. Definitions\n\n", "2. The parties agree that they agree.\n", "1.1 One thing.\n\n",
    "1.2 Another:\n", "(a) first; and\n", "(b) second.\n", "(i) inner;\n", "(ii) more.\n\n", "§ 3 Geltung\n\n", "第三条　为了规范，制定本法。\n", "第一章 总则\n\n", "（一）甲；\n",
    "as said in Section\n5.2 shall apply. ", "Schedule 2\n\n", "WHEREAS, the Seller sells;\n", "\"Buyer\" means the one who buys.\n", "1. Definitions ........ 3\n",
    "2. Term\n3. Law\n4. Notices\n", "Page 3 of 10\n", "CONFIDENTIALITY\n\n", "Title\n=====\n", "A. Background\n", "I. General\n", "Annex A - Prices\n---\n", "12 May 2020\n", "제3조(목적)\n",
)  # fmt: skip


def _documents(parts: tuple[str, ...], most: int = 14) -> st.SearchStrategy[str]:
    """Parts of a kind in any order, with prose between: most are broken somewhere."""
    own = runs_of(parts, 1, most)
    mixed = runs_of((*parts, *(p + "\n\n" for p in PARAGRAPHS[::4]), "\n", "\n\n"), 1, most)
    newline = st.sampled_from(("\n", "\n", "\n", "\r\n"))
    return st.builds(lambda text, sign: text.replace("\n", sign), own | mixed, newline)


@cache
def dialogues() -> st.SearchStrategy[str]:
    """Chat logs and transcripts in one format, e-mail, JSON, and mixtures of all."""
    named = st.sampled_from(
        [
            NAMES[:3],
            NAMES[3:6],
            NAMES[6:7],
            NAMES[7:],
            TIMES[:2],
            TIMES[2:3],
            TIMES[3:4],
            TIMES[4:7],
            TIMES[7:9],
            TIMES[9:10],
            TIMES[10:11],
        ]
    )
    one_format = named.flatmap(
        lambda names: runs_of([n + s + "\n" for n in names for s in SAID], 1, 12)
    )
    messages = runs_of(JSON[:4], 2, 8).map(lambda text: "[" + text.rstrip(", ") + "]")
    anything = runs_of((*TIMES, *NAMES, *(s + "\n" for s in SAID), *MAIL), 1, 16)
    return st.one_of(
        one_format,
        one_format,
        _documents(MAIL),
        messages,
        runs_of(JSON, 1, 12),
        anything,
        hostile_texts(20),
    )


@cache
def latex() -> st.SearchStrategy[str]:
    return _documents(LATEX) | hostile_texts(20)


@cache
def rst() -> st.SearchStrategy[str]:
    return _documents(RST) | hostile_texts(20)


@cache
def legal() -> st.SearchStrategy[str]:
    return _documents(LEGAL) | hostile_texts(20)
