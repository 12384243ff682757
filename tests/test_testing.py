"""The published checks: each goes red for a splitter that is wrong in its way, and says why."""

from __future__ import annotations

import builtins
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langchain_text_splitters import CharacterTextSplitter, RecursiveCharacterTextSplitter

from langchain_chunkers import (
    BaseSplitter,
    FixedSizeSplitter,
    MissingExtraError,
    RecursiveSplitter,
    SentenceSplitter,
    testing,
)
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.packing import Chunk
from langchain_chunkers.testing import CountingMeasure, SplitterContract, words

TEXT = "One two three. Four five six. Seven eight nine. " * 4
MARKDOWN = "# Head\n\nText of one.\n\nText of two.\n\n# Next\n\nMore text here."


class Wrong(RecursiveSplitter):
    """Emits what `change` makes of the chunks."""

    name = ""
    plain = False  # what fits is read, too

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        return iter(self.change(list(super()._chunks(outline))))

    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        raise NotImplementedError


class DropsACharacter(Wrong):
    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        return [*chunks[:-1], chunks[-1]._replace(end=chunks[-1].end - 1)]


class DropsAChunk(Wrong):
    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        return [*chunks[:1], *chunks[2:]]


class MovesOffsets(Wrong):
    """In repeated text, each chunk still is a slice: only coverage tells."""

    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        return [
            c if number != 1 else c._replace(start=c.start + 48, fresh=c.fresh + 48, end=c.end + 48)
            for number, c in enumerate(chunks)
        ]


class EmitsOtherText(RecursiveSplitter):
    name = ""

    def _content(self, source: str, start: int, end: int) -> str:
        return source[start:end].replace("é", "e")


class JoinsNeighbours(Wrong):
    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        return [chunks[0]._replace(end=chunks[1].end), *chunks[2:]]


class JoinsTheLast(Wrong):
    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        return [*chunks[:-2], chunks[-2]._replace(end=chunks[-1].end)]


class OverlapsTooMuch(Wrong):
    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        return [c._replace(start=max(c.start - 9, 0)) for c in chunks]


class NeverOverlaps(Wrong):
    def change(self, chunks: list[Chunk]) -> list[Chunk]:
        return [c._replace(start=c.fresh) for c in chunks]


class CutsClusters(BaseSplitter):
    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        size = len(outline.text)
        for start in range(0, size, 3):
            yield Chunk(start, min(start + 3, size), start, Strength.GRAPHEME)


class CutsInHalf(BaseSplitter):
    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        half = len(outline.text) // 2
        yield Chunk(0, half, 0, Strength.DOCUMENT)
        yield Chunk(half, len(outline.text), half, Strength.WORD)


class SharesMetadata(RecursiveSplitter):
    name = ""

    def _documents(self, text: str, metadata: Any) -> Any:
        documents = super()._documents(text, metadata)
        for document in documents:
            document.metadata = documents[0].metadata
        return documents


class HasState(RecursiveSplitter):
    name = ""
    calls = 0

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        HasState.calls += 1
        yield from list(super()._chunks(outline))[: 2 + HasState.calls % 2]


class Raises(RecursiveSplitter):
    name = ""
    plain = False

    def read(self, text: str) -> Outline:
        text.encode()
        return super().read(text)


class Quadratic(RecursiveSplitter):
    name = ""

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        for chunk in super()._chunks(outline):
            self._measure(outline.text[: chunk.end])
            yield chunk


STRIP_OFF = {"strip_whitespace": False}

RED = [
    (testing.check_lossless, DropsACharacter(40), TEXT, "Lost"),
    (testing.check_lossless, DropsAChunk(40), TEXT, "Lost"),
    (testing.check_lossless, RecursiveSplitter(6, separators=["|"], keep_separator=False), "ab|cdefg", "Lost"),
    (testing.check_sliced, MovesOffsets(40), TEXT, "forward"),
    (testing.check_lossless, MovesOffsets(40), TEXT, "Lost|new in two"),
    (testing.check_sliced, EmitsOtherText(40), "café " * 20, "not the slice"),
    (testing.check_capped, JoinsNeighbours(40), TEXT, "The cap is 40"),
    (testing.check_whole_characters, CutsClusters(), "ab👨‍👩‍👧‍👦cd", "is cut at 3"),
    (testing.check_whole_characters, CutsClusters(3), "ab\r\ncd" * 3, "is cut at 3"),
    (testing.check_nested, JoinsTheLast(30), MARKDOWN, "is crossed"),
    (testing.check_overlap, OverlapsTooMuch(40, 5), TEXT, "is shared"),
    (testing.check_overlap, NeverOverlaps(40, 10), TEXT, "Nothing is shared"),
    (testing.check_filled, CutsInHalf(100), "Ab. Cd. " * 4, "There was room"),
    (testing.check_stable, CutsInHalf(100), "Ab. Cd.", "fits"),
    (testing.check_stable, HasState(20), TEXT, "second time"),
    (testing.check_own_metadata, SharesMetadata(40), TEXT, "metadata"),
    (testing.check_portable, HasState(20), TEXT, "gives"),
]  # fmt: skip


@pytest.mark.parametrize("check, splitter, text, message", RED)
def test_a_wrong_splitter_is_found(check: Any, splitter: Any, text: str, message: str) -> None:
    fills = {"fills": True} if check is testing.check_filled else {}
    with pytest.raises(AssertionError, match=message) as caught:
        check(splitter, text, **fills)
    assert type(splitter).__name__ in str(caught.value)
    assert "text: " in str(caught.value)


def test_siblings_in_two_chunks_are_found() -> None:
    class Halves(RecursiveSplitter):
        name = ""

        def _chunks(self, outline: Outline) -> Iterator[Chunk]:
            yield Chunk(0, 3, 0, Strength.DOCUMENT)
            yield Chunk(5, 8, 5, Strength.PARAGRAPH)
            yield Chunk(10, 13, 10, Strength.PARAGRAPH)

    with pytest.raises(AssertionError, match="in two chunks"):
        testing.check_filled(Halves(10), "Ab.\n\nCd.\n\nEf.")


def test_a_heading_at_the_end_of_a_chunk_is_found() -> None:
    class Cuts(RecursiveSplitter):
        name = ""
        plain = False

        def _chunks(self, outline: Outline) -> Iterator[Chunk]:
            yield Chunk(0, 6, 0, Strength.DOCUMENT)
            yield Chunk(8, 20, 8, Strength.PARAGRAPH)

    with pytest.raises(AssertionError, match="ends a chunk"):
        testing.check_nested(Cuts(30), "# Head\n\nText of one.")


def test_a_text_that_raises_is_found() -> None:
    testing.check_total(Raises(10), "text")
    with pytest.raises(UnicodeEncodeError):
        testing.check_total(Raises(10), "\ud800")


def test_what_is_trimmed_off_does_not_count() -> None:
    mark = RecursiveSplitter(5)
    testing.check_stable(
        mark, " \u03010000"
    )  # five, of which the first is white space with an accent
    testing.check_stable(mark, " \u030100000")
    testing.check_stable(RecursiveSplitter(5, keep_indentation=True), "\n 00000")
    with pytest.raises(AssertionError, match=r"fits \(5 of 5\) and is divided"):
        testing.check_stable(CutsInHalf(5), "\n0 000 ")


def test_more_work_for_each_character_of_longer_text_is_found() -> None:
    def linear(measure: Any) -> RecursiveSplitter:
        return RecursiveSplitter(10, length_function=measure)

    def quadratic(measure: Any) -> RecursiveSplitter:
        return Quadratic(10, length_function=measure)

    testing.check_bounded(linear, TEXT)
    with pytest.raises(AssertionError, match="8 times the text took"):
        testing.check_bounded(quadratic, TEXT)


def test_langchains_own_splitters_can_be_checked() -> None:
    good = RecursiveCharacterTextSplitter(chunk_size=40, chunk_overlap=0)
    testing.check_capped(good, TEXT)
    testing.check_stable(good, TEXT)
    with pytest.raises(AssertionError, match="The cap is 10"):
        testing.check_capped(CharacterTextSplitter("\n", chunk_size=10, chunk_overlap=0), TEXT)
    with pytest.raises(AssertionError, match="is cut"):
        testing.check_whole_characters(
            RecursiveCharacterTextSplitter(chunk_size=3, chunk_overlap=0), "ab👨‍👩‍👧‍👦cd"
        )
    with pytest.raises(AssertionError, match="id is lost"):
        testing.check_own_metadata(good, TEXT)


@pytest.mark.parametrize("splitter", [RecursiveSplitter(40, 10), FixedSizeSplitter(7, 3)])
def test_right_splitters_pass(splitter: BaseSplitter) -> None:
    for text in (TEXT, MARKDOWN, "", " \n", "👨‍👩‍👧‍👦" * 5):
        testing.check_sliced(splitter, text)
        testing.check_lossless(splitter, text)
        testing.check_capped(splitter, text)
        testing.check_whole_characters(splitter, text)
        testing.check_overlap(splitter, text)
        testing.check_stable(splitter, text)
        testing.check_total(splitter, text)
        testing.check_own_metadata(splitter, text)


# ------------------------------------------------------------------ the class


class ForWrong(SplitterContract):
    splitter_class = NeverOverlaps
    random_seed = 7


def test_the_class_finds_a_wrong_splitter_and_no_other_fault() -> None:
    contract = ForWrong()
    with pytest.raises(AssertionError, match="Nothing is shared"):
        contract.test_overlap_delivered("characters")
    contract.test_sliced("characters")
    contract.test_lossless("words")


def test_the_same_seed_tries_the_same_examples() -> None:
    class Noting(SplitterContract):
        splitter_class = FixedSizeSplitter
        random_seed = 3
        seen: list[tuple[Any, str]]

        def note(self) -> list[tuple[Any, str]]:
            self.seen = []
            self.prove("x", "characters", lambda s, text: self.seen.append((s._chunk_size, text)))
            return self.seen

    assert len(Noting().note()) >= 10
    assert Noting().note() == Noting().note()


MODULE = """
from langchain_chunkers import SentenceSplitter
from langchain_chunkers.testing import SplitterContract

class TestMine(SplitterContract):
    splitter_class = SentenceSplitter
    overlaps_always = False
    measures = {"characters": len, "bytes": lambda text: len(text.encode("utf-8", "replace"))}
    random_seed = 1

    def examples(self, measure, guarantee):
        return 2
"""


def test_the_class_is_what_a_stranger_subclasses(tmp_path: Path) -> None:
    (tmp_path / "test_mine.py").write_text(MODULE)
    answer = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "not portable"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    # ten guarantees for two measures, two for one
    assert "22 passed" in answer.stdout, answer.stdout[-2000:]


# ------------------------------------------------------------------ the package


def test_measures() -> None:
    assert words(" two words ") == 2
    assert testing.zero("text") == 0
    assert testing.huge("") > 10**8
    assert {testing.lying_measure("a" * size) for size in range(99)} == {0, 3, 6, 9, 12, 15, 18}
    counting = CountingMeasure(words)
    SentenceSplitter(2, length_function=counting).split_text("One two. Three.")
    assert counting.calls > 0 < counting.characters


@pytest.mark.parametrize("package", ["hypothesis", "pytest"])
def test_a_missing_extra_is_named(package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real = importlib.import_module

    def without(name: str, *args: Any, **kwargs: Any) -> Any:
        if name == package:
            raise ImportError(name)
        return real(name, *args, **kwargs)

    monkeypatch.setattr("langchain_chunkers._extras.import_module", without)
    loaded = {name for name in sys.modules if name.startswith("langchain_chunkers.testing")}
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)
    with pytest.raises(MissingExtraError, match=rf"{package}.*langchain-chunkers\[testing\]"):
        builtins.__import__("langchain_chunkers.testing")


def test_the_package_itself_does_not_import_them() -> None:
    source = "import sys, langchain_chunkers; print({'hypothesis', 'pytest'} & set(sys.modules))"
    answer = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, check=True, text=True
    )
    assert answer.stdout.strip() == "set()"
