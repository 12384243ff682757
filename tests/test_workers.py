"""``workers=n``: the same chunks in the same order, errors that name their document, and a clean end."""

import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest
from langchain_core.documents import Document

from langchain_chunkers import (
    AutoSplitter,
    InputError,
    ModelError,
    OversizeError,
    ParagraphSplitter,
    ParentChildSplitter,
    RecursiveSplitter,
    SentenceSplitter,
    SettingError,
    workers,
)
from langchain_chunkers.errors import ChunkerError

# Python 3.12 and newer warn of every fork beside threads, which pytest's plugins have
pytestmark = pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")

SENTENCE = "The pump failed. 泵坏了。 "


@pytest.fixture(autouse=True)
def small_batches(monkeypatch):
    """Make a batch of every few documents, so that order and bounds are put to the test."""
    monkeypatch.setattr(workers, "_BATCH", 1000)


@pytest.fixture(params=["fork", "spawn"])
def method(request):
    if request.param not in multiprocessing.get_all_start_methods():
        pytest.skip("the system has no fork")
    before = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method(request.param, force=True)
    yield request.param
    multiprocessing.set_start_method(before, force=True)


def documents(count=60):
    for number in range(count):
        text = SENTENCE * (number * 7 % 23)
        yield Document(
            text, metadata={"source": f"{number}.txt", "list": [number]}, id=f"id{number}"
        )


def refuse(document):
    """Fail for one document: a metadata function at the top of a module, which pickles."""
    if document.metadata["source"] == "31.txt":
        raise ModelError("no answer", {"raw": 31})
    return {}


def die(document):
    if document.metadata["source"] == "9.txt":
        os._exit(1)
    return {}


class OddError(Exception):
    def __init__(self, first, second):
        super().__init__(f"{first} and {second}")


def fail_oddly(document):
    raise OddError("one", "two")


class TestSameChunks:
    @pytest.mark.parametrize("count", [2, 3])
    def test_any_number_of_workers_gives_the_same(self, count, method):
        splitter = RecursiveSplitter.from_tiktoken_encoder(
            chunk_size=40, chunk_overlap=8, add_start_index=True, add_metadata=["chunk_id"]
        )
        alone = splitter.split_documents(documents())
        assert splitter.split_documents(documents(), workers=count) == alone
        assert len(alone) > 100

    @pytest.mark.parametrize(
        "splitter",
        [
            SentenceSplitter(60),
            AutoSplitter(chunk_size=80),
            ParentChildSplitter(ParagraphSplitter(200), SentenceSplitter(50)),
            ParagraphSplitter(300) | SentenceSplitter(50),
        ],
        ids=["sentence", "auto", "parents", "pipeline"],
    )
    def test_other_splitters(self, splitter):
        assert splitter.split_documents(list(documents()), workers=2) == splitter.split_documents(
            list(documents())
        )

    def test_settings_of_the_call_go_along(self):
        splitter = SentenceSplitter(60)
        found = splitter.split_documents(
            documents(), workers=2, chunk_size=30, add_start_index=True
        )
        assert found == SentenceSplitter(30, add_start_index=True).split_documents(documents())

    def test_transform_documents_takes_it_too(self):
        given = list(documents(5))
        splitter = SentenceSplitter(60)
        assert splitter.transform_documents(given, workers=2) == splitter.split_documents(given)

    def test_no_documents(self):
        assert SentenceSplitter(60).split_documents([], workers=2) == []

    async def test_async_twins(self):
        splitter = SentenceSplitter(60)
        alone = splitter.split_documents(documents())
        assert await splitter.asplit_documents(documents(), workers=2) == alone
        streamed = [chunk async for chunk in splitter.alazy_split_documents(documents(), workers=2)]
        assert streamed == alone

    def test_surrogates_and_nul_go_through(self):
        given = [Document("a\ud800b\x00 " * 40)]
        splitter = SentenceSplitter(30)
        assert splitter.split_documents(given, workers=2) == splitter.split_documents(given)

    def test_metadata_is_not_shared(self):
        chunks = SentenceSplitter(30).split_documents(documents(4), workers=2)
        chunks[0].metadata["list"].append("more")
        assert "more" not in chunks[1].metadata["list"]


class TestLaziness:
    def test_few_documents_are_read_ahead(self):
        read = []

        def source():
            for document in documents(2000):
                read.append(document)
                yield document

        chunks = SentenceSplitter(60).lazy_split_documents(source(), workers=2)
        assert read == []
        next(chunks)
        # 6 batches are on their way, of 1,000 characters, which some five documents have
        assert len(read) < 60
        chunks.close()

    def test_a_closed_generator_leaves_no_process(self, method):
        chunks = SentenceSplitter(60).lazy_split_documents(documents(2000), workers=2)
        next(chunks)
        assert len(multiprocessing.active_children()) == 2
        chunks.close()
        assert multiprocessing.active_children() == []

    def test_an_ended_generator_leaves_no_process(self):
        list(SentenceSplitter(60).lazy_split_documents(documents(), workers=2))
        assert multiprocessing.active_children() == []

    def test_a_large_document_is_a_batch_of_its_own(self):
        texts = (workers._text_of(n, Document("x" * n)) for n in (10, 400, 5000, 1, 1, 999, 3))
        sizes = [[len(text.text) for text in batch] for batch in workers._batches(texts)]
        assert sizes == [[10, 400, 5000], [1, 1, 999], [3]]


class TestErrors:
    @pytest.mark.parametrize("count", [1, 2])
    def test_they_come_in_their_turn_and_name_the_document(self, count):
        splitter = SentenceSplitter(60, metadata_function=refuse)
        chunks = splitter.lazy_split_documents(documents(), workers=count)
        got = []
        with pytest.raises(ModelError, match="no answer") as caught:
            got.extend(chunks)
        assert caught.value.answer == {"raw": 31}
        note, *more = caught.value.__notes__
        assert note == "while splitting document 31 (source: '31.txt')"
        # where it happened is not lost on the way
        assert [", in refuse" in trace for trace in more] == [True] * (count - 1)
        assert got == SentenceSplitter(60).split_documents(list(documents())[:31])
        assert multiprocessing.active_children() == []

    def test_a_document_without_source_is_named_by_its_id_or_its_number(self):
        splitter = RecursiveSplitter.from_tiktoken_encoder(chunk_size=1, on_oversize="raise")
        for document, name in (
            (Document("🤷🏽‍♀️", id="x"), r"document 1 (document_id: 'x')"),
            (Document("🤷🏽‍♀️"), "document 1"),
        ):
            with pytest.raises(OversizeError) as caught:
                splitter.split_documents([Document("a"), document], workers=2)
            assert caught.value.__notes__[0] == f"while splitting {name}"

    def test_of_the_callers_generator_after_what_it_gave(self):
        def source():
            yield from documents(7)
            raise OSError("the disk")

        got = []
        with pytest.raises(OSError, match="the disk"):
            got.extend(SentenceSplitter(60).lazy_split_documents(source(), workers=2))
        assert got == SentenceSplitter(60).split_documents(documents(7))
        assert multiprocessing.active_children() == []

    def test_one_that_does_not_pickle_keeps_name_and_message(self):
        splitter = SentenceSplitter(60, metadata_function=fail_oddly)
        with pytest.raises(ChunkerError, match="OddError: one and two") as caught:
            splitter.split_documents(documents(3), workers=2)
        assert caught.value.__notes__[0] == "while splitting document 1 (source: '1.txt')"
        assert "in fail_oddly" in caught.value.__notes__[1]

    def test_a_process_that_dies_is_named_with_what_it_had(self):
        splitter = SentenceSplitter(60, metadata_function=die)
        with pytest.raises(RuntimeError) as caught:
            splitter.split_documents(documents(), workers=2)
        assert "A process ended while it split document" in caught.value.__notes__[0]
        assert multiprocessing.active_children() == []

    @pytest.mark.parametrize("count", [0, -1, 2.0, True, "2", None])
    def test_workers_must_be_a_number(self, count):
        with pytest.raises(SettingError, match="workers must be a positive integer"):
            SentenceSplitter(60).split_documents([], workers=count)

    def test_a_splitter_that_cannot_be_sent(self):
        splitter = SentenceSplitter(60, length_function=lambda text: len(text))
        with pytest.raises(SettingError, match="workers needs a splitter that can be pickled"):
            splitter.split_documents(documents(), workers=2)

    def test_metadata_that_cannot_be_sent(self):
        given = [Document("a"), Document("b", metadata={"source": "b", "function": lambda: 0})]
        with pytest.raises(InputError, match=r"document 0 to document 1 \(source: 'b'\)"):
            SentenceSplitter(60).split_documents(given, workers=2)


def test_progress_counts_documents_that_are_done(capsys):
    SentenceSplitter(60, show_progress=True).split_documents(list(documents(8)), workers=2)
    assert "8/8" in capsys.readouterr().err


# ---------------------------------------------------------------------- signals, in a program of its own

PROGRAM = """
    import multiprocessing, signal, sys, time
    from langchain_core.documents import Document
    from langchain_chunkers import SentenceSplitter, workers

    def slow(document):
        time.sleep(60)
        return {}

    if __name__ == "__main__":
        # what runs in the background of a shell was told to ignore it
        signal.signal(signal.SIGINT, signal.default_int_handler)
        multiprocessing.set_start_method(sys.argv[1])
        workers._BATCH = 1
        splitter = SentenceSplitter(60, metadata_function=slow)
        chunks = splitter.lazy_split_documents([Document("a. b.")] * 2, workers=3)
        import threading
        def tell():
            for _ in range(400):
                # fork starts all at once, of which one has nothing to do
                if len(multiprocessing.active_children()) == (3 if sys.argv[1] == "fork" else 2):
                    break
                time.sleep(0.05)
            time.sleep(float(sys.argv[2]))
            print(*[process.pid for process in multiprocessing.active_children()], flush=True)
        threading.Thread(target=tell, daemon=True).start()
        try:
            next(chunks)
        except KeyboardInterrupt:
            print("interrupted", multiprocessing.active_children(), flush=True)
"""


def is_alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGKILL], ids=["ctrl-c", "kill"])
@pytest.mark.parametrize("start, wait", [("fork", 1.0), ("spawn", 0.05), ("spawn", 1.5)])
def test_an_interruption_leaves_no_process(start, wait, sent, tmp_path):
    program = tmp_path / "program.py"
    program.write_text(textwrap.dedent(PROGRAM))
    running = subprocess.Popen(
        [sys.executable, str(program), start, str(wait)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        check_end(running, sent)
    finally:
        running.kill()
        running.communicate()


def check_end(running, sent):
    """Interrupt a program, and see that its processes end too."""
    pids = [int(pid) for pid in running.stdout.readline().split()]
    assert len(pids) in (2, 3)
    assert all(map(is_alive, pids))
    if sent == signal.SIGINT:
        os.killpg(running.pid, sent)  # as a terminal does: to all processes of the program
    else:
        running.kill()
    out, err = running.communicate(timeout=20)
    deadline = time.monotonic() + 20
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not any(map(is_alive, pids))
    if sent == signal.SIGINT:
        assert out == "interrupted []\n"
        assert "Traceback" not in err


def test_a_worker_function_is_picklable():
    assert pickle.loads(pickle.dumps(workers._split_batch)) is workers._split_batch
