"""Separators: a pattern never ends up in the text, and what is literal stays literal."""

import pytest
from langchain_text_splitters import Language

from langchain_chunkers import RecursiveSplitter, SettingError
from tests.cases.laws import check

LIST = "alpha, beta; gamma, delta; epsilon"
NUMBERED = "1.\nIntro text.\n2.1\nBody text.\n2.2\nMore text."
KEEP = [True, False, "start", "end"]


def squeezed(text):
    return "".join(text.split())


@pytest.mark.parametrize("keep", KEEP)
def test_no_pattern_in_the_text_rgx_01(keep):
    splitter = RecursiveSplitter(
        20, separators=[r"[,;]\s*"], is_separator_regex=True, keep_separator=keep
    )
    for chunk in splitter.split_text(LIST):
        assert chunk in LIST
        assert "[" not in chunk


@pytest.mark.parametrize("keep", [True, "start", "end"])
@pytest.mark.parametrize(
    "pattern", [r"\n(\d(\.\d)?)", r"\n(?P<number>\d)", r"(\n)(?=\d)", r"(?:\n)()", r"(?i)(BODY)"]
)
def test_groups_change_nothing_rgx_02(pattern, keep):
    splitter = RecursiveSplitter(
        20, separators=[pattern, ""], is_separator_regex=True, keep_separator=keep
    )
    assert squeezed("".join(check(splitter, NUMBERED))) == squeezed(NUMBERED)
    assert "".join(splitter.split_text(NUMBERED, strip_whitespace=False)) == NUMBERED


def test_groups_without_kept_separators_rgx_02():
    splitter = RecursiveSplitter(
        20, separators=[r"\n(\d(\.\d)?)", ""], is_separator_regex=True, keep_separator=False
    )
    assert splitter.split_text(NUMBERED) == ["1.\nIntro text.", "Body text.", "More text."]


@pytest.mark.parametrize("separator", ["** ", ". ", "a|b", "(", "[x", "\\", "$", "^", "+"])
def test_literal_by_default_rgx_03(separator):
    text = separator.join(["one", "two", "three", "four"])
    cap = 5 + len(separator)
    kept = RecursiveSplitter(cap, separators=[separator], keep_separator="end")
    assert check(kept, text) == [(part + separator).strip() for part in ("one", "two", "three")] + [
        "four"
    ]
    dropped = RecursiveSplitter(cap, separators=[separator], keep_separator=False)
    assert dropped.split_text(text) == ["one", "two", "three", "four"]


@pytest.mark.parametrize(
    "keep, chunks",
    [
        (True, ["aa", ".bb", ".cc"]),
        ("start", ["aa", ".bb", ".cc"]),
        ("end", ["aa.", "bb.", "cc"]),
        (False, ["aa", "bb", "cc"]),
    ],
)
def test_keep_separator_is_langchains(keep, chunks):
    assert (
        RecursiveSplitter(3, separators=["."], keep_separator=keep).split_text("aa.bb.cc") == chunks
    )


def test_separators_inside_a_chunk_stay_whatever_is_kept():
    splitter = RecursiveSplitter(5, separators=["."], keep_separator=False)
    assert splitter.split_text("aa.bb.cc.dd") == ["aa.bb", "cc.dd"]


def test_dropped_separators_keep_offsets():
    text = "alpha, beta; gamma, delta; epsilon, zeta" * 3
    splitter = RecursiveSplitter(
        14, 4, separators=[r"[,;]\s*"], is_separator_regex=True, keep_separator=False
    )
    for start, end in splitter.split_spans(text):
        assert 0 < end - start <= 14
        assert text[start:end] == text[start:end].strip()


def test_a_call_of_the_splitter_loses_no_separator_wsp_02():
    text = "Alpha one. Beta two. Gamma three. Delta four."
    splitter = RecursiveSplitter(20, separators=[". "], keep_separator=False)
    assert splitter.split_text(text) == ["Alpha one. Beta two", "Gamma three", "Delta four."]
    assert "".join(splitter(text)) == text


@pytest.mark.parametrize("pattern", ["(", "[", "*a", r"(?P<x"])
def test_a_broken_pattern_is_an_error_when_made(pattern):
    with pytest.raises(SettingError, match="separators must be"):
        RecursiveSplitter(separators=[pattern], is_separator_regex=True)


@pytest.mark.parametrize("separators", [[1], [None], [b"\n"]])
def test_separators_are_strings(separators):
    with pytest.raises(SettingError, match="separators must be strings"):
        RecursiveSplitter(separators=separators)


def test_a_string_is_no_list_of_separators():
    with pytest.raises(SettingError, match="separators"):
        RecursiveSplitter(separators="\n\n")


CODE = "class A:\n    def f(self):\n        return 'a, b'\n\nfunction g() { return 1; }\n# x\n" * 6


@pytest.mark.parametrize("language", list(Language))
@pytest.mark.parametrize("size", [15, 60])
def test_every_language_of_langchain(language, size):
    splitter = RecursiveSplitter.from_language(language, chunk_size=size)
    check(splitter, CODE)
    assert "".join(splitter.split_text(CODE, strip_whitespace=False)) == CODE
    assert RecursiveSplitter.from_language(language.value, chunk_size=size).split_text(
        CODE
    ) == splitter.split_text(CODE)
    assert all(isinstance(s, str) for s in RecursiveSplitter.get_separators_for_language(language))


def test_an_unknown_language_lists_the_known():
    with pytest.raises(ValueError, match=r"klingon.*markdown.*python"):
        RecursiveSplitter.from_language("klingon")


def test_separators_come_from_the_language_alone():
    with pytest.raises(TypeError, match="separators"):
        RecursiveSplitter.from_language("python", separators=["x"])


def test_long_separator_matches_are_seen_whole():
    text = "a" * 30 + "-" * 300 + "b" * 30
    splitter = RecursiveSplitter(
        40, separators=["-+"], is_separator_regex=True, keep_separator="end"
    )
    chunks = check(splitter, text)
    assert chunks[-1] == "b" * 30
    splitter = RecursiveSplitter(
        40, separators=["-+"], is_separator_regex=True, keep_separator=False
    )
    assert splitter.split_text(text)[0] == "a" * 30
