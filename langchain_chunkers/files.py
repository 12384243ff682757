"""Finds, reads and decodes files: for the command line, and for `load_files`.

A file that cannot be had is a `FileError`, never the end of the run: the others are still done.
"""

from __future__ import annotations

import codecs
import glob
import os
import stat
import sys
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.documents import Document

from langchain_chunkers.errors import ChunkerError, SettingError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

__all__ = [
    "FileError",
    "Source",
    "check_encoding",
    "find_sources",
    "load_files",
    "read_pieces",
    "read_text",
    "readable",
    "reason_of",
]

STDIN = "<stdin>"

_PIECE = 1 << 20  # bytes of a file that are read at once, where it is not read whole

# The longer mark first: UTF-32's little-endian mark begins with UTF-16's.
_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Source:
    """One text to split: a file, or standard input where `path` is None.

    `size` is in bytes, 0 where it is not known; only progress depends on it.
    """

    name: str
    path: Path | None
    size: int


class FileError(ChunkerError):
    """A file that was skipped, or left before its end, and why."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


def load_files(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]], encoding: str = "utf-8"
) -> Iterator[Document]:
    """Read files as documents, one after another, for any splitter's `split_documents`.

    Folders are walked through, sorted, without hidden files. A file that cannot be read (binary,
    another encoding) is left out with a warning that names it.

    Args:
        paths: A file, a folder, a glob such as ``"docs/**/*.md"``, or several of them.
        encoding: How the files are written.

    Yields:
        A document for each file, with ``metadata["source"]``.

    Raises:
        SettingError: The encoding is not known.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> _ = (folder / "notes.txt").write_text("The pump failed.")
        >>> [document.page_content for document in load_files(folder)]
        ['The pump failed.']
    """
    check_encoding(encoding)
    several = [paths] if isinstance(paths, str | os.PathLike) else paths
    sources, problems = find_sources([os.fspath(path) for path in several], None)
    for problem in problems:
        warnings.warn(f"left out: {problem}", stacklevel=2)
    for source in sources:
        try:
            text = read_text(source, encoding)
        except FileError as problem:
            warnings.warn(f"left out: {problem}", stacklevel=2)
            continue
        yield Document(page_content=text, metadata={"source": source.name})


def find_sources(
    arguments: Sequence[str], output: Path | None
) -> tuple[list[Source], list[FileError]]:
    """Turn files, folders, globs and `-` into sources, each once, in the order given.

    Folders are walked through, sorted, without hidden files and folders. A glob that the shell
    left alone (in quotes, or on Windows) is expanded here, `**` too. `output` is never read: a
    second run over the same folder would otherwise split the chunks of the first.

    Raises:
        SettingError: `output` was named as an input.
    """
    sources: dict[Path | str, Source] = {}
    problems: list[FileError] = []
    target = None if output is None else output.resolve()
    for argument in arguments:
        for found in _expand(argument):
            if isinstance(found, FileError):
                problems.append(found)
                continue
            key = STDIN if found.path is None else found.path.resolve()
            if key == target:
                if found.name == readable(argument):
                    raise SettingError(f"{argument} is both input and output")
                continue
            sources.setdefault(key, found)
    return list(sources.values()), problems


def _expand(argument: str) -> Iterator[Source | FileError]:
    if argument == "-":
        yield Source(STDIN, None, 0)
        return
    try:
        os.stat(argument)  # noqa: PTH116 - a name that is not there may be a glob: ask once
    except FileNotFoundError:
        matches = _matches(argument)
        if not matches:
            yield FileError(argument, "no such file or folder")
        yield from _look_at(matches)
    except OSError as error:
        yield FileError(argument, reason_of(error))
    else:
        yield from _look_at([argument])


def _matches(pattern: str) -> list[str]:
    if not glob.has_magic(pattern):
        return []
    # Path.glob takes no absolute pattern and no ".." in it.
    return sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207


def _look_at(names: Iterable[str], *, inside_folder: bool = False) -> Iterator[Source | FileError]:
    for name in names:
        path = Path(name)
        try:
            status = path.stat()
        except OSError as error:
            yield FileError(name, reason_of(error))
            continue
        if stat.S_ISDIR(status.st_mode):
            yield from _walk(path)
        elif stat.S_ISREG(status.st_mode) or not inside_folder:
            # A pipe that was named is wanted (`<(command)`); one lying in a folder would only
            # block.
            yield Source(readable(name), path, status.st_size)


def _walk(folder: Path) -> Iterator[Source | FileError]:
    files: list[Path] = []
    problems: list[FileError] = []

    def note(error: OSError) -> None:
        problems.append(FileError(str(error.filename), reason_of(error)))

    for root, folders, names in os.walk(folder, onerror=note):
        folders[:] = [name for name in folders if not name.startswith(".")]
        files.extend(Path(root, name) for name in names if not name.startswith("."))
    yield from problems
    yield from _look_at(map(str, sorted(files)), inside_folder=True)


def readable(name: str) -> str:
    """Read the bytes of a file's name as UTF-8, whatever the locale makes of them.

    So the same file has the same source everywhere; bytes that are no UTF-8 stay surrogates.
    """
    return os.fsencode(name).decode("utf-8", "surrogateescape")


def check_encoding(encoding: str) -> None:
    """Refuse an encoding that Python does not know, or that is not one of text.

    Raises:
        SettingError: as said.
    """
    try:
        b"?".decode(encoding)  # and not codecs.lookup, which also knows "hex" and "zip"
    except UnicodeError:
        return  # known; half a character of it, as in UTF-16
    except LookupError:
        raise SettingError(
            f"encoding must be one that Python knows, such as utf-8, utf-16, latin-1, gb18030 or "
            f"shift_jis: got {encoding!r}"
        ) from None


def read_text(source: Source, encoding: str) -> str:
    """Read a source whole and decode it; newlines stay as they are, a byte order mark goes.

    Raises:
        FileError: it cannot be read, it is not in `encoding`, or it is binary.
    """
    try:
        raw = sys.stdin.buffer.read() if source.path is None else source.path.read_bytes()
    except OSError as error:
        raise FileError(source.name, reason_of(error)) from error
    try:
        text = raw.decode(encoding)
    except UnicodeError as error:
        raise FileError(source.name, _undecodable(raw, encoding, error)) from error
    nul = text.find("\0")
    if nul >= 0:
        reason = f"binary, or not in {encoding}: NUL at character {nul}"
        raise FileError(source.name, reason)
    return text.removeprefix("\ufeff")


def read_pieces(source: Source, encoding: str) -> Iterator[str]:
    """Read and decode a file a piece at a time; as `read_text` otherwise.

    Raises:
        FileError: as `read_text`, where the piece is reached that is wrong.
    """
    assert source.path is not None
    decoder = codecs.getincrementaldecoder(encoding)()
    done = characters = 0  # bytes and characters of the pieces before
    try:
        with source.path.open("rb") as file:
            head = raw = file.read(_PIECE)
            while True:
                waiting = decoder.getstate()[0]
                try:
                    text = decoder.decode(raw, final=not raw)
                except UnicodeError as error:
                    first = head if not done else b""
                    whole, at = waiting + raw, done - len(waiting)
                    reason = _undecodable(whole, encoding, error, first, at)
                    raise FileError(source.name, reason) from error
                nul = text.find("\0")
                if nul >= 0:
                    at = characters + nul
                    reason = f"binary, or not in {encoding}: NUL at character {at}"
                    raise FileError(source.name, reason)
                yield text if characters else text.removeprefix("\ufeff")
                if not raw:
                    return
                done += len(raw)
                characters += len(text)
                raw = file.read(_PIECE)
    except OSError as error:
        raise FileError(source.name, reason_of(error)) from error


def _undecodable(
    raw: bytes, encoding: str, error: UnicodeError, first: bytes | None = None, before: int = 0
) -> str:
    """Say why bytes cannot be decoded: ``first`` begins the file, ``before`` bytes precede ``raw``."""
    first = raw if first is None else first
    for mark, name in _MARKS:
        if first.startswith(mark):
            return f"not in {encoding}; it starts with the mark of {name}: try --encoding {name}"
    if b"\0" in raw:
        return f"binary: not in {encoding}, and it has NUL bytes"
    if isinstance(error, UnicodeDecodeError):
        byte = f"byte 0x{raw[error.start]:02x} at {before + error.start}"
        return f"not in {encoding} ({byte}): name its encoding with --encoding"
    return f"not in {encoding}: {error}"


def reason_of(error: OSError) -> str:
    """Say why in the system's words, without the number and the name."""
    return (error.strerror or str(error)).lower()
