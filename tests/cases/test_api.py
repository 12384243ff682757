"""API and boundary rules: what fits is whole, and the better of two places is taken."""

import asyncio
import pickle
from concurrent.futures import ThreadPoolExecutor

import pytest
from langchain_core.documents import Document

from langchain_chunkers import RecursiveSplitter, SentenceSplitter, TiktokenMeasure
from tests.cases.laws import ALL, SIZED, check, make

PUMP = (
    "The pump failed at noon. The crew replaced the seal within an hour. "
    "Water flow resumed by two. The log was signed."
)


@pytest.mark.parametrize(
    "splitter", [RecursiveSplitter(5), RecursiveSplitter(5, separators=[" ", ""])]
)
def test_a_piece_of_exactly_the_cap_is_whole_api_01(splitter):
    assert check(splitter, "abcde fghij") == ["abcde", "fghij"]


@pytest.mark.parametrize("name", SIZED)
@pytest.mark.parametrize("text", ["abcde", "Two sentences. Here.", "# Head\n\nText.", "猫は寝た。"])
def test_a_text_of_exactly_the_cap_is_one_chunk_api_01(name, text):
    assert check(make(name, len(text), 2), text) == [text]


@pytest.mark.parametrize("name", ["token", "sentence", "paragraph", "recursive"])
@pytest.mark.parametrize("chunk_size", [50, 60, 70, 90])
def test_sentence_end_goes_before_word_api_02(name, chunk_size):
    options = {"min_tokens": 1} if name == "token" else {}  # its floor goes before sentences
    assert all(chunk[-1] == "." for chunk in check(make(name, chunk_size, **options), PUMP))


ABBREVIATED = "Dr. Rao met Mr. Silva at 5.30 p.m. in St. Ives. They left."


def test_abbreviations_and_decimals_end_no_sentence_api_03():
    whole = ["Dr. Rao met Mr. Silva at 5.30 p.m. in St. Ives.", "They left."]
    assert check(SentenceSplitter(chunk_size=None), ABBREVIATED) == whole


@pytest.mark.parametrize("name", ["token", "sentence", "paragraph", "recursive"])
@pytest.mark.parametrize("chunk_size", [48, 50, 57])
def test_a_title_or_a_decimal_is_no_place_api_03(name, chunk_size):
    """Each sentence fits, so the chunks are the sentences."""
    options = {"min_tokens": 1} if name == "token" else {}
    chunks = check(make(name, chunk_size, **options), ABBREVIATED)
    assert chunks == ["Dr. Rao met Mr. Silva at 5.30 p.m. in St. Ives.", "They left."]


@pytest.mark.parametrize("name", ALL)
def test_every_splitter_is_a_text_splitter_hdr_10(name):
    from langchain_text_splitters import TextSplitter

    splitter = make(name)
    assert isinstance(splitter, TextSplitter)
    assert splitter.split_documents([Document("# A\nx")])[0].page_content == "# A\nx"


@pytest.mark.parametrize("name", ALL)
def test_results_do_not_depend_on_later_calls_hdr_09(name):
    splitter = make(name, 12)
    first = splitter.split_text("# One\nfirst doc\n")
    kept = list(first)
    splitter.split_text("# Two\nsecond doc\n")
    assert first == kept == make(name, 12).split_text("# One\nfirst doc\n")


@pytest.mark.parametrize("name", ALL)
async def test_async_twins_do_not_block_the_loop_asy_01(name):
    splitter = make(name, 12)
    document = Document("One. Two. Three. Four. " * 500)
    ticks = 0

    async def tick():
        nonlocal ticks
        while True:
            ticks += 1
            await asyncio.sleep(0)

    ticker = asyncio.create_task(tick())
    chunks = await splitter.atransform_documents([document])
    ticker.cancel()
    assert ticks > 1
    assert chunks == splitter.transform_documents([document])


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("measure", [len, TiktokenMeasure()], ids=["characters", "cl100k"])
def test_picklable_with_its_counter_pkl_01(name, measure):
    splitter = make(name, 2, 1, length_function=measure)
    again = pickle.loads(pickle.dumps(splitter))
    assert check(again, "x y z") == check(splitter, "x y z")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("measure", [len, TiktokenMeasure()], ids=["characters", "cl100k"])
def test_threads_do_not_mix_documents_thr_01(name, measure):
    texts = [f"# Doc{i}\n" + f"line {i}\n" * 400 for i in range(8)]
    splitter = make(name, 50, 10, length_function=measure)
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(splitter.split_spans, texts))
    assert found == [splitter.split_spans(text) for text in texts]
