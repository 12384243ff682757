"""Ray Data, two workers on this machine. `make integration_test_engines`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import dataset
from typer.testing import CliRunner

from integration_tests.engines import documents as made
from integration_tests.engines.faulty import FaultySplitter
from langchain_chunkers.cli.app import app
from langchain_chunkers.integrations.engines import split_ray

pytestmark = pytest.mark.service


@pytest.fixture(scope="module", autouse=True)
def _ray() -> Iterator[None]:
    made.use_this_python()
    import ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
    yield
    ray.shutdown()


def collect(chunks) -> pa.Table:
    import ray

    blocks = [block for block in ray.get(chunks.to_arrow_refs()) if block.num_rows]
    return pa.concat_tables(blocks)


@pytest.mark.parametrize("splitter", [*made.SPLITTERS, FaultySplitter(200)], ids=repr)
def test_rows_are_those_of_this_process(splitter, tmp_path: Path) -> None:
    import ray

    documents = made.make_documents()
    files = made.write_parquet(documents, tmp_path / "in")
    chunks = collect(split_ray(ray.data.read_parquet(files), splitter, **made.COLUMNS))
    made.check_together(chunks)
    assert made.in_order(chunks) == made.expected(documents, splitter)


def test_a_killed_worker_is_run_again_and_nothing_is_twice(tmp_path: Path) -> None:
    import ray

    documents = made.make_documents()
    files = made.write_parquet(documents, tmp_path / "in")
    splitter = FaultySplitter(200, marker=str(tmp_path / "killed"))
    chunks = split_ray(ray.data.read_parquet(files), splitter, **made.COLUMNS, batch_size=50)
    chunks.write_parquet(str(tmp_path / "out"))
    assert (tmp_path / "killed").exists()
    written = dataset.dataset(tmp_path / "out", format="parquet").to_table()
    assert made.in_order(written) == made.expected(documents, splitter)


def test_the_command_line_writes_the_same(tmp_path: Path) -> None:
    documents = made.make_documents()
    made.write_lines(documents, tmp_path / "in")
    arguments = ["split", f"{tmp_path}/in", "--engine", "ray", "-c", "120", "--overlap", "20"]
    arguments += ["--id-column", "name", "--keep-column", "year", "--keep-column", "weight"]
    arguments += ["--output", str(tmp_path / "out")]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 1, done.output  # one text is null
    written = dataset.dataset(tmp_path / "out", format="parquet").to_table()
    assert made.in_order(written) == made.expected(documents, made.SPLITTERS[0])
