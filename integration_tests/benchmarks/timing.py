"""Ratios that a busy machine does not bend.

Machines are shared, so seconds mean little. Two things help: the contenders run by turns, so that
what slows one slows the other too, and a ratio is taken within each turn; the median over the
turns is what is reported. Both clocks are read: wall time (threads show) and CPU time of the
process (threads do not, and neighbours do not either).
"""

from __future__ import annotations

import gc
import signal
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from statistics import median
from typing import NamedTuple

Job = Callable[[], object]


class Times(NamedTuple):
    """Seconds of one run."""

    wall: float
    cpu: float


class Ratio(NamedTuple):
    """How many times as long one job took as another: medians over turns."""

    wall: float
    cpu: float

    @property
    def best(self) -> float:
        """The one less disturbed by neighbours is the larger of two speed-ups."""
        return max(self.wall, self.cpu)

    def __str__(self) -> str:
        return f"{self.wall:.2f} ({self.cpu:.2f} CPU)"


def timed(job: Job) -> Times:
    """Run a job once, garbage collected before and not during it."""
    gc.collect()
    gc.disable()
    try:
        wall, cpu = time.perf_counter(), time.process_time()
        job()
        return Times(time.perf_counter() - wall, time.process_time() - cpu)
    finally:
        gc.enable()


def by_turns(jobs: Sequence[Job], turns: int = 5, *, warm: bool = True) -> list[list[Times]]:
    """Run jobs one after another, so many times; the order is turned round each time.

    Returns:
        For each job its times, turn by turn.
    """
    if warm:
        for job in jobs:
            job()
    rows: list[list[Times]] = [[] for _ in jobs]
    for turn in range(turns):
        order = range(len(jobs)) if turn % 2 == 0 else range(len(jobs) - 1, -1, -1)
        for index in order:
            rows[index].append(timed(jobs[index]))
    return rows


def ratio(slow: Sequence[Times], fast: Sequence[Times]) -> Ratio:
    """Give the median over turns of `slow / fast`."""
    pairs = list(zip(slow, fast, strict=True))
    return Ratio(
        median(a.wall / max(b.wall, 1e-9) for a, b in pairs),
        median(a.cpu / max(b.cpu, 1e-9) for a, b in pairs),
    )


def compare(slow: Job, fast: Job, turns: int = 5) -> Ratio:
    """Time two jobs by turns: how many times as long `slow` takes."""
    first, second = by_turns([slow, fast], turns)
    return ratio(first, second)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Raise `TimeoutError` in what hangs; main thread only, and not inside one call of C code."""

    def stop(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
