"""Spark, two workers on this machine; needs Java 17. `make integration_test_engines`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from pyarrow import dataset
from typer.testing import CliRunner

from integration_tests.engines import documents as made
from integration_tests.engines.faulty import FaultySplitter
from langchain_chunkers.cli.app import app
from langchain_chunkers.integrations.engines import split_spark

pytestmark = pytest.mark.service


@pytest.fixture(scope="module")
def spark() -> Iterator:
    made.use_this_python()
    from pyspark.sql import SparkSession

    session = (
        SparkSession.builder.master("local[2,3]")  # a task that dies is run again, as on a cluster
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100")
        .getOrCreate()
    )
    yield session
    session.stop()


@pytest.mark.parametrize("splitter", [*made.SPLITTERS, FaultySplitter(200)], ids=repr)
def test_rows_are_those_of_this_process(spark, splitter, tmp_path: Path) -> None:
    documents = made.make_documents()
    files = made.write_parquet(documents, tmp_path / "in")
    chunks = split_spark(spark.read.parquet(*files), splitter, **made.COLUMNS).toArrow()
    made.check_together(chunks)
    assert made.in_order(chunks) == made.expected(documents, splitter)


def test_a_killed_worker_is_run_again_and_nothing_is_twice(spark, tmp_path: Path) -> None:
    documents = made.make_documents()
    files = made.write_parquet(documents, tmp_path / "in")
    splitter = FaultySplitter(200, marker=str(tmp_path / "killed"))
    chunks = split_spark(spark.read.parquet(*files), splitter, **made.COLUMNS)
    chunks.write.parquet(str(tmp_path / "out"))
    assert (tmp_path / "killed").exists()
    written = dataset.dataset(tmp_path / "out", format="parquet").to_table()
    assert made.in_order(written) == made.expected(documents, splitter)


@pytest.mark.usefixtures("spark")
def test_the_command_line_writes_the_same(tmp_path: Path) -> None:
    documents = made.make_documents()
    made.write_lines(documents, tmp_path / "in")
    arguments = ["split", f"{tmp_path}/in", "--engine", "spark", "-c", "120", "--overlap", "20"]
    arguments += ["--id-column", "name", "--keep-column", "year", "--keep-column", "weight"]
    arguments += ["--output", str(tmp_path / "out")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1, done.output  # one text is null
    written = dataset.dataset(tmp_path / "out", format="parquet").to_table()
    assert made.in_order(written) == made.expected(documents, made.SPLITTERS[0])
