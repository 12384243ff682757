"""What goes into the metadata of a chunk: facts asked for by name, copies of the source's own."""

from __future__ import annotations

import copy
import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from langchain_core.documents import Document

from langchain_chunkers._extras import need
from langchain_chunkers.errors import SettingError

if TYPE_CHECKING:
    from langchain_chunkers.length import LengthMeasure
    from langchain_chunkers.packing import Chunk

__all__ = [
    "FACTS",
    "OFFSETS",
    "add_facts",
    "check_names",
    "chunk_id",
    "copied",
    "document",
    "is_flat",
    "token_measure",
    "with_progress",
]

FACTS: Mapping[str, str] = {
    "start_index": "first character of the chunk in the text",
    "end_index": "behind its last character",
    "chunk_index": "number of the chunk in its document, from 0",
    "chunk_count": "number of chunks of the document",
    "chunk_id": "stable id from the source, the text and the ordinal among equal chunks",
    "previous": "chunk_id of the chunk before; absent at the first",
    "next": "chunk_id of the chunk behind; absent at the last",
    "token_count": "tokens of the chunk, in the splitter's tokenizer (cl100k_base if it counts none)",
    "line_start": "line of its first character, from 1",
    "line_end": "line of its last character",
}
OFFSETS = ("start_index", "end_index")
_STATE = Document(page_content="", metadata={}).__getstate__()
_ATOMS = (str, int, float, bool, type(None))
_T = TypeVar("_T")


def check_names(names: Sequence[str], *, add_start_index: bool) -> tuple[str, ...]:
    """Check the names of facts; ``add_start_index`` adds the two offsets."""
    if isinstance(names, str):
        names = (names,)
    unknown = [name for name in names if name not in FACTS]
    if unknown:
        msg = (
            f"add_metadata has no fact {', '.join(map(repr, unknown))}. Facts are: "
            f"{', '.join(FACTS)}. For others, give a metadata_function."
        )
        raise SettingError(msg)
    return tuple(dict.fromkeys((*names, *(OFFSETS if add_start_index else ()))))


def is_flat(metadata: Mapping[str, Any]) -> bool:
    """Say whether no value of metadata can be changed, so that no deep copy is needed."""
    return all(isinstance(value, _ATOMS) for value in metadata.values())


def copied(metadata: Mapping[str, Any]) -> dict[str, Any]:
    """Copy metadata so that nothing is shared; flat metadata needs no deep copy."""
    flat = dict(metadata)
    return flat if is_flat(flat) else copy.deepcopy(flat)


def document(content: str, metadata: dict[str, Any]) -> Document:
    """Make a document of a text and metadata that are known to be a string and a dictionary.

    Restored as a pickle is: checking both again would cost more than the chunk did.
    """
    made = Document.__new__(Document)
    fields = {**_STATE["__dict__"], "metadata": metadata, "page_content": content}
    made.__setstate__(
        {**_STATE, "__dict__": fields, "__pydantic_fields_set__": {"page_content", "metadata"}}
    )
    return made


def token_measure(measure: LengthMeasure) -> LengthMeasure:
    """Give the measure itself if it counts tokens, else that of cl100k_base."""
    from langchain_chunkers.tokens import HuggingFaceMeasure, TiktokenMeasure

    return (
        measure if isinstance(measure, HuggingFaceMeasure | TiktokenMeasure) else TiktokenMeasure()
    )


def add_facts(
    wanted: Sequence[str],
    text: str,
    chunks: Sequence[Chunk],
    contents: Sequence[str],
    metadatas: Sequence[dict[str, Any]],
    measure: LengthMeasure,
) -> None:
    """Write the facts asked for into the metadata of the chunks of one document, in the order asked."""
    columns: dict[str, Sequence[Any]] = {}
    if {"chunk_id", "previous", "next"} & set(wanted):
        ids = _ids(contents, metadatas)
        columns["chunk_id"] = ids
        columns["previous"] = [None, *ids[:-1]]
        columns["next"] = [*ids[1:], None]
    if "line_start" in wanted or "line_end" in wanted:
        columns["line_start"] = list(_lines(text, [chunk.start for chunk in chunks]))
        columns["line_end"] = list(_lines(text, [max(c.end - 1, c.start) for c in chunks]))
    if "token_count" in wanted:
        counts = token_measure(measure)
        columns["token_count"] = [counts(content) for content in contents]
    columns["start_index"] = [chunk.start for chunk in chunks]
    columns["end_index"] = [chunk.end for chunk in chunks]
    columns["chunk_index"] = range(len(chunks))
    columns["chunk_count"] = [len(chunks)] * len(chunks)
    for name in wanted:
        for metadata, value in zip(metadatas, columns[name], strict=True):
            if value is not None:
                metadata[name] = value


def chunk_id(source: str, content: str, ordinal: int) -> str:
    """Make the id of a chunk that an edit elsewhere in its source does not change.

    Args:
        source: What the text is of; ``""`` where that is not known.
        content: The text of the chunk.
        ordinal: Its number among equal chunks of the source, from 0.

    Returns:
        32 hexadecimal digits, which is also how a UUID may be written, as some stores demand.
    """
    key = f"{source}\0{ordinal}\0{content}"
    return hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]


def _ids(contents: Sequence[str], metadatas: Sequence[Mapping[str, Any]]) -> list[str]:
    """Make ids that an edit elsewhere in the document does not change."""
    seen: Counter[str] = Counter()
    ids = []
    for content, metadata in zip(contents, metadatas, strict=True):
        source = str(metadata.get("source", metadata.get("document_id", "")))
        ids.append(chunk_id(source, content, seen[content]))
        seen[content] += 1
    return ids


def _lines(text: str, ats: Iterable[int]) -> Iterator[int]:
    """Give the line number of each place. Places ascend but for overlap, so little is read twice."""
    line, last = 1, 0
    for at in ats:
        if at >= last:
            line += text.count("\n", last, at)
        else:
            line -= text.count("\n", at, last)
        last = at
        yield line


def with_progress(items: Iterable[_T], *, show: bool, total: int | None = None) -> Iterable[_T]:
    """Show a progress bar over items, in a terminal or in a notebook."""
    if not show:
        return items
    bar: Iterable[_T] = need("tqdm.auto", "progress", "show_progress").tqdm(
        items, total=total, desc="Splitting", unit="doc"
    )
    return bar
