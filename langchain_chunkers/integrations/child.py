"""Work in a process of its own, which is ended where it takes too long or too much memory.

Libraries that read people's files hang and swell on some of them, and a thread cannot be ended. The child
is a plain interpreter, no fork and no ``multiprocessing``: the script of the caller is not run again.
"""

from __future__ import annotations

import contextlib
import json
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

__all__ = ["Child", "ChildError"]

_LOOK = 0.1  # seconds between two looks at a process


class ChildError(Exception):
    """The child gave no result; the message says why."""


class Child:
    """Calls a function in a process of its own, one call after another; it is started at the first.

    Args:
        function: Is pickled; gives what JSON can hold.
        seconds: A call that takes longer ends the process; the next call starts another.
        memory: Bytes that the process may hold, where the system can say so (Linux); ``None`` for any.
        prepare: Is called first, and its time is not counted: imports.
    """

    def __init__(
        self,
        function: Callable[..., Any],
        seconds: float,
        memory: int | None,
        prepare: Callable[[], Any] | None = None,
    ) -> None:
        self._setup = pickle.dumps((function, prepare))
        self._seconds, self._memory = seconds, memory
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def call(self, *arguments: Any) -> Any:
        """Call the function.

        Raises:
            ChildError: It took too long, raised an error, or the process died.
        """
        with self._lock:
            process = self._ready_process()
            done = threading.Event()
            reasons: list[str] = []
            watch = threading.Thread(
                target=self._watch, args=(process, done, reasons), name="watch", daemon=True
            )
            watch.start()
            try:
                answer = _ask(process, pickle.dumps(arguments))
            except (OSError, EOFError) as error:
                self._process = None
                _end(process)
                reasons.append(f"the process that read it died (exit status {process.returncode})")
                raise ChildError(reasons[0]) from error
            finally:
                done.set()
        return _value(answer)

    def _watch(
        self, process: subprocess.Popen[bytes], done: threading.Event, reasons: list[str]
    ) -> None:
        """End a process that takes too much; a limit of the system makes some libraries hang instead."""
        end = time.monotonic() + self._seconds
        while not done.wait(_LOOK):
            if time.monotonic() > end:
                reasons.append(f"it took longer than {self._seconds:g} seconds")
            elif self._memory is not None and _held(process.pid) > self._memory:
                reasons.append(f"it needs more memory than {self._memory:,} bytes")
            if reasons:
                process.kill()
                return

    def _ready_process(self) -> subprocess.Popen[bytes]:
        """Give the process that is there, or start one and let it prepare."""
        if self._process is None:
            path = os.pathsep.join(filter(None, sys.path))
            process = subprocess.Popen(  # noqa: S603 - this interpreter and this module
                [sys.executable, "-m", __name__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path},
            )
            weakref.finalize(self, _end, process)
            try:
                _value(_ask(process, self._setup))
            except (OSError, EOFError) as error:
                _end(process)
                msg = f"the process that reads it did not start (exit status {process.returncode})"
                raise ChildError(msg) from error
            self._process = process
        return self._process


def _ask(process: subprocess.Popen[bytes], question: bytes) -> Any:
    assert process.stdin is not None
    assert process.stdout is not None
    _send(process.stdin, question)
    return json.loads(_receive(process.stdout))


def _value(answer: Any) -> Any:
    kind, value = answer
    if kind == "error":
        raise ChildError(value)
    return value


def _held(process: int) -> int:
    """Give the bytes of memory that a process holds; 0 where the system does not say."""
    try:
        pages = Path(f"/proc/{process}/statm").read_text("ascii").split()[1]
    except (OSError, IndexError):
        return 0
    return int(pages) * os.sysconf("SC_PAGESIZE")


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with contextlib.suppress(OSError):  # what was not yet written has no reader
                pipe.close()


def _send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(len(data).to_bytes(8, "big") + data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    head = pipe.read(8)
    size = int.from_bytes(head, "big")
    data = pipe.read(size) if len(head) == 8 else b""
    if len(head) < 8 or len(data) < size:
        raise EOFError
    return data


def main() -> None:
    """Answer calls until the parent is gone."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is no answer
    function: Callable[..., Any] = _prepared
    while True:
        try:
            question = _receive(sys.stdin.buffer)
        except EOFError:
            return
        try:
            value = function(*pickle.loads(question))  # noqa: S301 - from our own parent
            if function is _prepared:
                function, value = value, None
            answer = json.dumps(("value", value))
        except Exception as error:  # noqa: BLE001 - told to the parent, whatever it is
            answer = json.dumps(("error", str(error)))
        _send(answers, answer.encode())


def _prepared(function: Callable[..., Any], prepare: Callable[[], Any] | None) -> Any:
    if prepare is not None:
        prepare()
    return function


if __name__ == "__main__":
    main()
