"""Finds the files of tables: here and in object storage, folders and globs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from langchain_chunkers.errors import SettingError

__all__ = ["absolute", "find_tables", "format_of"]

_FORMATS = {".parquet": "parquet", ".pq": "parquet"} | dict.fromkeys(
    (".jsonl", ".ndjson", ".json"), "json"
)


def find_tables(arguments: Sequence[str], output: str) -> tuple[list[str], str]:
    """Find files, of folders and globs too, here or in object storage, and their one format.

    `output` is never read, or a second run would split the chunks of the first.

    Raises:
        SettingError: Nothing is there, or the files are not of one format.
    """
    found = [path for argument in arguments for path in _expand(argument)]
    target = absolute(output)
    paths = [path for path in found if path != target and not path.startswith(f"{target}/")]
    if not paths:
        raise SettingError(f"{output} is both input and output")
    kinds = {format_of(path) for path in paths}
    kind = kinds.pop() if len(kinds) == 1 else None
    if kind is None:
        msg = (
            "--engine reads files of one format: *.parquet, or JSON Lines (*.jsonl): got "
            f"{', '.join(sorted(PurePosixPath(path).name for path in paths)[:5])}"
        )
        raise SettingError(msg)
    return list(dict.fromkeys(paths)), kind


def _expand(argument: str) -> Iterator[str]:
    """Give the files that an argument names; those in a folder or matched by a glob are sorted."""
    from pyarrow import fs

    argument = absolute(argument)
    magic = min((argument.find(each) for each in "*?[" if each in argument), default=len(argument))
    folder = argument[: argument.rfind("/", 0, magic)] if magic < len(argument) else argument
    pattern = argument[len(folder) + 1 :]
    system, root = fs.FileSystem.from_uri(folder)
    info = system.get_file_info(root)
    scheme = f"{argument.partition('://')[0]}://" if "://" in argument else ""
    if info.type == fs.FileType.File:
        yield argument
        return
    found = []
    if info.type == fs.FileType.Directory:
        selector = fs.FileSelector(root, recursive=not pattern or "/" in pattern)
        found = [each.path for each in system.get_file_info(selector) if each.is_file]
    names = sorted(
        path
        for path in found
        if not PurePosixPath(path).name.startswith((".", "_"))
        and (_matches(path[len(root) :].lstrip("/"), pattern) if pattern else format_of(path))
    )
    if not names:
        raise SettingError(f"{argument}: no such file, or nothing in it to read")
    yield from (scheme + name for name in names)


def _matches(path: str, pattern: str) -> bool:
    """Match folder by folder: a `*` stands for one name."""
    deep = path.count("/") == pattern.count("/")
    return deep and PurePosixPath(path).match(pattern)


def absolute(path: str) -> str:
    """Give the whole path of a file here; a URL stays."""
    return path if "://" in path else Path(path).absolute().as_posix()


def format_of(path: str) -> str | None:
    """Give the format of a file by its name: "parquet", "json", or None."""
    return _FORMATS.get(PurePosixPath(path).suffix.lower())
