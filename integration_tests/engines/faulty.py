"""A splitter for engines to survive: it fails on some documents, and once it kills its process."""

from __future__ import annotations

import os
import signal
from typing import Any

from langchain_chunkers import MarkdownSplitter
from langchain_chunkers.outline import Outline

POISON = "POISON"
KILL = "KILL"


class FaultySplitter(MarkdownSplitter):
    """Reads Markdown; raises at `POISON`, and at `KILL` ends its process as the system would.

    Args:
        chunk_size: The cap.
        marker: A file that says that a process has been killed already; "" for never to kill one.
        **options: As `MarkdownSplitter`.
    """

    name = "faulty"

    def __init__(self, chunk_size: int = 200, marker: str = "", **options: Any) -> None:
        super().__init__(chunk_size, **options)
        self._marker = marker

    def read(self, text: str) -> Outline:
        if POISON in text:
            raise RuntimeError("poisoned")
        if KILL in text and self._marker:
            try:
                os.close(os.open(self._marker, os.O_CREAT | os.O_EXCL))
            except FileExistsError:
                pass  # once was enough
            else:
                os.kill(os.getpid(), signal.SIGKILL)
        return super().read(text)
