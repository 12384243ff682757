"""HTML as tokens with their places in the source: tags, text, raw text, all else.

Follows the tokenizer of the HTML standard, for any string, in linear time. It differs on purpose
where the standard would swallow the rest of a document that somebody can still read: a tag that
never ends is text, a quote that never ends closes at the next ``>``, and an unclosed ``<title>`` ends at
the next tag. CDATA sections are text everywhere, as in XHTML and feeds.

Why not a library. Measured on 2 MB of pages, in one run on a busy machine: this module 6.2 MB/s, the
standard library's ``html.parser`` 3.0 (tags alone), tree-sitter-html 3.9 to parse and 2.2 to walk, in bytes that
must become characters. Beside that, on Python 3.11.7, ``html.parser`` raises for ``<![foo[``, loses the text
behind an unclosed script, and is quadratic: 12,000 times ``<a `` took 22 s, 3,000 times 1.5 s. So is
tree-sitter-html: 16,000 times ``<!--`` took 35 s. What ``html.parser`` does with broken markup also depends on
the version of Python, and the same page must give the same chunks on every machine. lxml knows no places but
lines, selectolax none.

Source: https://html.spec.whatwg.org/multipage/parsing.html#tokenization
"""

from __future__ import annotations

import re
from html import unescape

__all__ = [
    "CDATA",
    "END",
    "ENTITY",
    "OTHER",
    "RAW",
    "START",
    "TEXT",
    "Token",
    "attributes",
    "decoded",
    "is_xml",
    "tokenize",
]

Token = tuple[int, int, int, str]
"""Kind, start, end, and the name of the tag in lower case (``""`` for text and others)."""

START, END, TEXT, CDATA, RAW, OTHER = range(6)

_WS = r" \t\n\f\r"
# Possessive throughout, so that no input makes the patterns go back.
_VALUE = rf"""(?:"[^"]*+"|'[^']*+'|[^{_WS}>]*+)"""
_ATTRIBUTE = rf"[^{_WS}/>][^{_WS}/>=]*+(?:[{_WS}]*+=[{_WS}]*+{_VALUE})?+"
_TAG = re.compile(rf"</?+([a-zA-Z][^{_WS}/>]*+)(?:[{_WS}/]++|{_ATTRIBUTE})*+>")
_TAG_WITHOUT_QUOTES = re.compile(rf"</?+([a-zA-Z][^{_WS}/>]*+)[^>]*+>")
_ATTRIBUTES = re.compile(
    rf"([^{_WS}/>][^{_WS}/>=]*+)"
    rf"""(?:[{_WS}]*+=[{_WS}]*+(?:"([^"]*+)"|'([^']*+)'|([^{_WS}>]*+)))?+"""
)
_COMMENT_END = re.compile("--!?>")
_SCRIPT_MARK = re.compile(rf"<!--|-->|<(/?)script(?=[{_WS}/>])", re.IGNORECASE)

_RAW = {
    name: re.compile(rf"</{name}(?=[{_WS}/>])", re.IGNORECASE)
    for name in ("style", "xmp", "iframe", "noembed", "noframes", "textarea", "title")
}
_TO_THE_END = ("script", "style")  # unclosed, these hide the rest of a page in every browser


def is_xml(text: str) -> bool:
    """Say whether a document declares itself as XML, where ``<a/>`` has no content."""
    return text[:200].lstrip("\ufeff" + " \t\r\n").startswith("<?xml")


def tokenize(text: str) -> list[Token]:
    """List the tokens of a document; together they cover every character.

    Cost: linear.

    Example:
        >>> tokenize("a<B>c</b>") == [
        ...     (TEXT, 0, 1, ""),
        ...     (START, 1, 4, "b"),
        ...     (TEXT, 4, 5, ""),
        ...     (END, 5, 9, "b"),
        ... ]
        True
    """
    return _Tokenizer(text).run()


class _Tokenizer:
    def __init__(self, text: str) -> None:
        self.text, self.xml = text, is_xml(text)
        self.tokens: list[Token] = []
        self.names: dict[str, str] = {}
        self.last_end = text.rfind(">")
        self.last_cdata_end: int | None = None
        self.tag = _TAG
        self.foreign = 0  # depth of svg and math
        self.unclosed: set[str] = set()

    def run(self) -> list[Token]:
        text, find, tokens = self.text, self.text.find, self.tokens
        begin = at = 0
        while (at := find("<", at)) >= 0:
            token = self._markup(at)
            if token is None:
                at += 1
                continue
            if begin < at:
                tokens.append((TEXT, begin, at, ""))
            tokens.append(token)
            begin = at = token[2]
            if token[0] == START:
                begin = at = self._behind_start(token)
        if begin < len(text):
            tokens.append((TEXT, begin, len(text), ""))
        return tokens

    def _markup(self, at: int) -> Token | None:
        """Give the token that begins with the ``<`` at a place; ``None`` where it is text."""
        text = self.text
        sign = text[at + 1 : at + 2]
        if text.startswith("<!--", at):
            return self._comment(at)
        if at > self.last_end:
            return None
        closing = sign == "/"
        letter = text[at + 2 : at + 3] if closing else sign
        if "a" <= letter <= "z" or "A" <= letter <= "Z":
            found = self.tag.match(text, at)
            if found is None:
                # Quotes hide every ">" that is left. Once is enough to know it: linear time.
                self.tag = _TAG_WITHOUT_QUOTES
                found = self.tag.match(text, at)
                if found is None:
                    return None
            name = found.group(1).lower()
            name = self.names.setdefault(name, name)
            return END if closing else START, at, found.end(), name
        if sign == "!" and text.startswith("<![CDATA[", at):
            if self.last_cdata_end is None:
                self.last_cdata_end = text.rfind("]]>")
            if self.last_cdata_end > at:
                return CDATA, at, text.find("]]>", at + 9) + 3, ""
        if sign in ("!", "?", "/") and sign:
            return OTHER, at, text.find(">", at) + 1, ""
        return None

    def _comment(self, at: int) -> Token:
        for empty in ("<!-->", "<!--->"):
            if self.text.startswith(empty, at):
                return OTHER, at, at + len(empty), ""
        found = _COMMENT_END.search(self.text, at + 4)
        return OTHER, at, found.end() if found else len(self.text), ""

    def _behind_start(self, token: Token) -> int:
        """Add the raw text behind a start tag, if it has such; give the place where all goes on."""
        _, _, at, name = token
        if name in ("svg", "math"):
            self.foreign += self.text[at - 2] != "/"
        elif name == "plaintext":
            self.tokens.append((RAW, at, len(self.text), name))
            return len(self.text)
        elif name == "script" or name in _RAW:
            if self.text[at - 2] == "/" and (self.xml or self.foreign):
                return at
            end = self._raw_end(name, at)
            if end > at:
                self.tokens.append((RAW, at, end, name))
            return end
        return at

    def _raw_end(self, name: str, at: int) -> int:
        size = len(self.text)
        if name in self.unclosed:
            end = -1
        elif name == "script":
            end = _script_end(self.text, at)
        else:
            found = _RAW[name].search(self.text, at)
            end = found.start() if found else -1
        if end >= 0:
            return end
        self.unclosed.add(name)
        if name in _TO_THE_END:
            return size
        end = self.text.find("<", at)
        return end if end >= 0 else size


def _script_end(text: str, at: int) -> int:
    """Find the end tag of a script: one inside ``<!-- <script> … -->`` is none."""
    commented = doubled = False
    for found in _SCRIPT_MARK.finditer(text, at):
        mark = found.group()
        if mark == "<!--":
            commented = True
        elif mark == "-->":
            commented = doubled = False
        elif not found.group(1):
            doubled = commented
        elif doubled:
            doubled = False
        else:
            return found.start()
    return -1


# ------------------------------------------------------------------ character references

ENTITY = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9a-fA-F]++;?|[a-zA-Z][a-zA-Z0-9]{0,31}+;?)")
_SURE_ENTITY = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9a-fA-F]++;?|[a-zA-Z][a-zA-Z0-9]{0,31}+;)")


def decoded(reference: str) -> str:
    """Give what a character reference means, with or without its semicolon; itself if nothing.

    Example:
        >>> decoded("&copy;"), decoded("&copy"), decoded("&zzz;"), decoded("&#" + "9" * 5000)
        ('©', '©', '&zzz;', '\\ufffd')
    """
    if len(reference) > 12 and reference[1] == "#":
        digits = reference[2:].lstrip("xX0").rstrip(";")
        if len(digits) > 7:  # beyond Unicode; and int() refuses thousands of digits
            return "\ufffd"
    return unescape(reference)


def attributes(text: str, token: Token) -> dict[str, str]:
    """Give the attributes of a start tag by name in lower case; the first of a name counts.

    Example:
        >>> html = "<a HREF='?a=1&copy=2' x>"
        >>> attributes(html, tokenize(html)[0])
        {'href': '?a=1&copy=2', 'x': ''}
    """
    _, start, end, name = token
    found: dict[str, str] = {}
    for match in _ATTRIBUTES.finditer(text, start + 1 + len(name), end - 1):
        key, double, single, bare = match.groups()
        value = double or single or bare or ""
        if "&" in value:  # in attributes "&copy=" is no reference: URLs have such
            value = _SURE_ENTITY.sub(lambda m: decoded(m.group()), value)
        found.setdefault(key.lower(), value)
    return found
