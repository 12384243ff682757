"""Headings of Markdown: their titles, and lines that are headings by a pattern of the user's own."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from langchain_chunkers.ladder import content_start
from langchain_chunkers.outline import Strength

__all__ = ["CustomHeadings", "Heading", "Headings", "heading_title"]


class Heading(NamedTuple):
    """A heading from its first character to its end, and its title where a custom pattern found it."""

    start: int
    end: int
    level: int
    key: str | None = None
    title: str | None = None


def heading_title(raw: str) -> str:
    r"""Give the title of a heading as it is written, inline marks included.

    Args:
        raw: The heading with its marks.

    Example:
        >>> [heading_title(raw) for raw in ("## C# notes ##", "#", "Two\nlines\n---\n")]
        ['C# notes', '', 'Two lines']
    """
    title = raw.strip()
    if "\n" in title or "\r" in title:
        return " ".join([line.strip() for line in title.splitlines()[:-1]])
    title = title.lstrip("#").strip()
    if not title.endswith("#"):
        return title
    opened = title.rstrip("#")
    return title if opened and not opened[-1].isspace() else opened.rstrip()


class CustomHeadings:
    """Lines such as ``**Title**`` that are headings, as LangChain's ``custom_header_patterns``.

    Args:
        levels: The mark that stands at both ends of the line, and its level.
        names: Metadata keys by mark.
    """

    def __init__(self, levels: Mapping[str, int], names: Sequence[tuple[str, str]]) -> None:
        keys = dict(names)
        marks = sorted(keys.keys() & levels.keys(), key=len, reverse=True)
        self._patterns = [
            (mark, keys[mark], levels[mark], re.compile(f"{m}(?!{m})(.+?)(?<!{m}){m}$"))
            for mark in marks
            if (m := re.escape(mark))
        ]
        self.levels = [levels[mark] for mark in marks]

    def match(self, text: str, start: int, line_end: int) -> Heading | None:
        """Give the heading that the line is, or ``None``."""
        line = text[start:line_end].rstrip()
        for mark, key, level, pattern in self._patterns:
            found = pattern.match(line) if line.endswith(mark) else None
            title = found.group(1).strip() if found else ""
            if title.strip(mark + " "):
                return Heading(start, start + len(line), level, key, title)
        return None


class Headings:
    """The headings of a text, one after another: sections, and what each heading is glued to.

    Args:
        text: The text.
        flat: The same, flattened.
        names: Metadata keys of the levels that begin sections.
        facts: Metadata of all sections.
        weakest: The largest level that begins sections; 0 if none does.
        strip: Headings that begin sections are left out, and so glued to nothing.

    Attributes:
        glued: From each run of headings to the text behind it.
        listed: The headings that begin sections.
        sections: Where each section begins, and its metadata.
    """

    def __init__(
        self,
        text: str,
        flat: str,
        names: Mapping[int, str | None],
        facts: Mapping[str, Any],
        *,
        weakest: int,
        strip: bool,
    ) -> None:
        self._text, self._flat, self._names, self._facts = text, flat, names, facts
        self._strip = strip
        self.glued: list[tuple[int, int]] = []
        self.listed: list[Heading] = []
        self.sections: list[tuple[int, Mapping[str, Any]]] = [(0, facts)]
        self._path: list[tuple[int, str, str]] = []
        self._run: list[Heading] = []  # the headings right above, without text between
        self._run_line = 0
        # headings that begin no sections are weaker than all that do
        self._unlisted = Strength(Strength.section(weakest) - 1) if weakest else Strength.SECTION1

    def add(
        self, heading: Heading, line: int, inside: int, glue: int, best: dict[int, Strength]
    ) -> int:
        """Note a heading; give the place up to which it is glued to what follows.

        ``inside`` is the end of the container that it stands in, -1 if it stands in none.
        """
        chained = bool(self._run) and glue >= line
        if chained and heading.level <= self._run[-1].level:
            self._unglue()
            chained = False
        if not chained:
            self._run, self._run_line = [], line
        if inside < 0:
            inside = len(self._flat)
            at = self._run_line
            kind = self._section(heading, at)
            best[at] = max(kind, best.get(at, kind))
            if self.listed and self.listed[-1] is heading and self._strip:
                self._run = []
                return glue if not chained else self._glue_run(heading, inside)
        return self._glue_run(heading, inside)

    def _glue_run(self, heading: Heading, inside: int) -> int:
        """Glue a heading, and those right above, to what follows."""
        self._run.append(heading)
        after = content_start(self._flat, heading.end, inside)
        if after >= inside:
            return -1
        if len(self._run) > 1:
            self.glued[-1] = (self.glued[-1][0], after)
        else:
            self.glued.append((heading.start, after))
        return after

    def _unglue(self) -> None:
        """Take the glue off the last heading: one of its own rank follows, so it has no text."""
        first, last = self._run[0], self._run[-1]
        if first is last:
            self.glued.pop()
        else:
            self.glued[-1] = (first.start, last.start)

    def _section(self, heading: Heading, at: int) -> Strength:
        """Begin a section, if headings of this level do; give the strength of the place."""
        kind = Strength.section(heading.level)
        names = self._names
        if heading.title is None and heading.level not in names:
            return max(min(kind, self._unlisted), Strength.BLOCK)
        self.listed.append(heading)
        name = heading.key if heading.title is not None else names[heading.level]
        if name is not None:
            while self._path and self._path[-1][0] >= heading.level:
                self._path.pop()
            title = heading.title
            if title is None:
                title = heading_title(self._text[heading.start : heading.end])
            self._path.append((heading.level, name, title))
        known = {**self._facts, **{key: said for _, key, said in self._path}}
        if self.sections[-1][0] >= at:
            self.sections.pop()
        self.sections.append((at, known))
        return kind
