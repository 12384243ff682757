"""Files of tiktoken encodings without a network, from a package that carries their tokens.

``toktok-rs`` (the extra ``offline``) has the tokens of cl100k_base and o200k_base. What is rebuilt
from them is checked against the sha256 that tiktoken itself pins, so a file is the official one or
there is none. ``python -m langchain_chunkers.offline FOLDER`` fills a folder; tiktoken reads it
where ``TIKTOKEN_CACHE_DIR`` names it.
"""

from __future__ import annotations

import base64
import hashlib
import os
import sys
import tempfile
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from unittest import mock

__all__ = ["ENCODINGS", "cache_folder", "fill_cache"]

# Ordinary tokens of each encoding, special ones aside. A wrong number would fail the sha256.
ENCODINGS = {"cl100k_base": 100_256, "o200k_base": 199_998}


def cache_folder() -> Path:
    """Give the folder in which tiktoken keeps its files, by its own rules."""
    named = os.environ.get("TIKTOKEN_CACHE_DIR") or os.environ.get("DATA_GYM_CACHE_DIR")
    return Path(named) if named else Path(tempfile.gettempdir()) / "data-gym-cache"


def fill_cache(folder: Path | None = None, names: Iterable[str] = ENCODINGS) -> Path:
    """Write the files of encodings where tiktoken looks for them; keep those that are right.

    Safe to call from several processes at once: each file appears whole or not at all.

    Args:
        folder: Where to; tiktoken's own folder unless given.
        names: Which encodings; others than those of `ENCODINGS` are left out.

    Returns:
        The folder.

    Raises:
        ImportError: ``toktok-rs`` is not installed.
        RuntimeError: A rebuilt file is not the official one.
    """
    folder = cache_folder() if folder is None else folder
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        if name not in ENCODINGS:
            continue
        url, sha256 = _official_file(name)
        path = folder / hashlib.sha1(url.encode()).hexdigest()  # noqa: S324  # tiktoken's file name
        if path.exists() and hashlib.sha256(path.read_bytes()).hexdigest() == sha256:
            continue
        content = _rebuilt(name, ENCODINGS[name])
        if hashlib.sha256(content).hexdigest() != sha256:
            msg = f"The tokens of {name} in toktok-rs are not tiktoken's: sha256 is not {sha256}."
            raise RuntimeError(msg)
        with tempfile.NamedTemporaryFile(dir=folder, suffix=".part", delete=False) as part:
            part.write(content)
        Path(part.name).chmod(0o644)  # a shared folder is read by others
        Path(part.name).replace(path)
    return folder


def _official_file(name: str) -> tuple[str, str]:
    """Ask tiktoken for a file's address and the sha256 that it expects; load nothing."""
    openai_public = import_module("tiktoken_ext.openai_public")
    with mock.patch.object(openai_public, "load_tiktoken_bpe", return_value={}) as load:
        getattr(openai_public, name)()
    return load.call_args.args[0], load.call_args.kwargs["expected_hash"]


def _rebuilt(name: str, size: int) -> bytes:
    token_bytes = import_module("toktok")._encoding(name).decode_single_token_bytes
    lines = (base64.b64encode(token_bytes(rank)) + b" %d\n" % rank for rank in range(size))
    return b"".join(lines)


if __name__ == "__main__":
    fill_cache(Path(sys.argv[1]) if len(sys.argv) > 1 else None)
