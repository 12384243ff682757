"""The fast tokenizer gives tiktoken's ids, for all text, or is not used."""

import json
import logging
import sys
import types
from pathlib import Path

import numpy as np
import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers import RecursiveSplitter, TiktokenMeasure, TokenCountSplitter, fast_tokens
from langchain_chunkers.fast_tokens import ENCODINGS, SWITCH, _loaded
from tests.test_length import PIECES, hostile

ROOT = Path(__file__).parent
CASES = sorted(ENCODINGS)
LONE = ["\ud800", "\udfff", "\ud83d\ude42"]  # the last is a pair, which is one character


def fast(name):
    found = fast_tokens.fast_tokens(tiktoken.get_encoding(name))
    assert found is not None
    return found


def check(name, text):
    ids = tiktoken.get_encoding(name).encode_ordinary(text)
    assert fast(name).encode(text).tolist() == ids
    assert fast(name).count(text) == len(ids)


@pytest.fixture
def fresh(monkeypatch):
    """Load encodings anew, and forget them again behind the test."""
    _loaded.cache_clear()
    yield monkeypatch
    monkeypatch.undo()
    _loaded.cache_clear()


@pytest.mark.parametrize("name", CASES)
def test_ids_of_all_the_text_of_the_tests(name):
    """English, Chinese and eighty other languages, code, Markdown, HTML, JSON: each file of the data."""
    folders = [ROOT / "data", ROOT / "golden"]
    texts = [
        path.read_bytes().decode("utf-8", "replace")
        for folder in folders
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.suffix not in (".pdf", ".docx", ".gz", ".parquet")
    ]
    assert sum(map(len, texts)) > 500_000
    for text in texts:
        check(name, text)


@pytest.mark.parametrize("name", CASES)
def test_every_token_is_the_same(name):
    encoding = tiktoken.get_encoding(name)
    values = fast(name)._native.token_byte_values()
    assert [encoding.encode_single_token(value) for value in values] == list(range(len(values)))


@pytest.mark.parametrize("name", CASES)
def test_ids_of_hostile_text(name):
    for seed in range(150):
        check(name, hostile(seed, 300))


@pytest.mark.parametrize("name", CASES)
def test_every_block_of_unicode(name):
    for start in range(0, 0x30000, 7):
        text = "".join(chr(start + step) for step in range(7))
        check(name, f"a{text} {text}1")


@given(
    st.lists(
        st.sampled_from([*PIECES, *LONE]) | st.text(st.characters(codec=None), max_size=5),
        max_size=60,
    ).map("".join),
    st.sampled_from(CASES),
)
def test_ids_of_any_text(text, name):
    check(name, text)


@pytest.mark.parametrize("unit", ["a", " ", "\n", "中", "=", "1", "\x00", "é", "\r\n", "🙂", "!?"])
@pytest.mark.parametrize("name", CASES[:2])
def test_a_long_run_of_one_character(name, unit):
    check(name, unit * 30_000)


@pytest.mark.parametrize("unit", ["a", " "])
def test_a_megabyte_of_one_character_ends(unit):
    text = unit * 1_000_000
    check("cl100k_base", text)


def test_scales_and_chunks_are_those_without_it(monkeypatch):
    with_it = [TiktokenMeasure(), RecursiveSplitter.from_tiktoken_encoder(chunk_size=40)]
    with_it.append(TokenCountSplitter(5, 30))
    monkeypatch.setenv(SWITCH, "0")
    without = [TiktokenMeasure(), RecursiveSplitter.from_tiktoken_encoder(chunk_size=40)]
    without.append(TokenCountSplitter(5, 30))
    assert with_it[0]._fast is not None
    assert without[0]._fast is None
    assert with_it[0] == without[0]
    texts = [hostile(seed, 400) for seed in range(30)] + ["\ud800 lone", "", "<|endoftext|>" * 30]
    for text in texts:
        assert with_it[0](text) == without[0](text)
        if "\ud800" not in text:
            assert with_it[0].scale(text).ends == without[0].scale(text).ends
        for one, other in zip(with_it[1:], without[1:], strict=True):
            assert one.split_text(text) == other.split_text(text)


class TestWhenItIsUsed:
    def test_not_where_special_tokens_are_meant(self):
        assert TiktokenMeasure(allowed_special="all")._fast is None
        assert TiktokenMeasure(disallowed_special="all")._fast is None
        assert TiktokenMeasure(allowed_special="all")("<|endoftext|>") == 1

    def test_not_for_an_encoding_of_your_own(self):
        known = tiktoken.get_encoding("cl100k_base")
        own = tiktoken.Encoding(
            "cl100k_base",
            pat_str=r"\S+|\s+",
            mergeable_ranks=known._mergeable_ranks,
            special_tokens={},
        )
        assert TiktokenMeasure(encoding=own)._fast is None

    def test_not_where_it_is_not_installed(self, fresh, caplog):
        fresh.setitem(sys.modules, "toktok", None)
        assert TiktokenMeasure()._fast is None
        assert not caplog.records  # it is an option, so its absence is no news

    def test_other_ids_are_refused_and_logged_once(self, fresh, caplog):
        class Wrong:
            def count(self, text):
                return 1

            def encode_batch_to_numpy(self, texts, threads):
                other = tiktoken.get_encoding("o200k_base")
                ids = [other.encode_to_numpy(text, disallowed_special=()) for text in texts]
                return np.concatenate(ids), None

        fresh.setitem(sys.modules, "toktok", types.SimpleNamespace(_encoding=lambda name: Wrong()))
        with caplog.at_level(logging.WARNING, "langchain_chunkers"):
            for _ in range(2):
                assert TiktokenMeasure()._fast is None
        assert len(caplog.records) == 1
        assert "its ids are not those of tiktoken" in caplog.text

    def test_a_version_that_lacks_what_is_asked_is_refused_and_logged(self, fresh, caplog):
        fresh.setitem(sys.modules, "toktok", types.SimpleNamespace())
        with caplog.at_level(logging.WARNING, "langchain_chunkers"):
            assert TiktokenMeasure()("two words") == 2
        assert "toktok-rs cannot be used for cl100k_base (AttributeError" in caplog.text


def test_the_configuration_does_not_name_it():
    assert json.loads(json.dumps(TiktokenMeasure().to_config())) == {"tiktoken": "cl100k_base"}
