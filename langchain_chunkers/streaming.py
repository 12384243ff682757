"""A text that comes in pieces, split in constant memory: the chunks are those of the whole text.

A **window** of the text is held and split as if it were all there is. What the chunks near its end are may
depend on what follows; so those before the last **safe place** are given out, and the next window begins
there. Memory is that of a window, however long the text is, unless it has no safe place: then the
window grows until it has one.

Where chunks are filled, each follows from the one before, so every cut that the end of the window does
not touch is safe. Where structure decides, a place is safe if

- it lies behind a blank line, outside a code fence, and what follows up to the next stronger boundary does
  not fit (so no packing of the whole joins anything across that boundary), and so many boundaries follow
  that the even sharing at the end of a run cannot reach it; or
- text without blank lines is so long that it is listed a part at a time: at the end of a part.

Text that is one line, or one paragraph wrapped at a column, has neither and is held whole. Splitters whose
decisions need the whole text refuse (`SettingError`), as do measures that only estimate along a text.

Over 300 lines, since what makes a place safe is one argument and is read as one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document

from langchain_chunkers import metadata as facts
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.filling import FillPacker, Progress
from langchain_chunkers.ladder import content_end
from langchain_chunkers.length import CharacterMeasure
from langchain_chunkers.outline import Outline, Region, Strength
from langchain_chunkers.overlapping import overlap_start
from langchain_chunkers.packing import Chunk
from langchain_chunkers.plain import fences
from langchain_chunkers.structure import StructurePacker
from langchain_chunkers.token_scale import TokenScale, certain_cut

if TYPE_CHECKING:
    from langchain_chunkers.base import BaseSplitter

__all__ = ["check_streams", "stream"]

_WINDOW = 1 << 20  # characters held at least: hundreds of chunks, so that little is split twice
_MARGIN = 2048  # characters in front of the end of a window that readers and rungs may look ahead
_CONTEXT = 4096  # characters held behind a safe place: what is looked at of the text before
_LOOK = 512  # how far the rules of sentences look back, and more
_EDGES = 20  # boundaries that must follow a safe place; grouping looks 16 chunks ahead
_CAPS = 10  # the same where chunks are filled, in units of the cap
_LEAST = 0.75  # of the cap: with a larger floor, filling looks ahead without bound


def check_streams(splitter: BaseSplitter) -> None:
    """Refuse a splitter that cannot give the chunks of a text before it has seen the whole.

    Raises:
        SettingError: Its strategy, its measure, or a fact that it adds needs the whole text.
    """
    limits = splitter._limits
    least = getattr(splitter, "_least", 0)  # the floor of TokenCountSplitter
    reason = ""
    if _way_of(splitter) is None:
        reason = f"{type(splitter).__name__} with these settings decides by the whole text"
    elif not _is_laid_in_pieces(splitter._measure):
        reason = f"sizes in {splitter.unit} are estimated along the whole text"
    elif limits.stable or limits.least or least > limits.size * _LEAST:
        reason = "stable, min_chunk_size and a floor near the cap look ahead without bound"
    elif splitter._facts not in ((), facts.OFFSETS):
        reason = "add_metadata adds facts that are known at the end of the text"
    if reason:
        msg = (
            f"split_stream cannot be exact here: {reason}. Use split_documents, or RecursiveSplitter, "
            f"SentenceSplitter, FixedSizeSplitter or TokenCountSplitter in characters or tokens."
        )
        raise SettingError(msg)


def _way_of(splitter: BaseSplitter) -> type[_Filled | _Packed] | None:
    """Give the way for a splitter: of exact classes, since a subclass may read the whole text."""
    from langchain_chunkers.strategies.fixed_size import FixedSizeSplitter
    from langchain_chunkers.strategies.recursive import RecursiveSplitter
    from langchain_chunkers.strategies.sentence import SentenceSplitter
    from langchain_chunkers.strategies.token_count import TokenCountSplitter

    if type(splitter) in (FixedSizeSplitter, TokenCountSplitter):
        return _Filled
    if type(splitter) is RecursiveSplitter:
        usual = splitter._rungs is None and splitter._packing == "structure"
        return _Packed if usual else None
    return _Packed if type(splitter) is SentenceSplitter else None


def _is_laid_in_pieces(measure: Any) -> bool:
    if type(measure) is CharacterMeasure:
        return True
    from langchain_chunkers.tokens import HuggingFaceMeasure, TiktokenMeasure

    if type(measure) is TiktokenMeasure:
        return measure._ordinary
    return type(measure) is HuggingFaceMeasure and measure._slow is None


def stream(
    splitter: BaseSplitter, pieces: Iterable[str], metadata: Mapping[str, Any]
) -> Iterator[Document]:
    """Split a text that comes in pieces.

    Args:
        splitter: One that `check_streams` takes.
        pieces: The text in pieces of any size.
        metadata: Metadata of the text.

    Yields:
        The chunks of the joined text, in order, as `BaseSplitter.split_documents` gives them.

    Guarantees: equal to splitting the joined text.

    Cost: that of splitting, and a few hundredths for windows that overlap.

    Raises:
        InputError: A piece is no string, or has lone surrogates where tokens are counted by UTF-8.
    """
    kind = _way_of(splitter)
    assert kind is not None
    way = kind(splitter)
    source, ended, size = iter(pieces), False, _WINDOW
    while not ended:
        parts, held = [way.text], len(way.text)
        while held < size:
            piece: Any = next(source, None)
            if piece is None:
                ended = True
                break
            if not isinstance(piece, str):
                msg = f"split_stream takes pieces of text: got {type(piece).__name__}."
                raise InputError(msg)
            parts.append(piece)
            held += len(piece)
        way.text = "".join(parts)
        found = way.chunks(ended=ended)
        yield from _presented(splitter, way, found, metadata)
        way.forget()
        # where nothing was safe, twice as much is looked at, so that the work stays linear
        size = len(way.text) + _WINDOW if found else 2 * held


def _presented(
    splitter: BaseSplitter, way: _Way, chunks: Sequence[Chunk], metadata: Mapping[str, Any]
) -> Iterator[Document]:
    function = splitter._metadata_function
    for chunk in chunks:
        own = facts.copied(metadata)
        if splitter._facts:
            own["start_index"], own["end_index"] = chunk.start + way.low, chunk.end + way.low
        document = facts.document(
            splitter._content(way.text, chunk.start, chunk.end),
            own,
        )
        if function is not None:
            document.metadata.update(function(document))
        yield document


class _Way:
    """A window, and where the next one goes on.

    Attributes:
        text: The window.
        low: Where it begins in the whole text.
    """

    def __init__(self, splitter: BaseSplitter) -> None:
        self.splitter = splitter
        self.text, self.low = "", 0
        self.kept = 0  # the first character that the next window needs

    def scale(self) -> Any:
        """Lay the measure along the window, which begins where a piece of the whole text does."""
        scale = self.splitter._measure.scale(self.text)
        if not (scale.additive or isinstance(scale, TokenScale)):
            msg = (
                "split_stream cannot count tokens of lone surrogates, which have no UTF-8. Decode "
                "the text with errors='replace'."
            )
            raise InputError(msg)
        return scale

    def certain(self, *, ended: bool) -> int:
        """Give the end of what is known of the window: its text, and its tokens."""
        if ended:
            return len(self.text)
        if type(self.splitter._measure) is CharacterMeasure:
            return max(len(self.text) - _MARGIN, 0)
        return max(min(certain_cut(self.text, len(self.text)), len(self.text) - _MARGIN), 0)

    def forget(self) -> None:
        """Drop what is not needed any more, up to where a piece of the whole text begins."""
        first = max(self.kept - _CONTEXT, 0)
        if type(self.splitter._measure) is not CharacterMeasure:
            first = certain_cut(self.text, first)
        self.text = self.text[first:]
        self.low += first
        self.moved(first)

    def moved(self, by: int) -> None:
        """Take it that the window begins later."""
        self.kept -= by


def _inside(spans: Sequence[tuple[int, int]], at: int) -> bool:
    """Say whether a place lies in a span, but not at its start."""
    index = bisect_left(spans, (at, 0)) - 1
    return index >= 0 and at < spans[index][1]


class _Filled(_Way):
    """Chunks that are filled: each follows from the one before."""

    def __init__(self, splitter: BaseSplitter) -> None:
        super().__init__(splitter)
        self.progress: Progress | None = None

    def chunks(self, *, ended: bool) -> list[Chunk]:
        """Give the chunks of the window that are certain."""
        splitter, limits = self.splitter, self.splitter._limits
        scale = self.scale()
        packer = FillPacker(Outline(self.text), scale, limits, splitter.ladder)
        steps = [
            (packer.progress, chunk)
            for chunk in packer.run(splitter.choose, self.progress)  # type: ignore[attr-defined]
        ]
        if not ended:
            certain = content_end(self.text, 0, self.certain(ended=ended))
            limit = scale.mark(certain) - _CAPS * limits.size
            count = 0
            while count < len(steps):
                _, chunk = steps[count]
                if chunk.end > certain or scale.mark(chunk.end) > limit:
                    break
                count += 1
            if count < len(steps):  # all pieces of one character go together
                while count and steps[count - 1][0] is steps[count][0]:
                    count -= 1
                self.progress = steps[count][0]
            else:
                self.progress = packer.progress
            steps = steps[:count]
        found = []
        for _, chunk in steps:
            start, end = packer.content(chunk.start, chunk.end)
            if max(start, chunk.fresh) < end:
                found.append(Chunk(start, end, max(start, chunk.fresh), chunk.strength))
        if self.progress is not None:
            self.kept = min(self.progress[0], self.progress[1], self.progress[3])
        return found

    def moved(self, by: int) -> None:
        """Take it that the window begins later."""
        super().moved(by)
        if self.progress is not None:
            start, fresh, strength, last = self.progress
            self.progress = (start - by, fresh - by, strength, last - by)


@dataclass
class _Before:
    """What the reader said of the text before a safe place: overlap looks back at it."""

    places: dict[Strength, list[int]] = field(default_factory=dict)
    regions: list[Region] = field(default_factory=list)


class _Packed(_Way):
    """Chunks by structure."""

    def __init__(self, splitter: BaseSplitter) -> None:
        super().__init__(splitter)
        self.at = 0  # the safe place
        self.reading = 0  # where reading begins, at it or before
        self.starts: list[int] = []  # between the two: where else it could
        self.strength = Strength.DOCUMENT
        self.last = (-1, -1)  # the chunk before it
        self.before = _Before()

    def chunks(self, *, ended: bool) -> list[Chunk]:
        """Give the chunks of the window up to its last safe place."""
        outline = self._outline()
        packer = StructurePacker(outline, self.scale(), self.splitter._limits, self.splitter.ladder)
        pieces = packer.pack(self.at, None, self.strength)
        count = len(pieces) if ended else self._safe(packer, pieces)
        found = []
        before, at = self.last
        for piece in pieces[:count]:
            fresh, end = packer.content(piece.start, piece.end)
            if fresh >= end:
                continue
            start = fresh
            if packer.limits.overlap and at >= 0:
                start = overlap_start(packer, before, at, fresh, end)
            found.append(Chunk(start, end, fresh, piece.strength))
            before, at = start, end
        if count and not ended:
            self.last = before, at
            self.at, self.strength = pieces[count].start, pieces[count].strength
            self.before = _Before(
                {
                    strength: [p for p in ats if p <= self.at]
                    for strength, ats in outline.places.items()
                },
                [region for region in outline.regions if region.start < self.at],
            )
            self.kept = min(self.at, self.reading, before if before >= 0 else self.at)
        return found

    def moved(self, by: int) -> None:
        """Take it that the window begins later."""
        super().moved(by)
        self.at -= by
        self.reading -= by
        self.starts = [at - by for at in self.starts]
        if self.last[1] >= 0:
            self.last = self.last[0] - by, self.last[1] - by
        self.before = _Before(
            {
                strength: [place - by for place in ats if place > by]
                for strength, ats in self.before.places.items()
            },
            [
                region._replace(start=max(region.start - by, 0), end=region.end - by)
                for region in self.before.regions
                if region.end > by
            ],
        )

    def _outline(self) -> Outline:
        """Read from before the safe place on; of what lies before it, take what was read then."""
        read, by, at = self.splitter.read(self.text[self.reading :]), self.reading, self.at
        places = {strength: list(ats) for strength, ats in self.before.places.items()}
        for strength, ats in read.places.items():
            later = [place + by for place in ats if place + by > at]
            places.setdefault(strength, []).extend(later)
        regions = [
            region._replace(start=max(region.start + by, at), end=region.end + by)
            for region in read.regions
            if region.end + by > at
        ]
        return Outline(self.text, places, [*self.before.regions, *regions])

    def _safe(self, packer: StructurePacker, pieces: Sequence[Any]) -> int:
        """Give the number of pieces before the last safe place; 0 where there is none."""
        certain = self.certain(ended=False)
        spans, is_open = fences(self.text[self.at :])
        if is_open:
            certain = min(certain, self.at + spans[-1][0])
        ranks = {at: strength for strength, ats in packer.levels for at in ats}
        edges = [
            number
            for number, piece in enumerate(pieces)
            if self.at < piece.start <= certain and piece.start in ranks
        ]
        for number in reversed(edges[: -_EDGES or None]):
            at = pieces[number].start
            if not _inside(spans, at - self.at) and self._is_apart(packer, at, ranks[at]):
                self._note_reading(spans, [pieces[edge].start for edge in edges], at)
                return number
        parts = {
            at
            for at in packer.parts
            if at <= certain and not _inside(spans, at - self.at) and self._is_alone(packer, at)
        }
        for number in range(len(pieces) - 1, 0, -1):
            if pieces[number].start in parts:
                self.reading, self.starts = pieces[number].start, []
                return number
        return 0

    def _note_reading(
        self, spans: Sequence[tuple[int, int]], edges: Sequence[int], safe: int
    ) -> None:
        """Choose where the next window is read from: the rules of sentences look back a little."""
        for at in edges:
            if self._is_behind_blank(at) and not _inside(spans, at - self.at):
                self.starts.append(at)
        far = [at for at in self.starts if at <= safe - _LOOK]
        if far:
            self.reading = far[-1]
        self.starts = [at for at in self.starts if self.reading < at <= safe]

    def _is_behind_blank(self, at: int) -> bool:
        near = self.text[max(0, at - 64) : at]
        return near[len(near.rstrip()) :].count("\n") > 1

    def _is_apart(self, packer: StructurePacker, at: int, strength: Strength) -> bool:
        """Say whether a place lies behind a blank line, and too far from a stronger boundary to be joined."""
        if not self._is_behind_blank(at):
            return False
        if strength >= packer.limits.always:
            return True
        return not packer.fits(at, self._next(packer, at, strength))

    def _next(self, packer: StructurePacker, at: int, strength: Strength) -> int:
        """Give the next boundary that is stronger; the end of the window if there is none."""
        found = len(self.text)
        for kind, ats in packer.levels:
            if kind > strength:
                index = bisect_right(ats, at)
                found = min(found, ats[index]) if index < len(ats) else found
        return found

    def _is_alone(self, packer: StructurePacker, at: int) -> bool:
        """Say whether reading may begin at a line inside a long paragraph: it looks like no heading."""
        text = self.text
        end = self._next(packer, at, Strength.GRAPHEME)
        line_end = text.find("\n", at)
        return (
            end - at > 512
            and not packer.fits(at, end)
            and text[at - 1] == "\n"
            and text[at] not in "#`~"
            and text[line_end + 1 : line_end + 2] not in ("=", "-")
        )
