"""The part of the Pathway integration that needs no Pathway; `integration_tests/pathway` has the rest."""

from __future__ import annotations

import sys

import pytest

from langchain_chunkers import InputError, MissingExtraError, SentenceSplitter
from langchain_chunkers.integrations.pathway import as_udf, split_pair


class Json:
    """As Pathway hands over a JSON value."""

    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize("metadata", [{"page": 3}, Json({"page": 3})])
def test_pairs_keep_their_metadata_each_chunk_its_own(metadata):
    found = split_pair(SentenceSplitter(20), ("It failed. It was old.", metadata), {})
    assert found == [("It failed.", {"page": 3}), ("It was old.", {"page": 3})]
    assert found[0][1] is not found[1][1]


def test_a_text_alone_has_no_metadata():
    assert split_pair(SentenceSplitter(20), "It failed.", {}) == [("It failed.", {})]
    assert split_pair(SentenceSplitter(20), ("It failed.", None), {}) == [("It failed.", {})]
    assert split_pair(SentenceSplitter(20), "", {}) == []


def test_settings_of_a_row_are_taken():
    found = split_pair(SentenceSplitter(20), "It failed. It was old.", {"chunk_size": 40})
    assert [text for text, _ in found] == ["It failed. It was old."]


@pytest.mark.parametrize("inputs", [None, 3, ("a",), ("a", {}, {}), (3, {}), ("a", "b")])
def test_what_is_no_text_is_an_error(inputs):
    with pytest.raises(InputError):
        split_pair(SentenceSplitter(20), inputs, {})


def test_what_to_install_is_said(monkeypatch):
    monkeypatch.setitem(sys.modules, "pathway", None)
    with pytest.raises(MissingExtraError, match=r"langchain-chunkers\[pathway\]"):
        as_udf(SentenceSplitter())


def test_only_splitters_of_ours_are_taken():
    with pytest.raises(InputError, match="takes a splitter"):
        as_udf(len)
