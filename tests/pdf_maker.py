"""Writes small PDFs, so that tests know what stands where: text at places, lines, encryption."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

_PAD = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
WIDTH, HEIGHT = 600, 800


class Text(NamedTuple):
    """A line of text; ``y`` is the distance of its baseline from the top edge."""

    x: float
    y: float
    text: str
    size: float = 10
    bold: bool = False


class Line(NamedTuple):
    """A straight line."""

    x0: float
    y0: float
    x1: float
    y1: float


def column(
    lines: Sequence[str], x: float, y: float, size: float = 10, leading: float = 12
) -> list[Text]:
    """Set lines below each other."""
    return [Text(x, y + n * leading, line, size) for n, line in enumerate(lines)]


def make_pdf(
    pages: Sequence[Sequence[Text | Line]],
    password: str | None = None,
    bookmarks: Sequence[tuple[str, int]] = (),
) -> bytes:
    """Write a PDF.

    Args:
        pages: What stands on each.
        password: Encrypts the file (RC4, 40 bits).
        bookmarks: Pairs of a title and a page, from 0.
    """
    count = len(pages)
    # 1 catalogue, 2 pages, 3 and 4 fonts, then a page and its content each, then bookmarks
    kids = " ".join(f"{5 + 2 * n} 0 R" for n in range(count))
    outline = 5 + 2 * count
    objects = [
        f"<< /Type /Catalog /Pages 2 0 R{f' /Outlines {outline} 0 R' if bookmarks else ''} >>".encode(),
        f"<< /Type /Pages /Kids [{kids}] /Count {count} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica-Bold /Encoding /WinAnsiEncoding >>",
    ]
    key = b""
    encrypt = b""
    if password is not None:
        key, encrypt = _encryption(password)
    for n, page in enumerate(pages):
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {WIDTH} {HEIGHT}] /Contents {6 + 2 * n} 0 R "
            "/Resources << /Font << /F1 3 0 R /F2 4 0 R >> >> >>".encode()
        )
        content = "\n".join(map(_drawn, page)).encode("cp1252")
        if key:
            content = _rc4(
                hashlib.md5(key + (6 + 2 * n).to_bytes(3, "little") + b"\0\0").digest()[
                    : len(key) + 5
                ],
                content,
            )
        objects.append(
            f"<< /Length {len(content)} >>\nstream\n".encode() + content + b"\nendstream"
        )
    if bookmarks:
        last = outline + len(bookmarks)
        objects.append(
            f"<< /Type /Outlines /First {outline + 1} 0 R /Last {last} 0 R /Count {len(bookmarks)} >>".encode()
        )
        for n, (title, page_number) in enumerate(bookmarks):
            number = outline + 1 + n
            following = f" /Next {number + 1} 0 R" if number < last else ""
            before = f" /Prev {number - 1} 0 R" if n else ""
            objects.append(
                f"<< /Title ({title}) /Parent {outline} 0 R{following}{before} /Dest [{5 + 2 * page_number} 0 R /Fit] >>".encode()
            )
    return _file(objects, encrypt)


def _drawn(item: Text | Line) -> str:
    if isinstance(item, Line):
        return f"{item.x0} {HEIGHT - item.y0} m {item.x1} {HEIGHT - item.y1} l S"
    text = item.text.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
    font = "F2" if item.bold else "F1"
    return f"BT /{font} {item.size} Tf {item.x} {HEIGHT - item.y} Td ({text}) Tj ET"


def _file(objects: Sequence[bytes], encrypt: bytes) -> bytes:
    out = b"%PDF-1.4\n"
    places = []
    every = [*objects, *([encrypt] if encrypt else [])]
    for number, body in enumerate(every, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + body + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(every) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    more = f" /Encrypt {len(every)} 0 R /ID [<{'00' * 16}> <{'00' * 16}>]" if encrypt else ""
    return (
        out
        + f"trailer << /Size {len(every) + 1} /Root 1 0 R{more} >>\nstartxref\n{start}\n%%EOF".encode()
    )


def _encryption(password: str) -> tuple[bytes, bytes]:
    """Give the key and the dictionary of the standard handler, revision 2."""
    padded = (password.encode("latin-1") + _PAD)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    permissions = (-4).to_bytes(4, "little", signed=True)
    key = hashlib.md5(padded + owner + permissions + bytes(16)).digest()[:5]
    user = _rc4(key, _PAD)
    return (
        key,
        f"<< /Filter /Standard /V 1 /R 2 /O <{owner.hex()}> /U <{user.hex()}> /P -4 >>".encode(),
    )


def _rc4(key: bytes, data: bytes) -> bytes:
    state, j = list(range(256)), 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)
