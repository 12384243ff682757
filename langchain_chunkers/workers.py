"""Documents split in several processes: what ``workers=n`` does.

Processes and not threads, because all but the tokenizer is Python, which threads run one at a time: on
two cores two threads gained nothing, in characters or in tokens of tiktoken. The splitter is pickled once
for each process. Documents go out in batches and come back in order; no more than a few batches are on
their way, so a generator of any length needs little memory.

Processes are started as the program says (``multiprocessing.set_start_method``). Where that is
``"spawn"``, as on macOS and Windows, they import the program's main module again, which therefore has
to guard what it does with ``if __name__ == "__main__":``.
"""

from __future__ import annotations

import gc
import pickle
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from traceback import format_exc
from typing import TYPE_CHECKING, Any, NamedTuple

from langchain_core.documents import Document

from langchain_chunkers import metadata as facts
from langchain_chunkers.errors import ChunkerError, InputError, SettingError
from langchain_chunkers.settings import check_size

if TYPE_CHECKING:
    from concurrent.futures import Future, ProcessPoolExecutor

    from langchain_chunkers.base import BaseSplitter

__all__ = ["split_each"]

# Characters of a batch: tens of milliseconds of work in tokens, beside which handing it over is small.
_BATCH = 256_000
_AHEAD = (
    3  # batches on their way for each process: one at work, one waiting for it, one coming back
)


class _Text(NamedTuple):
    """One document on its way to a process."""

    number: int
    text: Any
    metadata: Mapping[str, Any]

    @property
    def name(self) -> str:
        """What a message calls it."""
        for key in ("source", "document_id"):
            if key in self.metadata:
                return f"document {self.number} ({key}: {self.metadata[key]!r:.200})"
        return f"document {self.number}"


_Chunks = tuple[list[str], list[dict[str, Any]], list[str | None] | None]


class _Answer(NamedTuple):
    """What came of a batch: texts, metadata and ids of the chunks of each document, up to an error."""

    chunks: list[_Chunks]
    error: Exception | None = None
    notes: tuple[str, ...] = ()


def split_each(
    splitter: BaseSplitter, documents: Iterable[Any], workers: int
) -> Generator[list[Document], None, None]:
    """Split documents, in this process or in several.

    Args:
        splitter: The splitter.
        documents: LangChain documents; read a few batches ahead where there are several processes.
        workers: Processes; 1 for this one alone.

    Yields:
        The chunks of each document, in order.

    Raises:
        SettingError: ``workers`` is no positive integer, or the splitter cannot be pickled.
        InputError: The metadata of a document cannot be pickled.
        Exception: What splitting a document raised, with a note that names the document.

    Guarantees: the same chunks for any number of workers; all processes have ended when the generator has.

    Cost: starting a process takes as long as importing the package; each chunk some microseconds here.
    """
    check_size("workers", workers, "processes")
    texts = (_text_of(number, document) for number, document in enumerate(documents))
    if workers > 1:
        yield from _in_processes(splitter, texts, workers)
        return
    for text in texts:
        yield _split_one(splitter, text)


def _text_of(number: int, document: Any) -> _Text:
    """Take a document apart; its id goes on as metadata."""
    metadata = document.metadata
    if document.id is not None:
        metadata = {"document_id": document.id, **metadata}
    return _Text(number, document.page_content, metadata)


def _split_one(splitter: BaseSplitter, text: _Text) -> list[Document]:
    try:
        return splitter._documents(text.text, text.metadata)
    except Exception as error:
        error.add_note(f"while splitting {text.name}")
        raise


# ---------------------------------------------------------------------- in this process


def _in_processes(
    splitter: BaseSplitter, texts: Iterator[_Text], workers: int
) -> Iterator[list[Document]]:
    """Hand batches out and take them back in order; an error comes after all that was before it."""
    shipped = _pickled_splitter(splitter)
    batches = _batches(texts)
    pending: deque[tuple[Future[_Answer], str]] = deque()
    failed: Exception | None = None
    pool = _start(shipped, workers)
    try:
        while failed is None:
            try:
                batch = next(batches, None)
                if batch is None:
                    break
                shipped_batch = _pickled(batch)
                with _interrupts_held():
                    pending.append((pool.submit(_split_batch, shipped_batch), _names(batch)))
            except Exception as error:  # noqa: BLE001  # of the caller's generator: raised in its turn
                failed = error
            if len(pending) >= _AHEAD * workers:
                yield from _unpacked(*pending.popleft())
        while pending:
            yield from _unpacked(*pending.popleft())
    except BaseException:
        _stop(pool)
        raise
    pool.shutdown()
    if failed is not None:
        raise failed


def _batches(texts: Iterator[_Text]) -> Iterator[list[_Text]]:
    """Gather documents into batches; a large one goes alone. Before an error, give what came before it."""
    batch: list[_Text] = []
    size = 0
    try:
        for text in texts:
            batch.append(text)
            size += len(text.text) if isinstance(text.text, str) else _BATCH
            if size >= _BATCH:
                yield batch
                batch, size = [], 0
    except Exception:
        if batch:
            yield batch
        raise
    if batch:
        yield batch


def _names(batch: list[_Text]) -> str:
    return batch[0].name if len(batch) == 1 else f"{batch[0].name} to {batch[-1].name}"


def _unpacked(future: Future[_Answer], names: str) -> Iterator[list[Document]]:
    """Make documents of what a process gave, one source after the other."""
    from concurrent.futures.process import BrokenProcessPool

    try:
        answer = future.result()
    except BrokenProcessPool as error:
        error.add_note(f"A process ended while it split {names}: was memory short, or is there no "
                       f"'if __name__ == \"__main__\":' in the main module?")  # fmt: skip
        raise
    for contents, metadatas, ids in answer.chunks:
        documents = list(map(facts.document, contents, metadatas))
        if ids is not None:
            for document, own in zip(documents, ids, strict=True):
                document.id = own
        yield documents
    if answer.error is not None:
        answer.error.__notes__ = list(answer.notes)  # an error of its own making may pickle without
        raise answer.error


def _pickled_splitter(splitter: BaseSplitter) -> bytes:
    try:
        return pickle.dumps(splitter)
    except Exception as error:
        msg = (
            f"workers needs a splitter that can be pickled: {error}. Functions that it is given "
            f"(length_function, metadata_function) must stand at the top of a module."
        )
        raise SettingError(msg) from error


def _pickled(batch: list[_Text]) -> bytes:
    try:
        return pickle.dumps([tuple(text) for text in batch])
    except Exception as error:
        msg = f"workers needs metadata that can be pickled, of {_names(batch)}: {error}."
        raise InputError(msg) from error


def _start(shipped: bytes, workers: int) -> ProcessPoolExecutor:
    from concurrent.futures import ProcessPoolExecutor

    return ProcessPoolExecutor(workers, initializer=_begin, initargs=(shipped,))


@contextmanager
def _interrupts_held() -> Iterator[None]:
    """Hold Ctrl-C back while processes start: they inherit that, and leave it to this one."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _stop(pool: ProcessPoolExecutor) -> None:
    """End the processes now: what they are at is not wanted any more, and may be long."""
    # None once the pool knows that it is broken, and ends them itself
    for process in list((getattr(pool, "_processes", None) or {}).values()):
        process.terminate()
    pool.shutdown(cancel_futures=True)


# ---------------------------------------------------------------------- in the others

_splitter: BaseSplitter | None = None


def _begin(shipped: bytes) -> None:
    """Make a process ready: it leaves Ctrl-C to its parent, and ends when that is gone."""
    import signal
    from threading import Thread

    global _splitter  # noqa: PLW0603  # what a process is for; a pool has no other place for it
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    Thread(target=_end_with_parent, daemon=True).start()
    _splitter = pickle.loads(shipped)  # noqa: S301  # from the parent
    gc.freeze()  # what is there now stays, so collections need not look at it again


def _end_with_parent() -> None:
    import os
    from multiprocessing import connection, parent_process

    parent = parent_process()
    if parent is not None:
        connection.wait([parent.sentinel])
        os._exit(1)  # nobody is left to be told


def _split_batch(shipped: bytes) -> _Answer:
    """Split the documents of a batch, up to the first that fails."""
    assert _splitter is not None
    found: list[_Chunks] = []
    for fields in pickle.loads(shipped):  # noqa: S301  # from the parent
        try:
            documents = _split_one(_splitter, _Text(*fields))
        except Exception as error:  # noqa: BLE001  # whatever it is, the parent raises it
            notes = (*error.__notes__, f"In the process that split it:\n{format_exc()}")
            return _Answer(found, _portable(error), notes)
        ids = [document.id for document in documents]
        found.append(
            (
                [document.page_content for document in documents],
                [document.metadata for document in documents],
                ids if any(ids) else None,
            )
        )
    return _Answer(found)


def _portable(error: Exception) -> Exception:
    """Give an error that survives pickling: itself, or one of ours with its name and message."""
    with suppress(Exception):  # its constructor may take other arguments than it keeps
        if type(pickle.loads(pickle.dumps(error))) is type(error):  # noqa: S301
            return error
    return ChunkerError(f"{type(error).__name__}: {error}")
