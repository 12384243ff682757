"""White space, lost text, empty chunks and line ends."""

import pytest

from langchain_chunkers import RecursiveSplitter, TiktokenMeasure
from tests.cases.laws import ALL, SIZED, check, make

NAMES_AND_KEEP = [(name, {}) for name in ALL] + [
    ("recursive", {"packing": "fill"}),
    ("recursive", {"keep_indentation": True}),
    ("recursive", {"separators": ["\n\n", "\n", " ", ""]}),
    ("recursive", {"separators": ["\n"], "keep_separator": "end"}),
]
KEPT = {
    "wsp-01": "한국어 문장은 띄어쓰기가 중요합니다 " * 12 + "\n표 1\n값 2\n",
    "wsp-02": "Alpha one. Beta two. Gamma three. Delta four.",
    "los-01": "# Guide\nintro\n\n```python\nx = 1\n\n## Later\nkeep me\n",
    "los-02": "# Top\nprose before\n\n```py\n# comment\nrun()\n```\nafter\n",
    "los-04": 's = "' + "Q" * 300 + '"\nt = 2\n',
    "los-06": "# Annex A\n# Annex B\n# Annex C\n",
    "los-08": "# Build\n\n```make\nall:\n\tcc\tmain.c\n```\n\nPrice:\u00a05\u00a0€\n",
    "los-13": "first line here\nsecond line here\nthird line here\nfourth line here",
    "los-15": "价格上涨了。库存不足；请尽快补货！可以吗？",
    "hdr-11": "# FAQ\nq one\n\n# FAQ\nq two\n",
    "crlf-01": "# Head\r\ntext\r\n\r\n---\r\n\r\nmore\r\n",
    "bom": "\ufeff# First\nbody\n",
}


@pytest.mark.parametrize("size", [8, 20, 60])
@pytest.mark.parametrize("name, options", NAMES_AND_KEEP, ids=str)
@pytest.mark.parametrize("case", KEPT)
def test_joined_chunks_are_the_text(case, name, options, size):
    text = KEPT[case]
    check(make(name, size, **options), text)
    whole = make(name, size, strip_whitespace=False, **options)
    assert "".join(check(whole, text)) == text
    assert "".join(make(name, size, **options)(text)) == text


@pytest.mark.parametrize("name, options", NAMES_AND_KEEP, ids=str)
@pytest.mark.parametrize("text", ["", " \n\n\t  \n", "   ", "\u00a0\u3000\u2028", "\r\n" * 9])
def test_nothing_gives_no_chunks_emp_01_emp_02_emp_05(text, name, options):
    splitter = make(name, 8, **options)
    assert splitter.split_text(text) == []
    assert splitter.split_spans(text) == []
    assert splitter.create_documents([text, "a", text])[0].page_content == "a"
    assert make(name, 8, strip_whitespace=False, **options).split_text("") == []


@pytest.mark.parametrize("name", SIZED)
def test_white_space_alone_in_tokens_emp_02(name):
    assert make(name, 8, length_function=TiktokenMeasure()).split_text(" \n\n\t  \n") == []


@pytest.mark.parametrize("name", SIZED)
def test_chunks_keep_their_inner_white_space_wsp_01(name):
    text = "a  b\t\tc\n\nd \u00a0 e\u3000f  g " * 5
    for chunk in check(make(name, 9), text):
        assert chunk in text


def test_indentation_of_code_is_kept_wsp_04():
    text = (
        "class A:\n    def f(self):\n        x = 1\n        return x\n\n"
        "    def g(self):\n        return 2\n"
    )
    chunks = check(RecursiveSplitter.from_language("python", chunk_size=50), text)
    for chunk in chunks[1:]:
        assert chunk.startswith("    ")
        assert "\n" + chunk in text


@pytest.mark.parametrize("name", ["paragraph", "recursive"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_paragraphs_of_any_line_end_stay_whole_crlf_02(name, newline):
    paragraphs = [
        f"Para {i} line one is here.{newline}Para {i} line two is here." for i in range(4)
    ]
    assert check(make(name, 80), (newline * 2).join(paragraphs)) == paragraphs


@pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
@pytest.mark.parametrize(
    "text",
    [KEPT["los-02"], KEPT["hdr-11"], "Head\n====\n\nText of it.\n\n- item\n- item two\n\nEnd.\n"],
    ids=["los-02", "hdr-11", "underlined"],
)
def test_crlf_is_divided_as_lf_crlf_01(name, text):
    def words(line):
        return len(line.split())

    splitter = make(name, 4, length_function=words)
    crlf = text.replace("\n", "\r\n")
    assert [c.replace("\r\n", "\n") for c in check(splitter, crlf)] == check(splitter, text)


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("size", [1, 2, 3])
def test_no_chunk_begins_between_cr_and_lf(name, size):
    text = "a\r\nb\r\n\r\nc\r\n" * 3
    for span in make(name, size, strip_whitespace=False, on_oversize="keep").split_spans(text):
        assert text[span.start - 1 : span.start + 1] != "\r\n"


def test_punctuation_at_a_cut_stays_los_15():
    text = KEPT["los-15"]
    for name in SIZED:
        assert "".join(check(make(name, 16, length_function=TiktokenMeasure()), text)) == text


@pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
@pytest.mark.parametrize(
    "text",
    [
        "# Head\n\nSome text that follows the heading and more of it. And another sentence.",
        "## naive crew reed\n### failed and replaced\nCrew signed the flow of it.",
        "Intro.\n\n# One\n\n## Two\n\nText of two that goes on for a while, so that it is cut.",
        "吗\n\nFailed crew log 你好吗 hour signed noon!\nThe end of it.",
        "# e\n\nLine one of them ends here.\nLine two of them ends here.\nLine three does, too.",
        "# Head\r\n\r\n- An item of a list that is here.\r\n- Another item of it.\r\n",
    ],
)
def test_a_heading_is_not_alone_los_06(name, text):
    """Sizes at which the headings and two words behind them fit."""
    lines = [line.strip() for line in text.splitlines()]
    heads = {line for line in lines if line.startswith("#")} or {lines[0]}
    for size in range(44, len(text) + 1):
        for chunk in check(make(name, size), text):
            assert chunk.splitlines()[-1] not in heads, (size, chunk)


@pytest.mark.parametrize("name", ["paragraph", "recursive"])
def test_headings_without_text_are_chunks_los_06(name):
    assert check(make(name, 12), KEPT["los-06"]) == ["# Annex A", "# Annex B", "# Annex C"]


def test_equal_headings_begin_two_chunks_hdr_11():
    assert check(make("paragraph", 100), KEPT["hdr-11"]) == ["# FAQ\nq one", "# FAQ\nq two"]


@pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
def test_no_chunk_is_white_where_white_space_is_kept(name):
    text = (
        "Resumed within water crew failed seal replaced and replaced? 你好吗 hour crew log log. "
        "Replaced by.\r\n\r\nEnd."
    )
    for size in (40, 60, 80):
        assert not any(map(str.isspace, make(name, size, strip_whitespace=False).split_text(text)))
