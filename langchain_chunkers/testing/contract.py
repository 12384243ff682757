"""The contract as a class of tests, to subclass: see `SplitterContract`."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from langchain_chunkers.testing import behaviour, packing, spans
from langchain_chunkers.testing.measures import lying_measure, words
from langchain_chunkers.testing.texts import hostile_texts

if TYPE_CHECKING:
    import pytest

__all__ = ["SplitterContract"]

Check = Callable[[Any, str], object]


_TEXTS = hostile_texts()  # made once: Hypothesis checks a strategy anew for each that is made
_STRIPS = st.fixed_dictionaries({"strip_whitespace": st.booleans()})
_SIZES = st.sampled_from(
    [
        {"chunk_size": size, "chunk_overlap": overlap, "strip_whitespace": strips}
        for size in (100, 60, 40, 30, 20, 13, 8, 5, 3, 2, 1)  # shrinks to the roomiest
        for overlap in (0, 0, size // 8, size // 3, size - 1)
        for strips in (True, False)
    ]
)


class SplitterContract:
    """All guarantees, one test each, over hostile text, sizes, overlaps and length measures.

    Subclass it in a test module, and say what the splitter is and does::

        class TestMySplitter(SplitterContract):
            splitter_class = MySplitter
            splitter_params = {"my_setting": 3}
            fills = True

    How many examples each test tries is what the Hypothesis profile says; see `examples`.

    Attributes:
        splitter_class: The class under test.
        splitter_params: Its settings, beside size, overlap, stripping and measure.
        measures: Length functions by name; see `measure`.
        dishonest: Names of measures that lie: a text that fits by them may still be divided.
        takes_size: It takes ``chunk_size`` and ``chunk_overlap``.
        knows_structure: Chunks are runs of whole siblings, and headings stay with what follows.
        fills: Chunks are filled up to the last character that fits.
        packs: Siblings are packed: no two chunks that could have been one.
        keeps_all: No character is left out but white space at edges.
        overlaps_always: It overlaps wherever a character fits, not only at places of its own.
        fitting_stays: A text that fits is one chunk.
        random_seed: Seed of the examples, so that each run tries the same ones; ``None`` for others
            in each run.
    """

    splitter_class: ClassVar[Any] = None
    splitter_params: ClassVar[Mapping[str, Any]] = {}
    measures: ClassVar[Mapping[str, Any]] = {
        "characters": len,
        "words": words,
        "lying": lying_measure,
    }
    dishonest: ClassVar[frozenset[str]] = frozenset({"lying"})
    takes_size: ClassVar[bool] = True
    knows_structure: ClassVar[bool] = True
    fills: ClassVar[bool] = False
    packs: ClassVar[bool] = True
    keeps_all: ClassVar[bool] = True
    overlaps_always: ClassVar[bool] = True
    fitting_stays: ClassVar[bool] = True
    random_seed: ClassVar[int | None] = None

    # ------------------------------------------------------------------ what a subclass may change

    def splitter(self, **params: Any) -> Any:
        """Make a splitter with ``splitter_params`` and the settings of one example."""
        return self.splitter_class(**{**self.splitter_params, **params})

    def measure(self, name: str) -> Any:
        """Give the length function of a name; a place to load tokenizers only when they are used."""
        return self.measures[name]

    def texts(self) -> st.SearchStrategy[str]:
        """Give the texts to try."""
        return _TEXTS

    def sizes(self) -> st.SearchStrategy[dict[str, Any]]:
        """Give the settings to try: sizes, overlaps, stripping."""
        return _SIZES if self.takes_size else _STRIPS

    def examples(self, measure: str, guarantee: str) -> int:  # noqa: ARG002
        """Say how many examples to try: what the profile says, fewer where threads are at work."""
        most = settings().max_examples
        return max(2, most // 10) if guarantee in ("bounded", "portable", "total") else most

    # ------------------------------------------------------------------ how a guarantee is proved

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """Run the tests that ask for a measure once for each."""
        if "measure" in metafunc.fixturenames:
            metafunc.parametrize("measure", list(self.measures))

    def prove(self, guarantee: str, measure: str, check: Check, **fixed: Any) -> None:
        """Try a check on examples.

        Args:
            guarantee: Name of the guarantee.
            measure: Name of the measure.
            check: Called with a splitter and a text.
            **fixed: Settings that every example has.
        """
        length = self.measure(measure)

        def proof(params: dict[str, Any], text: str) -> None:
            check(self.splitter(length_function=length, **{**params, **fixed}), text)

        proved = given(params=self.sizes(), text=self.texts())(proof)
        proved = settings(
            max_examples=self.examples(measure, guarantee),
            suppress_health_check=list(HealthCheck),
            deadline=None,
        )(proved)
        if self.random_seed is not None:
            name = f"{self.random_seed} {type(self).__name__} {guarantee} {measure}"
            proved = seed(zlib.crc32(name.encode()))(proved)
        proved()

    # ------------------------------------------------------------------ the guarantees

    def test_sliced(self, measure: str) -> None:
        """Each chunk is the slice that its span says."""
        self.prove("sliced", measure, spans.check_sliced)

    def test_lossless(self, measure: str) -> None:
        """Nothing is lost but white space at edges."""
        if self.keeps_all:
            self.prove("lossless", measure, spans.check_lossless)

    def test_capped(self, measure: str) -> None:
        """No chunk is larger than the cap, as emitted."""
        self.prove("capped", measure, spans.check_capped)

    def test_capped_with_oversize_kept(self, measure: str) -> None:
        """With ``on_oversize="keep"``, single grapheme clusters alone may be larger."""
        self.prove("kept", measure, spans.check_capped, on_oversize="keep")

    def test_whole_characters(self, measure: str) -> None:
        """No grapheme cluster is cut."""
        self.prove("whole characters", measure, spans.check_whole_characters)

    def test_nested(self, measure: str) -> None:
        """Chunks are runs of whole siblings; headings stay with what follows."""
        if self.knows_structure:
            self.prove("nested", measure, packing.check_nested)

    def test_overlap_delivered(self, measure: str) -> None:
        """Chunks repeat up to the overlap, and something wherever it fits."""
        if self.takes_size:
            always = self.overlaps_always
            self.prove(
                "overlap", measure, lambda s, text: packing.check_overlap(s, text, always=always)
            )

    def test_filled(self, measure: str) -> None:
        """No two chunks could have been one."""
        if self.packs or self.fills:
            fills = self.fills
            self.prove(
                "filled", measure, lambda s, text: packing.check_filled(s, text, fills=fills)
            )

    def test_stable(self, measure: str) -> None:
        """The same text gives the same chunks; what fits stays whole."""
        stays = self.fitting_stays and measure not in self.dishonest
        self.prove(
            "stable", measure, lambda s, text: behaviour.check_stable(s, text, fitting_stays=stays)
        )

    def test_own_metadata(self) -> None:
        """Each chunk has its own copy of the metadata."""
        self.prove("metadata", next(iter(self.measures)), behaviour.check_own_metadata)

    def test_bounded(self) -> None:
        """Eight times the text is at most about nine times the work."""

        def check(_splitter: Any, text: str) -> None:
            size = {"chunk_size": 30, "chunk_overlap": 5} if self.takes_size else {}
            behaviour.check_bounded(
                lambda length: self.splitter(length_function=length, **size), text or " "
            )

        self.prove("bounded", next(iter(self.measures)), check)

    def test_total(self, measure: str) -> None:
        """No text raises, and all ways to split agree."""
        self.prove("total", measure, behaviour.check_total)

    def test_portable(self, measure: str) -> None:
        """Copies, pickles and threads give the same."""
        self.prove("portable", measure, behaviour.check_portable)
