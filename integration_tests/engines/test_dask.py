"""Dask, two processes on this machine. `make integration_test_engines`."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from integration_tests.engines import documents as made
from integration_tests.engines.faulty import FaultySplitter
from langchain_chunkers.integrations.engines import split_dask

pytestmark = pytest.mark.service


def test_rows_are_those_of_this_process_and_a_killed_worker_is_run_again(tmp_path: Path) -> None:
    made.use_this_python()
    import dask.dataframe as dd
    from distributed import Client

    documents = made.make_documents()
    files = made.write_parquet(documents, tmp_path / "in")
    splitter = FaultySplitter(200, marker=str(tmp_path / "killed"))
    with Client(n_workers=2, threads_per_worker=1, dashboard_address=None):
        frame = dd.read_parquet(files, dtype_backend="pyarrow")
        chunks = split_dask(frame, splitter, **made.COLUMNS).compute()
    assert (tmp_path / "killed").exists()
    table = pa.Table.from_pandas(chunks, preserve_index=False)
    made.check_together(table)
    assert made.in_order(table) == made.expected(documents, splitter)
