"""What all checks work on: one text, its spans and its chunks; and how they complain."""

from __future__ import annotations

import copy
import math
from bisect import bisect_right
from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import regex

from langchain_chunkers.outline import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from langchain_text_splitters import TextSplitter

__all__ = ["Split", "complain"]

_CLUSTER = regex.compile(r"\X")
_SHOWN = 1_200  # characters of a text in a message: enough for what Hypothesis shrinks to


class Split:
    """A text, and what a splitter makes of it.

    Args:
        splitter: One of this package, or any LangChain ``TextSplitter``.
        text: The text.
    """

    def __init__(self, splitter: TextSplitter, text: str) -> None:
        self.splitter: Any = splitter
        self.text = text
        self.chunks: list[str] = splitter.split_text(text)
        self.spans = _spans(splitter, text)
        self.size: float = self.splitter._chunk_size
        if self.size > 2**62:  # no cap
            self.size = math.inf
        self.overlap: int = self.splitter._chunk_overlap
        self.strips = bool(self.splitter._strip_whitespace)
        self.measure: Callable[[str], int] = self.splitter._length_function
        limits = getattr(splitter, "_limits", None)
        self.oversize = getattr(limits, "oversize", "keep")
        self.always: float = getattr(limits, "always", math.inf)

    @cached_property
    def source(self) -> str:
        """The text that offsets refer to."""
        read = getattr(self.splitter, "read", None)
        return self.text if read is None else str(read(self.text).text)

    @cached_property
    def content(self) -> str:
        """The text without the white space at its ends that is trimmed off.

        A splitter of code keeps the indentation of the first line, and white space with a combining
        mark on it is a character.
        """
        text = self.source
        if not self.strips or not text.strip():
            return text.strip() if self.strips else text
        start = len(text) - len(text.lstrip())
        if getattr(getattr(self.splitter, "_limits", None), "trim", "all") == "lines":
            start = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
        start = self.edges[bisect_right(self.edges, start) - 1]
        return text[start : len(text.rstrip())]

    @cached_property
    def edges(self) -> list[int]:
        """The edges of all grapheme clusters, both ends of the text included."""
        return [0, *(found.end() for found in _CLUSTER.finditer(self.source))]

    @cached_property
    def between(self) -> frozenset[int]:
        """The same, for looking up."""
        return frozenset(self.edges)

    @property
    def adds_up(self) -> bool:
        """Whether lengths of pieces add up to the length of the whole, as with characters."""
        return self.measure is len or bool(
            getattr(getattr(self.splitter, "_measure", None), "additive", False)
            or type(self.measure).__name__ == "CharacterMeasure"
        )

    @property
    def gaps(self) -> list[tuple[int, int]]:
        """The stretches between new texts: before the first, between two, behind the last."""
        ends = [0, *(span.end for span in self.spans)]
        starts = [*(span.fresh for span in self.spans), len(self.source)]
        return list(zip(ends, starts, strict=True))

    @property
    def pairs(self) -> list[tuple[Span, Span]]:
        """Each span with the next one."""
        return list(pairwise(self.spans))

    def demand(self, held: object, what: str, *spans: Span) -> None:
        """Raise with the text and the spans unless ``held``."""
        if not held:
            complain(what, self.splitter, self.source, spans or self.spans)


def complain(what: str, splitter: Any, text: str, spans: Sequence[Span] = ()) -> None:
    """Raise an AssertionError that shows all that is needed to see the fault."""
    shown = repr(text) if len(text) <= _SHOWN else f"{text[:_SHOWN]!r}… ({len(text)} characters)"
    lines = [what, f"  splitter: {splitter!r}", f"  text: {shown}"]
    lines += [f"  {span!r}: {text[span.start : span.end]!r}" for span in spans[:30]]
    if len(spans) > 30:
        lines.append(f"  … {len(spans)} spans in all")
    raise AssertionError("\n".join(lines))


def _spans(splitter: Any, text: str) -> list[Span]:
    """Ask for spans; a splitter that knows none says where its documents start."""
    if hasattr(splitter, "split_spans"):
        return list(splitter.split_spans(text))
    splitter = copy.copy(splitter)
    splitter._add_start_index = True
    spans: list[Span] = []
    end = 0
    for document in splitter.create_documents([text]):
        start = document.metadata["start_index"]
        stop = start + len(document.page_content)
        spans.append(Span(start, stop, fresh=min(max(start, end), stop)))
        end = stop
    return spans
