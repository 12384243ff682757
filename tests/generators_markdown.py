"""Markdown documents, valid and broken, for the tests of `MarkdownSplitter`."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from langchain_chunkers.testing.texts import runs_of
from tests import generators

FRONT = (
    "---\ntitle: Pumps\ntags: [a, b]\ndate: 2024-05-01\n---\n", "+++\ntitle = 'P'\n+++\n",
    "---\n\nA rule.\n\n---\n", "---\nno: [end\n---\n", "---\nunclosed: 1\n", "\ufeff---\na: 1\n...\n", "", "", "", "",
)  # fmt: skip
HEADINGS = (
    "# One", "## Two ##", "### 三 `code` **x**", "###### Six", "#", "Title\n===", "Two lines\nof title\n---", "# A\n## B",
    "# Same", "# Same", "  ## indented", "#NoSpace", "####### seven", "## 24/7 desk", "**Bold line**",
)  # fmt: skip
FENCES = (
    "```python\ndef f(x):\n    return x\n\n\nclass K:\n    # no heading\n    y = 1\n```", "~~~ {.sql}\nselect 1;\n~~~",
    "````md\n```\ninner\n```\n````", "```text\n```python is no end\n# no heading\n```", "  ```\n  indented\n\n  ```",
    "```\nunclosed\n\n# inside\n\n| a |", "```js {1-2} title=x\n```", "```", "~~~\n```\n~~~", "    # indented\n\n    code",
    "> ```py\n> a = 1\n> b = 2\n> ```", "- ```sh\n  ls\n  pwd\n  ```\n- two", "1. x\n\n   ~~~\n   y\n\n   z\n   ~~~", "```a`b\nx",
    "```go\n" + "x := compute(1)\n" * 9 + "```", "```\n" + "一行代码\n" * 8 + "\n\n```", "```go\nx\n   ```\n", "```\n\n\n```",
)  # fmt: skip
TABLES = (
    "| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 | 4 |", "| item | Q1 |\n| | Jan |\n|---|---|\n" + "| row | 5,120 |\n" * 6,
    "a | b\n-|-\n`x\\|y` | 🇵🇹\nlazy", "| A |\n|---|\n" + "| a long cell with words and more of them |\n" * 4,
    "text\n| a | b |\n| --- | --- |\n| 1 |", "> | q |\n> |---|\n> | r |\n> | s |", "- | i | j |\n  |---|---|\n  | k | l |\n  | m | n |",
    "| no | end", "|---|", "| 1 |\n|---|---|\n| 2 |", "| w |\n|---|\n| " + "left words " * 9 + "| " + "right words " * 9 + "|",
)  # fmt: skip
LISTS = (
    "- one\n- two\n  - nested, with words\n    and a wrapped line\n    - deep\n      - deeper\n- three", "Intro:\n\n- a\n- b",
    "1. first\n2. second\n\n   more\n\n3. third", "* a\n\n* b", "- [ ] task\n- [x] done", "- \n- x", "- # heading\n\n  text", "-\n\n  x",
    "* * *", "- - - x", "10) ten\n11) eleven", "+ a\n\n\n+ b", "- a\n\n      code\n\n  b",
)  # fmt: skip
OTHERS = (
    "> quoted\n> text\n\n> more", "> # In a quote\n> text\n> > deeper\n> - item", ">", "lazy\n> a\nb\nc", "---", "***", "_ _ _",
    "<div>\n\ntext\n\n</div>", "<!-- a\n\n# comment -->", "<details>\n<summary>x</summary>\n\n- a\n\n</details>", "<script>\n\nx",
    "[^1]: note\n\n    more of it\n", "see [^1] and [a]", "[a]: https://example.org 'T'\n[b]: <x>", "$$\na\n= b\n# c\n$$", "$$", "\\[x\\]",
    "import X from './x'\n\nexport const a = 1", "<Tabs>\n<Tab>\n\ntext {1 + 1}\n\n</Tab>\n</Tabs>", "a  \nb\\\nc", "**b** _i_ `c` [l](u)",
    "![](x.png)", "&amp; &#35; x", "a\n\n\n\nb", "\tx", "Term\n: definition", "<![CDATA[\n\nx]]>", "<?php\n\n?>", "[x\ny]: z",
)  # fmt: skip
BLOCKS = (*HEADINGS, *HEADINGS, *FENCES, *TABLES, *LISTS, *OTHERS, *generators.PARAGRAPHS[::5])
MARKS = ("# ", "## ", "- ", "  - ", "> ", "```", "~~~", "`", "|", "---", "===", "\n", "\n", "\n\n", " ", "    ", "\t", "1. ", "*", "_",
         "[^a]: ", "[a]: ", "<b>", "<!--", "-->", "$$", "a", "word ", "中", "\ufeff", "\r", "\r\n", "\x00", "\\", "&", ":", "é\u0301")  # fmt: skip


def blocks() -> st.SearchStrategy[str]:
    """Blocks one after the other, with and without blank lines between."""
    parts = [block + gap for block in BLOCKS for gap in ("\n\n", "\n")]
    return st.builds(
        lambda front, text, newline: (front + text).replace("\n", newline),
        st.sampled_from(FRONT),
        runs_of(parts, 1, 8),
        st.sampled_from(("\n", "\n", "\n", "\r\n", "\r")),
    )


def nested() -> st.SearchStrategy[str]:
    """A document inside a quote or a list item."""
    return st.builds(
        lambda text, first, rest: first + text.replace("\n", "\n" + rest),
        blocks(),
        st.sampled_from(("> ", "- ", "1. ", "> - ", "[^x]: ")),
        st.sampled_from(("> ", "  ", "   ", ">   ", "    ")),
    )


def marks() -> st.SearchStrategy[str]:
    """The marks of Markdown in any order."""
    return runs_of(MARKS, 1, 40)


@cache
def documents() -> st.SearchStrategy[str]:
    """Markdown of all kinds."""
    return st.one_of(blocks(), blocks(), blocks(), nested(), marks())
