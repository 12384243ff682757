"""JSON and JSON Lines, so that each chunk is JSON.

A chunk is a slice of the source with the brackets and keys of its ancestors as prefix, and what closes them as
suffix: ``{"rows": [`` … ``]}``. So nothing is written anew: numbers, repeated keys, escapes and spaces stay as they
are, and offsets are those of the source. Any run of elements will do, since what is open at its two ends says
what must stand around it (`langchain_chunkers.readers.json_frames`).

Not by regions, as other splitters repeat their headers: a region has one prefix, and the paths of all containers
together may be longer than any document. Not by rendering either, which would lose the offsets.
"""

from __future__ import annotations

import copy
import dataclasses
import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError
from langchain_chunkers.length import CharacterMeasure
from langchain_chunkers.outline import Outline, Regions, Strength
from langchain_chunkers.overlapping import join_small, overlap_start
from langchain_chunkers.packing import Chunk
from langchain_chunkers.readers.json_frames import locate
from langchain_chunkers.readers.json_lines import Lines, strength_at, write_lines
from langchain_chunkers.readers.json_pack import JSONPacker, StableJSONPacker
from langchain_chunkers.readers.json_parse import Tree, parse
from langchain_chunkers.settings import check_choice

__all__ = ["JSONSplitter"]

_LONGEST = 200  # characters of a path in lines; longer ones say less than they cost


class JSONSplitter(BaseSplitter):
    """Divides JSON and JSON Lines so that each chunk is JSON, with the path that leads to it.

    A chunk is a run of whole elements of an object or a list, as large as the cap allows. What stands around
    it in the document is repeated around it, and counts: ``{"orders": [{"id": 7}]}``. A string over the cap is
    divided as text is, never in an escape, and each part is a string. A text that is no JSON is split as
    plain text; lines of JSON Lines that are broken are text among the others.

    Where the path would take over half of the cap, a chunk has the innermost bracket only; where even that
    leaves no room, it is plain text. Both have ``prefix_omitted`` in their metadata.

    Chunks have ``path`` (the JSON Pointer of the innermost value that holds them), ``item_start`` and ``item_end``
    for items of a list (from 0, as in pointers), and ``record_start`` and ``record_end`` (from 1) in JSON Lines. A
    pointer of over 1,000 characters is left out.

    Args:
        chunk_size: The cap; ``None`` for each record of JSON Lines, else each element of the outermost object or
            list that has more than one, as a chunk.
        chunk_overlap: Units that a chunk may repeat of what came before, in whole elements.
        render: ``"json"``: JSON; ``"lines"``: a line ``a.b[0].c: value`` for each value, which reads and embeds
            better. Offsets and spans then are those of ``read(text).text``, and chunks have ``source_start`` and
            ``source_end``.
        **options: Settings of `BaseSplitter`. With ``strip_whitespace=False`` the commas between chunks stay
            too, so that no character is lost; such chunks are no JSON.

    Guarantees: sliced, capped, whole characters, nested, filled but for what is repeated, stable, own metadata,
    bounded, total, portable. Nothing is lost but white space and the commas between chunks.

    Cost: linear in the text, some 1 MB/s, however deep it is.

    Example:
        >>> text = '{"shop": "Tea", "stock": [{"id": 1, "n": 2.50}, {"id": 2, "n": 3}]}'
        >>> for chunk in JSONSplitter(40).create_documents([text]):
        ...     print(chunk.page_content, chunk.metadata["path"])
        {"shop": "Tea"} /shop
        {"stock": [{"id": 1, "n": 2.50}]} /stock/0
        {"stock": [{"id": 2, "n": 3}]} /stock/1
    """

    name = "json"

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        *,
        render: Literal["json", "lines"] = "json",
        **options: Any,
    ) -> None:
        super().__init__(chunk_size, chunk_overlap, **options)
        check_choice("render", render, ("json", "lines"))
        self._lines = render == "lines"

    def read(self, text: str) -> Outline:
        """Read JSON; what is none is plain text."""
        tree = parse(text)
        if tree is None:
            return Outline(text)
        if self._lines:
            return write_lines(tree, self._longest_path)
        places = [
            (tree.start[number], strength_at(depth))
            for number, depth in enumerate(tree.branches())
            if tree.index[number]
        ]
        return Outline.of(text, places, (), tree)

    @property
    def _longest_path(self) -> int:
        """Characters of a path in lines: half of a chunk at most, in any measure."""
        size = self.chunk_size
        if size is None:
            return _LONGEST
        units = size // 2 if isinstance(self._measure, CharacterMeasure) else size * 2
        return min(max(units, 4), _LONGEST)

    def describe(
        self, outline: Outline, regions: Regions, start: int, end: int
    ) -> Mapping[str, Any]:
        """Say where in the document a chunk stands."""
        del regions
        if isinstance(outline.notes, Lines):
            return outline.notes.describe(start, end)
        return locate(outline.notes, start, end) if isinstance(outline.notes, Tree) else {}

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        """Choose chunks; of JSON, with what stands around each."""
        limits = self._limits
        notes = outline.notes
        tree = notes.tree if isinstance(notes, Lines) else notes
        if tree is not None:
            limits = dataclasses.replace(limits, overlap_from=Strength.PARAGRAPH)
            if self.chunk_size is None:
                many = len(tree.records) > 1
                limits = dataclasses.replace(
                    limits, always=Strength.DOCUMENT if many else Strength.SECTION1
                )
        if not isinstance(notes, Tree):
            own = copy.copy(self)
            own._limits = limits
            yield from BaseSplitter._chunks(own, outline)
            return
        keeps = limits.trim == "none"
        limits = dataclasses.replace(limits, trim="none")  # the packer knows what is white space
        kind = StableJSONPacker if limits.stable else JSONPacker
        packer = kind(outline, self._scale(outline), limits, notes, keeps=keeps)
        pieces = packer.pack()
        if limits.least:
            pieces = join_small(packer, pieces)
        before = at = -1
        for piece in pieces:
            fresh, end = packer.content(piece.start, piece.end)
            if fresh >= end:
                continue
            start = overlap_start(packer, before, at, fresh, end) if at >= 0 else fresh
            prefix, suffix, _ = packer.frame(start, end)
            known = self._known(packer, start, fresh, end)
            yield Chunk(start, end, fresh, piece.strength, prefix, suffix, known)
            before, at = start, end

    # ------------------------------------------------------------------ objects instead of text

    @staticmethod
    def dump(data: Any) -> str:
        """Write an object as JSON, characters of all scripts as they are.

        Args:
            data: What ``json.dumps`` takes.

        Raises:
            InputError: It cannot be written as JSON, or is nested too deep for ``json.dumps``.
        """
        try:
            return json.dumps(data, ensure_ascii=False)
        except (TypeError, ValueError, RecursionError) as error:
            msg = f"data must be what json.dumps takes: {error}. Give the JSON as text instead."
            raise InputError(msg) from error

    def split_json(self, data: Any, **overrides: Any) -> list[Any]:
        """Split an object into objects.

        Args:
            data: What ``json.dumps`` takes.
            **overrides: Settings for this call only.

        Returns:
            An object for each chunk, in order. A chunk that is no JSON, since its smallest part does not fit the
            cap, is a string.

        Example:
            >>> JSONSplitter(32).split_json({"a": {"b": 1, "c": [True, None]}})
            [{'a': {'b': 1}}, {'a': {'c': [True, None]}}]
        """
        return [_loaded(chunk) for chunk in self.split_text(self.dump(data), **overrides)]


def _loaded(chunk: str) -> Any:
    try:
        return json.loads(chunk)
    except (ValueError, RecursionError):
        return chunk
