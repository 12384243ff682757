"""Length measures: what ``chunk_size`` counts.

A measure does two things. It counts a string exactly, which is what the cap is checked with; and
it lays a **scale** along one whole text, so that the packer can ask "how many units until here?"
and "where do so many units end?" by binary search, without measuring pieces. A scale may be an
estimate (only characters are additive); the packer recounts each chunk as it will be emitted.

Sums of the counts of pieces are never used as the count of a chunk: tokens are not additive.
A few lines over 300: the measures that need no tokenizer are read together.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from bisect import bisect_right
from collections.abc import Callable, Sequence
from typing import Any

from langchain_chunkers.errors import InputError

__all__ = [
    "CallableMeasure",
    "CharacterMeasure",
    "LengthMeasure",
    "Scale",
    "measure_for",
]


class Scale(ABC):
    """Units along one text.

    Attributes:
        text: The text.
        additive: Whether the difference of two marks is the exact count of what lies between.
        slack: How far an estimate may lie above the exact count, as a factor.
    """

    additive = False
    slack = 1.06  # counts above slack * cap + 8 by estimate are above the cap for certain

    def __init__(self, text: str) -> None:
        self.text = text

    @abstractmethod
    def mark(self, at: int) -> float:
        """Count the units of ``text[:at]``; an estimate unless additive. Never falls as ``at`` grows."""

    @abstractmethod
    def place(self, mark: float) -> int:
        """Give the last position whose mark is at most ``mark``."""

    @abstractmethod
    def count(self, start: int, end: int, prefix: str = "", suffix: str = "") -> int:
        """Count ``prefix + text[start:end] + suffix`` exactly."""

    def fits(self, size: float, start: int, end: int, prefix: str = "", suffix: str = "") -> bool:
        """Say whether ``prefix + text[start:end] + suffix`` has at most ``size`` units, exactly."""
        return self.count(start, end, prefix, suffix) <= size

    def marks(self, ats: Sequence[int]) -> Sequence[float]:
        """Give the mark of each of the ascending positions."""
        return [self.mark(at) for at in ats]


class LengthMeasure(ABC):
    """Counts text in one unit. Callable, picklable, without state between calls.

    Attributes:
        unit: Name of the unit for messages, in the plural, such as ``"characters"``.
    """

    unit = "units"

    @abstractmethod
    def __call__(self, text: str) -> int:
        """Count ``text`` exactly."""

    @abstractmethod
    def scale(self, text: str) -> Scale:
        """Lay a scale along ``text``. One pass over it."""

    @abstractmethod
    def to_config(self) -> Any:
        """Describe the measure in JSON values, as ``from_config`` of the splitters takes it."""


class CharacterMeasure(LengthMeasure):
    """Counts characters (code points). The default.

    Example:
        >>> CharacterMeasure()("naïve")
        5
    """

    unit = "characters"

    def __call__(self, text: str) -> int:
        """Count the code points of ``text``."""
        return len(text)

    def scale(self, text: str) -> Scale:
        """Lay a scale along ``text``: positions are marks."""
        return _CharacterScale(text)

    def to_config(self) -> str:
        """Give ``"characters"``."""
        return "characters"

    def __repr__(self) -> str:
        """Show how to make one."""
        return "CharacterMeasure()"

    def __eq__(self, other: object) -> bool:
        """All character measures are equal."""
        return type(other) is type(self)

    def __hash__(self) -> int:
        """All character measures are equal."""
        return hash(type(self))


class _CharacterScale(Scale):
    additive = True

    def mark(self, at: int) -> float:
        return at

    def place(self, mark: float) -> int:
        return min(int(mark), len(self.text))

    def count(self, start: int, end: int, prefix: str = "", suffix: str = "") -> int:
        return end - start + len(prefix) + len(suffix)

    def marks(self, ats: Sequence[int]) -> Sequence[float]:
        return ats


class CallableMeasure(LengthMeasure):
    """Counts with any callable of the user's, ``text -> int``.

    The callable is trusted for the cap and for nothing else: it may count words, weigh characters,
    or even fall when text is added; splitting ends all the same, in linear time. A count below
    zero is taken for zero.

    Args:
        function: Counts a string. To be picklable, it must be a function of a module.

    Example:
        >>> words = CallableMeasure(lambda text: len(text.split()))
        >>> words("three short words")
        3
    """

    # Short enough that density may change along a text (a table, Chinese, code) and the scale
    # follows; long enough that a call costs little beside what it counts.
    _STRIDE = 1000

    def __init__(self, function: Callable[[str], int]) -> None:
        self.function = function
        self.unit = "units of " + getattr(function, "__name__", type(function).__name__)

    def __call__(self, text: str) -> int:
        """Count ``text`` with the callable."""
        return max(0, int(self.function(text)))

    def scale(self, text: str) -> Scale:
        """Lay a scale along ``text``: counts of pieces of about 1,000 characters, straight between them."""
        return EstimatedScale(text, self, self._STRIDE)

    def to_config(self) -> dict[str, str]:
        """Name the callable as ``{"callable": "module:name"}``.

        Raises:
            InputError: It is a lambda or an inner function, which no name reaches.
        """
        name = getattr(self.function, "__qualname__", "<unnamed>")
        module = getattr(self.function, "__module__", "")
        if "<" in name or not module:
            msg = (
                f"length_function {name!r} cannot be written into a configuration. Give a function "
                f"that stands at the top of a module."
            )
            raise InputError(msg)
        return {"callable": f"{module}:{name}"}

    def __repr__(self) -> str:
        """Show the callable."""
        return f"CallableMeasure({self.function!r})"

    def __eq__(self, other: object) -> bool:
        """Measures with one callable are equal."""
        return isinstance(other, CallableMeasure) and other.function == self.function

    def __hash__(self) -> int:
        """Measures with one callable are equal."""
        return hash((CallableMeasure, self.function))


class EstimatedScale(Scale):
    """A scale for a measure that gives counts only.

    Pieces of ``stride`` characters are counted one by one, and marks lie on straight lines between
    their ends. One pass of the measure over the text.
    """

    slack = 4.0  # units differ that much along one text: UTF-8 bytes, tokens of rare scripts

    def __init__(self, text: str, measure: LengthMeasure, stride: int) -> None:
        super().__init__(text)
        self._measure = measure
        ends, totals, total, start = [0], [0.0], 0.0, 0
        while start < len(text):
            end = self._piece_end(start + stride)
            total += measure(text[start:end])
            ends.append(end)
            totals.append(total)
            start = end
        self._ends, self._totals = ends, totals

    def _piece_end(self, at: int) -> int:
        """Prefer a place before a space: few tokenizers join text across it."""
        text = self.text
        if at >= len(text):
            return len(text)
        space = text.find(" ", at, at + 64)
        return space if space > 0 else at

    def mark(self, at: int) -> float:
        """Read the estimate at a position."""
        index = min(bisect_right(self._ends, at), len(self._ends) - 1)
        if index == 0:
            return 0.0
        low, high = self._ends[index - 1], self._ends[index]
        share = (min(at, high) - low) / (high - low)
        return self._totals[index - 1] + share * (self._totals[index] - self._totals[index - 1])

    def place(self, mark: float) -> int:
        """Read the position at which the estimate reaches ``mark``."""
        if mark < 0:
            return 0
        index = bisect_right(self._totals, mark)  # the first total above, so the line rises
        if index >= len(self._totals):
            return len(self.text)
        low, high = self._totals[index - 1], self._totals[index]
        share = (mark - low) / (high - low)
        start, end = self._ends[index - 1], self._ends[index]
        return start + int(share * (end - start))

    def count(self, start: int, end: int, prefix: str = "", suffix: str = "") -> int:
        """Count exactly, with the measure."""
        return self._measure(prefix + self.text[start:end] + suffix)


def measure_for(anything: Any) -> LengthMeasure:
    """Make a length measure of whatever counts: decided once, at the edge.

    Args:
        anything: ``len`` or ``"characters"``; a measure; a ``tiktoken.Encoding``; a Hugging Face
            ``PreTrainedTokenizerBase`` or ``tokenizers.Tokenizer``; a callable ``text -> int``; or
            what ``to_config`` of a measure gave.

    Returns:
        The measure.

    Raises:
        InputError: It is none of these.

    Example:
        >>> measure_for(len).unit
        'characters'
        >>> measure_for(str.split)
        Traceback (most recent call last):
        ...
        langchain_chunkers.errors.InputError: length_function must give a number of units: ...
    """
    if anything is len or anything == "characters":
        return CharacterMeasure()
    if isinstance(anything, LengthMeasure):
        return anything
    from langchain_chunkers import tokens  # numpy and tiktoken wait until tokens are counted

    found = tokens.token_measure_for(anything)
    if found is not None:
        return found
    if callable(anything):
        return CallableMeasure(_probed(anything))
    msg = (
        f"length_function must be len, a callable text -> int, a tiktoken.Encoding or a Hugging Face "
        f"tokenizer: got {type(anything).__name__}."
    )
    raise InputError(msg)


def _probed(function: Callable[[str], Any]) -> Callable[[str], int]:
    """Refuse a callable that does not count, now rather than at the first text."""
    answer = function("probe")
    try:
        int(answer)
    except (TypeError, ValueError):
        msg = (
            f"length_function must give a number of units: got {type(answer).__name__} "
            f"for a probe text."
        )
        raise InputError(msg) from None
    return function
