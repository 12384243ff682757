"""Measures: what they count is exact, and what a scale says of a text agrees with it.

Long because the measures share their hostile texts: a class for each measure.
"""

import copy
import itertools
import pickle
import random

import pytest
import tiktoken
from hypothesis import given
from hypothesis import strategies as st

from langchain_chunkers import (
    CallableMeasure,
    CharacterMeasure,
    FixedSizeSplitter,
    HuggingFaceMeasure,
    InputError,
    LengthMeasure,
    RecursiveSplitter,
    SettingError,
    TiktokenMeasure,
    token_scale,
    tokens,
)
from langchain_chunkers.length import measure_for
from langchain_chunkers.tokens import TokenScale
from tests.cases.laws import SIZED, check, make

ENCODINGS = ["cl100k_base", "o200k_base"]
# What stands around a seam, and what tokenizers find hard.
PIECES = [
    *"abcZQ ßñéπжשبกあア漢字한ना", " ", "  ", "\n", "\n\n", "\r\n", "\t", "\u00a0", "\u3000", "\u200b",
    ".", ",", "!", "?", ";", ":", ")", "(", "'", "’", "'s", "'LL", "'re ", "“", "”", "-", "_", "/", "#",
    "0", "12", "3456", "3.14", "1,000", "。", "、", "，", "！", "؟", "،", "…", "—", "<|endoftext|>", "<|im_start|>",
    "word", " word", "Word.", " The", "don't", "naïve", "e\u0301", "o\u0308", "\u0301", "\u200d", "🙂", "👨\u200d👩\u200d👧",
    "🇵🇹", "👍🏽", "\x00", "\x85", "\u2028", "\ufeff", "\ufffd", "ﬁ", "Ⅷ", "²", "½", "ǅ", "ª", "\u0e33", "\u0e31", "ー", "々", "〆",
    "aaaaaaaa", "=======", "        ", "\n\n\n\n\n", "http://x.y/z?q=1", "ſ", "K", "İ", "𝒳", "𐍈", "ൎ", "\u1ab0",
]  # fmt: skip


def hostile(seed: int, length: int) -> str:
    """Make a text of few kinds of pieces, so that odd neighbours meet often."""
    chance = random.Random(seed)
    few = chance.sample(PIECES, chance.choice([2, 4, 10, len(PIECES)]))
    return "".join(chance.choices(few, k=length))


def words(text):
    return len(text.split())


def utf8(text):
    return len(text.encode("utf-8", "surrogatepass"))


class TestCharacters:
    def test_counts_code_points(self):
        assert CharacterMeasure()("e\u0301👍🏽") == 4

    def test_scale_is_the_identity(self):
        scale = CharacterMeasure().scale("abcdef")
        assert [scale.mark(at) for at in range(7)] == list(range(7))
        assert [scale.place(mark) for mark in range(9)] == [0, 1, 2, 3, 4, 5, 6, 6, 6]
        assert scale.count(2, 5, "ab") == 5
        assert scale.additive

    def test_equality(self):
        assert CharacterMeasure() == CharacterMeasure()
        assert len({CharacterMeasure(), CharacterMeasure()}) == 1
        assert CharacterMeasure() != CallableMeasure(len)


class TestTiktoken:
    @pytest.mark.parametrize("name", ENCODINGS)
    def test_scale_recounts_exactly_on_hostile_text(self, name):
        """The seams of `TokenScale.count` against encoding the slice: no difference, ever."""
        measure, plain = TiktokenMeasure(name), tiktoken.get_encoding(name).encode_ordinary
        chance = random.Random(7)
        for seed in range(80):
            text = hostile(seed, chance.choice([300, 900]))
            scale = measure.scale(text)
            for _ in range(12):
                start, end = sorted(chance.choices(range(len(text) + 1), k=2))
                assert scale.count(start, end) == len(plain(text[start:end])), (seed, start, end)

    @pytest.mark.parametrize("name", ENCODINGS)
    def test_every_pair_of_characters_around_a_seam(self, name):
        """Each piece before and behind each kind of seam, at a distance that the scale must see."""
        measure, plain = TiktokenMeasure(name), tiktoken.get_encoding(name).encode_ordinary
        for before, after in itertools.product(
            PIECES, ["a", " b", ".", "\n", "、", "'s", "1", "\u0301"]
        ):
            text = ("pad words " * 30) + f"x{before}{after}y" + (" pad words" * 30)
            scale = measure.scale(text)
            for start, end in ((0, 304), (3, len(text) - 2), (299, len(text)), (0, len(text))):
                assert scale.count(start, end) == len(plain(text[start:end])), (before, after)

    @pytest.mark.parametrize("name", ENCODINGS)
    @pytest.mark.parametrize(
        "unit", ["a", "ab ", "word. ", "漢", "漢字。", "é", "กา", "🙂", "\n", "=", "0"]
    )
    def test_long_texts_are_cut_where_tokens_do_not_change(self, name, unit):
        text = (unit * 140_000)[:140_000]  # more than two of the pieces that are encoded at a time
        measure, plain = TiktokenMeasure(name), tiktoken.get_encoding(name).encode_ordinary
        scale = measure.scale(text)
        for start, end in ((65_000, 66_500), (0, 300), (131_000, 132_700), (139_000, 140_000)):
            assert scale.count(start, end) == len(plain(text[start:end]))
        assert 0.98 < scale.mark(len(text)) / len(plain(text)) < 1.02

    def test_long_mixed_text_is_exact_over_the_cuts(self):
        measure, plain = TiktokenMeasure(), tiktoken.get_encoding("cl100k_base").encode_ordinary
        text = "".join(hostile(seed, 800) for seed in range(80))
        scale = measure.scale(text)
        chance = random.Random(3)
        for _ in range(120):
            start = chance.randrange(len(text) - 3_000)
            end = start + chance.choice([300, 1_000, 3_000])
            assert scale.count(start, end) == len(plain(text[start:end])), (start, end)

    @pytest.mark.parametrize("name", ENCODINGS)
    def test_marks_count_the_tokens_that_have_ended(self, name):
        for seed in range(40):
            text = hostile(seed, 60)
            encoding = tiktoken.get_encoding(name)
            scale = TiktokenMeasure(name).scale(text)
            assert isinstance(scale, TokenScale)
            ends, done = [], b""
            for piece in encoding.decode_tokens_bytes(encoding.encode_ordinary(text)):
                done += piece
                ends.append(len(done.decode(errors="replace").rstrip("\ufffd")))
            for at in range(len(text) + 1):
                size = len(text[:at].encode())
                whole = itertools.accumulate(
                    map(len, encoding.decode_tokens_bytes(encoding.encode_ordinary(text)))
                )
                assert scale.mark(at) == sum(end <= size for end in whole)
            assert list(scale.marks(range(len(text) + 1))) == [
                scale.mark(at) for at in range(len(text) + 1)
            ]

    @pytest.mark.parametrize("at_once", [1, 3])
    def test_a_long_text_is_laid_out_some_pieces_at_a_time(self, at_once, monkeypatch):
        text = "Die Pumpe fiel aus. 备用水泵没有坏。 " * 60 + "plain words only " * 60
        whole = TiktokenMeasure().scale(text)
        monkeypatch.setattr(token_scale, "_PIECE", 90)
        in_one = TiktokenMeasure().scale(text)
        monkeypatch.setattr(tokens, "_AT_ONCE", at_once)
        scale = TiktokenMeasure().scale(text)
        assert scale.ends == in_one.ends
        assert scale.ends[-1] == whole.ends[-1] == len(text)
        with_surrogate = TiktokenMeasure().scale(text + "\ud800")
        assert with_surrogate.count(0, 9) == whole.count(0, 9)

    def test_place_never_passes_its_mark(self):
        for seed in range(40):
            text = hostile(seed, 50)
            scale = TiktokenMeasure().scale(text)
            total = scale.mark(len(text))
            assert scale.place(total) == len(text)
            for mark in range(-1, int(total)):
                at = scale.place(mark)
                assert 0 <= at <= len(text)
                assert scale.mark(at) <= max(mark, 0)

    @pytest.mark.parametrize("name", ["paragraph", "recursive"])
    @pytest.mark.parametrize("size", [5, 12, 30])
    def test_what_fits_exactly_is_whole(self, name, size):
        """Paragraphs of exactly the cap, though token ends around them say a little more or less."""
        measure = TiktokenMeasure()
        sources = (
            "It is (so) he said. " * 40,
            "价格上涨了，库存不足" * 9,
            "naïve – ça va 🙂 " * 20,
            "x = y[0]; " * 30,
        )
        paragraphs = []
        for source in sources:
            # with a full stop, so that none is taken for a heading
            cut = (source[:end].rstrip(" ,;.") + "." for end in range(1, len(source)))
            paragraphs += [max((text for text in cut if measure(text) <= size), key=len)] * 3
        assert sum(measure(paragraph) == size for paragraph in paragraphs) >= 6
        assert (
            check(make(name, size, length_function=measure), "\n\n".join(paragraphs)) == paragraphs
        )

    @pytest.mark.parametrize("text", ["\ud800", "a\udfffb" * 200, "\ud83d\ude42 " * 200, "x\ud800"])
    def test_lone_surrogates_are_text(self, text):
        measure = TiktokenMeasure()
        assert measure(text) > 0
        for name in SIZED:
            check(make(name, 7, 2, length_function=measure), text)

    def test_empty(self):
        measure = TiktokenMeasure()
        assert measure("") == 0
        assert measure.scale("").mark(0) == 0
        assert measure.scale("").place(3) == 0

    def test_model_names(self):
        assert TiktokenMeasure(model_name="gpt-4").encoding_name == "cl100k_base"
        assert TiktokenMeasure("cl100k_base", "gpt-4o").encoding_name == "o200k_base"
        assert TiktokenMeasure().unit == "tokens (cl100k_base)"

    @pytest.mark.parametrize("settings", [{"encoding_name": "nope"}, {"model_name": "nope"}])
    def test_unknown_names(self, settings):
        with pytest.raises(SettingError, match=r"nope.*is not known to tiktoken"):
            TiktokenMeasure(**settings)

    def test_an_encoding_that_cannot_be_had_names_the_ways_out(self):
        with pytest.raises(SettingError, match=r"(?s)p50k_base.*TIKTOKEN_CACHE_DIR.*pip install"):
            TiktokenMeasure("p50k_base")  # the network is shut, and the cache has it not

    @pytest.mark.parametrize("own", [False, True], ids=["by name", "own encoding"])
    def test_pickle_and_copies(self, own, encoding):
        measure = TiktokenMeasure(encoding=encoding) if own else TiktokenMeasure("o200k_base")
        for again in (
            pickle.loads(pickle.dumps(measure)),
            copy.deepcopy(measure),
            copy.copy(measure),
        ):
            assert again == measure
            assert hash(again) == hash(measure)
            assert again("Größe 猫") == measure("Größe 猫")
            assert again.encoding_name == measure.encoding_name

    def test_special_tokens_survive_pickling(self):
        measure = TiktokenMeasure(allowed_special={"<|endoftext|>"}, disallowed_special="all")
        again = pickle.loads(pickle.dumps(measure))
        assert again("<|endoftext|>") == measure("<|endoftext|>") == 1
        assert again != TiktokenMeasure()

    def test_an_encoding_of_ones_own(self):
        cl100k = tiktoken.get_encoding("cl100k_base")
        own = tiktoken.Encoding(
            "own", pat_str=r"[\s\S]", mergeable_ranks=cl100k._mergeable_ranks, special_tokens={}
        )
        measure = TiktokenMeasure(encoding=own)
        text = "one char is one token: é 猫 🙂. " * 20
        scale = measure.scale(text)
        for start, end in itertools.pairwise(range(0, len(text), 300)):
            assert scale.count(start, end) == len(own.encode_ordinary(text[start:end]))
        check(RecursiveSplitter(50, 10, length_function=own), text)

    def test_an_own_encoding_with_a_known_name_is_not_taken_for_it(self):
        cl100k = tiktoken.get_encoding("cl100k_base")
        fake = tiktoken.Encoding(
            "cl100k_base",
            pat_str=r"[\s\S]{1,7}",
            mergeable_ranks=cl100k._mergeable_ranks,
            special_tokens={},
        )
        text = "the tokens of this one go over words and stops. " * 30
        scale = TiktokenMeasure(encoding=fake).scale(text)
        for start in range(40):
            assert scale.count(start, 1_000) == len(fake.encode_ordinary(text[start:1_000]))


HUGGING = ["bert_tokenizer", "bert_tokenizer_fast", "deepseek_tokenizer_fast", "slow_tokenizer"]


@pytest.fixture(scope="session")
def pairs():
    """What is made already: in random order, pytest would make each again and again."""
    return {}


@pytest.fixture(params=HUGGING)
def pair(request, pairs):
    """A tokenizer and its measure."""
    if request.param not in pairs:
        tokenizer = request.getfixturevalue(request.param)
        pairs[request.param] = tokenizer, HuggingFaceMeasure(tokenizer)
    return pairs[request.param]


class TestHuggingFace:
    def test_counts_as_the_tokenizer_does(self, pair):
        tokenizer, measure = pair
        for seed in range(60):
            text = hostile(seed, 40)
            if hasattr(tokenizer, "tokenize"):
                wanted = len(tokenizer.tokenize(text))
            else:
                wanted = len(tokenizer.encode(text, add_special_tokens=False).ids)
            assert measure(text) == wanted, text

    def test_scale_counts_slices_exactly_and_never_falls(self, pair):
        _, measure = pair
        chance = random.Random(1)
        for seed in range(30):
            text = hostile(seed, 200)
            scale = measure.scale(text)
            for _ in range(4):
                start, end = sorted(chance.choices(range(len(text) + 1), k=2))
                assert scale.count(start, end) == measure(text[start:end])
            marks = [scale.mark(at) for at in range(len(text) + 1)]
            assert marks == sorted(marks)
            assert marks[0] == 0
            for mark in range(0, int(marks[-1]), 7):
                assert scale.mark(scale.place(mark)) <= mark + 1e-6

    @pytest.mark.parametrize(
        "text",
        ["", "\ud800", "a\udfffb" * 9, "\x00", "猫" * 20_000],
        ids=["empty", "surrogate", "surrogates", "NUL", "long"],
    )
    def test_hostile(self, pair, text):
        _, measure = pair
        chunks = FixedSizeSplitter(400, length_function=measure).split_text(text)
        assert "".join(chunks) == text
        assert all(measure(chunk) <= 400 for chunk in chunks)

    def test_a_fast_one_and_its_backend_agree(self, bert_tokenizer, bert_tokenizer_fast):
        bare, fast = HuggingFaceMeasure(bert_tokenizer), HuggingFaceMeasure(bert_tokenizer_fast)
        assert [bare(hostile(s, 30)) for s in range(30)] == [
            fast(hostile(s, 30)) for s in range(30)
        ]

    def test_special_tokens_can_be_reserved(
        self, bert_tokenizer, bert_tokenizer_fast, slow_tokenizer
    ):
        for tokenizer, added in (
            (bert_tokenizer, 2),
            (bert_tokenizer_fast, 2),
            (slow_tokenizer, 1),
        ):
            bare = HuggingFaceMeasure(tokenizer)
            reserved = HuggingFaceMeasure(tokenizer, reserve_special_tokens=True)
            assert reserved("the dog") == bare("the dog") + added

    def test_reserved_tokens_are_counted_once_a_chunk_by_the_scale_too(self, bert_tokenizer):
        measure = HuggingFaceMeasure(bert_tokenizer, reserve_special_tokens=True)
        text = "the dog does not mind " * 30
        scale = measure.scale(text)
        assert scale.count(0, 100) == measure(text[:100])
        check(RecursiveSplitter(10, 3, length_function=measure), text)

    def test_truncation_and_padding_do_not_count(self, truncating_tokenizer):
        measure = HuggingFaceMeasure(truncating_tokenizer)
        assert measure("the dog") < 10
        assert measure("the dog " * 300) >= 600
        check(RecursiveSplitter(50, 10, length_function=measure), "the dog does. " * 100)
        assert truncating_tokenizer.truncation["max_length"] == 128
        assert truncating_tokenizer.padding["length"] == 128

    def test_later_truncation_of_the_given_one_changes_nothing(self, bert_tokenizer):
        from tokenizers import Tokenizer

        given_one = Tokenizer.from_str(bert_tokenizer.to_str())
        measure = HuggingFaceMeasure(given_one)
        before = measure("the dog " * 50)
        given_one.enable_truncation(4)
        given_one.enable_padding(length=4)
        assert measure("the dog " * 50) == before

    def test_pickle_and_deepcopy(self, pair):
        _, measure = pair
        for again in (pickle.loads(pickle.dumps(measure)), copy.deepcopy(measure)):
            assert again("the dog ÄÖ 猫") == measure("the dog ÄÖ 猫")
            assert again.unit == measure.unit


DISHONEST = {
    "zero": lambda text: 0,
    "huge": lambda text: 10**9,
    "negative": lambda text: -len(text),
    "one": lambda text: 1,
    "modulo": lambda text: len(text) % 7,
    "falls": lambda text: max(0, 50 - len(text)),
    "hash": lambda text: sum(map(ord, text)) % 40,
    "float": lambda text: len(text) / 3,
    "steps": lambda text: len(text) // 20 * 20,
    "last": lambda text: ord(text[-1]) % 30 if text else 0,
    "infinite soon": lambda text: 10**30 if len(text) > 5 else 1,
    "bool": lambda text: bool(text),
}
TEXT = "# Head\n\nOne sentence here. Another one, 猫は寝た。 e\u0301 👍🏽!\n\n" * 8


class TestCallables:
    @pytest.mark.parametrize("function", [words, utf8, str.__len__], ids=["words", "bytes", "len"])
    def test_honest_ones_cap(self, function):
        for name in SIZED:
            for overlap in (0, 3):
                splitter = make(name, 9, overlap, length_function=function)
                for chunk in check(splitter, TEXT):
                    assert function(chunk) <= 9 or len(chunk) == 1

    @pytest.mark.parametrize("name", SIZED)
    @pytest.mark.parametrize("kind", DISHONEST)
    def test_dishonest_ones_lose_nothing_and_end(self, kind, name):
        function, text = DISHONEST[kind], TEXT[:150]
        for size, overlap, options in (
            (1, 0, {}),
            (12, 5, {"strip_whitespace": False}),
            (40, 39, {}),
            (12, 0, {"min_chunk_size": 6}),
        ):
            check(make(name, size, overlap, length_function=function, **options), text)

    @pytest.mark.parametrize("name", SIZED)
    def test_random_ones_end(self, name):
        chance = random.Random(5)
        splitter = make(name, 20, 8, length_function=lambda text: chance.randrange(60))
        done = 0
        for span in splitter.split_spans(TEXT):
            assert not TEXT[done : span.fresh].strip()
            done = span.end
        assert not TEXT[done:].strip()

    @pytest.mark.parametrize("name", ["paragraph", "recursive"])
    @pytest.mark.parametrize("size", [83, 100, 120])
    def test_what_fits_is_whole_where_the_estimate_errs(self, name, size):
        """A paragraph of one byte a character among those of three."""
        chinese = "窑炉很热釉料慢慢熔化猫整天睡觉狗跑得很远" * 3
        english = (
            "The kiln is hot and the glaze melts slowly while the cat sleeps all day long in sun"
        )
        text = "\n\n".join([chinese] * 5 + [english] + [chinese] * 5)
        assert english in check(make(name, size, length_function=utf8), text)

    def test_zero_is_one_chunk(self):
        assert RecursiveSplitter(5, length_function=DISHONEST["zero"]).split_text(TEXT) == [
            TEXT.strip()
        ]

    def test_calls_are_linear_in_the_text(self):
        """One pass over the text and one over its chunks, give or take: not one for each place."""

        def counted(text):
            nonlocal characters
            characters += len(text)
            return len(text.split())

        for name in SIZED:
            totals = []
            for times in (20, 160):
                characters = 0
                make(name, 50, 10, length_function=counted).split_text(TEXT * times)
                totals.append(characters / len(TEXT * times))
            assert totals[1] < 30, (name, totals)
            assert totals[1] < 1.5 * totals[0], (name, totals)

    @pytest.mark.parametrize("name", SIZED)
    def test_errors_of_the_callable_are_its_own(self, name):
        def fails(text):
            if text != "probe":
                message = "the counter's own"
                raise RuntimeError(message)
            return 1

        with pytest.raises(RuntimeError, match="the counter's own"):
            make(name, 20, length_function=fails).split_text(TEXT)

    def test_a_raising_counter_raises_when_made_too(self):
        def fails(text):
            message = "no counter today"
            raise RuntimeError(message)

        with pytest.raises(RuntimeError, match="no counter today"):
            RecursiveSplitter(20, length_function=fails)

    @pytest.mark.parametrize(
        "function", [str.split, str.upper, lambda text: None], ids=["list", "str", "none"]
    )
    def test_what_does_not_count_is_an_error_when_made(self, function):
        with pytest.raises(InputError, match="must give a number"):
            RecursiveSplitter(20, length_function=function)

    def test_negative_counts_are_none(self):
        assert CallableMeasure(DISHONEST["negative"])("abc") == 0

    def test_numpy_counts(self):
        import numpy as np

        measure = CallableMeasure(lambda text: np.int64(len(text)))
        assert type(measure("abc")) is int
        check(RecursiveSplitter(20, 5, length_function=measure), TEXT)

    def test_pickles_where_its_function_does(self):
        measure = CallableMeasure(words)
        assert pickle.loads(pickle.dumps(measure)) == measure
        assert pickle.loads(pickle.dumps(measure))("a b c") == 3

    @given(st.text(max_size=3_000))
    def test_estimates_end_at_the_sum_and_never_fall(self, text):
        scale = CallableMeasure(utf8).scale(text)
        marks = [scale.mark(at) for at in range(0, len(text) + 1, 97)]
        assert marks == sorted(marks)
        assert scale.mark(len(text)) == utf8(text)
        assert scale.place(utf8(text)) == len(text)
        assert scale.place(-1) == 0


class TestMeasureFor:
    def test_characters(self):
        assert measure_for(len) == measure_for("characters") == CharacterMeasure()

    def test_measures_are_kept(self):
        measure = TiktokenMeasure()
        assert measure_for(measure) is measure

    def test_tokenizers(self, encoding, bert_tokenizer, bert_tokenizer_fast, slow_tokenizer):
        assert isinstance(measure_for(encoding), TiktokenMeasure)
        for tokenizer in (bert_tokenizer, bert_tokenizer_fast, slow_tokenizer):
            assert isinstance(measure_for(tokenizer), HuggingFaceMeasure)

    @pytest.mark.parametrize(
        "measure",
        [
            CharacterMeasure(),
            TiktokenMeasure(),
            TiktokenMeasure("o200k_base"),
            CallableMeasure(words),
        ],
        ids=lambda measure: measure.unit,
    )
    def test_config_round_trip(self, measure):
        import json

        config = json.loads(json.dumps(measure.to_config()))
        assert measure_for(config) == measure

    def test_special_tokens_survive_a_configuration(self):
        measure = TiktokenMeasure(
            allowed_special={"<|endoftext|>"}, disallowed_special={"<|fim_prefix|>"}
        )
        assert measure_for(measure.to_config()) == measure

    def test_inner_functions_have_no_configuration(self):
        with pytest.raises(ValueError, match="cannot be written into a configuration"):
            CallableMeasure(lambda text: 1).to_config()

    @pytest.mark.parametrize(
        "anything",
        [None, 3, "tokens", [], object(), {"x": 1}, {"callable": "nope"}],
        ids=["none", "int", "str", "list", "object", "dict", "no callable"],
    )
    def test_anything_else_is_an_error(self, anything):
        with pytest.raises((InputError, SettingError)):
            measure_for(anything)

    def test_a_measure_of_ones_own(self):
        class Vowels(LengthMeasure):
            unit = "vowels"

            def __call__(self, text):
                return sum(c in "aeiou" for c in text)

            def scale(self, text):
                return CallableMeasure(self).scale(text)

            def to_config(self):
                return {"vowels": True}

        for name in SIZED:
            check(make(name, 9, 2, length_function=Vowels()), TEXT)
        with pytest.raises(SettingError, match="10 and 5 vowels"):
            RecursiveSplitter(5, 10, length_function=Vowels())
