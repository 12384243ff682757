"""`split_table` on the engines that spread work over machines: Daft, Ray Data, Spark and Dask.

Each takes the engine's table of documents and gives the engine's table of chunks, still lazy, with the
columns that `langchain_chunkers.integrations.arrow` names. The engine reads, schedules, retries and
writes. What a worker gets is a configuration; the package must be installed where it runs.

A document is a row and stays whole, so its chunks come out together and in order. A task that an engine
runs again gives the same rows with the same ids, and engines keep the rows of one run of a task.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.integrations.arrow import COLUMNS, BatchSplitter

if TYPE_CHECKING:
    import daft
    import pandas as pd
    import pyarrow as pa
    from dask import dataframe as dd
    from pyspark import sql
    from ray import data as rd

__all__ = ["split_daft", "split_dask", "split_ray", "split_spark"]

# Rows that a worker takes at once. Some MB for documents of the usual 10 KB: enough that a call costs
# nothing, little enough that the last batches of a job do not keep one worker busy alone.
_ROWS = 512
_CHUNK = "_chunk"


def split_daft(
    frame: daft.DataFrame,
    splitter: BaseSplitter,
    text_column: str = "text",
    id_column: str | None = None,
    keep_columns: Sequence[str] = (),
) -> daft.DataFrame:
    """Split the documents of a Daft DataFrame, in processes of their own.

    Args:
        frame: A row for each document.
        splitter: As `split_table` takes it.
        text_column: As in `split_table`.
        id_column: As in `split_table`.
        keep_columns: As in `split_table`.

    Returns:
        A lazy DataFrame of chunks.

    Raises:
        MissingExtraError: Daft is not installed.
        SettingError: as `split_table` says.
    """
    daft = need("daft", "daft", "split_daft")
    shipped = BatchSplitter.of(splitter, text_column, id_column, keep_columns)
    names = shipped.columns
    types = {name: getattr(daft.DataType, kind)() for name, kind in COLUMNS.items()}
    listed = daft.DataType.list(daft.DataType.struct(types))

    def chunks_of(*columns: Any) -> Any:
        import pyarrow as pa

        return shipped.split_lists(pa.table([column.to_arrow() for column in columns], names))

    batch = daft.func.batch(return_dtype=listed, use_process=True, batch_size=_ROWS)(chunks_of)
    kept = [daft.col(name) for name in shipped.keep_columns]
    chunks = daft.col(_CHUNK)
    made = frame.select(batch(*map(daft.col, names)).alias(_CHUNK), *kept).explode(chunks)
    fields = [chunks.get(name).alias(name) for name in COLUMNS]
    # an empty list explodes into a row of nulls; a chunk has text, an error has its reason
    return made.select(*fields, *kept).where(
        daft.col("text").not_null() | daft.col("error").not_null()
    )


def split_ray(
    dataset: rd.Dataset,
    splitter: BaseSplitter,
    text_column: str = "text",
    id_column: str | None = None,
    keep_columns: Sequence[str] = (),
    **options: Any,
) -> rd.Dataset:
    """Split the documents of a Ray Dataset.

    Ray gives blocks in the order in which they are done, unless
    ``ray.data.DataContext.get_current().execution_options.preserve_order`` is set.

    Args:
        dataset: A row for each document.
        splitter: As `split_table` takes it.
        text_column: As in `split_table`.
        id_column: As in `split_table`.
        keep_columns: As in `split_table`.
        **options: For ``map_batches``, such as ``num_cpus`` or ``batch_size``.

    Returns:
        A lazy Dataset of chunks.

    Raises:
        MissingExtraError: Ray is not installed.
        SettingError: as `split_table` says.
    """
    need("ray.data", "ray", "split_ray")
    shipped = BatchSplitter.of(splitter, text_column, id_column, keep_columns)
    given = {"batch_format": "pyarrow", "batch_size": _ROWS, "zero_copy_batch": True, **options}
    return dataset.select_columns(shipped.columns).map_batches(shipped.split, **given)


def split_spark(
    frame: sql.DataFrame,
    splitter: BaseSplitter,
    text_column: str = "text",
    id_column: str | None = None,
    keep_columns: Sequence[str] = (),
) -> sql.DataFrame:
    """Split the documents of a Spark DataFrame.

    Spark hands over ``spark.sql.execution.arrow.maxRecordsPerBatch`` rows at once, by default 10,000:
    set it to about 500 where documents are long.

    Args:
        frame: A row for each document.
        splitter: As `split_table` takes it.
        text_column: As in `split_table`.
        id_column: As in `split_table`.
        keep_columns: As in `split_table`.

    Returns:
        A lazy DataFrame of chunks.

    Raises:
        MissingExtraError: PySpark is not installed.
        SettingError: as `split_table` says.
    """
    types = need("pyspark.sql.types", "spark", "split_spark")
    shipped = BatchSplitter.of(splitter, text_column, id_column, keep_columns)
    names = {"string": types.StringType, "int32": types.IntegerType, "int64": types.LongType}
    fields = [types.StructField(name, names[kind]()) for name, kind in COLUMNS.items()]
    kept = [frame.schema[name] for name in shipped.keep_columns]

    def chunks_of(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            yield from shipped.split(batch).to_batches()

    return frame.select(*shipped.columns).mapInArrow(chunks_of, types.StructType([*fields, *kept]))


def split_dask(
    frame: dd.DataFrame,
    splitter: BaseSplitter,
    text_column: str = "text",
    id_column: str | None = None,
    keep_columns: Sequence[str] = (),
) -> dd.DataFrame:
    """Split the documents of a Dask DataFrame, a partition at a time.

    Args:
        frame: A row for each document.
        splitter: As `split_table` takes it.
        text_column: As in `split_table`.
        id_column: As in `split_table`.
        keep_columns: As in `split_table`.

    Returns:
        A lazy DataFrame of chunks; its columns have Arrow types, and its index counts in each partition.

    Raises:
        MissingExtraError: Dask is not installed.
        SettingError: as `split_table` says.
    """
    need("dask.dataframe", "dask", "split_dask")
    shipped = BatchSplitter.of(splitter, text_column, id_column, keep_columns)
    chosen = frame[shipped.columns]
    meta = _pandas_chunks(chosen._meta, shipped)
    return chosen.map_partitions(_pandas_chunks, shipped, meta=meta)


def _pandas_chunks(frame: pd.DataFrame, shipped: BatchSplitter) -> pd.DataFrame:
    import pandas as pd
    import pyarrow as pa

    chunks = shipped.split(pa.Table.from_pandas(frame, preserve_index=False))
    return chunks.to_pandas(types_mapper=pd.ArrowDtype)
