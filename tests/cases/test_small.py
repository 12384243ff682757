"""Every short text of a few hard characters, at every small size: no case is too odd to be met."""

import itertools

import pytest

from tests.cases.laws import FILLING, SIZED, check_spans, make

OPTIONS = {
    name: [{}, {"strip_whitespace": False}, *({"min_chunk_size": 2},) * (name not in FILLING)]
    for name in SIZED
}
OPTIONS["recursive"] += [
    {"packing": "fill"},
    {"keep_indentation": True},
    {"packing": "fill", "keep_indentation": True},
    {"separators": ["\n", " "]},
    {"separators": ["\n", " "], "keep_separator": "end", "keep_indentation": True},
]
CASES = [(name, options) for name in SIZED for options in OPTIONS[name]]


@pytest.mark.parametrize("name, options", CASES, ids=str)
@pytest.mark.parametrize("alphabet", ["#\n a", "猫。\n\u0301", "a\r\n🇵"], ids=ascii)
def test_every_short_text(name, options, alphabet):
    splitters = [make(name, 3, overlap, **options) for overlap in (0, 2)]
    for text in map("".join, itertools.product(alphabet, repeat=4)):
        for splitter in splitters:
            check_spans(splitter, text)


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_every_longer_text_of_letters_and_white_space(name, options):
    splitter = make(name, 3, 1, **options)
    for text in map("".join, itertools.product("a \n", repeat=6)):
        check_spans(splitter, text)
