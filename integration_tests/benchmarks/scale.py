"""Measures the engines on one machine: Parquet in, chunks, Parquet out.

    python -m integration_tests.benchmarks.scale --megabytes 200 --engines local daft --measures characters

Each run is a process of its own. What it and all that it started used is read from /proc: wall clock,
processor time, and the largest sum of proportional memory (PSS), so shared pages count once. Each engine
runs on a tenth of the corpus first. The rate is of the other nine tenths, by difference, so that the
start of an engine and of its workers is left out; it is given beside the rest.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
from pyarrow import dataset, parquet

from integration_tests.benchmarks import corpus
from langchain_chunkers import BaseSplitter, RecursiveSplitter, TokenCountSplitter
from langchain_chunkers.integrations import engines
from langchain_chunkers.integrations.arrow import BatchSplitter

SPLITTERS: dict[str, BaseSplitter] = {
    "characters": RecursiveSplitter(1000, 100),
    "tokens": RecursiveSplitter.from_tiktoken_encoder(chunk_size=256),
    "fixed": TokenCountSplitter(chunk_size=256),
}
FILES = 16
TICK = os.sysconf("SC_CLK_TCK")


class Usage(NamedTuple):
    """What a run took."""

    wall: float
    cpu: float
    peak: float


def write_corpus(folder: Path, megabytes: float) -> int:
    """Write real documents, half English and half Chinese, in 16 files; give the bytes of text."""
    some = [*corpus.documents("English"), *corpus.documents("Chinese")]
    texts: list[str] = []
    size = 0
    for text in itertools.cycle(some):
        if size >= megabytes * 1e6 and len(texts) >= FILES:
            break
        texts.append(text)
        size += len(text.encode())
    random.Random(1).shuffle(texts)
    folder.mkdir(parents=True)
    total, step = 0, -(-len(texts) // FILES)
    for part in range(FILES):
        own = texts[part * step : (part + 1) * step]
        names = [f"{part}-{row}" for row in range(len(own))]
        total += sum(len(text.encode()) for text in own)
        table = pa.table({"id": names, "text": pa.array(own, pa.string())})
        parquet.write_table(table, folder / f"{part:02}.parquet", row_group_size=1000)
    return total


def run_engine(engine: str, measure: str, files: list[str], output: str) -> None:
    """Split all files with one engine."""
    splitter = SPLITTERS[measure]
    if engine == "local":
        shipped = BatchSplitter.of(splitter, id_column="id")
        writer = None
        for file in files:
            for batch in parquet.ParquetFile(file).iter_batches(512, columns=shipped.columns):
                chunks = shipped.split(batch)
                writer = writer or parquet.ParquetWriter(output, chunks.schema)
                writer.write_table(chunks)
        writer.close()
    elif engine == "daft":
        import daft

        frame = engines.split_daft(daft.read_parquet(files), splitter, id_column="id")
        frame.write_parquet(output)
    elif engine == "ray":
        import ray

        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
        engines.split_ray(ray.data.read_parquet(files), splitter, id_column="id").write_parquet(
            output
        )
    else:
        from pyspark.sql import SparkSession

        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.execution.arrow.maxRecordsPerBatch", "512")
            .getOrCreate()
        )
        frame = session.read.parquet(*files)
        engines.split_spark(frame, splitter, id_column="id").write.parquet(output)


def measure_run(arguments: list[str]) -> Usage:
    """Run this module in a process, and watch it and its descendants."""
    mark = f"SCALE_RUN={uuid.uuid4()}"
    environment = {**os.environ, **dict([mark.split("=")]), "DO_NOT_TRACK": "true"}
    environment["PYSPARK_PYTHON"] = sys.executable
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    cpu: dict[int, float] = {}
    ours: dict[int, bool] = {}
    peak = 0.0
    start = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "integration_tests.benchmarks.scale", *arguments],
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None:
        time.sleep(0.1)
        now = 0.0
        for pid in [int(path.name) for path in Path("/proc").iterdir() if path.name.isdigit()]:
            try:
                if pid not in ours:
                    ours[pid] = mark.encode() in Path(f"/proc/{pid}/environ").read_bytes()
                if not ours[pid]:
                    continue
                fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
                cpu[pid] = (int(fields[11]) + int(fields[12])) / TICK
                for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
                    if line.startswith("Pss:"):
                        now += int(line.split()[1]) / 1e3
            except (OSError, ProcessLookupError):
                continue  # it ended meanwhile
        peak = max(peak, now)
    if process.returncode:
        msg = f"{arguments} ended with {process.returncode}"
        raise RuntimeError(msg)
    return Usage(time.perf_counter() - start, sum(cpu.values()), peak)


def main() -> None:
    """Measure and print a row for each engine and measure."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--megabytes", type=float, default=200)
    parser.add_argument("--engines", nargs="+", default=["local", "daft"])
    parser.add_argument("--measures", nargs="+", default=["characters"], choices=SPLITTERS)
    parser.add_argument("--runs", type=int, default=1)
    parser.add_argument("--one", nargs="+", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    corpus.use_encodings()
    if asked.one:
        engine, measure, folder, output = asked.one
        run_engine(engine, measure, sorted(map(str, Path(folder).glob("*.parquet"))), output)
        os._exit(0)  # one time in ten a thread of Daft's aborts the end of the interpreter
    scratch = Path(tempfile.mkdtemp(prefix="scale-"))
    try:
        size = write_corpus(scratch / "corpus", asked.megabytes) / 1e6
        tenth = write_corpus(scratch / "few", asked.megabytes / 10) / 1e6
        print(f"{size:,.0f} MB of text in {FILES} files, {os.cpu_count()} cores")
        print("measure     engine  start s  wall s  CPU s  MB/s  MB/CPU-s  peak MB      rows")
        for measure in asked.measures:
            for run in range(asked.runs):
                for engine in asked.engines:
                    out = str(scratch / f"{measure}-{run}-{engine}")
                    one = ["--one", engine, measure]
                    few = measure_run([*one, str(scratch / "few"), f"{out}-few"])
                    full = measure_run([*one, str(scratch / "corpus"), out])
                    rows = dataset.dataset(out, format="parquet").count_rows()
                    more = size - tenth
                    wall, cpu = full.wall - few.wall, full.cpu - few.cpu
                    start = few.wall - wall * tenth / more
                    print(
                        f"{measure:11} {engine:6} {start:8.1f} {full.wall:7.1f} {full.cpu:6.1f} {more / wall:5.1f}"
                        f" {more / cpu:9.1f} {full.peak:8.0f} {rows:9,}",
                        flush=True,
                    )
                    shutil.rmtree(out) if Path(out).is_dir() else Path(out).unlink()
    finally:
        shutil.rmtree(scratch)


if __name__ == "__main__":
    main()
