"""`split_stream`: for any text and any slicing of it, the chunks of the whole text."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.documents import Document
from typer.testing import CliRunner

from langchain_chunkers import (
    CallableMeasure,
    FixedSizeSplitter,
    HuggingFaceMeasure,
    InputError,
    MarkdownSplitter,
    ParagraphSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    SettingError,
    TiktokenMeasure,
    TokenCountSplitter,
    files,
    streaming,
    structure,
    token_scale,
)
from langchain_chunkers.cli import run
from langchain_chunkers.cli.app import app
from tests.tokenizers import load_deepseek_tokenizer

KINDS = {
    "recursive": RecursiveSplitter,
    "sentence": SentenceSplitter,
    "fixed": FixedSizeSplitter,
    "token": TokenCountSplitter,
}
BLOCKS = [
    "\n\n", "\n\n", "\n\n", "\n \n", "\n", "\n", "\r\n\r\n", "\r\n", "\f", "\u2029", "# One\n", "\n## Two\n\n", "\n\n3.1 Scope\n\n",
    "Title\n=====\n", "\nA line\n---\n", "```\n", "\n```\n", "\n~~~~\n", "   ", "     \n\n\n\n      ", "\t", "HEADING\n\n", "\n\nChapter 3\n\n",
    "It failed. ", "Nobody saw it, and nobody asked. ", "“Is it so?” ", "e.g. this one, ", "3.14 ", "www.example.com/a?b=c ",
    "价格上涨了。", "库存不足，", "吾輩は猫である。", "ประโยคภาษาไทย ", "🙂", "👩\u200d👧", "e\u0301", "word ", "longer ", "another-word ",
    "x", "aaaaaaaaaaaaaaaaaaaaaa", "==", "--", "#", "| a | b |\n", "- item\n", "1. item\n", "\u3000", "\x00", "<|endoftext|>",
]  # fmt: skip


def text_of(seed, length):
    """Make a text of few kinds of blocks, so that each kind of structure is met in bulk."""
    chance = random.Random(seed)
    few = chance.sample(BLOCKS, chance.choice([2, 3, 5, 9, len(BLOCKS)]))
    text = "".join(chance.choices(few, k=length))
    return text if chance.random() < 0.6 else text.replace("\n\n", "\n")


def sections_of(seed, paragraphs):
    """Make a text of sections that are now shorter and now longer than a few chunks."""
    chance = random.Random(seed)
    text = ""
    for number in range(paragraphs):
        if chance.random() < chance.choice([0.02, 0.3]):
            text += f"{chance.choice(['#', '##', '###'])} Part {number}\n\n"
        words = chance.choices(
            ["pump", "valve", "it", "failed", "泵坏了，", "noon."], k=chance.randint(1, 14)
        )
        text += " ".join(words) + ".\n\n"
        if chance.random() < 0.03:
            text += "```\n" + "x = 1\n\n" * chance.randint(1, 12) + chance.choice(["```\n\n", ""])
    return text


@pytest.fixture
def wide(monkeypatch, small):
    """What `TokenCountSplitter` needs: it asks how lines are meant for 1,000 characters around."""
    monkeypatch.setattr(streaming, "_MARGIN", 1200)


def pieces_of(text, seed):
    chance = random.Random(seed)
    longest = chance.choice([1, 7, 50, 1000, 10_000])
    at = 0
    while at < len(text):
        size = chance.randint(0, longest)
        yield text[at : at + size]
        at += size


@pytest.fixture
def small(monkeypatch):
    """Make everything small, so that texts of some thousand characters have many windows."""
    monkeypatch.setattr(streaming, "_WINDOW", 300)
    monkeypatch.setattr(streaming, "_MARGIN", 120)
    monkeypatch.setattr(streaming, "_CONTEXT", 1300)
    monkeypatch.setattr(token_scale, "_PIECE", 150)
    monkeypatch.setattr(token_scale, "_REACH", 40)
    monkeypatch.setattr(structure, "_LISTED", 400)
    monkeypatch.setattr(structure, "_WALK", 6)


def check(splitter, text, seed=0):
    whole = splitter.split_documents([Document(text, metadata={"source": "a"})])
    streamed = list(splitter.split_stream(pieces_of(text, seed), {"source": "a"}))
    assert streamed == whole
    return whole


def windows_of(splitter, text):
    """Count the windows in which something was given out."""
    held = []
    original = streaming._Way.forget

    def noted(way):
        held.append(len(way.text))
        original(way)

    streaming._Way.forget = noted
    try:
        list(splitter.split_stream(pieces_of(text, 3)))
    finally:
        streaming._Way.forget = original
    return held


@pytest.mark.usefixtures("small")
class TestSameChunks:
    @pytest.mark.parametrize("overlap", [0, 3])
    @pytest.mark.parametrize("measure", [len, TiktokenMeasure("o200k_base")], ids=["len", "o200k"])
    @pytest.mark.parametrize("name", ["recursive", "sentence"])
    def test_sections_and_fences(self, name, measure, overlap):
        for seed in range(20):
            size = random.Random(seed).choice([25, 60, 110]) // (1 if measure is len else 4)
            splitter = KINDS[name](
                size, overlap * size // 10, length_function=measure, add_start_index=True
            )
            check(splitter, sections_of(seed, 140), seed)

    @pytest.mark.usefixtures("wide")
    def test_a_high_floor_looks_far_ahead(self):
        for seed in range(6):
            splitter = TokenCountSplitter(1125, 1500, length_function=len, add_start_index=True)
            check(splitter, sections_of(seed, 700), seed)

    @pytest.mark.parametrize("name", ["fixed", "recursive"])
    def test_tokens_of_text_that_can_be_cut_nowhere_for_certain(self, name):
        """Its pieces for the tokenizer have to be the same ones, or tokens at their ends differ."""
        for seed in range(12):
            chance = random.Random(seed)
            text = "".join(chance.choices("0123456789=-_/@#", k=900))
            text = "\n\n".join([text, *(text[n : n + 30] for n in range(0, 3000, 30))])
            check(
                KINDS[name](9, length_function=TiktokenMeasure(), add_start_index=True), text, seed
            )

    @pytest.mark.parametrize("strip", [True, False])
    @pytest.mark.parametrize("overlap", [0, 3])
    @pytest.mark.parametrize("name", KINDS)
    def test_in_characters(self, name, overlap, strip, request):
        if name == "token":
            request.getfixturevalue("wide")
        for seed in range(3 if name == "token" else 12):
            size = random.Random(seed).choice([7, 15, 40, 90])
            options = {"min_tokens": size // 3} if name == "token" else {}
            splitter = KINDS[name](
                chunk_size=size,
                chunk_overlap=overlap * size // 10,
                length_function=len,
                add_start_index=True,
                strip_whitespace=strip,
                **options,
            )
            check(splitter, text_of(seed, 600), seed)

    @pytest.mark.parametrize("overlap", [0, 3])
    @pytest.mark.parametrize("name", KINDS)
    @pytest.mark.parametrize("encoding", ["cl100k_base", "o200k_base"])
    def test_in_tokens(self, encoding, name, overlap, request):
        if name == "token":
            request.getfixturevalue("wide")
        measure = TiktokenMeasure(encoding)
        for seed in range(3 if name == "token" else 8):
            size = random.Random(seed).choice([4, 9, 20])
            options = {"min_tokens": size // 3} if name == "token" else {}
            splitter = KINDS[name](
                chunk_size=size,
                chunk_overlap=overlap * size // 10,
                length_function=measure,
                add_start_index=True,
                **options,
            )
            check(splitter, text_of(seed, 600), seed)

    @pytest.mark.parametrize("name", KINDS)
    def test_in_tokens_of_hugging_face(self, name, request):
        if name == "token":
            request.getfixturevalue("wide")
        measure = HuggingFaceMeasure(load_deepseek_tokenizer())
        options = {"min_tokens": 5} if name == "token" else {}
        splitter = KINDS[name](chunk_size=12, length_function=measure, **options)
        for seed in range(8):
            check(splitter, text_of(seed, 400), seed)

    @pytest.mark.usefixtures("wide")
    @settings(max_examples=30)
    @given(
        st.lists(st.sampled_from(BLOCKS) | st.text(max_size=6), max_size=40).map("".join),
        st.integers(1, 60),
        st.integers(1, 40),
        st.integers(0, 9),
        st.sampled_from(sorted(KINDS)),
        st.randoms(use_true_random=False),
    )
    def test_any_text_and_any_slicing(self, part, times, size, overlap, name, chance):
        options = {"min_tokens": size // 3} if name == "token" else {}
        splitter = KINDS[name](
            chunk_size=size,
            chunk_overlap=overlap * size // 10,
            length_function=len,
            add_start_index=True,
            **options,
        )
        check(splitter, (part * times)[:6000], chance.random())

    @pytest.mark.parametrize(
        "options",
        [
            {"line_breaks": "lines"},
            {"line_breaks": "wrapped"},
            {"line_breaks": "paragraphs", "chunk_overlap": 4},
            {"keep_indentation": True, "chunk_overlap": 4},
        ],
        ids=str,
    )
    def test_other_settings(self, options):
        for seed in range(10):
            size = random.Random(seed).choice([7, 15, 40])
            splitter = RecursiveSplitter(size, add_start_index=True, **options)
            check(splitter, text_of(seed, 600), seed)

    def test_one_sentence_a_chunk(self):
        for seed in range(20):
            check(SentenceSplitter(None, add_start_index=True), text_of(seed, 500), seed)

    def test_a_cluster_longer_than_the_window(self):
        for splitter in (FixedSizeSplitter(10), RecursiveSplitter(10)):
            check(splitter, "start " * 30 + "a" + "\u0301" * 2000 + " end" * 300)

    @pytest.mark.usefixtures("wide")
    @pytest.mark.parametrize("text", ["", " ", "\n" * 4000, " " * 4000 + "a", "a" + " " * 4000])
    def test_little_text(self, text):
        for kind in KINDS.values():
            check(kind(chunk_size=20, length_function=len, add_start_index=True), text)

    def test_it_goes_window_by_window(self):
        """Else all of the above would hold for nothing."""
        prose = "It failed. Nobody saw it, and nobody asked.\n\n" * 400
        lines = "".join(f"Line {n} of the log{' and more' * (n % 7)}.\n" for n in range(800))
        for text in (prose, lines):
            for name, kind in KINDS.items():
                held = windows_of(kind(chunk_size=50, length_function=len), text)
                if name == "sentence" and text is lines:
                    continue
                assert max(held) < len(text) / 3, (name, held)
        held = windows_of(RecursiveSplitter.from_tiktoken_encoder(chunk_size=12), prose)
        assert max(held) < len(prose) / 3, held


class TestWhatIsAsked:
    def test_metadata_and_a_function_of_ones_own(self):
        splitter = SentenceSplitter(20, metadata_function=length_of)
        found = list(splitter.split_stream(["One two three. ", "Four five."], {"source": "x"}))
        assert found == splitter.split_documents(
            [Document("One two three. Four five.", metadata={"source": "x"})]
        )
        assert found[0].metadata == {"source": "x", "length": 14}

    def test_settings_of_the_call(self):
        found = RecursiveSplitter(500).split_stream(["One two", " three."], chunk_size=8)
        assert [chunk.page_content for chunk in found] == ["One two", "three."]

    def test_nothing_is_read_before_it_is_asked_for(self):
        read = []

        def pieces():
            for number in range(400):
                read.append(number)
                yield "It failed.\n\n" * 1000

        chunks = RecursiveSplitter(1000).split_stream(pieces())
        assert read == []
        next(chunks)
        assert len(read) < 100  # a window has a million characters

    @pytest.mark.parametrize(
        "splitter, why",
        [
            (MarkdownSplitter(100), "decides by the whole text"),
            (ParagraphSplitter(100), "decides by the whole text"),
            (RecursiveSplitter(100, separators=["\n"]), "decides by the whole text"),
            (RecursiveSplitter(100, packing="fill"), "decides by the whole text"),
            (RecursiveSplitter(100, length_function=CallableMeasure(len)), "are estimated"),
            (RecursiveSplitter(100, stable=True), "look ahead without bound"),
            (RecursiveSplitter(100, min_chunk_size=10), "look ahead without bound"),
            (TokenCountSplitter(90, 100), "look ahead without bound"),
            (TokenCountSplitter(normalize="NFC"), "are estimated"),
            (SentenceSplitter(100, add_metadata=["chunk_count"]), "known at the end"),
        ],
    )
    def test_who_needs_the_whole_text_says_so_at_once(self, splitter, why):
        with pytest.raises(SettingError, match=f"split_stream cannot be exact here.*{why}"):
            splitter.split_stream([])

    def test_a_class_of_ones_own_is_not_trusted(self):
        class Own(RecursiveSplitter):
            pass

        with pytest.raises(SettingError, match="Own with these settings"):
            Own(100).split_stream([])

    def test_lone_surrogates_and_wrong_pieces(self):
        assert list(RecursiveSplitter(9).split_stream(["\ud800"]))
        with pytest.raises(InputError, match="lone surrogates"):
            list(RecursiveSplitter.from_tiktoken_encoder(chunk_size=9).split_stream(["\ud800"]))
        with pytest.raises(InputError, match="pieces of text: got bytes"):
            list(RecursiveSplitter(9).split_stream([b"bytes"]))


def length_of(document):
    return {"length": len(document.page_content)}


def test_real_sizes_are_the_same_and_memory_is_that_of_windows():
    """Nothing made small: three megabytes, of which no more than a window or two are held."""
    pieces = [text_of(seed, 13_000) + "\n\nA paragraph ends here.\n\n" for seed in range(40)]
    pieces = [piece.replace("```", "").replace("~~~", "") for piece in pieces]
    text = "".join(pieces)
    assert len(text) > 3_000_000
    splitter = RecursiveSplitter(1000, add_start_index=True)
    assert list(splitter.split_stream(pieces)) == splitter.create_documents([text])
    assert max(windows_of(splitter, text)) < 2_000_000


class TestCommandLine:
    """`langchain-chunkers split huge.txt`."""

    @pytest.fixture
    def split(self, monkeypatch, tmp_path):
        """Give what splits bytes as a file, in pieces or whole."""

        def split(raw, *options, large):
            monkeypatch.setattr(run, "_LARGE", large)
            monkeypatch.setattr(files, "_PIECE", 701)
            path = tmp_path / "huge.txt"
            path.write_bytes(raw)
            return CliRunner().invoke(app, ["split", str(path), "--quiet", *options])

        return split

    @pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "gb18030"])
    def test_same_lines_as_read_whole(self, split, encoding, monkeypatch):
        raw = text_of(4, 3000).replace("\x00", "").replace("\u2029", "").encode(encoding)
        whole = split(raw, "--encoding", encoding, "-c", "50", large=10**9)

        def refuse(*_):
            raise AssertionError("read whole")

        monkeypatch.setattr(run, "read_text", refuse)
        found = split(raw, "--encoding", encoding, "-c", "50", large=1)
        assert found.exit_code == 0, found.output
        assert found.stdout == whole.stdout
        assert found.stdout.count("\n") > 100

    def test_a_splitter_that_cannot_reads_the_file_whole(self, split):
        found = split(b"# One\n\nText.\n" * 200, "-s", "markdown", "-c", "50", large=1)
        assert found.exit_code == 0
        assert found.stdout.count("\n") > 10

    @pytest.mark.parametrize(
        "wrong, why",
        [
            (b"\xff", r"byte 0xff at 3600\): name its encoding"),
            (b"\x00", "NUL at character 3600"),
            (b"\xe6\xb3", r"byte 0xe6 at 3600\)"),
        ],
    )
    def test_what_is_wrong_is_named_as_of_a_file_read_whole(self, split, wrong, why):
        raw = b"Word and.\n" * 360 + wrong
        for large in (1, 10**9):
            found = split(raw, large=large)
            assert found.exit_code == 1
            assert re.search(why, " ".join(found.stderr.split())), found.stderr
