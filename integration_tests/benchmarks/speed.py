"""How fast, beside the peers, on the same megabyte of English and of Chinese.

    python -m integration_tests.benchmarks.speed [--turns N]

Each contender runs by turns with LangChain's recursive splitter; what is printed is how many times
as fast it was (medians of the ratios, wall and CPU clock), and what its chunks are worth.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any, NamedTuple

from integration_tests.benchmarks import corpus, peers
from integration_tests.benchmarks.guarantees import Faults, counter, find_faults
from integration_tests.benchmarks.peers import SIZE_CHARACTERS, SIZE_TOKENS, Contender
from integration_tests.benchmarks.timing import Ratio, Times, by_turns, ratio

SIZES = {"characters": SIZE_CHARACTERS, "tokens": SIZE_TOKENS}


class Line(NamedTuple):
    """One contender on one language, in one unit."""

    contender: Contender
    speed: Ratio  # how many times as fast as LangChain's recursive splitter
    faults: Faults


def over(texts: tuple[str, ...], split: Callable[[str], Any]) -> Callable[[], None]:
    """Make the job of splitting all texts."""

    def job() -> None:
        for text in texts:
            split(text)

    return job


def is_baseline(contender: Contender) -> bool:
    """Whether it is the splitter that all are compared with."""
    return contender.name == "RecursiveCharacterTextSplitter"


def race(language: str, unit: str, turns: int) -> list[Line]:
    """Run all contenders of one unit on one language, by turns."""
    corpus.use_encodings()
    texts, size, count = corpus.documents(language), SIZES[unit], counter(unit)
    all_of_them = peers.contenders(size, 0, unit)
    times: list[list[Times]] = by_turns(
        [over(texts, c.texts) for c in all_of_them], turns, warm=unit == "characters"
    )
    base = times[[is_baseline(c) for c in all_of_them].index(True)]
    lines = []
    for contender, own in zip(all_of_them, times, strict=True):
        faults = Faults()
        for text in dict.fromkeys(texts):
            faults += find_faults(contender.pieces, text, size, count)
        lines.append(Line(contender, ratio(base, own), faults))
    return lines


HEADER = (
    "| splitter | times as fast | CPU time alone | chunks | over the cap | wrong offsets "
    "| lost characters | U+FFFD |\n|---|---:|---:|---:|---:|---:|---:|---:|"
)


def round_two(value: float) -> str:
    """Two digits: more would only show the machine's mood."""
    return f"{value:.2g}" if value < 10 else f"{value:.0f}"


def row(line: Line) -> str:
    """Write one line of the table."""
    contender, speed, faults = line
    cells = [
        round_two(speed.wall),
        round_two(speed.cpu),
        str(faults.chunks),
        str(faults.over_cap),
        str(faults.wrong_offsets) if faults.no_offsets < faults.chunks else "none given",
        str(faults.lost),
        str(faults.replaced),
    ]
    name = f"{contender.package} `{contender.name}`"
    if contender.ours:
        name, cells = f"**{contender.name}**", [f"**{cell}**" for cell in cells]
    return f"| {name} | " + " | ".join(cells) + " |"


def markdown(lines: list[Line]) -> str:
    """Write the table, the fastest first."""
    ordered = sorted(lines, key=lambda line: -line.speed.wall)
    return "\n".join([HEADER, *(row(line) for line in ordered)])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    for unit, size in SIZES.items():
        for language in corpus.LANGUAGES:
            megabytes = corpus.megabytes(corpus.documents(language))
            print(f"\n{language}, {megabytes:.1f} MB, {size} {unit}\n")
            print(markdown(race(language, unit, args.turns)), flush=True)


if __name__ == "__main__":
    main()
