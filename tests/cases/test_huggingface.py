"""Hugging Face tokenizers: any kind, counted with, never decoded with."""

import pytest

from langchain_chunkers import HuggingFaceMeasure, RecursiveSplitter
from tests.cases.laws import SIZED, check, make

FAST = ["bert_tokenizer", "bert_tokenizer_fast", "deepseek_tokenizer", "deepseek_tokenizer_fast"]
EVERY = [*FAST, "slow_tokenizer", "truncating_tokenizer"]
TEXT = "HELLO World hello. Größe, naïve 猫は寝た。 Tokenizers count <pieces>!  " * 5


@pytest.fixture
def tokenizer(request):
    return request.getfixturevalue(request.param)


@pytest.mark.parametrize("tokenizer", EVERY, indirect=True)
def test_any_tokenizer_hf_01(tokenizer):
    measure = HuggingFaceMeasure(tokenizer)
    for name in SIZED:
        for overlap in (0, 4):
            check(make(name, 12, overlap, length_function=measure), TEXT)


@pytest.mark.parametrize("tokenizer", ["bert_tokenizer", "bert_tokenizer_fast"], indirect=True)
@pytest.mark.parametrize("name", SIZED)
def test_every_splitter_takes_one_hf_01(tokenizer, name):
    splitter = type(make(name)).from_huggingface_tokenizer(tokenizer, chunk_size=12)
    assert splitter.unit.startswith("tokens")
    check(splitter, TEXT)


@pytest.mark.parametrize("tokenizer", FAST[:2], indirect=True)
def test_counts_are_the_tokenizers_hf_01(tokenizer, bert_tokenizer):
    splitter = RecursiveSplitter.from_huggingface_tokenizer(tokenizer, chunk_size=2)
    text = "hello tokenizers world"
    for chunk in check(splitter, text):
        assert len(bert_tokenizer.encode(chunk, add_special_tokens=False).ids) <= 2 or (
            " " not in chunk
        )


@pytest.mark.parametrize("tokenizer", FAST[:2], indirect=True)
@pytest.mark.parametrize("name", SIZED)
def test_room_for_special_tokens_cap_14(tokenizer, name, bert_tokenizer):
    text = "hello tokenizers world " * 6
    splitter = type(make(name)).from_huggingface_tokenizer(
        tokenizer, reserve_special_tokens=True, chunk_size=12
    )
    chunks = check(splitter, text)
    assert max(len(bert_tokenizer.encode(chunk).ids) for chunk in chunks) <= 12
    bare = type(make(name)).from_huggingface_tokenizer(tokenizer, chunk_size=12)
    assert max(len(bert_tokenizer.encode(chunk).ids) for chunk in check(bare, text)) > 12


@pytest.mark.parametrize("tokenizer", FAST, indirect=True)
def test_text_is_the_slice_not_what_is_decoded_hf_02(tokenizer):
    splitter = RecursiveSplitter.from_huggingface_tokenizer(tokenizer, chunk_size=8)
    chunks = check(splitter, "HELLO World  hello ÀÉ")
    assert "".join("".join(chunks).split()) == "HELLOWorldhelloÀÉ"


def test_truncation_and_padding_are_off_hf_02(truncating_tokenizer, bert_tokenizer):
    measure = HuggingFaceMeasure(truncating_tokenizer)
    words = "the dog " * 200
    assert measure("the dog") == HuggingFaceMeasure(bert_tokenizer)("the dog") < 128
    assert measure(words) == HuggingFaceMeasure(bert_tokenizer)(words) >= 400
    assert len(RecursiveSplitter(100, length_function=measure).split_text(words)) >= 4
    # the one given is not touched
    assert len(truncating_tokenizer.encode("the dog").ids) == 128


@pytest.mark.parametrize(
    "wrong", [None, "bert-base", len, object(), 3], ids=["none", "str", "len", "object", "int"]
)
def test_no_tokenizer_is_a_value_error_hf_01(wrong):
    with pytest.raises(ValueError, match="tokenizer must be"):
        RecursiveSplitter.from_huggingface_tokenizer(wrong)
