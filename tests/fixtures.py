"""The pytest plugin that every run loads (`-p tests.fixtures`): real tokenizers, no network.

A plugin and no conftest.py, because the doctests of the package and the integration tests need
the same things.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests import tokenizers as real

if TYPE_CHECKING:
    import tiktoken
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizer, PreTrainedTokenizerFast

real.use_tiktoken_cache()


@pytest.fixture(scope="session")
def encoding() -> tiktoken.Encoding:
    """The real cl100k_base."""
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


@pytest.fixture(scope="session")
def bert_tokenizer() -> Tokenizer:
    """A WordPiece that adds [CLS] and [SEP]."""
    return real.train_bert_tokenizer()


@pytest.fixture(scope="session")
def bert_tokenizer_fast(bert_tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The same, as transformers wraps it."""
    return real.wrap_fast(bert_tokenizer, bert=True)


@pytest.fixture(scope="session")
def deepseek_tokenizer() -> Tokenizer:
    """A real byte-level BPE of 128,000 tokens; offsets overlap where a character is many tokens."""
    return real.load_deepseek_tokenizer()


@pytest.fixture(scope="session")
def deepseek_tokenizer_fast(deepseek_tokenizer: Tokenizer) -> PreTrainedTokenizerFast:
    """The same, as transformers wraps it."""
    return real.wrap_fast(deepseek_tokenizer)


@pytest.fixture
def truncating_tokenizer() -> Tokenizer:
    """Cuts and pads to 128 tokens, so that its own count is always 128."""
    return real.train_truncating_tokenizer()


@pytest.fixture(scope="session")
def slow_tokenizer() -> PreTrainedTokenizer:
    """ByT5: written in Python, one token a byte and `</s>`, no offsets."""
    return real.make_slow_tokenizer()
