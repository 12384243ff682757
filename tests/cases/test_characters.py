"""Whole characters: no U+FFFD, no half of a grapheme cluster, in no unit."""

import pytest

from langchain_chunkers import OversizeError, TiktokenMeasure
from tests.cases.laws import SIZED, check, clusters, make

TOKENS = {
    "moj-01": ("猫は東京タワーを見た。🚀発射！" * 6, 4, 0),
    "moj-02": ("übergrößenträger ÄÖÜ " * 5 + "🫠🫠🫠", 3, 0),
    "moj-04": ("hello wave 👋🏻 ¦ done", 2, 0),
    "moj-05": ("気象庁は大雨警報を発表した" * 5, 3, 0),
    "moj-07": (
        "犬は庭で遊んでいた。猫は窓辺で眠り、鳥は木の上で歌った。子どもたちはそれを静かに見ていた。",
        8,
        0,
    ),
}
FAMILY, FLAG, HAND = "👨\u200d👩\u200d👧\u200d👦", "🇵🇹", "👍🏽"
CHARACTERS = {
    "gra-01": ((FAMILY + FLAG + HAND) * 5, 9),
    "gra-02": ("नमस्तेनमस्ते" * 4 + "e\u0301" * 20, 5),
    "cjk-03": ("ภาษาไทยไม่มีช่องว่างระหว่างคำแต่มีสระและวรรณยุกต์" * 4, 10),
    "hangul": ("\u1112\u1161\u11ab\u1100\u1173\u11af" * 20, 7),
    "marks on spaces": ("a \u0301b\n\u0301c " * 9, 4),
    "zalgo": ("Z" + "\u0335" * 6 + "a") * 9,
}
CHARACTERS["zalgo"] = (CHARACTERS["zalgo"], 8)


@pytest.mark.parametrize("overlap", [0, 1])
@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", TOKENS)
def test_tokens_cut_no_character(case, name, overlap):
    text, size, _ = TOKENS[case]
    chunks = check(make(name, size, overlap, length_function=TiktokenMeasure()), text)
    assert all("\ufffd" not in chunk for chunk in chunks)


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", TOKENS)
def test_tokens_lose_no_character(case, name):
    text, size, _ = TOKENS[case]
    splitter = make(name, size, length_function=TiktokenMeasure(), strip_whitespace=False)
    assert "".join(check(splitter, text)) == text


@pytest.mark.parametrize("min_tokens", [1, 2, 4])
def test_windows_that_end_inside_a_character_moj_07(min_tokens):
    splitter = make("token", 8, length_function=TiktokenMeasure(), min_tokens=min_tokens)
    assert "".join(check(splitter, TOKENS["moj-07"][0])) == TOKENS["moj-07"][0]


@pytest.mark.parametrize("overlap", [0, 2, 4])
@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("case", CHARACTERS)
def test_clusters_stay_whole(case, name, overlap):
    text, size = CHARACTERS[case]
    chunks = check(make(name, size, min(overlap, size - 1)), text)
    places = clusters(text)
    splitter = make(name, size, min(overlap, size - 1))
    assert all(place in places for span in splitter.split_spans(text) for place in span)
    assert max(map(len, chunks)) <= size


@pytest.mark.parametrize("name", SIZED)
def test_a_cluster_above_the_cap_gra_01(name):
    text = f"ab {FAMILY} cd"
    split = check(make(name, 3), text)
    assert max(map(len, split)) <= 3
    assert check_kept(make(name, 3, on_oversize="keep"), text)
    with pytest.raises(OversizeError, match="chunk_size is 3"):
        make(name, 3, on_oversize="raise").split_text(text)
    assert check(make(name, 7, on_oversize="raise"), text)


def check_kept(splitter, text):
    chunks = splitter.split_text(text)
    return FAMILY in chunks and all(len(chunk) <= 3 for chunk in chunks if chunk != FAMILY)


@pytest.mark.parametrize("name", SIZED)
def test_a_code_point_above_the_cap_stays_whole_moj_04(name):
    """One emoji of three tokens, a cap of two: nothing throws, nothing is lost."""
    text = "hello wave 👋🏻 ¦ done"
    chunks = check(make(name, 2, length_function=TiktokenMeasure()), text)
    assert "".join("".join(chunks).split()) == "".join(text.split())
