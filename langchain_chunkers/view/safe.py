"""Makes any string harmless in HTML, in a JSON block of a page, and in a terminal.

What no reader could see, or what could deceive one, is shown as its code point: control
characters (a terminal obeys them, HTML has no way to write some), lone surrogates (no encoding
has them), and the nine characters that override the order of text (source: Boucher and Anderson,
"Trojan Source", 2021). The implicit marks LRM, RLM and ALM stay: right-to-left text needs them,
and inside an isolated block they reach nothing else.
"""

from __future__ import annotations

import html
import json
import re
from typing import Any

__all__ = ["as_html", "as_json", "as_plain", "as_terminal"]

_HIDDEN = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f"  # controls but tab, LF and CR
    "\u202a-\u202e\u2066-\u2069"  # embeddings, overrides, isolates
    "\ud800-\udfff\ufdd0-\ufdef\ufffe\uffff"  # surrogates and noncharacters
)
_STAND_IN = re.compile(f"[{_HIDDEN}]")
_PLAIN = re.compile(f"[{_HIDDEN}\r\u200e\u200f\u061c]")
_JSON = re.compile("[<>&\u2028\u2029\x7f-\x9f\ud800-\udfff]")


def as_html(text: str) -> str:
    r"""Escape text for the inside of an element; hidden characters become ``<b class="u">``.

    A carriage return is written as a reference, since a parser would make a newline of it.

    Example:
        >>> as_html("<b>\x00\r")
        '&lt;b&gt;<b class="u">U+0000</b>&#13;'
    """
    escaped = html.escape(text, quote=True).replace("\r", "&#13;")
    return _STAND_IN.sub(lambda found: f'<b class="u">{_name(found)}</b>', escaped)


def as_plain(text: str) -> str:
    r"""Replace hidden characters in a text that stands alone, such as a name or a value.

    Example:
        >>> as_plain("invoice\u202efdp.exe")
        'invoice<U+202E>fdp.exe'
    """
    return _PLAIN.sub(lambda found: f"<{_name(found)}>", text)


def as_terminal(text: str) -> str:
    r"""Replace what a terminal would obey; newlines stay, and CR before LF goes.

    Example:
        >>> as_terminal("a\x1b[2J\r\nb")
        'a<U+001B>[2J\nb'
    """
    return as_plain(text.replace("\r\n", "\n"))


def as_json(value: Any) -> str:
    r"""Write JSON that a ``<script>`` element cannot be left by.

    Example:
        >>> as_json("</script>")
        '"\\u003c/script\\u003e"'
    """
    written = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", written)


def _name(found: re.Match[str]) -> str:
    return f"U+{ord(found.group()):04X}"
