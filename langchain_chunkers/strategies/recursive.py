"""Separators from coarse to fine; with the default ones, the structure of the text."""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, Literal, Self

from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import SettingError
from langchain_chunkers.filling import best_place, fill
from langchain_chunkers.ladder import Rung
from langchain_chunkers.outline import Outline, Part, Strength
from langchain_chunkers.packing import Chunk, Limits, Packer
from langchain_chunkers.plain import read_plain
from langchain_chunkers.quick import pack_plain
from langchain_chunkers.settings import check_choice
from langchain_chunkers.strategies.fixed_size import refuse_least, refuse_stable
from langchain_chunkers.strategies.paragraph import LINE_BREAKS, LineBreaks

__all__ = ["RecursiveSplitter", "SeparatorRung"]

# Languages whose indentation means nothing, so that it may be stripped like other white space.
_PROSE = (Language.MARKDOWN, Language.LATEX, Language.HTML, Language.RST)
# LangChain names Perl and has no separators for it.
_PERL = [
    r"\n\s*package ",
    r"\n\s*sub ",
    r"\n=\w+",
    r"\n\s*(?:if|unless|for|foreach|while|until) ",
    r"\n\n",
    r"\n",
    " ",
    "",
]


class SeparatorRung:
    """Lists the places that one separator gives. Picklable, without state.

    Args:
        pattern: A regular expression; its groups have no effect.
        keep: ``"start"``: the separator begins the chunk behind it; ``"end"``: it ends the one before.
    """

    def __init__(self, pattern: str, keep: Literal["start", "end"]) -> None:
        self.pattern = re.compile(pattern)
        self.keep = keep

    def __call__(self, text: str, start: int, end: int) -> list[int]:
        """List the places with ``start < at < end``, ascending and without repeats."""
        # a match may begin before the stretch or end behind it, so look beyond both edges
        found = self.pattern.finditer(text, max(0, start - 64), min(len(text), end + 64))
        if self.keep == "start":
            ats = (match.start() for match in found)
        else:
            ats = (match.end() for match in found)
        return list(dict.fromkeys(at for at in ats if start < at < end))


class RecursiveSplitter(BaseSplitter):
    """Divides at the strongest places that make chunks fit: sections, paragraphs, sentences, words.

    A drop-in for LangChain's ``RecursiveCharacterTextSplitter`` and Pathway's ``RecursiveSplitter``.
    Without ``separators`` the structure of the text decides, in every script; with them, the
    separators from first to last, and below the last words and characters, so the cap always holds.

    Args:
        chunk_size: The cap, in units of ``length_function``; ``None`` for no cap.
        chunk_overlap: Units that a chunk may repeat of what came before.
        separators: Separators from coarse to fine; ``None`` for the structure of the text.
        is_separator_regex: The separators are regular expressions.
        keep_separator: Where a separator goes at a cut: ``True`` or ``"start"`` (to the chunk
            behind), ``"end"`` (to the one before), ``False`` (left out).
        encoding_name: Count tokens of this tiktoken encoding.
        model_name: Count tokens of this model; wins over ``encoding_name``.
        hf_tokenizer: Count tokens of this Hugging Face tokenizer.
        line_breaks: What a lone newline means: ``"auto"``, ``"wrapped"``, ``"paragraphs"``, ``"lines"``.
        keep_indentation: Keep the indentation of the first line of a chunk, as code needs it.
        packing: ``"structure"`` (whole siblings, evenly) or ``"fill"`` (as full as the cap allows).
        **options: Settings of `BaseSplitter`.

    Guarantees: sliced, lossless (unless ``keep_separator=False``), capped, whole characters,
    nested, overlap delivered, filled, stable, own metadata, bounded, total, portable.

    Cost: linear; some 100 MB/s in characters.

    Example:
        >>> splitter = RecursiveSplitter(chunk_size=60)
        >>> splitter.split_text(
        ...     "The pump failed at noon. The crew replaced the seal within an hour."
        ... )
        ['The pump failed at noon.', 'The crew replaced the seal within an hour.']
    """

    name = "recursive"
    plain = True

    def __init__(
        self,
        chunk_size: int | None = 500,
        chunk_overlap: int = 0,
        separators: Sequence[str] | None = None,
        is_separator_regex: bool = False,
        keep_separator: bool | Literal["start", "end"] = True,
        encoding_name: str | None = None,
        model_name: str | None = None,
        hf_tokenizer: Any = None,
        *,
        line_breaks: LineBreaks = "auto",
        keep_indentation: bool = False,
        packing: Literal["structure", "fill"] = "structure",
        length_function: Any = len,
        **options: Any,
    ) -> None:
        check_choice("line_breaks", line_breaks, LINE_BREAKS)
        check_choice("packing", packing, ("structure", "fill"))
        if encoding_name or model_name or hf_tokenizer is not None:
            length_function = _one_measure(length_function, encoding_name, model_name, hf_tokenizer)
        super().__init__(
            chunk_size, chunk_overlap, length_function, keep_separator=keep_separator, **options
        )
        if hf_tokenizer is not None:
            self._settings["hf_tokenizer"] = self._measure
        if isinstance(separators, str):
            msg = (
                f"separators must be a list of strings: got {separators!r}. Write [{separators!r}]."
            )
            raise SettingError(msg)
        given: Sequence[Any] = separators or ()
        wrong = [separator for separator in given if not isinstance(separator, str)]
        if wrong:
            msg = f"separators must be strings: got {wrong[0]!r}."
            raise SettingError(msg)
        self._separators = None if separators is None else list(separators)
        self._is_separator_regex = is_separator_regex
        self._line_breaks = line_breaks
        self._packing = packing
        if packing == "fill":
            refuse_least("packing='fill'", self._limits.least)
            refuse_stable("packing='fill'", self._limits.stable)
        if keep_indentation and self._limits.trim == "all":
            self._limits = dataclasses.replace(self._limits, trim="lines")
        self._rungs = self._separator_rungs()
        if self._rungs is not None and keep_separator is False:
            patterns = tuple(rung.places.pattern for rung in self._rungs)  # type: ignore[attr-defined]
            self._limits = dataclasses.replace(self._limits, dropped=patterns)

    def _separator_rungs(self) -> tuple[Rung, ...] | None:
        if self._separators is None:
            return None
        keep: Literal["start", "end"] = (
            "start" if self._keep_separator in (True, "start") else "end"
        )
        rungs = []
        for number, separator in enumerate(self._separators):
            if separator == "":
                break  # below it there are characters only
            try:
                pattern = separator if self._is_separator_regex else re.escape(separator)
                rung = SeparatorRung(pattern, keep)
            except re.error as error:
                msg = f"separators must be valid regular expressions: got {separator!r}: {error}."
                raise SettingError(msg) from None
            strength = max(Strength.WORD, Strength.SECTION1 - number)
            rungs.append(Rung(Strength(strength), rung))
        return tuple(rungs)

    def _quick(self, text: str) -> Sequence[Part] | None:
        """Give the chunks of plain paragraphs a short way; ``None`` for the engine."""
        parts = super()._quick(text)
        if parts is None and self._has_short_way:
            parts = pack_plain(text, self._limits, self.ladder)
        return parts

    @cached_property
    def _has_short_way(self) -> bool:
        """Whether all settings are those for which `pack_plain` is made."""
        given = (self._rungs, self._line_breaks, self._packing)
        usual = Limits(size=self._limits.size, oversize=self._limits.oversize)
        return self._is_direct and given == (None, "auto", "structure") and self._limits == usual

    def read(self, text: str) -> Outline:
        """Read plain text; nothing where the user's separators decide."""
        return read_plain(text, self._line_breaks) if self._rungs is None else Outline(text)

    def ladder(self, kind: str) -> Sequence[Rung]:
        """Give the user's separators, or the ladder of the kind."""
        return super().ladder(kind) if self._rungs is None else self._rungs

    def _chunks(self, outline: Outline) -> Iterator[Chunk]:
        return super()._chunks(outline) if self._packing == "structure" else self._filled(outline)

    def _filled(self, outline: Outline) -> Iterator[Chunk]:
        scale = self._measure.scale(outline.text)
        packer = Packer(outline, scale, self._limits, self.ladder)
        for chunk in fill(outline, scale, self._limits, self.ladder, best_place):
            start, end = packer.content(chunk.start, chunk.end)
            if max(start, chunk.fresh) < end:
                yield Chunk(start, end, max(start, chunk.fresh), chunk.strength)

    def _partition(self) -> dict[str, Any]:
        return {"keep_separator": True} if self._keep_separator is False else {}

    @classmethod
    def from_language(cls, language: Language | str, **kwargs: Any) -> Self:
        """Make a splitter with the separators of a programming or markup language.

        Args:
            language: A LangChain ``Language`` or its value, such as ``"python"``.
            **kwargs: Settings of the splitter.
        """
        try:
            found = Language(language)
        except ValueError:
            known = ", ".join(sorted(member.value for member in Language))
            msg = f"language {language!r} is not known. Languages are: {known}."
            raise SettingError(msg) from None
        kwargs.setdefault("keep_indentation", found not in _PROSE)
        separators = cls.get_separators_for_language(found)
        return cls(separators=separators, is_separator_regex=True, **kwargs)

    @staticmethod
    def get_separators_for_language(language: Language) -> list[str]:
        """Give the separators of a language, as regular expressions, coarse to fine."""
        if language is Language.PERL:
            return list(_PERL)
        return RecursiveCharacterTextSplitter.get_separators_for_language(language)


def _one_measure(length_function: Any, encoding: str | None, model: str | None, hf: Any) -> Any:
    """Make the one measure that the settings name."""
    if length_function is not len or (hf is not None and (encoding or model)):
        msg = (
            "Only one of length_function, encoding_name (or model_name) and hf_tokenizer can say "
            "what chunk_size counts: got several."
        )
        raise SettingError(msg)
    from langchain_chunkers.tokens import HuggingFaceMeasure, TiktokenMeasure

    if hf is not None:
        return hf if isinstance(hf, HuggingFaceMeasure) else HuggingFaceMeasure(hf)
    return TiktokenMeasure(encoding or "cl100k_base", model)
