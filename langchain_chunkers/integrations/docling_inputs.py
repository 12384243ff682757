"""Files, folders, URLs and bytes as inputs of a parser: found lazily, read whole."""

from __future__ import annotations

import os
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from langchain_core.documents.base import Blob

from langchain_chunkers.errors import InputError
from langchain_chunkers.files import FileError, find_sources, reason_of
from langchain_chunkers.integrations.docling_checks import SUFFIXES, Input, Limits

__all__ = ["Input", "Limits", "read_blob", "read_inputs"]


def read_inputs(sources: Any, limits: Limits) -> Iterator[Input | FileError]:
    """Read inputs one after another.

    Args:
        sources: A path, a folder, a glob, an ``http(s)`` URL, bytes, a pair of a name and bytes, a LangChain
            ``Blob``, or any iterable of those.
        limits: What may be read.

    Yields:
        Inputs, and an error in the place of each that cannot be read.

    Raises:
        InputError: Something else was given.
    """
    one = isinstance(sources, str | bytes | bytearray | memoryview | os.PathLike | Blob)
    pair = isinstance(sources, tuple) and len(sources) == 2 and isinstance(sources[1], bytes)
    for source in [sources] if one or pair else _iterated(sources):
        yield from _read(source, limits)


def _iterated(sources: Any) -> Iterable[Any]:
    if not isinstance(sources, Iterable):
        msg = (
            f"A path, a folder, a URL, bytes, a Blob, or a list of those is needed: got "
            f"{type(sources).__name__}."
        )
        raise InputError(msg)
    return sources


def _read(source: Any, limits: Limits) -> Iterator[Input | FileError]:
    if isinstance(source, Blob):
        yield _caught(lambda: read_blob(source, limits))
    elif isinstance(source, bytes | bytearray | memoryview):
        yield _within("<bytes>", bytes(source), limits)
    elif isinstance(source, tuple) and len(source) == 2:
        yield _within(str(source[0]), bytes(source[1]), limits)
    elif isinstance(source, str) and source.lower().startswith(("http://", "https://")):
        yield _caught(lambda: Input(source, _fetch(source, limits), {}))
    elif isinstance(source, str | os.PathLike):
        named = os.fspath(source)
        found, problems = find_sources([named], None)
        yield from problems
        walked = Path(named).is_dir()
        for file in found:
            path = file.path
            if path is None or (walked and path.suffix[1:].lower() not in SUFFIXES):
                continue
            yield _caught(
                lambda path=path, name=file.name: Input(name, _load(path, name, limits), {})
            )
    else:
        msg = f"A path, a URL, bytes or a Blob is needed: got {type(source).__name__}."
        raise InputError(msg)


def _caught(make: Any) -> Input | FileError:
    try:
        made: Input = make()
    except FileError as error:
        return error
    return made


def read_blob(blob: Blob, limits: Limits) -> Input:
    """Read a blob of LangChain's loaders.

    Raises:
        FileError: It cannot be read, or is too large.
    """
    name = str(blob.source or blob.path or "<bytes>")
    if blob.data is None and blob.path is not None:
        data = _load(Path(blob.path), name, limits)
    else:
        data = blob.as_bytes()
        _check_size(name, len(data), limits)
    return Input(name, data, {k: v for k, v in blob.metadata.items() if k != "source"})


def _within(name: str, data: bytes, limits: Limits) -> Input | FileError:
    if len(data) > limits.file:
        return _caught(lambda: _check_size(name, len(data), limits))
    return Input(name, data, {})


def _check_size(name: str, size: int, limits: Limits) -> None:
    if size > limits.file:
        reason = f"it has {size:,} bytes, more than max_file_size={limits.file:,}"
        raise FileError(name, reason)


def _load(path: Path, name: str, limits: Limits) -> bytes:
    try:
        _check_size(name, path.stat().st_size, limits)
        with path.open("rb") as file:
            data = file.read(limits.file + 1)  # a pipe says no size
    except OSError as error:
        raise FileError(name, reason_of(error)) from error
    _check_size(name, len(data), limits)
    return data


def _fetch(url: str, limits: Limits) -> bytes:
    """Get what a URL of the user leads to; its size is watched while it comes."""
    request = urllib.request.Request(url, headers={"User-Agent": "langchain-chunkers"})  # noqa: S310 - http(s)
    try:
        with urllib.request.urlopen(request, timeout=limits.timeout) as answer:  # noqa: S310 - as above
            data: bytes = answer.read(limits.file + 1)
    except (OSError, ValueError, urllib.error.HTTPError) as error:
        reason = getattr(error, "reason", None) or error
        raise FileError(url, f"it cannot be fetched: {reason}") from error
    _check_size(url, len(data), limits)
    return data
