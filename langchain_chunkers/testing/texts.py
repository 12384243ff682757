"""Text that breaks splitters, as a Hypothesis strategy."""

from __future__ import annotations

from operator import mul
from typing import TYPE_CHECKING

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["FRAGMENTS", "hostile_texts"]

FRAGMENTS: tuple[str, ...] = (
    # words, sentences and what looks like an end of one
    "a", "b ", "the ", "word ", ". ", ".\n", "! ", "? ", ", ", "; ", "Dr. ", "3.14 ", "e.g. ", "A",
    'He said, "No." ', "http://a.b/c?d=e ", "(see p. 3) ", "... ", "well-known ",
    # lines and white space
    "\n", "\n\n", "\r\n", "\r\n\r\n", "\r", "\t", "\x0b", "\x0c", "\x85", "\u2028", "\u2029", " " * 7,
    "\u3000", "\u00a0", "\u200b", "\n \n", "\n\t\n", "\n" * 9,
    # blocks of Markdown and plain text
    "# Head\n", "## Sub\n\n", "### ", "Title Line\n\n", "Title\n=====\n", "1. one\n", "- item\n",
    "  * nested\n", "> quote\n", "```\n", "```python\n", "    indented\n", "| a | b |\n", "|---|---|\n",
    "~~~\n", "---\n", "<b>", "</b>", "$$x$$ ", "[a](b)", "Speaker A: ", "第一章 总则\n\n",
    # Chinese, Japanese, Korean, Thai, Hindi, Arabic, Hebrew, Russian, Vietnamese, Polish
    "中", "文字", "。", "！？", "，", "、", "他说：“好。”", "東京は", "カタカナ", "っ", "한국어 ", "다. ",
    "ภาษาไทย ", "ก", "नमस्ते ", "है। ", "क्ष", "مرحبا ", "؟ ", "שלום ", "привет. ", "Việt ", "łódź ",
    # grapheme clusters of several code points
    "e\u0301", "\u0301", "\u200d", "\ufe0f", "🇵🇹", "🇩", "👨‍👩‍👧‍👦", "👍🏽", "❤️", "🏴\U000e0067\U000e0062\U000e007f",
    "\u1100\u1161\u11a8", "\u1100", "a" + "\u0300\u0316" * 6, "กำ", "\u0600", "\u0600 ", " \u0301",
    # what must be text like other text
    "\ud800", "\udc00", "\x00", "\ufffd", "\ufeff", "\u202e", "\u2066", "\u2069", "<|endoftext|>",
    "<|im_start|>", "[CLS]", "[SEP]", "</s>", "\x1b[0m", "\uffff", "\U0010ffff",
    # runs without a place
    "x" * 30, "0" * 25, "=" * 20, "中" * 25, "ab" * 20, "\u0301" * 5, "👍" * 6, "((((((((((",
)  # fmt: skip


def hostile_texts(max_fragments: int = 50) -> st.SearchStrategy[str]:
    """Make text of fragments that have broken splitters, and of any characters at all.

    Among them fences, tables, headings, many scripts, emoji with joiners, combining marks, all
    kinds of newlines, lone surrogates, NUL, special tokens, long runs and repeats.

    Args:
        max_fragments: Most fragments in one text; most are below ten characters.
    """
    few = runs_of(FRAGMENTS, 0, 6)
    many = runs_of(FRAGMENTS, max_fragments // 4, max_fragments)
    anything = st.text(st.characters(exclude_categories=()), max_size=40)
    # repeats: a wrong offset slices back to the same text there
    again = st.builds(mul, runs_of(FRAGMENTS, 0, 5), st.integers(2, 9))
    return st.one_of(few, many, many, again, anything)


def runs_of(parts: Sequence[str], least: int, most: int) -> st.SearchStrategy[str]:
    """Join ``least`` to ``most`` of up to 256 parts.

    Bytes that number the parts are one draw however many there are, so an example costs a
    hundredth of what a list of drawn parts costs; they shrink as well.
    """
    size = len(parts)
    return st.binary(min_size=least, max_size=most).map(
        lambda numbers: "".join([parts[number % size] for number in numbers])
    )
