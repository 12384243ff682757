"""Bytes of an HTML document to text, by what the document and its carrier declare."""

from __future__ import annotations

import codecs
import re

__all__ = ["decode"]

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_HEAD = 1 << 16  # browsers look at 1,024 bytes first, and again when a late declaration turns up
_META = re.compile(rb"<meta[^>]{0,400}?charset[\s]{0,9}=[\s\"']{0,9}([\w.:-]{2,40})", re.IGNORECASE)
_XML = re.compile(rb"\s{0,99}<\?xml[^>]{0,400}?encoding\s{0,9}=\s{0,9}[\"']([\w.:-]{2,40})")
_HTTP = re.compile(r"charset\s*=\s*[\"']?([\w.:-]+)", re.IGNORECASE)

# What these labels mean on the web, where it is not what Python's codec of the name does.
_WEB = {
    "ascii": "cp1252", "us-ascii": "cp1252", "iso-8859-1": "cp1252", "iso8859-1": "cp1252",
    "latin1": "cp1252", "latin-1": "cp1252", "l1": "cp1252", "x-cp1252": "cp1252",
    "iso-8859-9": "cp1254", "latin5": "cp1254", "iso-8859-11": "cp874", "tis-620": "cp874",
    "gb2312": "gb18030", "gb_2312-80": "gb18030", "gbk": "gb18030", "x-gbk": "gb18030",
    "big5": "big5hkscs", "shift_jis": "cp932", "shift-jis": "cp932", "sjis": "cp932",
    "x-sjis": "cp932", "windows-31j": "cp932", "euc-kr": "cp949", "ks_c_5601-1987": "cp949",
    "ksc5601": "cp949", "x-euc-jp": "euc_jp", "x-mac-cyrillic": "mac_cyrillic",
    "macintosh": "mac_roman", "x-mac-roman": "mac_roman", "x-cp1251": "cp1251", "x-cp1250": "cp1250",
    "unicode": "utf-8", "x-unicode20utf8": "utf-8", "unicode-1-1-utf-8": "utf-8",
}  # fmt: skip
_REFUSED = ("utf-7", "utf7", "csutf7", "idna", "punycode", "unicode_escape", "raw_unicode_escape")


def decode(data: bytes, content_type: str | None = None) -> str:
    """Decode the bytes of an HTML document.

    The first of these that says something holds: a byte order mark, ``content_type``, a ``<meta>``
    declaration, an XML declaration, UTF-8 if the bytes are such, the guess of charset-normalizer
    where that is installed, and UTF-8 with U+FFFD for what is none. Labels mean what they mean to
    browsers: ``iso-8859-1`` is Windows-1252, ``gb2312`` is GB 18030.

    Args:
        data: The bytes.
        content_type: The HTTP header, such as ``"text/html; charset=windows-1251"``, or only the
            name of an encoding.

    Returns:
        The text, without a byte order mark. Bytes that the encoding does not have are U+FFFD.

    Example:
        >>> decode('<meta charset="windows-1251"><p>Привет'.encode("cp1251"))[-6:]
        'Привет'
    """
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data[len(mark) :].decode(encoding, "replace")
    for label in (_from_header(content_type), _from_document(data)):
        name = _codec(label) if label else None
        if name is not None:
            return data.decode(name, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return _guess(data) or data.decode("utf-8", "replace")


def _from_header(content_type: str | None) -> str | None:
    if not content_type:
        return None
    found = _HTTP.search(content_type)
    if found is not None:
        return found.group(1)
    return None if "/" in content_type else content_type


def _from_document(data: bytes) -> str | None:
    head = data[:_HEAD]
    declared = _META.search(_without_comments(head)) or _XML.match(head)
    if declared is None:
        return None
    label = declared.group(1).decode("ascii", "replace").lower()
    # a declaration that can be read in ASCII is not in UTF-16, whatever it says
    return "utf-8" if label.startswith("utf-16") else label


def _without_comments(head: bytes) -> bytes:
    parts, at = [], 0
    while (start := head.find(b"<!--", at)) >= 0:
        parts.append(head[at:start])
        end = head.find(b"-->", start + 2)
        if end < 0:
            return b"".join(parts)
        at = end + 3
    return b"".join([*parts, head[at:]])


def _codec(label: str) -> str | None:
    label = label.strip().strip("\"'").lower()
    name = _WEB.get(label, label)
    if name in _REFUSED:
        return None
    try:
        info = codecs.lookup(name)
    except (LookupError, ValueError):
        return None
    # codecs such as "hex" are no encodings of text
    return info.name if getattr(info, "_is_text_encoding", True) else None


def _guess(data: bytes) -> str | None:
    try:
        from charset_normalizer import from_bytes
    except ImportError:
        return None
    best = from_bytes(data).best()
    return str(best) if best is not None else None
