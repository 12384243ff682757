"""`langchain-chunkers split … --engine`: tables of documents in, a table of chunks out.

The engine reads, spreads the work and writes; see `langchain_chunkers.integrations.engines`. Where it
runs is its own affair and is said in its own way (RAY_ADDRESS, DAFT_RUNNER, spark-defaults.conf).
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from langchain_chunkers._extras import need
from langchain_chunkers.cli.report import make_console
from langchain_chunkers.cli.settings import Wishes, make_splitter
from langchain_chunkers.cli.tables import absolute, find_tables, format_of
from langchain_chunkers.errors import ChunkerError, SettingError
from langchain_chunkers.files import reason_of
from langchain_chunkers.integrations import engines
from langchain_chunkers.integrations.arrow import BatchSplitter
from langchain_chunkers.settings import check_choice

if TYPE_CHECKING:
    import pyarrow as pa

    from langchain_chunkers import BaseSplitter

__all__ = ["ENGINES", "TableWishes", "run_tables"]

ENGINES = ("local", "daft", "ray", "spark")

_DONE, _SOME_FAILED, _BAD_SETTING, _INTERRUPTED = 0, 1, 2, 130
_ROWS = 256  # documents in memory at once, beside the row groups that pyarrow reads
_LONGEST_LINE = 64_000_000  # bytes; pyarrow refuses a line of JSON longer than its block


@dataclass(frozen=True)
class TableWishes:
    """What the command line said of tables."""

    engine: str = "local"
    text_column: str = "text"
    id_column: str | None = None
    keep_columns: Sequence[str] = ()

    @property
    def columns(self) -> dict[str, Any]:
        """The arguments that `split_table` and the adapters take."""
        return {
            "text_column": self.text_column,
            "id_column": self.id_column,
            "keep_columns": tuple(self.keep_columns),
        }


def run_tables(
    files: Sequence[str], wishes: Wishes, tables: TableWishes, output: str, *, quiet: bool
) -> int:
    """Split the documents of Parquet or JSON Lines files, and return the exit code.

    That is 0; 1 where documents failed, which are rows with ``error``, or the work could not be done;
    2 for a wrong setting.
    """
    try:
        check_choice("--engine", tables.engine, ENGINES)
        need("pyarrow", "arrow", "--engine")
        splitter = make_splitter(wishes)
        paths, kind = find_tables(files, output)
        if tables.engine == "local":
            chunks, failed = _run_local(paths, kind, splitter, tables, output)
        else:
            _check_folder(output)
            _RUNNERS[tables.engine](paths, kind, splitter, tables, output)
            chunks, failed = _count(output)
    except ChunkerError as error:
        return _complain(str(error), _BAD_SETTING)
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        return _complain(reason_of(error), _SOME_FAILED)
    except Exception as error:  # noqa: BLE001 - engines have errors of their own, of no common kind
        return _complain(f"{tables.engine}: {type(error).__name__}: {error}", _SOME_FAILED)
    if not quiet:
        where = "standard output" if output == "-" else output
        console = make_console(stderr=output == "-")
        console.print(f"{chunks:,} chunks are in {where}", markup=False, soft_wrap=True)
    if failed:
        what = "document has" if failed == 1 else "documents have"
        return _complain(f"{failed:,} {what} a row with the column error instead", _SOME_FAILED)
    return _DONE


# ---------------------------------------------------------------------- in this process


def _run_local(
    paths: Sequence[str], kind: str, splitter: BaseSplitter, tables: TableWishes, output: str
) -> tuple[int, int]:
    """Split batch after batch; nothing is held but the batch at hand."""
    shipped = BatchSplitter.of(splitter, **tables.columns)
    read = _dataset(paths, kind, shipped.columns)
    chunks = failed = 0
    with _open(output, shipped.split(read.schema.empty_table()).schema) as write:
        # one batch ahead: decoding then overlaps with splitting, and memory stays small
        for batch in read.to_batches(
            columns=shipped.columns, batch_size=_ROWS, batch_readahead=1, fragment_readahead=1
        ):
            made = shipped.split(batch)
            write(made)
            errors = len(made) - made.column("error").null_count
            chunks, failed = chunks + len(made) - errors, failed + errors
    return chunks, failed


def _dataset(paths: Sequence[str], kind: str, columns: Sequence[str]) -> Any:
    from pyarrow import dataset, fs, json

    located = [fs.FileSystem.from_uri(path) for path in paths]
    form: Any = kind
    if kind == "json":
        form = dataset.JsonFileFormat(read_options=json.ReadOptions(block_size=_LONGEST_LINE))
    read = dataset.dataset([path for _, path in located], filesystem=located[0][0], format=form)
    missing = [name for name in columns if name not in read.schema.names]
    if missing:
        msg = f"the files have no column {', '.join(missing)}; they have {', '.join(read.schema.names)}"
        raise SettingError(msg)
    return read


@contextmanager
def _open(output: str, schema: pa.Schema) -> Iterator[Callable[[pa.Table], object]]:
    """Give what writes chunks: Parquet by the name of the file, else JSON Lines.

    A file has its name only once it is whole.
    """
    if output == "-":
        yield lambda table: _write_lines(table, sys.stdout)
        return
    if "://" in output:
        raise SettingError(f"--engine local writes to this machine: got --output {output}")
    part = Path(f"{output}.part")
    try:
        if format_of(output) == "parquet":
            from pyarrow import parquet

            with parquet.ParquetWriter(part, schema) as writer:
                yield writer.write_table
        else:
            with part.open("w", encoding="utf-8", newline="\n") as lines:
                yield lambda table: _write_lines(table, lines)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
    part.replace(output)


def _write_lines(table: pa.Table, lines: IO[str]) -> None:
    for row in table.to_pylist():
        lines.write(json.dumps(row, default=str) + "\n")


# ---------------------------------------------------------------------- on an engine


def _run_daft(
    paths: Sequence[str], kind: str, splitter: BaseSplitter, tables: TableWishes, output: str
) -> None:
    os.environ.setdefault("DO_NOT_TRACK", "true")  # what is typed here is nobody else's business
    daft = need("daft", "daft", "--engine daft")
    frame = (daft.read_parquet if kind == "parquet" else daft.read_json)(list(paths))
    engines.split_daft(frame, splitter, **tables.columns).write_parquet(output)


def _run_ray(
    paths: Sequence[str], kind: str, splitter: BaseSplitter, tables: TableWishes, output: str
) -> None:
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    ray = need("ray", "ray", "--engine ray")
    data = need("ray.data", "ray", "--engine ray")
    ray.init(ignore_reinit_error=True, log_to_driver=False)  # RAY_ADDRESS says where
    data.DataContext.get_current().execution_options.preserve_order = True
    dataset = (data.read_parquet if kind == "parquet" else data.read_json)(list(paths))
    engines.split_ray(dataset, splitter, **tables.columns).write_parquet(output)


def _run_spark(
    paths: Sequence[str], kind: str, splitter: BaseSplitter, tables: TableWishes, output: str
) -> None:
    sql = need("pyspark.sql", "spark", "--engine spark")
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    session = sql.SparkSession.builder.appName("langchain-chunkers").getOrCreate()
    session.conf.set("spark.sql.execution.arrow.maxRecordsPerBatch", "512")
    named = [path.replace("s3://", "s3a://", 1) for path in paths]  # Hadoop's name for it
    frame = session.read.parquet(*named) if kind == "parquet" else session.read.json(named)
    chunks = engines.split_spark(frame, splitter, **tables.columns)
    chunks.write.parquet(output.replace("s3://", "s3a://", 1))


_RUNNERS: dict[str, Callable[..., None]] = {
    "daft": _run_daft,
    "ray": _run_ray,
    "spark": _run_spark,
}


def _check_folder(output: str) -> None:
    """Refuse an output that is there already: an engine would add to it, and documents be in twice."""
    if output == "-":
        msg = "--engine writes a folder of Parquet files: name it with --output"
        raise SettingError(msg)
    from pyarrow import fs

    system, path = fs.FileSystem.from_uri(absolute(output))
    if system.get_file_info(path).type != fs.FileType.NotFound:
        raise SettingError(f"{output} exists: remove it, or name another --output")


def _count(output: str) -> tuple[int, int]:
    """Count chunks and errors in what an engine wrote; only the column of errors is read."""
    from pyarrow import dataset, fs

    system, path = fs.FileSystem.from_uri(absolute(output))
    written = dataset.dataset(path, filesystem=system, format="parquet")
    if not written.schema.names:
        return 0, 0
    failed = written.count_rows(filter=dataset.field("error").is_valid())
    return written.count_rows() - failed, failed


def _complain(message: str, code: int) -> int:
    console = make_console(stderr=True)
    title = "error" if code == _BAD_SETTING else "not all done"
    console.print(f"[bold red]{title}:[/]", end=" ")
    console.print(" ".join(message.split()), markup=False, soft_wrap=True)
    return code
