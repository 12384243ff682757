"""A process that is killed in the middle of `sync`: the next run ends as if nothing had happened.

Real stores on disk, real processes, SIGKILL. A service: the packages of the stores are several
hundred megabytes.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from integration_tests.stores import crashing

pytestmark = pytest.mark.service

POINTS = 20


def command(kind: str, folder: Path, version: int, last: int = -1) -> list[str]:
    program = [sys.executable, "-m", "integration_tests.stores.crashing"]
    return [*program, kind, str(folder), str(version), str(last)]


def state(kind: str, store: Any) -> dict[str, tuple[str, dict[str, Any], list[float]]]:
    """Give all that a store has, by id."""
    if kind == "chroma":
        found = store._collection.get(include=["documents", "metadatas", "embeddings"])
        rows = zip(
            found["ids"], found["documents"], found["metadatas"], found["embeddings"], strict=True
        )
    else:
        points, _ = store.client.scroll("chunks", limit=10_000, with_vectors=True)
        rows = ((p.id, p.payload["page_content"], p.payload["metadata"], p.vector) for p in points)
    return {
        str(key).replace("-", ""): (text, dict(metadata), [round(float(x), 4) for x in vector])
        for key, text, metadata, vector in rows
    }


def finished(kind: str, folder: Path, version: int) -> tuple[Any, set[str], Any]:
    """Run to the end in this process, and give what there is then."""
    store, records = crashing.MAKERS[kind](folder), crashing.records_in(folder)
    crashing.run(store, records, version)
    again = crashing.run(store, records, version)
    found = state(kind, store), set(records.list_keys()), again
    records.engine.dispose()
    with suppress(AttributeError):
        store.client.close()  # type: ignore[attr-defined]
    return found


class Undisturbed(NamedTuple):
    """How it is where nothing goes wrong.

    Attributes:
        old: A folder with the first version.
        points: Points that a sync to the second version passes.
        seconds: How long that takes.
        wanted: By version, what there is at its end.
    """

    old: Path
    points: int
    seconds: float
    wanted: dict[int, Any]


@pytest.fixture(scope="module", params=crashing.MAKERS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="module")
def undisturbed(kind: str, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    folder = tmp_path_factory.mktemp(kind)
    old = folder / "old"
    old.mkdir()
    subprocess.run(command(kind, old, 0), check=True, capture_output=True)
    new = shutil.copytree(old, folder / "new")
    said = subprocess.run(command(kind, new, 1), check=True, capture_output=True, text=True).stdout
    points, seconds = said.split()[-2:]
    wanted = {1: finished(kind, new, 1)}
    wanted[2] = finished(kind, shutil.copytree(old, folder / "newer"), 2)
    return Undisturbed(old, int(points), float(seconds), wanted)


def check(kind: str, folder: Path, version: int, undisturbed: Undisturbed) -> None:
    found, keys, again = finished(kind, folder, version)
    assert (found, keys, again) == undisturbed.wanted[version]
    assert set(found) == keys, "the store has what the records say"
    sentences = crashing.text(version).count(".") + 1
    assert len(found) == 2 * sentences, "nothing lost, nothing twice"
    assert (again.added, again.moved, again.removed) == (0, 0, 0)


@pytest.mark.parametrize("number", range(POINTS))
def test_killed_at_a_write(
    number: int, kind: str, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    assert undisturbed.points > POINTS
    last = number * (undisturbed.points - 1) // (POINTS - 1)
    folder = shutil.copytree(undisturbed.old, tmp_path / "store")
    killed = subprocess.run(command(kind, folder, 1, last), check=False, capture_output=True)
    assert killed.returncode == -9, killed.stderr
    # every second time the document has been edited again before the next run
    check(kind, folder, 1 + number % 2, undisturbed)


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
def test_killed_from_outside(
    share: float, kind: str, undisturbed: Undisturbed, tmp_path: Path
) -> None:
    folder = shutil.copytree(undisturbed.old, tmp_path / "store")
    with subprocess.Popen(command(kind, folder, 1), stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        time.sleep(undisturbed.seconds * share)
        process.kill()
    check(kind, folder, 1, undisturbed)
