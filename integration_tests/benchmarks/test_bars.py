"""The bars that this package has to clear, measured beside its peers in one run: `make bench`."""

from __future__ import annotations

import pytest

from integration_tests.benchmarks import bars, corpus, guarantees, report

pytestmark = pytest.mark.slow


@pytest.fixture(scope="session")
def results() -> report.Results:
    """What the tests below find, for the page that the last of them writes."""
    return report.Results()


@pytest.mark.parametrize("language", corpus.LANGUAGES)
@pytest.mark.parametrize("name", bars.BARS)
def test_speed(name: str, language: str, results: report.Results) -> None:
    bar = bars.BARS[name]
    found = bars.measure(name, language)
    if not bar.cleared(found):
        found = bars.measure(name, language)  # one bad minute of a shared machine is forgiven
    results.speed[name, language] = found
    print(f"\n{bar.what}, {language}: {found}, bar {bar.bar}")
    assert bar.cleared(found)


@pytest.mark.parametrize("language", corpus.LANGUAGES)
def test_caps_and_offsets_in_tokens(language: str) -> None:
    from integration_tests.benchmarks import peers

    count = guarantees.counter("tokens")
    faults = guarantees.Faults()
    for contender in peers.contenders(256, 0, "tokens"):
        for text in dict.fromkeys(corpus.documents(language)) if contender.ours else ():
            faults += guarantees.find_faults(contender.pieces, text, 256, count)
    assert faults.chunks > 1000
    assert faults.total == faults.no_offsets == 0


_SPLITTERS = dict(bars.splitters())
_UNSTRIPPED = dict(bars.splitters(strip=False))
_TEXTS = bars.growing_texts()


@pytest.mark.parametrize("text", _TEXTS)
@pytest.mark.parametrize("name", _SPLITTERS)
def test_time_is_linear(name: str, text: str, results: report.Results) -> None:
    found = bars.growth(_SPLITTERS[name], _TEXTS[text])
    results.growth[name, text] = found
    print(f" {found:.1f}", end="")
    assert found <= 9


@pytest.mark.parametrize("text", bars.UNSTRIPPED)
@pytest.mark.parametrize("name", _UNSTRIPPED)
def test_time_is_linear_unstripped(name: str, text: str, results: report.Results) -> None:
    found = bars.growth(_UNSTRIPPED[name], _TEXTS[text], bars.SMALL_UNSTRIPPED)
    results.growth[f"{name}, unstripped", text] = found
    print(f" {found:.1f}", end="")
    assert found <= 9


def test_import(results: report.Results) -> None:
    found = bars.import_cost()
    results.imported = found
    print(f"\nimport: {found.wall:.0f} ms ({found.cpu:.0f} CPU), with {sorted(found.packages)}")
    assert min(found.wall, found.cpu) <= 50
    assert not found.packages & set(bars.HEAVY)


def test_contract_holds_on_hostile_texts(results: report.Results) -> None:
    found = bars.contract_violations()
    results.violations = len(found)
    assert not found, f"{len(found)} violations, such as\n" + "\n".join(found[:20])


def test_answer_sentences_stay_whole(results: report.Results) -> None:
    results.whole = bars.answers_kept_whole()
    print("\nxquad_zh, 200 characters:", results.whole)
    assert results.whole["ours"] >= 0.985


def test_no_heading_stands_alone(results: report.Results) -> None:
    results.headings = bars.heading_only_chunks()
    print("\ncmrc2018, 150 documents, 200 characters:", results.headings)
    assert all(not n for name, n in results.headings.items() if name != "LangChain")


@pytest.mark.parametrize("unit", ["tokens", "characters"])
def test_no_fault_on_hostile_texts(unit: str, results: report.Results) -> None:
    found = guarantees.table(unit)
    results.faults[unit] = found
    print(f"\n{guarantees.markdown(found)}")
    for contender, faults in found.items():
        assert not contender.ours or faults.total == faults.no_offsets == 0, contender.name


def test_the_page_is_written(results: report.Results) -> None:
    """Not a bar: runs the race with all peers, and writes docs/benchmarks.md."""
    page = report.complete(results)
    print(f"\n{page}")
    report.PAGE.write_text(page, encoding="utf-8")
