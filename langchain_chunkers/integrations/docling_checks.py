"""What a file is, and whether it may be read.

What it is, its first bytes say, not its name. What is empty, damaged, encrypted, or would unpack to more
than it should, is a `FileError` before any parser sees it.
"""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from langchain_chunkers.files import FileError

__all__ = ["SUFFIXES", "Input", "Limits", "checked", "kind_of"]

_OFFICE = {"word/": "docx", "ppt/": "pptx", "xl/": "xlsx"}
_MIMES = {
    "application/epub+zip": "epub",
    "application/vnd.oasis.opendocument.text": "odt",
    "application/vnd.oasis.opendocument.spreadsheet": "ods",
    "application/vnd.oasis.opendocument.presentation": "odp",
}
_TEXTS = {
    "html": "html", "htm": "html", "xhtml": "html", "md": "md", "markdown": "md", "csv": "csv",
    "txt": "txt", "text": "txt", "json": "json", "xml": "xml", "nxml": "xml", "adoc": "asciidoc",
    "asciidoc": "asciidoc", "tex": "latex", "latex": "latex", "vtt": "vtt", "eml": "email",
}  # fmt: skip
_OLD = {"doc": "doc", "dot": "doc", "xls": "xls", "ppt": "ppt"}
_IMAGES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"II*\0", b"MM\0*", b"GIF8", b"BM", b"RIFF")
SUFFIXES = frozenset(["pdf", "rtf", *_OFFICE.values(), *_MIMES.values(), *_TEXTS, *_OLD])
"""Names of files that are taken out of a folder end in one of these."""
_MARKUP = (".xml", ".rels", ".xhtml", ".html", ".htm", ".opf", ".ncx", ".svg", ".vml")
_ENTITY = re.compile(rb"<!\s*ENTITY", re.IGNORECASE)
_HTML = re.compile(
    rb"\s*(?:\xef\xbb\xbf)?\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_BLOCK = 1 << 20
_PARTS = 50_000  # files in a package; the largest of honest ones have a few thousand


@dataclass(frozen=True, slots=True)
class Input:
    """A file in memory.

    Attributes:
        name: How metadata and messages name it: its path or URL.
        data: Its bytes.
        metadata: What its chunks are given beside ``source``.
    """

    name: str
    data: bytes
    metadata: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Limits:
    """What may be read.

    Attributes:
        file: Bytes of a file.
        unpacked: Bytes to which the parts of a packed file (DOCX, XLSX, EPUB) may add up.
        pages: Pages of a PDF.
        seconds: Time that docling may take for a file.
        memory: Bytes that its process may hold.
        timeout: Seconds that a server may be silent.
    """

    file: int = 100_000_000
    unpacked: int = 300_000_000
    pages: int = 5000
    seconds: float = 300.0
    memory: int | None = None
    timeout: float = 30.0


def kind_of(given: Input) -> str:
    """Find out what a file is, by its first bytes; its name tells text formats apart.

    Returns:
        Such as ``"pdf"``, ``"docx"``, ``"html"``, ``"txt"``, ``"image"``.

    Raises:
        FileError: It is empty, damaged, or not what its name says.

    Example:
        >>> kind_of(Input("report.docx", b"%PDF-1.7 ...", {}))
        'pdf'
    """
    data, name = given.data, given.name
    suffix = name.partition("?")[0].rpartition(".")[2].lower() if "." in name else ""
    if not data.strip(b"\0 \t\r\n"):
        raise FileError(name, "it is empty")
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK"):
        return _packed_kind(given)
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        return _old_kind(given, suffix)
    if data.startswith(b"{\\rtf"):
        return "rtf"
    if data.startswith(_IMAGES) and not (suffix in _TEXTS and _is_text(data)):
        return "image"
    if not _is_text(data):
        raise FileError(name, f"it is binary, and no {suffix or 'kind'} that is known; or damaged")
    if data.lstrip()[:1] == b"{" and b'"DoclingDocument"' in data:
        return "json"
    if _HTML.match(data[:4096]):
        return "html"
    if suffix in SUFFIXES - _TEXTS.keys():
        raise FileError(
            name, f"it is text, and no {suffix.upper()}: its name is wrong, or it is damaged"
        )
    return _TEXTS.get(suffix, "txt")


def _old_kind(given: Input, suffix: str) -> str:
    """Find out what a file in the container of Office before 2007 is."""
    if "EncryptedPackage".encode("utf-16-le") in given.data:
        raise FileError(given.name, "it is encrypted: save it without a password")
    if suffix in _OLD:
        return _OLD[suffix]
    raise FileError(
        given.name, "it is an Office file of before 2007, with the name of another kind"
    )


def _is_text(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True  # UTF-16 with its mark
    head = data[:8192]
    return b"\0" not in head and sum(byte < 9 for byte in head) * 50 < len(head)


def _packed_kind(given: Input) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(given.data)) as package:
            names = package.namelist()
            if "mimetype" in names and package.getinfo("mimetype").file_size < 200:
                mime = package.read("mimetype").decode("ascii", "replace").strip()
                if mime in _MIMES:
                    return _MIMES[mime]
    except (zipfile.BadZipFile, RuntimeError, OSError, NotImplementedError, ValueError) as error:
        raise FileError(given.name, f"it is damaged, or cut off: {error}") from error
    for folder, kind in _OFFICE.items():
        if any(name.startswith(folder) for name in names):
            return kind
    raise FileError(given.name, "it is a zip archive, and no document")


# ---------------------------------------------------------------------- what it may do


def checked(given: Input, kind: str, limits: Limits) -> None:
    """Refuse what would unpack to too much, or declares XML entities, which can grow without bound.

    Raises:
        FileError: as said; also where a part is encrypted or damaged.

    Cost: reads each XML part once, a block at a time; never more than ``limits.unpacked`` bytes in all.
    """
    if kind == "xml" and _ENTITY.search(given.data.replace(b"\0", b"")):
        raise FileError(given.name, "it declares XML entities, which could grow without bound")
    if not given.data.startswith(b"PK"):
        return
    try:
        with zipfile.ZipFile(io.BytesIO(given.data)) as package:
            _check_parts(package, given.name, limits)
    except FileError:
        raise
    except Exception as error:  # what zipfile and its decompressors raise for damaged data
        raise FileError(given.name, f"it is damaged: {error}") from error


def _check_parts(package: zipfile.ZipFile, name: str, limits: Limits) -> None:
    parts = package.infolist()
    # no reader takes more from a part than it declares, so what is declared is the bound
    total = sum(part.file_size for part in parts)
    if len(parts) > _PARTS or total > limits.unpacked:
        reason = (
            f"it unpacks to {total:,} bytes in {len(parts):,} parts, more than "
            f"max_unpacked_size={limits.unpacked:,} or {_PARTS:,} parts"
        )
        raise FileError(name, reason)
    for part in parts:
        if part.flag_bits & 1:
            raise FileError(name, "it is encrypted")
        if part.filename.lower().endswith(_MARKUP):
            _check_part(package, part, name)


def _check_part(package: zipfile.ZipFile, part: zipfile.ZipInfo, name: str) -> None:
    tail = b""
    with package.open(part) as stream:
        while block := stream.read(_BLOCK):
            piece = tail + block.replace(b"\0", b"")
            if _ENTITY.search(piece):
                reason = f"its part {part.filename} declares XML entities, which could grow without bound"
                raise FileError(name, reason)
            tail = piece[-64:]
