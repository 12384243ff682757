"""What single elements of HTML mean: which are hidden, which addresses are safe, marks of lists."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from langchain_chunkers.readers.html_tokens import END, START, TEXT, Token, attributes
from langchain_chunkers.readers.html_tree import BLOCKS

__all__ = [
    "INLINE_BOXES",
    "LANDMARK_ROLES",
    "PERMALINKS",
    "ListState",
    "begin_list",
    "is_hidden",
    "item_mark",
    "language_of",
    "safe_url",
    "tex_of",
]

INLINE_BOXES = frozenset(
    [
        "audio", "button", "canvas", "embed", "iframe", "img", "input", "meter", "object", "progress",
        "select", "svg", "textarea", "video",
    ]
)  # fmt: skip
"""Elements that stand in a line as a box of their own: words at their sides are not one word."""
PERMALINKS = frozenset(["#", "¶", "§", "🔗", "\u200b"])
"""What documentation tools write as the text of a heading's link to itself."""
_HIDDEN = frozenset(
    [
        "annotation", "annotation-xml", "audio", "canvas", "datalist", "iframe", "meter", "noembed",
        "noframes", "noscript", "progress", "script", "select", "style", "template", "title", "video",
    ]
)  # fmt: skip
_HIDDEN_IN_SVG = frozenset(["defs", "desc", "metadata"])
_STYLE = re.compile(
    r"(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)", re.IGNORECASE
)
LANDMARK_ROLES = {
    "banner": "header",
    "complementary": "aside",
    "contentinfo": "footer",
    "main": "main",
    "navigation": "nav",
    "search": "search",
}


def is_hidden(
    name: str, found: Mapping[str, str], excluded: AbstractSet[str], *, svg: bool = False
) -> bool:
    """Say whether a reader of the page does not see what is in an element.

    ``aria-hidden`` counts on elements inside a line only: there it marks icons, and copies for the
    eye of formulas. On blocks it is set while a dialog is open, and may hold the whole page.
    """
    if name in _HIDDEN or name in excluded or (svg and name in _HIDDEN_IN_SVG):
        return True
    if name == "dialog" and "open" not in found:
        return True
    if not found:
        return False
    if "hidden" in found and found["hidden"].lower() != "until-found":
        return True
    if "style" in found and _STYLE.search(found["style"]):
        return True
    if found.get("aria-hidden") == "true" and name not in BLOCKS:
        return True
    return bool(excluded) and LANDMARK_ROLES.get(found.get("role", "")) in excluded


# ------------------------------------------------------------------ addresses

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_SAFE = frozenset(["ftp", "http", "https", "mailto", "tel"])
_IGNORED = re.compile(
    "[\x00-\x1f\x7f]"
)  # browsers drop these inside an address, "java\nscript:" too
_QUOTED = {" ": "%20", "(": "%28", ")": "%29", "<": "%3C", ">": "%3E", "\xa0": "%C2%A0"}


def safe_url(address: str) -> str:
    """Give an address as it may stand in Markdown; "" for one that is empty or not safe.

    Safe are relative addresses and the schemes http, https, ftp, mailto and tel: no others.

    Example:
        >>> safe_url(" a b"), safe_url("JAVA\\nscript:alert(1)"), safe_url("data:text/html,x")
        ('a%20b', '', '')
    """
    address = _IGNORED.sub("", address).strip()
    scheme = _SCHEME.match(address)
    if scheme is not None and scheme.group(1).lower() not in _SAFE:
        return ""
    return "".join(_QUOTED.get(character, character) for character in address)


# ------------------------------------------------------------------ lists


@dataclass(slots=True)
class ListState:
    """A list that is open: how its items are marked, and whether an item is open.

    Attributes:
        kind: ``"1"``, ``"a"``, ``"A"``, ``"i"`` or ``"I"`` for ordered lists, else ``""``.
        number: That of the next item.
        step: What is added for each.
        inside: An item is open.
    """

    kind: str = ""
    number: int = 1
    step: int = 1
    inside: bool = False


def begin_list(name: str, found: Mapping[str, str]) -> ListState:
    """Open a list."""
    if name != "ol":
        return ListState()
    kind = found.get("type", "1")
    step = -1 if "reversed" in found else 1
    return ListState(
        kind if kind in "aAiI" and kind else "1", _integer(found.get("start"), 1), step
    )


def item_mark(state: ListState | None, found: Mapping[str, str]) -> str:
    """Give the mark of the next item, the space behind it included, and count it."""
    if state is None or not state.kind:
        return "- "
    number = _integer(found.get("value"), state.number)
    state.number = number + state.step
    return f"{_numeral(number, state.kind)}. "


def _integer(value: str | None, default: int) -> int:
    """Read a number of up to nine digits, as longer ones are no numbers of items."""
    found = re.match(r"\s*([+-]?[0-9]{1,9})(?![0-9])", value or "")
    return int(found.group(1)) if found else default


def _numeral(number: int, kind: str) -> str:
    if kind in "aA" and 1 <= number <= 26:
        letter = chr(ord("a") + number - 1)
        return letter if kind == "a" else letter.upper()
    if kind in "iI" and 1 <= number <= 399:
        roman = ""
        for value, sign in zip(
            (100, 90, 50, 40, 10, 9, 5, 4, 1),
            ("c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"),
            strict=True,
        ):
            roman += sign * (number // value)
            number %= value
        return roman if kind == "i" else roman.upper()
    return str(number)


# ------------------------------------------------------------------ code and formulas

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight-source)-([\w+#.-]{1,40})")


def language_of(text: str, tokens: Sequence[Token], number: int) -> dict[str, str]:
    """Give ``{"language": …}`` for preformatted code, ``""`` where it is not said; else ``{}``."""
    for token in tokens[number : number + 3]:
        kind, _, _, name = token
        if kind != START or name not in ("pre", "code"):
            continue
        found = _LANGUAGE.search(attributes(text, token).get("class", ""))
        if found is not None or name == "code":
            return {"language": found.group(1) if found is not None else ""}
    return {}


def tex_of(text: str, tokens: Sequence[Token], number: int) -> tuple[int, int]:
    """Find the TeX that a formula in MathML has with it: its place, or an empty one."""
    for index in range(number + 1, len(tokens) - 1):
        kind, _, _, name = tokens[index]
        if name == "math":
            break
        if kind == START and name == "annotation" and tokens[index + 1][0] == TEXT:
            if "tex" in attributes(text, tokens[index]).get("encoding", ""):
                return tokens[index + 1][1:3]
        elif kind == END and name in ("body", "table"):
            break
    return 0, 0
