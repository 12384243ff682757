"""Front matter: where it ends, and what it says."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["front_matter_end", "parse_front_matter"]

_OPENING = re.compile(r"\ufeff?(---|\+\+\+)[ \t]*\r?\n(?![ \t]*\r?\n)")
_CLOSING = {
    "---": re.compile(r"(?m)^(?:---|\.\.\.)[ \t]*\r?$\n?"),
    "+++": re.compile(r"(?m)^\+\+\+[ \t]*\r?$\n?"),
}
# What begins a mapping: without it, two thematic breaks would be taken for front matter.
_FIRST = {
    "---": re.compile(r"(?:[ \t]*#[^\n]*\n)*[\"']?[\w$][^:\n]{0,200}:(?:[ \t\r\n]|$)"),
    "+++": re.compile(r"(?:[ \t]*(?:#[^\n]*)?\n)*(?:\[|[\"'\w][^=\n]{0,200}=)"),
}
_LARGEST = 1 << 14  # characters that are parsed: PyYAML makes some 50,000 a second
_DEEPEST = 400  # brackets: PyYAML's time grows with their square
_ALIAS = re.compile(r"(?:^|[\s\[{,:-])[&*][^\s*&]", re.MULTILINE)


def front_matter_end(text: str) -> int:
    """Give the end of the front matter at the start of a text; 0 if there is none.

    Args:
        text: Any string.

    Example:
        >>> front_matter_end("---\\ntitle: Pumps\\n---\\n\\n# Pumps")
        21
        >>> front_matter_end("---\\n\\nA thematic break.\\n\\n---\\n")
        0
    """
    opening = _OPENING.match(text)
    if opening is None:
        return 0
    mark = opening.group(1)
    closing = _CLOSING[mark].search(text, opening.end())
    first = _FIRST[mark].match(text, opening.end())
    if closing is None or first is None or first.end() > closing.start() + 1:
        return 0
    return closing.end()


def parse_front_matter(block: str) -> dict[str, Any] | None:
    """Read front matter as JSON values.

    Args:
        block: The front matter with its marks.

    Returns:
        Its mapping, dates and other values that JSON lacks as strings; ``None`` where it is no
        mapping, is broken, has YAML aliases (whose expansion knows no bound), is larger than 16 KB
        or has more than 400 brackets, or is YAML and PyYAML is not installed.

    Example:
        >>> parse_front_matter("+++\\ntitle = 'Pumps'\\ndate = 2024-05-01\\n+++\\n")
        {'title': 'Pumps', 'date': '2024-05-01'}
    """
    lines = block.lstrip("\ufeff").replace("\r\n", "\n").rstrip("\n")
    body = lines[lines.find("\n") + 1 : lines.rfind("\n") + 1]
    if len(body) > _LARGEST or body.count("[") + body.count("{") > _DEEPEST:
        return None
    try:
        found = _toml(body) if lines.startswith("+") else _yaml(body)
    except (ValueError, ImportError, RecursionError):
        return None
    plain = _json(found) if isinstance(found, Mapping) else None
    return plain or None


def _toml(body: str) -> Any:
    import tomllib

    return tomllib.loads(body)


def _yaml(body: str) -> Any:
    import yaml

    if _ALIAS.search(body):
        return None
    try:
        return yaml.safe_load(body)
    except (yaml.YAMLError, TypeError, AttributeError, OverflowError) as error:
        raise ValueError(str(error)) from error


def _json(value: Any) -> Any:
    """Make JSON values; what nests too deeply raises a RecursionError, as the parsers do."""
    if isinstance(value, Mapping):
        return {str(key): _json(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set):
        return [_json(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if value is None or isinstance(value, str | int):
        return value
    return value.isoformat() if hasattr(value, "isoformat") else str(value)
