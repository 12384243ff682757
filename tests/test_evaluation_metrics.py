"""The measures against brute force over sets of characters, and the bootstrap against scipy."""

from __future__ import annotations

import math
from itertools import combinations, pairwise, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from langchain_chunkers.evaluation import (
    Interval,
    boundary_f1,
    coverage,
    gain,
    hit_rate,
    intact,
    interval,
    ndcg,
    noise_rate,
    paired,
    pk,
    precision_omega,
    reciprocal_rank,
    window_diff,
)
from langchain_chunkers.evaluation.spans import common, size, union

pairs = st.tuples(st.integers(0, 30), st.integers(0, 12)).map(lambda p: (p[0], p[0] + p[1]))
spans = st.lists(pairs, max_size=6)
golds = st.lists(pairs.filter(lambda p: p[0] < p[1]), min_size=1, max_size=4)
flags = st.lists(st.booleans(), max_size=8)


def characters(some):
    return {at for start, end in some for at in range(start, end)}


@given(spans, spans)
def test_spans_are_sets_of_characters(first, second):
    one, two = union(first), union(second)
    assert characters(one) == characters(first)
    assert size(one) == len(characters(first))
    assert all(a[1] < b[0] for a, b in pairwise(one))
    assert characters(common(one, two)) == characters(first) & characters(second)
    assert size(common(one, two)) == len(characters(first) & characters(second))


@given(spans, golds, st.integers(0, 40))
def test_coverage_counts_characters(found, gold, foreign):
    read = sum(end - start for start, end in found) + foreign
    hit = len(characters(found) & characters(gold))
    missed = len(characters(gold) - characters(found))
    got = coverage(found, read, gold)
    assert got.recall == pytest.approx(hit / sum(end - start for start, end in gold))
    assert got.precision == pytest.approx(hit / read if read else 0)
    assert got.iou == pytest.approx(hit / (read + missed))


@given(spans, golds)
def test_precision_omega_counts_characters(chunks, gold):
    having = [c for c in chunks if characters([c]) & characters(gold)]
    read = characters(having)
    expected = len(read & characters(gold)) / len(read | characters(gold))
    assert precision_omega(chunks, gold) == pytest.approx(expected)
    assert precision_omega(chunks, gold, touching=True) <= precision_omega(chunks, gold) + 1e-12


def test_a_chunk_that_touches_counts_only_where_it_is_asked_for():
    assert precision_omega([(0, 5), (5, 10)], [(5, 10)]) == 1
    assert precision_omega([(0, 5), (5, 10)], [(5, 10)], touching=True) == 0.5


@given(pairs, golds)
def test_gain_is_the_share_of_the_gold(chunk, gold):
    shared = len(characters([chunk]) & characters(gold))
    assert gain(chunk, gold) == pytest.approx(shared / len(characters(gold)))


@given(spans, pairs)
def test_intact(chunks, span):
    expected = any(a <= span[0] and span[1] <= b for a, b in chunks)
    assert intact(chunks, span) == expected


@given(flags, st.integers(1, 8))
def test_rank_measures(relevant, k):
    ranks = [rank for rank, one in enumerate(relevant, 1) if one and rank <= k]
    assert hit_rate(relevant, k) == bool(ranks)
    assert reciprocal_rank(relevant, k) == (1 / min(ranks) if ranks else 0)
    wrong = sum(1 for rank, one in enumerate(relevant, 1) if rank <= k and not one)
    assert noise_rate(relevant, k) == wrong / k


@given(st.lists(st.sampled_from((0.0, 0.25, 0.5, 1.0)), min_size=1, max_size=5), st.integers(1, 5))
def test_ndcg_is_a_share_of_the_best_order(possible, k):
    def dcg(order):
        return sum((2**g - 1) / math.log2(i + 2) for i, g in enumerate(order[:k]))

    best = max(dcg(order) for order in permutations(possible))
    got = ndcg(possible[:k], possible, k)
    assert got == pytest.approx(dcg(possible) / best if best else 0)
    assert 0 <= got <= 1 + 1e-12


def test_one_relevant_chunk_gives_the_logarithm_of_its_rank():
    assert ndcg([0, 0, 1.0], [1.0, 0, 0], 5) == pytest.approx(1 / math.log2(4))


# ---------------------------------------------------------------------- segments

cuts = st.sets(st.integers(1, 11), max_size=6)


@given(cuts, cuts, st.integers(0, 2))
def test_boundary_f1_matches_as_many_as_can_be(gold, found, tolerance):
    most = 0
    for count in range(min(len(gold), len(found)), 0, -1):
        ways = (
            zip(one, two, strict=True)
            for one in combinations(sorted(gold), count)
            for two in combinations(sorted(found), count)
        )
        if any(all(abs(a - b) <= tolerance for a, b in way) for way in ways):
            most = count
            break
    total = len(gold) + len(found)
    assert boundary_f1(gold, found, tolerance) == pytest.approx(2 * most / total if total else 1)


@given(cuts, cuts)
def test_pk_and_window_diff_look_at_each_window(gold, found):
    units = 12
    k = min(max(2, round(units / (len(gold) + 1) / 2)), units - 1)

    def segment(places, unit):
        return sum(at <= unit for at in places)

    pairs_ = [(i, i + k) for i in range(units - k)]
    apart = [
        (segment(gold, a) == segment(gold, b)) != (segment(found, a) == segment(found, b))
        for a, b in pairs_
    ]
    counted = [
        segment(gold, b) - segment(gold, a) != segment(found, b) - segment(found, a)
        for a, b in pairs_
    ]
    assert pk(units, gold, found) == pytest.approx(sum(apart) / len(apart))
    assert window_diff(units, gold, found) == pytest.approx(sum(counted) / len(counted))
    assert pk(units, gold, found) <= window_diff(units, gold, found)


# ---------------------------------------------------------------------- bootstrap


@pytest.mark.parametrize("share", [0.1, 0.5, 0.85])
def test_intervals_are_those_of_scipy(share):
    values = np.random.default_rng(1).random(300) < share
    ours = interval(list(values.astype(float)), draws=6000)
    theirs = stats.bootstrap(
        (values.astype(float),), np.mean, n_resamples=6000, method="percentile", random_state=2
    ).confidence_interval
    assert ours.mean == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.low, abs=0.006)
    assert ours.high == pytest.approx(theirs.high, abs=0.006)


def test_pairs_take_out_how_much_questions_differ():
    dice = np.random.default_rng(3)
    base = dice.random(400)
    values = base + 0.02 + dice.normal(0, 0.02, 400)
    assert paired(list(values), list(base)).verdict == "better"
    assert paired(list(base), list(values)).verdict == "worse"
    # the same without pairs says nothing
    one, two = interval(list(values)), interval(list(base))
    assert one.low < two.high


def test_no_difference_and_no_questions():
    assert paired([1.0, 0.0, 1.0], [0.0, 1.0, 1.0]).verdict == "no difference"
    assert interval([]) == (0, 0, 0)
    with pytest.raises(ValueError, match="the same questions"):
        paired([1.0], [])


def test_the_same_seed_gives_the_same_interval():
    values = [index**0.5 for index in range(40)]
    assert interval(values, seed=5) == interval(values, seed=5)
    assert interval(values, seed=5) != interval(values, seed=6)


def test_an_interval_that_holds_0_is_no_difference():
    assert Interval(0.2, -0.1, 0.5).verdict == "no difference"
    assert Interval(-0.2, -0.5, 0.1).verdict == "no difference"
    assert Interval(0.2, 0.0, 0.5).verdict == "no difference"
    assert (Interval(0.2, 0.1, 0.3).verdict, Interval(-0.2, -0.3, -0.1).verdict) == (
        "better",
        "worse",
    )
