"""Splits tables of documents into tables of chunks: the one function that every engine runs.

A row of the input is a document; a row of the output is a chunk. What goes out has these columns, then
the columns kept from the input:

    document_id  string   the id of the row it came from; a digest of the text where no column gives one
    chunk_id     string   stable: of document_id, the text, and the number among equal chunks
    chunk_index  int32    number of the chunk in its document, from 0
    text         string   the chunk
    start_index  int64    where it begins in the document, in characters
    end_index    int64    behind its last character
    metadata     string   what the splitter knows of it (headings, rows, speakers), as JSON
    error        string   why a document could not be split; such a row has no chunk

The columns are the same for every splitter and every document, because an engine must know them before
it has read the first one. So metadata, whose keys depend on both, is JSON in one column: every engine
reads it (`get_json_object`, `from_json`, `json_query`), and none has to merge structs.

Over 300 lines: what comes in is checked, and what goes out is laid out, by one table of columns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

from langchain_core.documents import Document

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, SettingError
from langchain_chunkers.retrieval.ids import chunk_ids

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["COLUMNS", "BatchSplitter", "split_table"]

COLUMNS: Mapping[str, str] = {
    "document_id": "string",
    "chunk_id": "string",
    "chunk_index": "int32",
    "text": "string",
    "start_index": "int64",
    "end_index": "int64",
    "metadata": "string",
    "error": "string",
}
"""The columns of a table of chunks and their Arrow types, in order."""

# Bytes of text that are Python strings at once. Larger saves nothing (a call costs microseconds), and
# the chunks of a slice must stay far below the 2 GiB that one Arrow string column holds.
_SLICE = 16_000_000


def split_table(
    table: pa.Table | pa.RecordBatch,
    splitter: BaseSplitter,
    text_column: str = "text",
    id_column: str | None = None,
    keep_columns: Sequence[str] = (),
) -> pa.Table:
    """Split the documents of a table.

    Args:
        table: A row for each document.
        splitter: Any splitter that can be written as a configuration (`to_config`).
        text_column: The column of texts, of type string.
        id_column: The column whose values name the documents; they must differ. Without one, and
            where a value is null, the id is a digest of the text, so equal texts have equal ids.
        keep_columns: Columns to repeat beside each chunk, with their types. The splitter sees them
            as the metadata of the document, as `AutoSplitter` needs ``source``.

    Returns:
        A table of chunks: the chunks of each document in order, the documents in the order of the
        table. A document that cannot be split, or whose text is null, is one row with ``error``; an
        empty text has no rows.

    Guarantees: a pure function; ids are the same on every machine and in every run.

    Raises:
        SettingError: The splitter cannot be written as a configuration, or names collide.
        InputError: A column is missing, or text is not of type string.
        MissingExtraError: pyarrow is not installed.

    Cost: that of the splitter, and about 5 microseconds for each chunk.

    Example:
        >>> import pyarrow as pa
        >>> from langchain_chunkers import RecursiveSplitter
        >>> documents = pa.table({"name": ["a.txt"], "text": ["The pump failed. Nobody saw it."]})
        >>> chunks = split_table(documents, RecursiveSplitter(20), id_column="name")
        >>> chunks.select(["document_id", "text", "start_index"]).to_pylist()[1]
        {'document_id': 'a.txt', 'text': 'Nobody saw it.', 'start_index': 17}
    """
    return BatchSplitter.of(splitter, text_column, id_column, keep_columns).split(table)


@dataclass
class _Rows:
    """Rows of chunks as columns, and how many each document has."""

    columns: dict[str, list[Any]] = field(default_factory=lambda: {name: [] for name in COLUMNS})
    counts: list[int] = field(default_factory=list)

    def add_chunks(self, name: str, chunks: Sequence[Document], given: Mapping[str, Any]) -> None:
        """Add the chunks of a document; what is in ``given`` has columns of its own."""
        known = {"document_id": name, **given}
        metadatas = [chunk.metadata for chunk in chunks]
        columns = self.columns
        columns["document_id"] += [name] * len(chunks)
        columns["chunk_id"] += chunk_ids(chunks, _document_id)
        columns["chunk_index"] += range(len(chunks))
        columns["text"] += [chunk.page_content for chunk in chunks]
        columns["start_index"] += [metadata.pop("start_index") for metadata in metadatas]
        columns["end_index"] += [metadata.pop("end_index") for metadata in metadatas]
        columns["metadata"] += [_as_json(metadata, known) for metadata in metadatas]
        columns["error"] += [None] * len(chunks)
        self.counts.append(len(chunks))

    def add_error(self, name: str | None, error: Exception) -> None:
        """Add the one row of a document that cannot be split."""
        reason = f"{type(error).__name__}: {error}"
        row = {"document_id": name, "error": reason.encode("utf-8", "replace").decode()}
        for column, values in self.columns.items():
            values.append(row.get(column))
        self.counts.append(1)

    def batch(self) -> pa.RecordBatch:
        """Give the rows as Arrow, without kept columns."""
        import pyarrow as pa

        types = [getattr(pa, kind)() for kind in COLUMNS.values()]
        arrays = [
            pa.array(values, kind)
            for values, kind in zip(self.columns.values(), types, strict=True)
        ]
        return pa.record_batch(arrays, names=list(COLUMNS))


@dataclass(frozen=True)
class BatchSplitter:
    """Splits batches of documents, wherever it is sent: it is a configuration, and pickles as one.

    Make it with `BatchSplitter.of`. Each process builds the splitter once, at its first batch.

    Args:
        config: The splitter's configuration, as JSON.
        module: Where the class of the splitter is, so that a splitter of your own is found too.
        text_column: As in `split_table`.
        id_column: As in `split_table`.
        keep_columns: As in `split_table`.

    Guarantees: portable.

    Example:
        >>> import pyarrow as pa
        >>> from langchain_chunkers import SentenceSplitter
        >>> shipped = BatchSplitter.of(SentenceSplitter(20), keep_columns=["year"])
        >>> shipped.split(pa.table({"text": ["It failed. It ran."], "year": [1999]})).num_rows
        1
    """

    config: str
    module: str
    text_column: str = "text"
    id_column: str | None = None
    keep_columns: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        splitter: BaseSplitter,
        text_column: str = "text",
        id_column: str | None = None,
        keep_columns: Sequence[str] = (),
    ) -> BatchSplitter:
        """Write the splitter as a configuration, and build it once so that what is wrong is said here.

        Raises:
            SettingError: as `split_table` says.
        """
        need("pyarrow", "arrow", "splitting tables")
        if isinstance(keep_columns, str):
            keep_columns = (keep_columns,)
        taken = sorted(set(keep_columns) & COLUMNS.keys())
        if taken:
            msg = (
                f"keep_columns must not have the name of a column of chunks: got "
                f"{', '.join(map(repr, taken))}. Rename it in the table, or give it as id_column."
            )
            raise SettingError(msg)
        config = {**splitter.to_config(), "add_start_index": True, "show_progress": False}
        made = cls(
            json.dumps(config),
            type(splitter).__module__,
            text_column,
            id_column,
            tuple(keep_columns),
        )
        made.splitter()
        return made

    def splitter(self) -> BaseSplitter:
        """Give the splitter of this process."""
        return _build(self.config, self.module)

    @property
    def columns(self) -> list[str]:
        """The columns that are read, each once: an engine need not read the others."""
        ids = () if self.id_column is None else (self.id_column,)
        return list(dict.fromkeys((self.text_column, *ids, *self.keep_columns)))

    def split(self, table: pa.Table | pa.RecordBatch) -> pa.Table:
        """Split the documents of a table or batch; see `split_table`."""
        import pyarrow as pa

        source = self._checked(table)
        kept = source.select(list(self.keep_columns))
        fixed = pa.schema([(name, getattr(pa, kind)()) for name, kind in COLUMNS.items()])
        schema = pa.schema([*fixed, *kept.schema])
        batches = []
        for start, stop in _slices(source.column(self.text_column)):
            rows = self._rows(source.slice(start, stop - start))
            origins = [row for row, count in enumerate(rows.counts, start) for _ in range(count)]
            beside = kept.take(pa.array(origins, pa.int64()))
            chunks = pa.Table.from_batches([rows.batch()])
            for name in self.keep_columns:
                chunks = chunks.append_column(kept.schema.field(name), beside.column(name))
            batches.append(chunks)
        return pa.concat_tables(batches) if batches else schema.empty_table()

    def split_lists(self, table: pa.Table | pa.RecordBatch) -> pa.Array:
        """Give a list of chunks for each row, without kept columns: for engines that explode lists."""
        import pyarrow as pa

        source = self._checked(table)
        rows = self._rows(source)
        ends = [0]
        for count in rows.counts:
            ends.append(ends[-1] + count)
        structs = rows.batch().to_struct_array()
        return pa.LargeListArray.from_arrays(pa.array(ends, pa.int64()), structs)

    def _checked(self, table: pa.Table | pa.RecordBatch) -> pa.Table:
        import pyarrow as pa

        if isinstance(table, pa.RecordBatch):
            table = pa.Table.from_batches([table])
        if not isinstance(table, pa.Table):
            msg = f"A table must be a pyarrow Table or RecordBatch: got {type(table).__name__}."
            raise InputError(msg)
        missing = [name for name in self.columns if name not in table.column_names]
        if missing:
            msg = (
                f"The table has no column {', '.join(map(repr, missing))}. "
                f"Its columns are: {', '.join(table.column_names)}."
            )
            raise InputError(msg)
        kind = table.schema.field(self.text_column).type
        if pa.types.is_dictionary(kind):
            kind = kind.value_type
        if kind not in (pa.string(), pa.large_string(), pa.string_view(), pa.null()):
            msg = f"The column {self.text_column!r} must be of type string: got {kind}. Cast it first."
            raise InputError(msg)
        return table.select(self.columns)

    def _rows(self, table: pa.Table) -> _Rows:
        """Split each document; what one of them raises is its own row."""
        splitter = self.splitter()
        rows = _Rows()
        texts = _values(table.column(self.text_column))
        ids = [None] * len(texts) if self.id_column is None else _values(table[self.id_column])
        kept = [_values(table.column(name)) for name in self.keep_columns]
        for text, key, *others in zip(texts, ids, *kept, strict=True):
            name = None
            try:
                name = _name(key, text)
                given = dict(zip(self.keep_columns, map(_sound, others), strict=True))
                document = Document(page_content=_text(text), metadata=given, id=name)
                rows.add_chunks(name, list(splitter.lazy_split_documents([document])), given)
            except Exception as error:  # noqa: BLE001 - one document must not end the work of days
                rows.add_error(name, error)
        return rows


def _document_id(chunk: Document) -> str:
    """Give the source of a chunk; not "source", which several rows may share."""
    return str(chunk.metadata["document_id"])


@lru_cache(maxsize=8)  # a process of an engine may serve several jobs, one after another
def _build(config: str, module: str) -> BaseSplitter:
    import_module(module)  # its class enters the registry
    return BaseSplitter.from_config(json.loads(config))


def _slices(texts: pa.ChunkedArray) -> Iterator[tuple[int, int]]:
    """Give runs of rows with about `_SLICE` bytes of text, at least one row each."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(texts.type) or texts.type == pa.string_view():
        texts = texts.cast(pa.large_string())
    if pa.types.is_null(texts.type):
        texts = texts.cast(pa.string())
    start = size = 0
    for row, length in enumerate(pc.binary_length(texts).to_pylist()):
        if size and size + (length or 0) > _SLICE:
            yield start, row
            start, size = row, 0
        size += length or 0
    if start < len(texts):
        yield start, len(texts)


def _values(column: pa.ChunkedArray) -> list[Any]:
    """Give the values of a column; one that is no value of Python is the error that says why."""
    try:
        return list(column.to_pylist())
    except Exception:  # noqa: BLE001 - invalid UTF-8, a time out of range: find whose it is
        return [_value(scalar) for scalar in column]


def _value(scalar: pa.Scalar) -> Any:
    try:
        return scalar.as_py()
    except Exception as error:  # noqa: BLE001 - raised again for its own document, by `_sound`
        return error


def _sound(value: Any) -> Any:
    if isinstance(value, Exception):
        raise value
    return value


def _text(value: Any) -> str:
    if value is None:
        raise InputError("text is null")
    return str(_sound(value))


def _name(key: Any, text: Any) -> str:
    """Give the id of a document: what its row says, else a digest of its text."""
    if key is None:
        return hashlib.sha256(_text(text).encode()).hexdigest()[:32]
    key = _sound(key)
    return key.hex() if isinstance(key, bytes) else str(key)


def _as_json(metadata: Mapping[str, Any], known: Mapping[str, Any]) -> str:
    """Write what the splitter added to the metadata of a chunk."""
    own = {key: value for key, value in metadata.items() if key not in known or known[key] != value}
    if not own:
        return "{}"
    try:
        line = json.dumps(own, ensure_ascii=False, default=str)
        line.encode()
    except UnicodeEncodeError:  # a lone surrogate, as JSON in the text may spell one
        return json.dumps(own, default=str)
    return line
