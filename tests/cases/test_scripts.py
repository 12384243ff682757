"""Sentences and words of scripts other than Latin."""

import pytest

from langchain_chunkers import SentenceSplitter
from tests.cases.laws import check, make

DIVIDING = ["token", "sentence", "paragraph", "recursive"]
ENDS = tuple(".!?。！？؟۔।")
MIXED = {
    "cjk-02": ("窑炉很热。釉料慢慢熔化。猫整天睡觉。狗跑得很远。" * 4, 16),
    "cjk-04": (
        "كيف حالك اليوم؟ أنا بخير شكرا لك۔ الطقس جميل جدا هنا؟ سنلتقي غدا في المكتب۔" * 2,
        40,
    ),
    "cjk-05": ("Is it hot? Yes it is! Are you sure? Of course! " * 4, 24),
    "hindi": ("बारिश हो रही है। वह घर गया। क्या तुम आओगे? हाँ, ज़रूर। " * 3, 36),
    "japanese": ("今日は晴れです。「本当？」と彼は言った。はい！行きましょう。" * 3, 20),
    "korean": ("오늘은 날씨가 좋다. 우리는 공원에 갔다! 정말? 그래. " * 3, 24),
}


@pytest.mark.parametrize("name", DIVIDING)
@pytest.mark.parametrize("case", MIXED)
def test_chunks_end_where_sentences_end(case, name):
    text, size = MIXED[case]
    chunks = check(make(name, size), text)
    assert len(chunks) > 1
    for chunk in chunks:
        assert chunk.endswith(ENDS), chunk


@pytest.mark.parametrize("case", ["cjk-02", "cjk-04", "cjk-05"])
def test_one_sentence_a_chunk(case):
    text, _ = MIXED[case]
    sentences = check(SentenceSplitter(chunk_size=None), text)
    assert len(sentences) == sum(map(text.count, ENDS))


@pytest.mark.parametrize("name", DIVIDING)
def test_words_of_a_script_without_spaces_cjk_03(name):
    """Words as far as the engine knows them; never a vowel sign at the start of a chunk."""
    text = "ภาษาไทยไม่มีช่องว่างระหว่างคำแต่มีสระและวรรณยุกต์" * 4
    words = "ภาษา ไทย ไม่ มี ช่อง ว่าง ระหว่าง คำ แต่ สระ และ วรรณยุกต์ ช่องว่าง".split()
    for chunk in check(make(name, 10), text):
        assert chunk.startswith(tuple(words)), chunk


@pytest.mark.parametrize("name", ["sentence", "paragraph", "recursive"])
def test_no_line_begins_with_closing_punctuation(name):
    text = "这是一个没有句号的长句子，里面有逗号、顿号，还有（括号）和「引号」，一直写下去，" * 4
    for chunk in check(make(name, 12), text):
        assert chunk[0] not in "，。、）」", chunk
