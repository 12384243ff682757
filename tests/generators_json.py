"""JSON and JSON Lines, valid and broken, as Hypothesis strategies."""

from __future__ import annotations

import json
from functools import cache

from hypothesis import strategies as st

from langchain_chunkers.testing import hostile_texts
from langchain_chunkers.testing.texts import runs_of
from tests import generators

WORDS = (
    "tea ", "The pump failed. ", "Nobody noticed! ", "línea\n", "\n\n", '"quoted" ', "back\\slash ", "中文。", "字",
    "👍🏽", "é", "e\u0301", "\U0001f1f5\U0001f1f9", "\x00", "\ud800", "\u2028", "a/b~c ", "x" * 20, ", ", "]}",
)  # fmt: skip
KEYS = ("id", "name", "a.b", "", "k", 'a"b', "名前", "long key with words in it", "a/b", "é\u0301")
NUMBERS = ("0", "-1", "2.50", "1E+400", "12345678901234567890123", "true", "false", "null", "1e-7")


def strings() -> st.SearchStrategy[str]:
    """Strings as JSON, with escapes and without."""
    return st.builds(
        lambda text, plain: json.dumps(text, ensure_ascii=plain),
        runs_of(WORDS, 0, 12),
        st.booleans(),
    )


def _containers(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    keys = st.sampled_from(KEYS).map(json.dumps)
    gaps = st.sampled_from((",", ", ", " ,\n  ", ",\r\n"))
    members = st.builds("{}: {}".format, keys, inner) | st.builds("{}:\n\t{}".format, keys, inner)
    joined = lambda parts: st.builds(lambda gap, items: gap.join(items), gaps, parts)  # noqa: E731
    return st.one_of(
        joined(st.lists(inner, max_size=6)).map("[{}]".format),
        joined(st.lists(members, max_size=6)).map("{{ {} }}".format),
    )


def _repeated() -> st.SearchStrategy[str]:
    """A list of equal items: a wrong offset would slice to the same text there."""
    return st.builds(
        lambda item, times: f"[{', '.join([item] * times)}]", values(), st.integers(2, 8)
    )


@cache
def values() -> st.SearchStrategy[str]:
    """JSON values: all nestings, repeated keys, all white space."""
    return st.recursive(strings() | st.sampled_from(NUMBERS), _containers, max_leaves=16)


def lines() -> st.SearchStrategy[str]:
    """JSON Lines, with blank lines and broken ones."""
    line = st.one_of(
        *[values().map(lambda text: text.replace("\n", " ").replace("\r", " "))] * 4,
        st.sampled_from(("", "{broken, line", "not JSON. At all.")),
    )
    return st.builds(
        lambda parts, end: end.join(parts),
        st.lists(line, max_size=6),
        st.sampled_from(("\n", "\r\n")),
    )


def _edited(text: str, at: int, what: str) -> str:
    at %= len(text) + 1
    return text[:at] + what + text[at + len(what) :]


@cache
def texts() -> st.SearchStrategy[str]:
    """JSON of all kinds, JSON with a fault in it, and what is no JSON."""
    broken = st.builds(
        _edited,
        values(),
        st.integers(0, 500),
        st.sampled_from(("", "}", '"', ",", "[[", "\\", "\n")),
    )
    nested = st.builds(
        lambda text, depth: '{"k": [' * depth + text + "]}" * depth, values(), st.integers(1, 30)
    )
    return st.one_of(
        values(), values(), _repeated(), lines(), broken, nested,
        st.builds("{0}{1}{0}".format, st.sampled_from((" ", "\n", "\ufeff")), values()),
        hostile_texts(), generators.texts(),
    )  # fmt: skip
