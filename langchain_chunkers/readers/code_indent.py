"""Code without a grammar: what indentation and blank lines say.

A line that stands less deep than the one before it begins something new, unless it closes what came
before (``}``, ``end``, ``else``). How good a place is follows from how deep the line stands, and
whether a blank line is before it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from langchain_chunkers.outline import Strength

__all__ = ["Scale", "indentation_places"]

_LINE = re.compile(r"^([ \t]*)(?=[^\s])", re.MULTILINE)
_CLOSES = re.compile(
    r"[})\]>]|(?:end|else|elif|elsif|elseif|fi|done|esac|then|catch|except|finally|until|END)\b"
)
_COMMENT = re.compile(r"--|#|//|;|%|/\*|\*|\(\*|\{-|!|rem\b", re.IGNORECASE)
_TAB = 8


class Scale(NamedTuple):
    """Which strengths stand for how deep.

    Attributes:
        definitions: Of definitions, by depth.
        statements: Of everything else, by depth; weaker than all of ``definitions``.
        saturates: The last of ``statements`` stands for all that is deeper too, where there are few.
    """

    definitions: Sequence[Strength]
    statements: Sequence[Strength]
    saturates: bool = False

    def definition(self, depth: int) -> Strength:
        """Give the strength of a definition so deep."""
        return self.definitions[min(depth, len(self.definitions) - 1)]

    def statement(self, depth: int) -> Strength:
        """Give the strength of a statement so deep."""
        return self.statements[min(depth, len(self.statements) - 1)]


def indentation_places(text: str, scale: Scale) -> list[tuple[int, Strength]]:
    """List the places before lines, with strengths.

    Args:
        text: Any string.
        scale: Which strengths to give; a line at the margin behind a blank one is a definition.

    Cost: linear.

    Example:
        >>> scale = Scale([Strength.SECTION1], [Strength.BLOCK, Strength.LINE])
        >>> text = "to a\\n  x\\nend\\n\\nto b\\n  y\\nend\\n"
        >>> [(at, s.name) for at, s in indentation_places(text, scale)]
        [(14, 'SECTION1')]
    """
    found: list[tuple[int, Strength]] = []
    stack: list[int] = []
    last_end = 0
    begins = only_comments = True
    for match in _LINE.finditer(text):
        at, start = match.span()
        width = start - at if "\t" not in match.group(1) else len(match.group(1).expandtabs(_TAB))
        deeper = not stack or width > stack[-1]
        while stack and width < stack[-1]:
            stack.pop()
        if not stack or width > stack[-1]:
            stack.append(width)
        depth = len(stack) - 1
        blank = text.count("\n", last_end, at) > 1
        # the first line of something deeper stays with what opens it
        if not begins and not _CLOSES.match(text, start) and not (deeper and not blank):
            top = depth == 0 and blank and not only_comments  # these go with what follows
            only_comments = only_comments or top
            level = max(2 * depth - blank, 0)
            found.append((at, scale.definition(0) if top else scale.statement(level)))
        begins = False
        only_comments = only_comments and _COMMENT.match(text, start) is not None
        last_end = start
    return found
