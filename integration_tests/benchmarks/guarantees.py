"""What a splitter's chunks are worth: over the cap, wrong offsets, lost text, broken characters.

    python -m integration_tests.benchmarks.guarantees

Eleven hostile texts, counted for this package and for its peers by the same code, which takes
nothing from this package.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, Self

import regex

from integration_tests.benchmarks import corpus, peers
from integration_tests.benchmarks.peers import Contender, Piece

_BROKEN_START = regex.compile(r"[\p{M}\u200d\ufe0f\U0001f3fb-\U0001f3ff]")
_SPACE = regex.compile(r"\s+")


@cache
def hostile_texts() -> dict[str, str]:
    """Texts that occur in real collections and that splitters break; the same each time."""
    rng = random.Random(0)
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    family = "👩‍👩‍👧‍👦👍🏽🇫🇷🏳️‍🌈"
    hanzi = [chr(code) for code in range(0x4E00, 0x9FA5)]
    return {
        "Chinese without punctuation": "".join(rng.choice(hanzi) for _ in range(1500)),
        "Thai": "ภาษาไทยเขียนติดกันโดยไม่มีช่องว่างระหว่างคำ" * 25,
        "emoji with joiners": family * 60,
        "combining marks": "".join(f"a{chr(0x300 + i % 60)}e\u0301\u0323 " for i in range(400)),
        "one long word": "".join(rng.choice(letters) for _ in range(3000)),
        "code with CRLF": "def f(x):\r\n\tif x:\r\n\t\treturn f(x - 1)  # again\r\n\r\n" * 60,
        "one line repeated": "The same line again.\n" * 200,
        "special-token strings": "<|endoftext|> and <|im_start|>user\n<|fim_prefix|>" * 40,
        "Markdown table": "# Title\n\n| a | b |\n|---|---|\n" + "| one cell | 1,234.56 |\n" * 120,
        "runs of white space": "word" + (" " * 90 + "\n\n\n\n\t\t" + "word, word.") * 40,
        "lone surrogates and NUL": "half \ud83d a pair, \x00 zero, \udc00 low. " * 60,
    }


@dataclass
class Faults:
    """Counts of what went wrong; all 0 for a splitter that can be trusted."""

    chunks: int = 0
    over_cap: int = 0
    largest: int = 0
    wrong_offsets: int = 0
    no_offsets: int = 0
    lost: int = 0
    replaced: int = 0
    broken: int = 0
    crashes: int = 0

    def __iadd__(self, other: Faults) -> Self:
        for field in fields(self):
            both = getattr(self, field.name), getattr(other, field.name)
            setattr(self, field.name, max(both) if field.name == "largest" else sum(both))
        return self

    @property
    def total(self) -> int:
        return sum(
            getattr(self, field.name)
            for field in fields(self)
            if field.name not in ("chunks", "largest", "no_offsets")
        )


def find_faults(
    split: Callable[[str], list[Piece]],
    text: str,
    size: int,
    count: Callable[[str], int],
    *,
    overlapping: bool = False,
) -> Faults:
    """Split a text, and count what is wrong with the chunks.

    An offset is wrong if the text does not stand there, or if it goes back before the chunk
    before, as a search gives it that finds an earlier copy. Lost are characters, white space aside,
    that no chunk has; they are counted without overlap only.
    """
    try:
        pieces = split(text)
    except Exception:  # noqa: BLE001 - whatever a peer raises: that is what is counted
        return Faults(crashes=1)
    faults = Faults(chunks=len(pieces))
    before = -1
    for chunk, start in pieces:
        units = count(chunk)
        if units > size:
            faults.over_cap += 1
            faults.largest = max(faults.largest, units)
        if start is None:
            faults.no_offsets += 1
        elif start < 0 or start <= before or text[start : start + len(chunk)] != chunk:
            faults.wrong_offsets += 1
        before = max(before, -1 if start is None else start)
        faults.broken += bool(_BROKEN_START.match(chunk))
    faults.replaced = max(0, sum(p.text.count("\ufffd") for p in pieces) - text.count("\ufffd"))
    if not overlapping:
        faults.lost = lost_characters(text, (piece.text for piece in pieces))
    return faults


def lost_characters(text: str, chunks: Iterable[str]) -> int:
    """Count characters of the text, white space aside, that are not in the chunks."""
    whole = _SPACE.sub("", text)
    joined = _SPACE.sub("", "".join(chunks))
    return 0 if whole == joined else (Counter(whole) - Counter(joined)).total()


def counter(unit: str) -> Callable[[str], int]:
    """Count as the user's own tokenizer does; lone surrogates as tiktoken takes them."""
    if unit == "characters":
        return len
    encoding: Any = peers._encoding()
    return lambda text: len(encoding.encode_ordinary(text))


def table(unit: str = "tokens", size: int = 64, overlap: int = 16) -> dict[Contender, Faults]:
    """Count the faults of all contenders over the eleven texts, without and with overlap."""
    corpus.use_encodings()
    count = counter(unit)
    found: dict[tuple[str, str], tuple[Contender, Faults]] = {}
    for units in (0, overlap):
        for contender in peers.contenders(size, units, unit):
            key = contender.package, contender.name
            _, faults = found.setdefault(key, (contender, Faults()))
            for text in hostile_texts().values():
                faults += find_faults(contender.pieces, text, size, count, overlapping=bool(units))
    return dict(found.values())


HEADER = (
    "| splitter | chunks | over the cap (largest) | wrong offsets | lost characters | U+FFFD "
    "| broken characters | crashes |\n|---|---:|---:|---:|---:|---:|---:|---:|"
)


def row(contender: Contender, faults: Faults) -> str:
    """Write one line of the table."""
    over = f"{faults.over_cap} ({faults.largest})" if faults.over_cap else "0"
    cells = [
        str(faults.chunks),
        over,
        str(faults.wrong_offsets) if faults.no_offsets < faults.chunks else "none given",
        *(str(n) for n in (faults.lost, faults.replaced, faults.broken, faults.crashes)),
    ]
    name = f"{contender.package} `{contender.name}`"
    if contender.ours:
        name = f"**{contender.name}**"
        cells = [f"**{cell}**" for cell in cells]
    return f"| {name} | " + " | ".join(cells) + " |"


def markdown(found: dict[Contender, Faults]) -> str:
    """Write the table."""
    return "\n".join([HEADER, *(row(c, faults) for c, faults in found.items())])


if __name__ == "__main__":
    for unit in ("tokens", "characters"):
        print(f"\n64 {unit}, the eleven texts without overlap and with 16\n")
        print(markdown(table(unit)))
