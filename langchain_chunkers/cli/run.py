"""Splits files one after the other and writes each chunk as it comes.

Only the text in hand is in memory, never all the chunks; of a large file only a part, where the splitter
can do with that.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypedDict

from langchain_core.documents import Document

from langchain_chunkers.errors import ChunkerError, SettingError
from langchain_chunkers.files import FileError, Source, read_pieces, read_text
from langchain_chunkers.streaming import check_streams

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from langchain_chunkers import BaseSplitter

# Line ends to str.splitlines and to other readers, though not to JSON: escaped, so that a line of
# the output is one line to everyone.
_LINE_ENDS = {"\x85": "\\u0085", "\u2028": "\\u2028", "\u2029": "\\u2029"}


_LARGE = 32_000_000  # bytes; a smaller file is read whole, so that what is wrong is known at once


@dataclass
class Tally:
    """The sizes of some chunks, in the splitter's unit, and the seconds they took."""

    name: str
    chunks: int = 0
    total: int = 0
    smallest: int | None = None
    largest: int | None = None
    over: int = 0
    seconds: float = 0.0

    def count(self, size: int, cap: int | None) -> None:
        """Add one chunk."""
        self.chunks += 1
        self.total += size
        self.smallest = size if self.smallest is None else min(self.smallest, size)
        self.largest = size if self.largest is None else max(self.largest, size)
        self.over += cap is not None and size > cap

    def include(self, other: Tally) -> None:
        """Add the chunks and seconds of another."""
        self.chunks += other.chunks
        self.total += other.total
        self.over += other.over
        self.seconds += other.seconds
        smallest = [size for size in (self.smallest, other.smallest) if size is not None]
        largest = [size for size in (self.largest, other.largest) if size is not None]
        self.smallest = min(smallest, default=None)
        self.largest = max(largest, default=None)


class Row(TypedDict):
    """One line of the output; offsets count characters of the decoded text."""

    text: str
    start_index: int
    end_index: int
    metadata: dict[str, object]


class Watcher(Protocol):
    """Who is told how far the work is."""

    def advance(self, name: str, done: float) -> None:
        """Take the file in hand and how many bytes of all files are done."""

    def problem(self, problem: FileError) -> None:
        """Take a file that was skipped."""


@dataclass
class Job:
    """What to split, how, where to, and what came of it so far."""

    splitter: BaseSplitter
    encoding: str
    write: Callable[[bytes], object]
    watcher: Watcher
    tallies: list[Tally] = field(default_factory=list)
    problems: list[FileError] = field(default_factory=list)

    @property
    def cap(self) -> int | None:
        """The most a chunk may hold, in the splitter's unit."""
        return self.splitter.chunk_size

    @property
    def title(self) -> str:
        """The splitter and its unit, for a heading."""
        overlap = self.splitter.chunk_overlap
        repeats = f", overlap {overlap:,}" if overlap else ""
        return f"{type(self.splitter).__name__}{repeats}, sizes in {self.splitter.unit}"

    def skip(self, problem: FileError) -> None:
        """Take note of a file that cannot be split, and say so at once."""
        self.problems.append(problem)
        self.watcher.problem(problem)

    def run(self, sources: Sequence[Source]) -> None:
        """Split every source; those that cannot be split go to `problems`, the others on.

        `tallies` and `problems` are right at any moment, so also after an interruption.

        Raises:
            OSError: the output cannot be written.
        """
        done = 0.0
        for source in sources:
            self.watcher.advance(source.name, done)
            try:
                self._split(source, done)
            except FileError as problem:
                self.skip(problem)
            done += source.size

    def _split(self, source: Source, done: float) -> None:
        start = time.perf_counter()
        document = Document(page_content="", metadata={"source": source.name})
        size = float(source.size)  # characters, about: only progress depends on it
        if self._streams(source):
            pieces = read_pieces(source, self.encoding)
            chunks = self.splitter.split_stream(pieces, document.metadata)
        else:
            document.page_content = read_text(source, self.encoding)
            size = len(document.page_content)
            chunks = self.splitter.lazy_split_documents([document])
        tally = Tally(source.name)
        self.tallies.append(tally)
        try:
            for chunk in self._named(source, chunks):
                row = to_row(chunk)
                self.write(to_line(row))
                tally.count(self.splitter.length(row["text"]), self.cap)
                share = min(row["end_index"] / size, 1.0) if size else 1.0
                self.watcher.advance(source.name, done + source.size * share)
        finally:
            tally.seconds = time.perf_counter() - start

    def _streams(self, source: Source) -> bool:
        """Say whether a file is split while it is read."""
        if source.path is None or source.size < _LARGE:
            return False
        try:
            check_streams(self.splitter)
        except SettingError:
            return False
        return True

    def _named(self, source: Source, chunks: Iterator[Document]) -> Iterator[Document]:
        """Name the file in what goes wrong with it, and say what is written already."""
        try:
            yield from chunks
        except ChunkerError as error:
            written = self.tallies[-1].chunks
            reason = error.reason if isinstance(error, FileError) else str(error)
            reason = f"{reason} (stopped after {written} chunks)" if written else reason
            raise FileError(source.name, reason) from error


def to_row(chunk: Document) -> Row:
    """Take the offsets out of the metadata: they are true of every chunk of every splitter."""
    metadata = dict(chunk.metadata)
    start, end = metadata.pop("start_index"), metadata.pop("end_index")
    return {
        "text": chunk.page_content,
        "start_index": start,
        "end_index": end,
        "metadata": metadata,
    }


def to_line(row: Row) -> bytes:
    """Write a row as one line of JSON in UTF-8.

    A lone surrogate (from the name of a file, say) has no UTF-8: such a row is written in ASCII
    escapes, which read back as the same characters.
    """
    line = json.dumps(row, ensure_ascii=False)
    for character, escape in _LINE_ENDS.items():
        line = line.replace(character, escape)
    try:
        return line.encode() + b"\n"
    except UnicodeEncodeError:
        return json.dumps(row).encode() + b"\n"
