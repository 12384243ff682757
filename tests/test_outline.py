"""`langchain_chunkers.outline`: what readers say of a text."""

import copy
import itertools
import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers import Boundary, Outline, Region, Span, Strength
from langchain_chunkers.outline import merge

ORDER = [
    "GRAPHEME", "WORD", "CLAUSE", "SENTENCE", "LINE", "PARAGRAPH", "BLOCK",
    "SECTION6", "SECTION5", "SECTION4", "SECTION3", "SECTION2", "SECTION1", "DOCUMENT",
]  # fmt: skip


class TestStrength:
    def test_order(self):
        assert [strength.name for strength in sorted(Strength)] == ORDER

    @pytest.mark.parametrize("level, name", [(1, "SECTION1"), (3, "SECTION3"), (6, "SECTION6")])
    def test_section(self, level, name):
        assert Strength.section(level) is Strength[name]

    @pytest.mark.parametrize("level, name", [(0, "SECTION1"), (-5, "SECTION1"), (7, "SECTION6")])
    def test_section_outside(self, level, name):
        assert Strength.section(level) is Strength[name]


class TestSpan:
    SPAN = Span(3, 9, 5, Strength.LINE, "head: ")

    def test_is_a_pair(self):
        start, end = self.SPAN
        assert (start, end) == self.SPAN == (3, 9)
        assert len(self.SPAN) == 2
        assert "0123456789"[slice(*self.SPAN)] == "345678"

    def test_fresh_is_the_start_unless_given(self):
        assert Span(3, 9).fresh == 3
        assert self.SPAN.fresh == 5

    @pytest.mark.parametrize(
        "again",
        [copy.copy, copy.deepcopy, *(
            lambda span, p=p: pickle.loads(pickle.dumps(span, p)) for p in range(2, 6)
        )],
    )  # fmt: skip
    def test_copies_carry_everything(self, again):
        span = again(self.SPAN)
        assert type(span) is Span
        assert (*span, span.fresh, span.strength, span.prefix) == (3, 9, 5, Strength.LINE, "head: ")

    def test_sorts_by_place(self):
        assert sorted([Span(5, 9), Span(0, 5), Span(0, 3)]) == [(0, 3), (0, 5), (5, 9)]

    def test_repr_says_what_is_special(self):
        assert repr(Span(3, 9)) == "Span(3, 9, DOCUMENT)"
        assert repr(self.SPAN) == "Span(3, 9, fresh=5, prefix='head: ', LINE)"


class TestOutline:
    def test_of_takes_any_order_and_keeps_the_stronger(self):
        outline = Outline.of(
            "abcdef",
            [(4, Strength.LINE), (2, Strength.WORD), (2, Strength.BLOCK), (2, Strength.LINE)],
        )
        assert outline.boundaries() == [
            Boundary(2, Strength.BLOCK),
            Boundary(4, Strength.LINE),
        ]
        assert outline.places == {Strength.BLOCK: [2], Strength.LINE: [4]}

    @pytest.mark.parametrize("at", [-1, 0, 6, 7])
    def test_of_leaves_out_what_lies_outside(self, at):
        assert Outline.of("abcdef", [(at, Strength.LINE)]).boundaries() == []

    @given(
        st.text(max_size=30),
        st.lists(st.tuples(st.integers(-3, 40), st.sampled_from(list(Strength)))),
    )
    def test_of_keeps_what_the_attribute_promises(self, text, boundaries):
        outline = Outline.of(text, iter(boundaries))
        inside = {at for at, _ in boundaries if 0 < at < len(text)}
        assert {b.at for b in outline.boundaries()} == inside
        for ats in outline.places.values():
            assert all(a < b for a, b in itertools.pairwise(ats))
        for at, strength in outline.boundaries():
            assert strength == max(s for a, s in boundaries if a == at)

    def test_regions_are_sorted_the_wider_first(self):
        regions = [Region(4, 6), Region(0, 2, "heading"), Region(0, 4)]
        assert Outline.of("abcdef", [], regions).regions == (
            Region(0, 4),
            Region(0, 2, "heading"),
            Region(4, 6),
        )

    def test_region_at(self):
        code = Region(2, 4, "code")
        table = Region(6, 8, "lines")
        outline = Outline.of("abcdefghij", [], [table, code])
        found = [outline.region_at(at) for at in range(10)]
        assert found == [None, None, code, code, None, None, table, table, None, None]

    def test_region_at_sees_through_headings(self):
        prose = Region(0, 8)
        outline = Outline.of(
            "abcdefghij", [], [prose, *(Region(i, i + 2, "heading") for i in (1, 3))]
        )
        assert [outline.region_at(at) for at in (0, 1, 2, 4, 7)] == [prose] * 5
        assert outline.region_at(8) is None
        assert Outline.of("abc", [], [Region(0, 2, "heading")]).region_at(1) is None

    def test_empty(self):
        assert Outline("").boundaries() == []
        assert Outline("").region_at(0) is None

    def test_is_frozen(self):
        with pytest.raises(AttributeError):
            Outline("a").text = "b"

    def test_pickles(self):
        outline = Outline.of("abc", [(1, Strength.WORD)], [Region(0, 2, "code", {"a": 1}, "p")])
        assert pickle.loads(pickle.dumps(outline)) == outline


class TestMerge:
    OUTER = Outline.of(
        "text\n\ncode here\n\nend", [(6, Strength.PARAGRAPH), (17, Strength.PARAGRAPH)]
    )

    def test_inner_places_move(self):
        inner = Outline.of("code here", [(5, Strength.LINE)])
        merged = merge(self.OUTER, inner, 6)
        assert merged.text == self.OUTER.text
        assert merged.boundaries() == [
            (6, Strength.PARAGRAPH),
            (11, Strength.LINE),
            (17, Strength.PARAGRAPH),
        ]

    def test_the_stronger_holds_where_two_meet(self):
        inner = Outline.of("code here", [(1, Strength.SECTION1)])
        assert (6, Strength.SECTION1) in merge(self.OUTER, inner, 5).boundaries()
        assert (6, Strength.PARAGRAPH) in merge(
            self.OUTER, Outline.of("code here", [(1, Strength.WORD)]), 5
        ).boundaries()

    def test_an_outer_region_is_divided_around_the_inner_ones(self):
        outer = Outline.of("0123456789", [], [Region(0, 10, "prose", {"page": 1}, "p")])
        inner = Outline.of("345", [], [Region(0, 1, "code"), Region(2, 3, "lines")])
        assert list(merge(outer, inner, 3).regions) == [
            Region(0, 3, "prose", {"page": 1}, "p"),
            Region(3, 4, "code"),
            Region(4, 5, "prose", {"page": 1}, "p"),
            Region(5, 6, "lines"),
            Region(6, 10, "prose", {"page": 1}, "p"),
        ]

    def test_headings_lie_where_they_lay(self):
        heading = Region(0, 4, "heading")
        outer = Outline.of("0123456789", [], [Region(0, 10), heading])
        inner = Outline.of("2345", [], [Region(0, 4, "code"), Region(1, 2, "heading")])
        merged = merge(outer, inner, 2)
        assert heading in merged.regions
        assert Region(3, 4, "heading") in merged.regions
        assert merged.region_at(3).kind == "code"
        assert merged.region_at(6).kind == "prose"

    def test_nothing_inside_changes_nothing(self):
        assert merge(self.OUTER, Outline("code here"), 6) == self.OUTER

    @given(st.data())
    def test_every_place_has_one_region_at_most(self, data):
        size = data.draw(st.integers(1, 20))

        def outline(length):
            cuts = sorted(set(data.draw(st.lists(st.integers(0, length), max_size=6))))
            pairs = list(itertools.pairwise(cuts))[::2]
            return Outline.of("x" * length, [], [Region(a, b, "code") for a, b in pairs])

        outer = outline(size)
        offset = data.draw(st.integers(0, size))
        inner = outline(data.draw(st.integers(0, size - offset)))
        merged = merge(outer, inner, offset)
        for at in range(size):
            covering = [r for r in merged.regions if r.start <= at < r.end]
            wanted = outer.region_at(at) or inner.region_at(at - offset)
            assert len(covering) == bool(wanted)
            assert bool(merged.region_at(at)) == bool(wanted)
