"""The quick way gives what the engine gives: the engine is the oracle."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers.filling import at_the_limit, fill
from langchain_chunkers.grouping import group, group_exactly
from langchain_chunkers.ladder import LADDERS
from langchain_chunkers.length import CharacterMeasure
from langchain_chunkers.outline import Outline, Part
from langchain_chunkers.packing import Limits, Packer
from langchain_chunkers.plain import read_plain
from langchain_chunkers.quick import fill_characters, pack_plain
from langchain_chunkers.structure import StructurePacker
from tests import generators


def pack_by_engine(text: str, size: int) -> list[Part]:
    packer = StructurePacker(
        read_plain(text), CharacterMeasure().scale(text), Limits(size), LADDERS.__getitem__
    )
    parts = [(*packer.content(piece.start, piece.end), piece.strength) for piece in packer.pack()]
    return [part for part in parts if part[0] < part[1]]


def paragraphs() -> st.SearchStrategy[str]:
    """Paragraphs and headings of all kinds between blank lines, most of them regular."""
    sentences = [text for texts in generators.SENTENCES.values() for text in texts]
    blocks = st.one_of(
        st.lists(st.sampled_from(sentences), min_size=1, max_size=6).map(" ".join),
        st.sampled_from(generators.HEADINGS),
        st.sampled_from(
            ("C# is #1", "#tag", "#", "x\n# y", "   # three", "    # four", "- a\n- b")
        ),
    )
    gaps = st.sampled_from(
        ("\n\n", "\n\n", "\n\n\n", " \n\n", "\n \n", "\n\n  ", "\n\n\u3000\u3000")
    )
    edges = st.sampled_from(("", "", "\n", "\n\n", " ", "\t", "  \n\n "))
    many = st.lists(st.tuples(blocks, gaps), min_size=1, max_size=12)
    inner = many.map(lambda pairs: "".join(map("".join, pairs))[: -len(pairs[-1][1])])
    return st.tuples(edges, inner, edges).map("".join)


@given(paragraphs() | generators.texts(), st.integers(1, 120))
def test_both_ways_give_the_same_chunks(text: str, size: int) -> None:
    parts = pack_plain(text, Limits(size), LADDERS.__getitem__)
    if parts is not None:
        assert parts == pack_by_engine(text, size)


@given(
    generators.texts(),
    st.integers(1, 120),
    st.sampled_from(("all", "lines", "none")),
    st.booleans(),
)
def test_cutting_is_filling(text: str, size: int, trim: str, keeps: bool) -> None:
    limits = Limits(size, trim=trim, oversize="keep" if keeps else "split")
    outline, scale = Outline(text), CharacterMeasure().scale(text)
    packer = Packer(outline, scale, limits, LADDERS.__getitem__)
    chunks = fill(outline, scale, limits, LADDERS.__getitem__, at_the_limit)
    parts = [(*packer.content(c.start, c.end), c.strength) for c in chunks]
    assert fill_characters(text, limits) == [part for part in parts if part[0] < part[1]]


@pytest.mark.parametrize("size", [8, 30, 60, 200])
def test_regular_text_goes_the_quick_way(size: int) -> None:
    text = (
        "# One\n\nText of it.\n\nMore text.\n\n## Two\n\nThe end, "
        + "and so on " * 9
        + "\n\n# Three"
    )
    parts = pack_plain(text, Limits(size), LADDERS.__getitem__)
    assert parts == pack_by_engine(text, size)


@given(
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3)), min_size=1, max_size=60),
    st.integers(1, 60),
)
def test_grouping_exactly_is_grouping(parts: list[tuple[int, int]], size: int) -> None:
    starts, ends = [0], [0]
    for content, white in parts:
        ends.append(starts[-1] + content)
        starts.append(ends[-1] + white)

    def alone(part: int) -> bool:
        return ends[part + 1] - starts[part] <= size

    groups = group_exactly(starts, ends, size)
    assert groups == group(starts, ends, lambda _: size, alone)
    assert [groups[0].first, *(g.last for g in groups)][-1] == len(parts)
    assert all(one.last == two.first for one, two in pairwise(groups))
