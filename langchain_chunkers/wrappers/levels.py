"""How texts are divided into levels of chunks, each inside its parent, and how these are linked."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from langchain_core.documents import Document

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.outline import Outline, Strength
from langchain_chunkers.packing import Chunk
from langchain_chunkers.retrieval.ids import SourceKey, chunk_ids
from langchain_chunkers.strategies.auto import AutoSplitter
from langchain_chunkers.strategies.recursive import RecursiveSplitter

__all__ = ["Grown", "Level", "check_splitter", "link", "nested", "settled", "splitters_of"]

# settings that say nothing of how a text is read
_ENGINE = frozenset(
    {"chunk_size", "chunk_overlap", "length_function", "strip_whitespace", "min_chunk_size"}
    | {"on_oversize", "add_start_index", "add_metadata", "metadata_function", "show_progress"}
    | {"encoding_name", "model_name", "hf_tokenizer", "stable"}
)


class Level(NamedTuple):
    """The chunks of one level of one text.

    Attributes:
        chunks: In order.
        parents: For each the number of its parent in the level above.
    """

    chunks: list[Chunk]
    parents: list[int]


class Grown(NamedTuple):
    """As `Level`, when the chunks have become documents."""

    documents: list[Document]
    parents: list[int]


# ------------------------------------------------------------------ the splitters of the levels


def splitters_of(levels: Any, length_function: Any) -> list[BaseSplitter]:
    """Make the splitters of levels that are given as splitters, sizes or configurations."""
    if isinstance(levels, str | bytes) or not isinstance(levels, Sequence) or not levels:
        msg = f"levels must be a list of splitters or sizes, largest first: got {levels!r}."
        raise SettingError(msg)
    splitters: list[BaseSplitter] = []
    for level in levels:
        each = BaseSplitter.from_config(level) if isinstance(level, Mapping) else level
        if isinstance(level, int) and not isinstance(level, bool):
            if not splitters:
                each = RecursiveSplitter(level, length_function=length_function)
            elif level >= splitters[-1]._limits.size:
                msg = f"levels must go from large to small: got {levels!r}."
                raise SettingError(msg)
            else:
                each = _smaller(splitters[-1], level)
        splitters.append(check_splitter(each))
    return splitters


def _smaller(splitter: BaseSplitter, size: int) -> BaseSplitter:
    """Give a splitter in another size; what depends on the size shrinks with it."""
    overlap = min(splitter._chunk_overlap, size // 4)
    least = min(int(splitter._limits.least), size // 4)
    sizes = {"chunk_size": size, "chunk_overlap": overlap, "min_chunk_size": least}
    return splitter._with(sizes)


def check_splitter(splitter: Any) -> BaseSplitter:
    """Refuse what is no splitter of this package."""
    if not isinstance(splitter, BaseSplitter):
        msg = (
            f"A level must be a splitter of this package or a size: got {type(splitter).__name__}."
        )
        raise InputError(msg)
    return splitter


def settled(
    splitters: Iterable[BaseSplitter], text: str, metadata: Mapping[str, Any]
) -> list[BaseSplitter]:
    """Decide by the whole text what kind it is: a part of it may look like another kind."""
    return [
        each.splitter_for(text, metadata) if isinstance(each, AutoSplitter) else each
        for each in splitters
    ]


def _read_alike(first: BaseSplitter, second: BaseSplitter) -> bool:
    """Say whether two splitters give one outline, which the engine packs."""
    for each in (first, second):
        kind = type(each)
        fills = kind is RecursiveSplitter and each._settings.get("packing") == "fill"
        packs = kind._chunks is BaseSplitter._chunks or kind is RecursiveSplitter
        reads = kind._split is BaseSplitter._split and kind._packed is BaseSplitter._packed
        if fills or not packs or not reads:
            return False
    reading = [{k: v for k, v in s._settings.items() if k not in _ENGINE} for s in (first, second)]
    return (
        type(first) is type(second)
        and reading[0] == reading[1]
        and first._limits.always == second._limits.always
    )


# ------------------------------------------------------------------ the chunks of the levels


def nested(splitters: Sequence[BaseSplitter], text: str) -> tuple[str, list[Level]]:
    """Split a text into the chunks of all levels.

    Returns:
        The text that offsets refer to, and the levels, largest chunks first.
    """
    first, finest = splitters[0], splitters[-1]
    outline: Outline | None = None
    if all(_read_alike(each, finest) for each in splitters):
        outline = finest.read(text)
        source = outline.text
        top = list(first._chunks(outline))
    else:
        source, found = first._split(text)
        top = list(found)
    levels = [Level(top, [0] * len(top))]
    for splitter in splitters[1:]:
        above = levels[-1].chunks
        inner = (
            _read_again(splitter, source, above)
            if outline is None
            else _packed_within(splitter, outline, above)
        )
        level = Level([], [])
        for number, chunk in inner:
            level.chunks.append(chunk)
            level.parents.append(number)
        levels.append(level)
    return source, levels


def _packed_within(
    splitter: BaseSplitter, outline: Outline, above: Sequence[Chunk]
) -> Iterator[tuple[int, Chunk]]:
    """Divide each chunk of the level above on the outline of the whole text.

    Overlap and joining stay inside the parent.
    """
    packer = splitter._packer(outline)
    dropping = bool(splitter._limits.dropped)
    for number, chunk in enumerate(above):
        start, end = _own_stretch(number, above, len(outline.text), dropping=dropping)
        pieces = packer.pack(start, end, chunk.strength)
        yield from ((number, child) for child in splitter._finished(packer, pieces))


def _own_stretch(
    number: int, chunks: Sequence[Chunk], length: int, *, dropping: bool
) -> tuple[int, int]:
    """Give what only one chunk has: each character has one parent.

    From where it is new to where the next one is, white space between them included. Where separators
    are left out, from edge to edge: inside it others could be left out than beyond it.
    """
    if dropping:
        return chunks[number].fresh, chunks[number].end
    start = chunks[number].fresh if number else 0
    return start, chunks[number + 1].fresh if number + 1 < len(chunks) else length


def _read_again(
    splitter: BaseSplitter, source: str, above: Sequence[Chunk]
) -> Iterator[tuple[int, Chunk]]:
    """Divide each chunk of the level above by reading its text."""
    for number, chunk in enumerate(above):
        at = chunk.fresh
        part = source[at : chunk.end]
        text, finer = splitter._split(part)
        if text != part:
            msg = (
                f"A finer level must keep the text as it is: {type(splitter).__name__} renders "
                f"another. Use one splitter for all levels, or splitters of text for the finer ones."
            )
            raise InputError(msg)
        for inner in finer:
            moved = inner._replace(
                start=inner.start + at,
                end=inner.end + at,
                fresh=inner.fresh + at,
                metadata={**chunk.metadata, **inner.metadata},
            )
            if inner.strength is Strength.DOCUMENT:
                moved = moved._replace(strength=chunk.strength)
            yield number, moved


# ------------------------------------------------------------------ their ids


def link(
    texts: Sequence[Sequence[Grown]], source_key: SourceKey, *, neighbours: Sequence[str] = ()
) -> list[list[Document]]:
    """Give the documents of all levels of all texts their ids, and link them by these.

    Args:
        texts: For each text its levels.
        source_key: What says of which text a chunk is.
        neighbours: Which of ``"previous"`` and ``"next"`` to write.

    Returns:
        For each level the documents of all texts.
    """
    levels: list[list[Document]] = []
    above: list[str] = []
    depths = len(texts[0]) if texts else 0
    for depth in range(depths):
        documents = [document for text in texts for document in text[depth].documents]
        ids = chunk_ids(documents, source_key)
        if depth < depths - 1:  # a chunk may be its own only child: levels must not share ids
            ids = [hashlib.sha256(f"{depth}\0{key}".encode()).hexdigest()[:32] for key in ids]
        for document, key in zip(documents, ids, strict=True):
            document.metadata["chunk_id"] = key
        if neighbours:
            for text in texts:
                _link_neighbours(text[depth].documents, neighbours)
        if depth:
            parents, offset = [], 0
            for text in texts:
                parents += [offset + number for number in text[depth].parents]
                offset += len(text[depth - 1].documents)
            _link_families(levels[-1], above, documents, parents)
        levels.append(documents)
        above = ids
    return levels


def _link_neighbours(documents: Sequence[Document], names: Sequence[str]) -> None:
    ids = [document.metadata["chunk_id"] for document in documents]
    for number, document in enumerate(documents):
        if "previous" in names and number:
            document.metadata["previous"] = ids[number - 1]
        if "next" in names and number + 1 < len(ids):
            document.metadata["next"] = ids[number + 1]


def _link_families(
    above: Sequence[Document], ids: Sequence[str], below: Sequence[Document], parents: Sequence[int]
) -> None:
    counts = [0] * len(above)
    for number in parents:
        counts[number] += 1
    for document, count in zip(above, counts, strict=True):
        document.metadata["child_count"] = count
    for document, number in zip(below, parents, strict=True):
        document.metadata["parent_id"] = ids[number]
        document.metadata["sibling_count"] = counts[number]
