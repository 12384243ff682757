"""Write docs/benchmarks.md: `make bench` does, or

python -m integration_tests.benchmarks.report
"""

from __future__ import annotations

import platform
from dataclasses import dataclass, field
from pathlib import Path

from integration_tests.benchmarks import bars, corpus, guarantees, peers, speed
from integration_tests.benchmarks.guarantees import Faults
from integration_tests.benchmarks.peers import Contender
from integration_tests.benchmarks.speed import round_two
from integration_tests.benchmarks.timing import Ratio

PAGE = Path(__file__).parents[2] / "docs" / "benchmarks.md"


@dataclass(repr=False)
class Results:
    """What was measured so far; `complete` measures the rest."""

    speed: dict[tuple[str, str], Ratio] = field(default_factory=dict)
    growth: dict[tuple[str, str], float] = field(default_factory=dict)
    imported: bars.Import | None = None
    violations: int | None = None
    whole: dict[str, float] = field(default_factory=dict)
    headings: dict[str, int] = field(default_factory=dict)
    faults: dict[str, dict[Contender, Faults]] = field(default_factory=dict)
    races: dict[tuple[str, str], list[speed.Line]] = field(default_factory=dict)


def complete(results: Results, turns: int = 3) -> str:
    """Measure what is missing, and write the page."""
    for name in bars.BARS:
        for language in corpus.LANGUAGES:
            if (name, language) not in results.speed:
                results.speed[name, language] = bars.measure(name, language)
    if not results.growth:
        results.growth.update(bars.growths(strip=True))
        results.growth.update(bars.growths(strip=False))
    results.imported = results.imported or bars.import_cost()
    if results.violations is None:
        results.violations = len(bars.contract_violations())
    results.whole = results.whole or bars.answers_kept_whole()
    results.headings = results.headings or bars.heading_only_chunks()
    for unit in speed.SIZES:
        if unit not in results.faults:
            results.faults[unit] = guarantees.table(unit)
        for language in corpus.LANGUAGES:
            if (language, unit) not in results.races:
                results.races[language, unit] = speed.race(language, unit, turns)
    return "\n".join(_page(results)) + "\n"


def _page(results: Results) -> list[str]:
    lines = [
        "# Benchmarks",
        "",
        "`make bench` measures what is below and writes this page. Everything on it is a count or a",
        "ratio: all contenders run by turns in one process, on the same texts, and what is reported is",
        "the median of the ratios within the turns. So the page says the same on a fast machine and on",
        "a slow one, give or take a tenth.",
        "",
        _versions(),
        "",
        "Texts: 1.2 MB of English (XQuAD, State of the Union, WikiText) and 1.0 MB of Chinese (XQuAD,",
        "DRCD), as documents of 1 to 60 kB; some 300 kB of each, repeated. Sources and licences:",
        "[integration_tests/data/SOURCES.md](../integration_tests/data/SOURCES.md).",
        "",
        "## Bars",
        "",
        *_bars(results),
        "",
        "## Guarantees",
        "",
        "Eleven hostile texts (Chinese without punctuation, Thai, emoji with joiners, stacked combining",
        "marks, one long word, code with CRLF, one line repeated, special-token strings, a table, runs of",
        "white space, lone surrogates) at size 64, without overlap and with 16. *Wrong offsets*: the text",
        "does not stand there, or the offset goes back. *Lost*: characters other than white space that",
        "no chunk has. *Broken characters*: chunks that begin with a combining mark, a joiner or the",
        "like. *Crashes*: of 22 calls.",
    ]
    for unit, found in results.faults.items():
        what = "tokens (cl100k_base)" if unit == "tokens" else unit
        lines += ["", f"### 64 {what}", "", guarantees.markdown(found)]
    lines += [
        "",
        "## Speed",
        "",
        "How many times as fast as LangChain's `RecursiveCharacterTextSplitter`, by the wall clock and in",
        "CPU time (peers in Rust and C++ take part; ours is Python, and uses threads for tokens).",
        "The other columns count what came out of the same texts.",
    ]
    for (language, unit), race in results.races.items():
        size = speed.SIZES[unit]
        lines += ["", f"### {language}, {size} {unit}", "", speed.markdown(race)]
    return lines


def _versions() -> str:
    known = peers.versions()
    ours = known.pop("langchain-chunkers")
    others = ", ".join(f"{name} {number}" for name, number in known.items())
    python = f"{platform.python_implementation()} {platform.python_version()}"
    return f"langchain-chunkers {ours}, {others}; {python}."


def _bars(results: Results) -> list[str]:
    lines = ["| what | bar | English | Chinese |", "|---|---:|---:|---:|"]
    for name, bar in bars.BARS.items():
        found = [results.speed[name, language] for language in corpus.LANGUAGES]
        cells = [round_two(min(r) if bar.at_most else max(r)) for r in found]
        sign, than = ("≤", "") if bar.at_most else ("≥", ", against LangChain's recursive")
        cells = [f"{cell}×" for cell in cells]
        lines.append(f"| {bar.what}{than} | {sign} {bar.bar:g}× | " + " | ".join(cells) + " |")
    worst = max(results.growth, key=lambda key: results.growth[key])
    imported, whole, headings = results.imported, results.whole, results.headings
    assert imported is not None
    return [
        *lines,
        "",
        "| what | bar | ours | LangChain |",
        "|---|---:|---:|---:|",
        (
            f"| time at 8× the text, the worst of {len(results.growth)} (splitter, unit and text; hostile "
            f"ones too: {worst[0]}, {worst[1]}) | ≤ 9× | {results.growth[worst]:.1f}× | |"
        ),
        f"| contract violations on hostile texts | 0 | {results.violations} | |",
        (
            f"| `import langchain_chunkers` beyond `import langchain_text_splitters` | ≤ 50 ms "
            f"| {min(imported.wall, imported.cpu):.0f} ms | |"
        ),
        (
            f"| answer sentences in one chunk, XQuAD Chinese, 200 characters | ≥ .985 "
            f"| {whole['ours']:.3f} | {whole['LangChain']:.3f} |"
        ),
        (
            f"| chunks that are a heading alone, 150 documents of CMRC 2018, 200 characters | 0 "
            f"| {headings['recursive']} | {headings['LangChain']} |"
        ),
    ]


if __name__ == "__main__":
    corpus.use_encodings()
    PAGE.write_text(complete(Results()), encoding="utf-8")
    print(PAGE.read_text(encoding="utf-8"))
