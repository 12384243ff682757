"""Every Hypothesis strategy of the tests: texts of all kinds, and what the packer works on.

`texts` is the union that the contract runs on. The others are its parts, each a kind of document or
a kind of trouble. What any splitter of anybody must stand (fragments and any characters at all) is
`langchain_chunkers.testing.hostile_texts`; here is also what has structure.
"""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from functools import cache

from hypothesis import strategies as st

from langchain_chunkers.testing import hostile_texts
from langchain_chunkers.testing.texts import runs_of

SENTENCES = {
    "English": (
        "The pump failed at noon.", "Nobody noticed!", "Why not?", 'She said, "Leave it."',
        "It costs 3.50 euros, i.e. nothing.", "Dr. Rao met Mr. J. R. Silva in the U.S. on Monday.",
        "See https://example.org/a.b?c=d&e=f (p. 12) for more; or ask.", "Wait... what?",
        "A well-known crew of twenty-three replaced the seal, the valve and the gauge within an hour.",
    ),
    "German": ("Die Prüfung ist am 3. Oktober.", "Geht das, z. B. heute?", "„Nein“, sagte er."),
    "French": ("Où est l’été ?", "« Oui. » Il partit.", "C’est-à-dire : jamais."),
    "Russian": ("Это было в г. Москве.", "Почему бы и нет?", "«Да», — сказал он."),
    "Polish": ("Zażółć gęślą jaźń.", "Pchnąć w tę łódź jeża!"),
    "Chinese": (
        "今天天气很好，我们去公园散步。", "他说：“走吧！”", "真的吗？！", "价格是3.50元；不贵。",
        "这是一个没有逗号也没有句号而且非常长的句子用来看看会在哪里断开",
    ),
    "Japanese": ("吾輩は猫である。", "名前はまだ無い。", "「行こう」と言った。", "カッコいいっすね！"),
    "Korean": ("오늘은 날씨가 좋습니다.", "정말요?", "그는 “가자”라고 말했다."),
    "Thai": ("วันนี้อากาศดีมาก", "เราไปเดินเล่นที่สวนสาธารณะ", "จริงหรือ?", "น้ำ ๑๒ ขวด"),
    "Hindi": ("आज मौसम बहुत अच्छा है।", "क्या सच में?", "क्षत्रिय स्त्री ने कहा।"),
    "Arabic": ("الطقس جميل اليوم.", "هل هذا صحيح؟", "قال: نعم، بالطبع."),
    "Hebrew": ("מזג האוויר יפה היום.", "באמת?"),
    "Burmese": ("နေကောင်းလား။", "ကျေးဇူးတင်ပါတယ်။"),
    "Vietnamese": ("Hôm nay trời đẹp.", "Thật không?"),
}  # fmt: skip
HEADINGS = (
    "# Intro", "## Über uns", "### 总则", "#### A longer heading about the water pump", "##", "# # #",
    "Title\n=====", "Second title\n---", "2.1 Scope", "Chapter 3", "第三章 总则", "A Line That Stands Alone",
    "NOTICE", "####### seven", "#NoSpace",
)  # fmt: skip
FENCES = (
    "```\nx = 1\n```", "```python\ndef f(x):\n    return x\n\n# not a heading\n```", "~~~\n```\n~~~",
    "```\nunclosed\n\n# inside", "````md\n```\ninner\n```\n````", "  ```\n  indented\n  ```",
    "    indented code\n\n    more of it", "```" + "\nline of code = 1" * 12 + "\n```",
)  # fmt: skip
TABLES = (
    "| A | B |\n|---|:-:|\n| a | 12.5 |\n| 中文 | |", "| A |\n|---|" + "\n| a long cell with words |" * 8,
    "a | b\n--|--\n`x|y` | 🇵🇹 | too | many", "| no | end",
)  # fmt: skip
LISTS = (
    "- one\n- two\n  - nested, with words\n    and a wrapped line\n- three", "1. first\n2. second\n\n3. third",
    "• Punkt\n• noch einer", "* a\n\n* b", "2) two.\n3) three.", "> quoted\n> text\n\n> more",
)  # fmt: skip
CLUSTERS = (
    "👨‍👩‍👧‍👦", "👍🏽", "❤️", "🇵🇹", "🇩🇪", "🏳️‍🌈", "e\u0301", "a\u0300\u0316\u0323", "क्षि", "स्त्री", "ก็", "น้ำ",
    "\u1100\u1161\u11a8", "\u1112\u1161\u11ab", "각", "ကျွန်", "நி", " \u0301", "\u0600\u0661", "\r\n",
    "a", "b", " ", "。", "\u200d", "\u0301", "🇵",
)  # fmt: skip
SPECIALS = (
    "\ud800", "\udfff", "\x00", "\ufffd", "\ufeff", "<|endoftext|>", "<|im_start|>", "[CLS]", "[UNK]",
    "</s>", "\u202e", "\u202d", "\u2066", "\u2069", "\u200f", "\x1b[31m", "\u0085", "\u001c", "word ",
    "text. ", "中文", "\n", "more words ",
)  # fmt: skip
RUNS = tuple(
    sign * size
    for sign in ("x", "0", "=", "中", "🇩🇪", "\u0301", " ", "\n", "\r\n", "\t", "(", "[", "#", "`", "|", "。", ".")
    for size in (9, 41, 120)
) + (" word ", "\n", "a")  # fmt: skip
REPEATED = (
    "go. ",
    "the same line\n",
    "ab",
    "好。",
    "one two one two ",
    "A.\n\n",
    "🇵🇹",
    "# H\n\nA b. ",
)
SPEAKERS = ("Anna: ", "Project Manager: ", "主持人：", "[00:12:03] B: ")
BLANKS = ("\n\n", "\n\n", "\n\n\n", "\n \n", "\r\n\r\n", "\f", "\u2029", "\r\r")


def _paragraphs() -> tuple[str, ...]:
    """Make paragraphs of one to five sentences in each script; with spaces between, or without."""
    made = []
    for script, sentences in SENTENCES.items():
        gap = "" if script in ("Chinese", "Japanese") else " "
        made += [gap.join(sentences[:2]), sentences[-1], gap.join((*sentences, *sentences)[:7])]
    return tuple(made)


PARAGRAPHS = _paragraphs()
ALL_SENTENCES = tuple(sentence for sentences in SENTENCES.values() for sentence in sentences)


def _joined(parts: Sequence[str], gaps: Sequence[str], most: int = 8) -> st.SearchStrategy[str]:
    """Join some parts with one gap."""
    marked = [part + "\ue000" for part in parts]  # a private character, for the gap
    return st.builds(
        lambda text, gap: text.replace("\ue000", gap),
        runs_of(marked, 1, most),
        st.sampled_from(gaps),
    )


def prose() -> st.SearchStrategy[str]:
    """Paragraphs between blank lines, scripts mixed."""
    return _joined(PARAGRAPHS, BLANKS)


def paragraph_lines() -> st.SearchStrategy[str]:
    """One paragraph a line."""
    return _joined(PARAGRAPHS, ("\n", "\r\n", "\u2028"))


def sentences() -> st.SearchStrategy[str]:
    """Sentences of all scripts in one paragraph."""
    return _joined(ALL_SENTENCES, (" ", "", "  ", "\n"), 16)


def wrapped() -> st.SearchStrategy[str]:
    """Paragraphs wrapped at a column."""
    return st.builds(
        lambda text, width: "\n\n".join(
            textwrap.fill(part, width, break_long_words=False) for part in text.split("\n\n")
        ),
        _joined(PARAGRAPHS, ("\n\n",), 4),
        st.integers(15, 72),
    )


def markdown() -> st.SearchStrategy[str]:
    """Markdown documents: headings, fences, tables, lists, quotes; with all kinds of newlines."""
    blocks = (*PARAGRAPHS, *HEADINGS, *FENCES, *TABLES, *LISTS, *HEADINGS)
    return st.builds(
        lambda text, newline: text.replace("\n", newline),
        _joined(blocks, ("\n\n", "\n")),
        st.sampled_from(("\n", "\n", "\n", "\r\n", "\r")),
    )


def transcripts() -> st.SearchStrategy[str]:
    """Turns of speakers, one a line."""
    turns = [speaker + text for speaker in SPEAKERS for text in PARAGRAPHS[::3]]
    return _joined(turns, ("\n", "\n\n"))


def clusters() -> st.SearchStrategy[str]:
    """Grapheme clusters of several code points, side by side and between letters."""
    return runs_of(CLUSTERS, 1, 40)


def specials() -> st.SearchStrategy[str]:
    """Lone surrogates, NUL, special tokens, bidi controls, between words."""
    return runs_of(SPECIALS, 1, 30)


def long_runs() -> st.SearchStrategy[str]:
    """Long stretches without a place, and stretches of nothing but places."""
    return runs_of(RUNS, 1, 5)


def repeats() -> st.SearchStrategy[str]:
    """The same sentence or line again and again: a wrong offset slices back to the same text."""
    part = st.sampled_from(REPEATED)
    return st.builds(lambda part, times, end: part * times + end, part, st.integers(2, 40), part)


@cache
def texts() -> st.SearchStrategy[str]:
    """Texts of all kinds, and two kinds one after the other."""
    kinds = st.one_of(
        hostile_texts(), prose(), paragraph_lines(), sentences(), wrapped(), markdown(), markdown(),
        transcripts(), clusters(), specials(), long_runs(), repeats(),
    )  # fmt: skip
    return kinds | st.builds("".join, st.tuples(kinds, st.sampled_from(("\n\n", "\n", "")), kinds))


def part_sizes(least: int = 1) -> st.SearchStrategy[list[int]]:
    """Sizes of up to nine neighbouring parts: few enough to try all divisions."""
    return st.lists(st.integers(least, 12), min_size=1, max_size=9)
