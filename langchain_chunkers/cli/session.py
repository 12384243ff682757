"""One run of `langchain-chunkers split`, from settings to exit code."""

from __future__ import annotations

import contextlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from langchain_chunkers.cli.report import Progressor, make_console, summary
from langchain_chunkers.cli.run import Job
from langchain_chunkers.cli.settings import Wishes, make_splitter
from langchain_chunkers.errors import ChunkerError, SettingError
from langchain_chunkers.files import FileError, Source, check_encoding, find_sources, reason_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from langchain_chunkers import BaseSplitter

ALL_DONE = 0
SOME_FAILED = 1
BAD_SETTING = 2
INTERRUPTED = 130  # 128 + SIGINT, what shells report
BROKEN_PIPE = 141  # 128 + SIGPIPE, so that `… | head` ends as `cat … | head` does


@dataclass(frozen=True)
class Session:
    """What was asked for; `run` does it."""

    wishes: Wishes
    output: str
    encoding: str
    quiet: bool

    def run(self, arguments: Sequence[str]) -> int:
        """Split the files, show the summary, and return the exit code."""
        try:
            check_encoding(self.encoding)
            splitter = make_splitter(self.wishes)
            sources, problems = find_sources(arguments, self._file)
            with self._open() as sink:
                return self._split(splitter, sources, problems, sink)
        except ChunkerError as error:
            self._complain("error", str(error))
            return BAD_SETTING
        except BrokenPipeError:
            _silence_stdout()
            return BROKEN_PIPE
        except OSError as error:
            self._complain("error", f"{self._where} cannot be written: {reason_of(error)}")
            return SOME_FAILED
        except KeyboardInterrupt:
            return INTERRUPTED

    @property
    def _file(self) -> Path | None:
        return None if self.output == "-" else Path(self.output)

    @property
    def _where(self) -> str:
        return self.output if self._file else "standard output"

    def _split(
        self,
        splitter: BaseSplitter,
        sources: Sequence[Source],
        problems: Sequence[FileError],
        sink: BinaryIO,
    ) -> int:
        progress = self._progress(sources)
        job = Job(splitter, self.encoding, sink.write, progress)
        try:
            with progress:
                for problem in problems:
                    job.skip(problem)
                job.run(sources)
        except KeyboardInterrupt:
            chunks = sum(tally.chunks for tally in job.tallies)
            self._complain("interrupted", f"{chunks:,} chunks were written to {self._where}")
            raise
        finally:
            sink.flush()
        if not self.quiet:
            self._summarise(job)
        return SOME_FAILED if job.problems else ALL_DONE

    def _progress(self, sources: Sequence[Source]) -> Progressor:
        # Chunks that scroll over the same terminal are progress enough, and a bar would mix in.
        shown = not self.quiet and not (self._file is None and sys.stdout.isatty())
        total = sum(source.size for source in sources)
        return Progressor(make_console(stderr=True), total, shown=shown)

    def _summarise(self, job: Job) -> None:
        console = make_console(stderr=self._file is None)
        if job.tallies:
            console.print(summary(job.title, job.cap, job.tallies))
            console.print()
        if self._file is not None:
            console.print(f"Chunks are in {self._where}", markup=False)
        if job.problems:
            files = "file was" if len(job.problems) == 1 else "files were"
            self._complain("not all done", f"{len(job.problems):,} {files} skipped, named above")

    @contextlib.contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        if self._file is None:
            yield sys.stdout.buffer
            return
        try:
            sink = self._file.open("wb")
        except OSError as error:
            raise SettingError(f"{self._where} cannot be written: {reason_of(error)}") from error
        with sink:
            yield sink

    def _complain(self, what: str, message: str) -> None:
        line = " ".join(message.split())
        console = make_console(stderr=True)
        console.print(f"[bold red]{what}:[/]", end=" ")
        console.print(line, markup=False, soft_wrap=True)


def _silence_stdout() -> None:
    """Keep Python from writing what is left to the closed pipe when it exits, and complaining.

    Source: the note on SIGPIPE in the documentation of Python's module `signal`.
    """
    with contextlib.suppress(OSError, ValueError):  # a stream of a test has no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
