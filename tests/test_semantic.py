"""`SemanticSplitter`: numbers, methods, answers of models that are wrong, and what users reported."""

from __future__ import annotations

import itertools
import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.embeddings import CacheBackedEmbeddings
from langchain_core.embeddings import Embeddings
from langchain_core.stores import InMemoryByteStore

from langchain_chunkers import NullSplitter, RecursiveSplitter, TiktokenMeasure
from langchain_chunkers.errors import InputError, ModelError, SettingError
from langchain_chunkers.semantic import WordLlamaEmbeddings
from langchain_chunkers.semantic.cluster import cluster, reach
from langchain_chunkers.semantic.methods import AMOUNTS, neighbour_curve
from langchain_chunkers.semantic.vectors import Band, ask_band, run
from langchain_chunkers.strategies.semantic import SemanticSplitter
from langchain_chunkers.testing import check_capped, check_lossless, check_sliced
from langchain_chunkers.testing.fakes import LetterEmbeddings

KILNS = "Kilns are hot. The glaze melts in the kiln. Potters watch the kiln."
TAXES = "Taxes rose in May. The tax office wrote letters. Few paid the tax."
TWO = f"{KILNS} {TAXES}"
METHODS = tuple(AMOUNTS)


class Scripted(Embeddings):
    """Gives a vector by what a text says, and notes what it was asked."""

    def __init__(self, vector: Any = lambda text: [1.0, 0.0]) -> None:
        self.vector, self.calls, self.awaited = vector, [], 0

    def embed_documents(self, texts: list[str]) -> Any:
        self.calls.append(list(texts))
        return [self.vector(text) for text in texts]

    async def aembed_documents(self, texts: list[str]) -> Any:
        self.awaited += 1
        return self.embed_documents(texts)

    def embed_query(self, text: str) -> Any:
        return self.vector(text)


def by_topic(text: str) -> list[float]:
    """Point one way for kilns and another for taxes."""
    kiln = sum(word in text.lower() for word in ("kiln", "glaze", "窑", "釉"))
    tax = sum(word in text.lower() for word in ("tax", "猫", "狗"))
    return [kiln + 0.1, tax + 0.1]


# ------------------------------------------------------------------ the default model


def test_the_default_needs_no_network() -> None:
    assert SemanticSplitter().split_text(TWO) == [KILNS, TAXES]


def test_the_default_model_gives_unit_vectors_and_zeros_for_nothing() -> None:
    vectors = WordLlamaEmbeddings().embed_documents(["a kiln", "", "lone \ud800", "x" * 5000])
    lengths = [math.sqrt(sum(v * v for v in vector)) for vector in vectors]
    assert lengths == pytest.approx([1, 0, 1, 1], abs=1e-5)
    assert WordLlamaEmbeddings().embed_query("a kiln") == vectors[0]


# ------------------------------------------------------------------ methods against their formulae


def langchain_breaks(kind: str, distances: list[float], amount: float) -> list[int]:
    """SemanticChunker._calculate_breakpoint_threshold of langchain-experimental 0.4.2, restated."""
    values = np.array(distances)
    if kind == "percentile":
        limit = np.percentile(values, amount)
    elif kind == "standard_deviation":
        limit = np.mean(values) + amount * np.std(values)
    elif kind == "interquartile":
        q1, q3 = np.percentile(values, [25, 75])
        limit = np.mean(values) + amount * (q3 - q1)
    else:
        values = np.gradient(values, range(len(values)))
        limit = np.percentile(values, amount)
    return [i for i, x in enumerate(values) if x > limit]


@given(
    st.lists(st.floats(-1, 1), min_size=2, max_size=40),
    st.sampled_from(["percentile", "standard_deviation", "interquartile", "gradient"]),
    st.sampled_from([0.0, 0.5, 1.5, 3.0, 50.0, 95.0]),
)
def test_the_numbers_are_langchains(cosines: list[float], kind: str, amount: float) -> None:
    curve = neighbour_curve(kind, amount, np.array(cosines))
    expected = langchain_breaks(kind, [1 - c for c in cosines], amount)
    assert np.flatnonzero(curve.chosen).tolist() == expected


def test_buffers_are_sent_as_langchain_sends_them() -> None:
    model = Scripted()
    text = "One is. Two is. Three is. Four is."
    SemanticSplitter(model, method="percentile").split_text(text)
    assert model.calls == [
        [
            "One is. Two is.",
            "One is. Two is. Three is.",
            "Two is. Three is. Four is.",
            "Three is. Four is.",
        ]
    ]


def best_by_trying(band: Band, lows: list[int], cost: float) -> float:
    """The worth of the best division, by trying all."""
    count = len(band.near)
    best = -math.inf
    for size in range(count):
        for cuts in itertools.combinations(range(1, count), size):
            edges = [0, *cuts, count]
            pairs = list(itertools.pairwise(edges))
            if any(a < lows[b] for a, b in pairs):
                continue
            total = 0.0
            for a, b in pairs:
                inside = sum(
                    band.near[i, i - j - 1] - band.mean for i in range(a, b) for j in range(a, i)
                )
                total += 2 * inside / (b - a) - cost
            best = max(best, total)
    return best


@given(
    st.lists(st.tuples(st.floats(-1, 1), st.floats(-1, 1)), min_size=1, max_size=8),
    st.integers(1, 8),
)
def test_cluster_finds_the_best_division(vectors: list[tuple[float, float]], most: int) -> None:
    vectors = [v if math.hypot(*v) > 1e-3 else (1.0, 0.0) for v in vectors]
    model = {f"{i}": list(v) for i, v in enumerate(vectors)}
    count = len(vectors)
    starts, ends = list(range(count)), list(range(1, count + 1))
    lows = reach(starts, ends, [0], most)
    width = max(max(end - low for end, low in enumerate(lows)) - 1, 1)
    band = run(ask_band(str, count, width, 3), lambda texts: [model[t] for t in texts])
    cuts, gains, cost = cluster(band, lows, 0.5, starts, ends)
    edges = [0, *cuts, count]
    assert all(b - a <= most for a, b in itertools.pairwise(edges))
    assert len(gains) == count - 1
    worth = sum(
        2
        * sum(band.near[i, i - j - 1] - band.mean for i in range(a, b) for j in range(a, i))
        / (b - a)
        - cost
        for a, b in itertools.pairwise(edges)
    )
    assert worth == pytest.approx(best_by_trying(band, lows, cost), abs=1e-4)


@given(
    st.lists(st.lists(st.floats(-5, 5), min_size=3, max_size=3), min_size=2, max_size=20),
    st.integers(1, 6),
    st.integers(1, 7),
)
def test_a_band_is_the_cosines_whatever_the_batch(
    vectors: list[list[float]], width: int, batch: int
) -> None:
    vectors = [v if np.linalg.norm(v) > 1e-3 else [1.0, 0.0, 0.0] for v in vectors]
    band = run(
        ask_band(str, len(vectors), width, batch), lambda texts: [vectors[int(t)] for t in texts]
    )
    unit = np.array([np.array(v) / np.linalg.norm(v) for v in vectors])
    for i, d in itertools.product(range(len(vectors)), range(1, width + 1)):
        if i >= d:
            assert band.near[i, d - 1] == pytest.approx(unit[i] @ unit[i - d], abs=1e-5)
        else:
            assert np.isnan(band.near[i, d - 1])
    sums = band.block_sums()
    for end in range(1, len(vectors) + 1):
        for length in range(1, min(width + 1, end) + 1):
            inside = [
                unit[i] @ unit[j] for i in range(end - length, end) for j in range(end - length, i)
            ]
            assert sums[end, length] == pytest.approx(sum(inside), abs=1e-4)


@pytest.mark.parametrize("method", METHODS)
def test_every_method_sees_a_plain_change_of_topic(method: str) -> None:
    amount = {"percentile": 80, "standard_deviation": 1, "gradient": 60}.get(method)
    splitter = SemanticSplitter(
        Scripted(by_topic),
        method=method,
        amount=amount,
        buffer_size=1 if method == "minima" else 0,
    )
    starts = {span.start for span in splitter.split_spans(TWO * 2)}
    assert any(abs(start - TWO.index("Taxes")) < 25 for start in starts)


# ------------------------------------------------------------------ structure and sizes


def test_topics_never_reach_over_a_heading() -> None:
    text = f"# One\n\n{KILNS}\n\n# Two\n\n{KILNS}"
    for method in METHODS:
        chunks = SemanticSplitter(Scripted(), method=method).split_text(text)
        assert chunks == [f"# One\n\n{KILNS}", f"# Two\n\n{KILNS}"], method


def test_a_section_that_fits_may_stay_whole() -> None:
    text = f"# One\n\n{TWO}\n\n# Two\n\n{TWO}\n\n## Three\n\n{TWO}"
    model = Scripted(by_topic)
    assert len(SemanticSplitter(model).split_text(text)) == 6
    whole = SemanticSplitter(model, 400, whole_sections=True)
    assert [chunk[:5] for chunk in whole.split_text(text)] == ["# One", "# Two"]
    assert SemanticSplitter(model, whole_sections=True).split_text(text) == [text]


def test_a_code_block_is_one_sentence() -> None:
    code = "```\nx = 1.\n\ny = 2. z = 3.\n```"
    text = f"{KILNS}\n\n{code}\n\n{TAXES}"
    for method in METHODS:
        chunks = SemanticSplitter(LetterEmbeddings(), method=method, amount=0).split_text(text)
        assert any(code in chunk for chunk in chunks), method


def test_the_structure_may_be_anothers() -> None:
    text = f"# One\n\n{KILNS}\n\n# Two\n\n{KILNS}"
    splitter = SemanticSplitter(Scripted(), structure=NullSplitter())
    assert splitter.split_text(text) == [text]


@pytest.mark.parametrize("method", [m for m in METHODS if m != "cluster"])
@pytest.mark.parametrize("number", [1, 2, 3, 4, 9])
@pytest.mark.parametrize("model", [Scripted(), LetterEmbeddings()], ids=["constant", "letters"])
def test_the_number_of_chunks_is_what_was_asked(
    method: str, number: int, model: Embeddings
) -> None:
    text = "Kilns are hot. Cats sleep. Glaze melts. Dogs run."  # smt-02
    splitter = SemanticSplitter(model, method=method, number_of_chunks=number)
    assert len(splitter.split_text(text)) == min(number, 4)


def test_small_topics_join_the_neighbour_they_are_more_like() -> None:
    text = "Kiln kiln kiln kiln. Kiln glaze. Tax tax tax tax tax tax. Tax of taxes, and tax."
    vectors = {"Kiln k": [1, 0], "Kiln g": [0.8, 0.6], "Tax ta": [0, 1], "Tax of": [0, 1]}
    model = Scripted(lambda t: [float(n) for n in vectors[t[:6]]])
    options: dict[str, Any] = {"method": "threshold", "amount": 0.9, "buffer_size": 0}
    assert len(SemanticSplitter(model, **options).split_text(text)) == 3
    joined = SemanticSplitter(model, min_chunk_size=15, **options)
    assert joined.split_text(text)[0] == "Kiln kiln kiln kiln. Kiln glaze."
    reasons = [each.reason for each in joined.explain(text).candidates]
    assert reasons == ["too small", "topic", "not enough"]


def test_small_topics_do_not_join_over_a_heading() -> None:
    text = f"# A\n\nSmall.\n\n# B\n\n{KILNS}"
    chunks = SemanticSplitter(Scripted(), min_chunk_size=50).split_text(text)
    assert chunks == ["# A\n\nSmall.", f"# B\n\n{KILNS}"]


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("unit", ["characters", "tokens"])
def test_one_topic_without_end_keeps_to_the_cap(method: str, unit: str) -> None:
    """cap-05: constant embeddings, 200 sentences."""
    text = " ".join(f"The kiln is fired at cone six for ten hours number {i}." for i in range(200))
    measure = len if unit == "characters" else TiktokenMeasure("cl100k_base")
    splitter = SemanticSplitter(Scripted(), 200, method=method, length_function=measure)
    check_capped(splitter, text)
    check_sliced(splitter, text)
    check_lossless(splitter, text)
    assert text.endswith(splitter.split_text(text)[-1])  # smt-06


def test_cluster_keeps_to_the_cap_itself() -> None:
    """The published one emits a block beyond its maximum where nothing is alike (B1)."""
    text = " ".join(f"Sentence number {i} is here." for i in range(20))
    unlike = {f"{i}": np.eye(20)[i].tolist() for i in range(20)}
    model = Scripted(lambda t: unlike[t.split()[2]])
    splitter = SemanticSplitter(model, 120)
    topics = [span for span in splitter.split_spans(text) if span.strength.name != "BLOCK"]
    assert len(topics) == 1  # all but the first begin at a topic: the engine had nothing to divide


# ------------------------------------------------------------------ models that answer wrong


def test_too_few_vectors_are_an_error_that_names_the_numbers() -> None:
    class Drops(Scripted):
        def embed_documents(self, texts: list[str]) -> Any:
            return super().embed_documents(texts)[1:]

    with pytest.raises(ModelError, match=r"got 2 vectors for 3 texts") as caught:
        SemanticSplitter(Drops()).split_text("A is. B is. C is.")
    assert len(caught.value.answer) == 2


def test_blank_text_is_never_sent() -> None:
    model = Scripted()
    SemanticSplitter(model, method="percentile").split_text(
        "A is.  \n\n B is.  \n \n\n C is. \n"
    )  # smt-03
    assert all(text.strip() for call in model.calls for text in call)


@pytest.mark.parametrize(
    "answer",
    [[[1.0], [1.0, 2.0], [3.0]], "no", [["a"], ["b"], ["c"]], [1.0, 2.0, 3.0], None, [[], [], []]],
)
def test_what_is_no_vectors_is_an_error(answer: Any) -> None:
    model = Scripted()
    model.embed_documents = lambda texts: answer  # type: ignore[method-assign]
    with pytest.raises(ModelError):
        SemanticSplitter(model).split_text("A is. B is. C is.")


def test_vectors_of_two_sizes_in_two_calls_are_an_error() -> None:
    sizes = itertools.count(2)
    model = Scripted()
    model.embed_documents = lambda texts: [[1.0] * next(sizes) for _ in texts]  # type: ignore[method-assign]
    with pytest.raises(ModelError, match="of one size"):
        SemanticSplitter(model, batch_size=1).split_text("A is. B is. C is.")


@pytest.mark.parametrize("method", METHODS)
def test_zeros_and_nan_decide_nothing(method: str) -> None:
    """smt-04."""
    text = "One thing. Two thing. Three thing. Four thing. Five thing."
    vectors = iter([[0.0, 0.0], [1.0, 0.0], [math.nan, 1.0], [0.0, 0.0], [math.inf, 1.0]])
    splitter = SemanticSplitter(Scripted(lambda _: next(vectors)), 30, method=method)
    with pytest.warns(UserWarning, match="not finite for 2 of 5 texts"):
        chunks = splitter.split_text(text)
    assert " ".join(chunks) == text
    assert max(map(len, chunks)) <= 30


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("text", ["", " \n\n\t  \n", "One.", "One. Two."])
def test_texts_of_few_sentences(method: str, text: str) -> None:
    model = Scripted()
    assert SemanticSplitter(model, method=method).split_text(text) == (
        [text] if text.strip() else []
    )
    if text.count(".") < 2:
        assert model.calls == []  # nothing to ask


@pytest.mark.parametrize("method", METHODS)
def test_equal_sentences_are_one_topic(method: str) -> None:
    text = "The same again. " * 30
    assert SemanticSplitter(Scripted(), method=method).split_text(text) == [text.strip()]


# ------------------------------------------------------------------ calls


def test_calls_are_batched() -> None:
    """smt-07."""
    model = Scripted()
    SemanticSplitter(model, batch_size=100).split_text(
        " ".join(f"Sentence {i}." for i in range(3000))
    )
    assert [len(call) for call in model.calls] == [100] * 30


async def test_async_ways_await_the_model() -> None:
    """asy-01."""
    from langchain_core.documents import Document

    model = Scripted(by_topic)
    splitter = SemanticSplitter(model)
    document = Document(page_content=TWO, metadata={"a": 1})
    assert await splitter.asplit_text(TWO) == [KILNS, TAXES]
    assert [tuple(span) for span in await splitter.asplit_spans(TWO)] == [(0, 67), (68, len(TWO))]
    assert [d.page_content for d in await splitter.atransform_documents([document])] == [
        KILNS,
        TAXES,
    ]
    assert [d.metadata for d in await splitter.acreate_documents([TWO], [{"b": 2}])] == [
        {"b": 2}
    ] * 2
    assert [d.page_content async for d in splitter.alazy_split_documents([document])] == [
        KILNS,
        TAXES,
    ]
    assert await splitter.asplit_text(TWO, chunk_size=40) == splitter.split_text(TWO, chunk_size=40)
    assert model.awaited == 6
    with pytest.raises(InputError):
        await splitter.asplit_text(None)  # type: ignore[arg-type]
    with pytest.raises(InputError):
        await splitter.acreate_documents(["a", "b"], [{}])


def test_a_cache_of_langchain_serves_repeats() -> None:
    model = Scripted(by_topic)
    cached = CacheBackedEmbeddings.from_bytes_store(
        model, InMemoryByteStore(), namespace="x", key_encoder="sha256"
    )
    splitter = SemanticSplitter(cached)
    text = TWO + " Lone \ud800 surrogate."
    first = splitter.split_text(text)
    assert splitter.split_text(text) == first
    assert len(model.calls) == 1


def test_ten_thousand_sentences_hold_a_window_of_vectors() -> None:
    import tracemalloc

    text = " ".join(
        f"Kiln number {i} is hot." if i % 40 < 20 else f"Tax {i} is due." for i in range(10_000)
    )
    model = Scripted(lambda t: [*by_topic(t), *([0.0] * 766)])
    model.calls = type("Forgets", (list,), {"append": lambda self, _: None})()
    splitter = SemanticSplitter(model, batch_size=128)
    tracemalloc.start()
    chunks = splitter.split_text(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 400 < len(chunks) < 600
    assert peak < 45e6  # all the vectors, as lists of numbers, would take 250 MB


# ------------------------------------------------------------------ scripts, settings, explaining


@pytest.mark.parametrize("method", ["cluster", "minima", "threshold"])
def test_chinese_sentences_are_found(method: str) -> None:
    """cjk-02."""
    text = "窑炉很热。釉料慢慢熔化。猫整天睡觉。狗跑得很远。" * 4
    splitter = SemanticSplitter(
        Scripted(by_topic),
        method=method,
        amount={"cluster": 0.2}.get(method),
        buffer_size=0 if method != "minima" else 1,
    )
    assert splitter.split_text(text) == ["窑炉很热。釉料慢慢熔化。", "猫整天睡觉。狗跑得很远。"] * 4


def test_thai_is_divided_between_phrases() -> None:
    text = "เตาเผาร้อนมากในวันนี้ " * 20 + "ภาษีเพิ่มขึ้นในเดือนพฤษภาคม " * 20
    chunks = SemanticSplitter(LetterEmbeddings()).split_text(text)
    assert len(chunks) == 2
    assert chunks[1].startswith("ภาษี")


@pytest.mark.parametrize(
    "options",
    [
        {"method": "best"}, {"method": "threshold", "amount": 2}, {"amount": "much"}, {"amount": True},
        {"buffer_size": -1}, {"method": "minima", "buffer_size": 0}, {"number_of_chunks": 2},
        {"method": "minima", "number_of_chunks": 0}, {"batch_size": 0}, {"structure": "markdown"},
        {"min_chunk_size": 3000}, {"chunk_size": 0}, {"colour": "red"}, {"amount": math.nan},
    ],
    ids=str,
)  # fmt: skip
def test_settings_of_no_use_are_refused(options: dict[str, Any]) -> None:
    with pytest.raises(SettingError):
        SemanticSplitter(LetterEmbeddings(), **options)


def test_what_is_no_model_is_refused() -> None:
    with pytest.raises(InputError, match="LangChain Embeddings"):
        SemanticSplitter("text-embedding-3-small")  # type: ignore[arg-type]


def test_explain_says_why() -> None:
    text = f"# One\n\n{TWO}\n\n# Two\n\n{KILNS}"
    splitter = SemanticSplitter(Scripted(by_topic))
    found = splitter.explain(text)
    reasons = {each.text: each.reason for each in found.candidates}
    assert reasons["Taxes rose in May."] == "topic"
    assert reasons["Potters watch the kiln."] == "not enough"
    assert reasons["# Two\n\nKilns are hot."] == "heading"
    assert [each.at for each in found.candidates if each.chosen] == [
        s.start for s in found.spans[1:]
    ]
    assert list(found.spans) == splitter.split_spans(text)
    assert all(
        (c.score > found.threshold) == c.chosen for c in found.candidates if c.reason != "heading"
    )
    whole = SemanticSplitter(Scripted(by_topic), whole_sections=True).explain(text)
    assert {each.reason for each in whole.candidates} == {"whole section"}
    assert whole.threshold is None
    assert SemanticSplitter(Scripted()).explain("").candidates == ()


@pytest.mark.parametrize("method", METHODS)
def test_an_explanation_draws_itself(method: str, tmp_path: Any) -> None:
    figure = (
        SemanticSplitter(LetterEmbeddings(), 60, method=method)
        .explain(f"# H\n\n{TWO}\n\n# I\n\n{TWO}")
        .plot()
    )
    figure.savefig(tmp_path / "plot.png")
    assert (tmp_path / "plot.png").stat().st_size > 5_000


def test_copies_and_other_measures() -> None:
    splitter = SemanticSplitter.from_tiktoken_encoder(embeddings=LetterEmbeddings(), chunk_size=20)
    assert pickle.loads(pickle.dumps(splitter)).split_text(TWO) == splitter.split_text(TWO)
    assert SemanticSplitter(chunk_size=300).to_config() == {
        "splitter": "semantic",
        "chunk_size": 300,
    }
    fine = SemanticSplitter(Scripted(by_topic)) | RecursiveSplitter(40)
    assert all(len(chunk) <= 40 for chunk in fine.split_text(TWO))
