"""Special tokens that a document spells are ordinary text."""

import pytest

from langchain_chunkers import HuggingFaceMeasure, RecursiveSplitter, TiktokenMeasure
from tests.cases.laws import SIZED, check, make

SPELLED = "GPT docs end with <|endoftext|> and also <|im_start|> tags. " * 4


@pytest.mark.parametrize("strips", [True, False], ids=["", "not stripped"])
@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("encoding_name", ["cl100k_base", "o200k_base"])
def test_spelled_tokens_are_text_spc_01(encoding_name, name, strips):
    measure = TiktokenMeasure(encoding_name)
    splitter = make(name, 16, length_function=measure, strip_whitespace=strips)
    chunks = check(splitter, SPELLED)
    assert "".join("".join(chunks).split()) == "".join(SPELLED.split())


@pytest.mark.parametrize("name", SIZED)
def test_every_way_to_make_one_spc_01(name):
    splitter = type(make(name)).from_tiktoken_encoder(chunk_size=16)
    check(splitter, SPELLED)


def test_spelled_tokens_count_as_written(encoding):
    measure = TiktokenMeasure()
    assert measure("<|endoftext|>") == len(encoding.encode_ordinary("<|endoftext|>")) > 1


def test_allowed_tokens_count_as_one():
    measure = TiktokenMeasure(allowed_special={"<|endoftext|>"})
    assert measure("<|endoftext|>") == 1
    splitter = RecursiveSplitter.from_tiktoken_encoder(allowed_special="all", chunk_size=16)
    check(splitter, SPELLED)


def test_disallowed_tokens_raise_where_asked_for():
    splitter = RecursiveSplitter.from_tiktoken_encoder(disallowed_special="all", chunk_size=16)
    with pytest.raises(ValueError, match="endoftext"):
        splitter.split_text(SPELLED)
    assert splitter.split_text("nothing special here")


@pytest.mark.parametrize("spelled", ["[CLS] a [SEP] b [PAD] c [MASK] ", "<|begin▁of▁sentence|> x "])
def test_hugging_face_spc_01(bert_tokenizer, deepseek_tokenizer, spelled):
    for tokenizer in (bert_tokenizer, deepseek_tokenizer):
        measure = HuggingFaceMeasure(tokenizer)
        for name in SIZED:
            check(make(name, 8, length_function=measure), spelled * 6)
