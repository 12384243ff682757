"""Measure sentence splitters on tests/data/sentences.json: boundary F1, exact texts, speed.

    python integration_tests/benchmarks/sentences.py [--errors NAME] [--langs en,de] [--no-speed]

Takes the libraries that are installed (sentencex, pysbd, blingfire, icu4py, syntok, razdel) and
`SentenceSplitter`; none is needed. A boundary is the first character of a sentence that is not
white space, so where a library leaves the white space makes no difference to the score.
"""

from __future__ import annotations

import argparse
import gzip
import itertools
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

Split = Callable[[str, str], list[str]]  # (text, language) -> sentences
Found = tuple[set[int], str]  # boundaries, and what was lost: "" | "space" | "text"

GOLD = Path(__file__).parents[2] / "tests" / "data" / "sentences.json"
DATA = Path(__file__).parent.parent / "data"
PIECE = 100_000  # characters a call; pysbd takes a second for each 100 kB
BUDGET = 20.0  # seconds for one library and one text; the slow ones see less than 1 MB


def spans_to_texts(text: str, spans: Iterator[tuple[int, int]]) -> list[str]:
    return [text[start:end] for start, end in spans]


def ours() -> dict[str, Split]:
    from langchain_chunkers import SentenceSplitter

    splitter = SentenceSplitter(chunk_size=None, strip_whitespace=False)
    return {
        "ours": lambda text, _: spans_to_texts(
            text, ((s.start, s.end) for s in splitter.split_spans(text))
        )
    }


def sentencex() -> dict[str, Split]:
    from sentencex import get_sentence_boundaries

    def split(text: str, lang: str) -> list[str]:
        found = get_sentence_boundaries(lang, text)
        return spans_to_texts(text, ((b["start_index"], b["end_index"]) for b in found))

    return {"sentencex": split}


def pysbd() -> dict[str, Split]:
    import pysbd
    from pysbd.languages import LANGUAGE_CODES

    made: dict[str, Any] = {}

    def split(text: str, lang: str) -> list[str]:
        code = lang if lang in LANGUAGE_CODES else "en"
        if code not in made:
            made[code] = pysbd.Segmenter(code, clean=False)
        return made[code].segment(text)

    return {"pysbd": split}


def blingfire() -> dict[str, Split]:
    from blingfire import text_to_sentences_and_offsets

    return {
        "blingfire": lambda text, _: spans_to_texts(text, text_to_sentences_and_offsets(text)[1])
    }


def icu() -> dict[str, Split]:
    from icu4py.breakers import SentenceBreaker

    # Not .segments(): its numbers count UTF-16 units, so they are wrong after an emoji.
    return {
        "icu": lambda text, lang: list(SentenceBreaker(text, lang)),
        "icu ss": lambda text, lang: list(SentenceBreaker(text, f"{lang}@ss=standard")),
    }


def syntok() -> dict[str, Split]:
    from syntok.segmenter import analyze

    def split(text: str, _: str) -> list[str]:
        sentences = (list(sentence) for paragraph in analyze(text) for sentence in paragraph)
        return spans_to_texts(
            text, ((s[0].offset, s[-1].offset + len(s[-1].value)) for s in sentences)
        )

    return {"syntok": split}


def razdel() -> dict[str, Split]:
    from razdel import sentenize

    return {"razdel": lambda text, _: [s.text for s in sentenize(text)]}


def one_regex() -> dict[str, Split]:
    """The floor: what one pattern of the standard library reaches."""
    space = r"""(?<=[.!?…։؟۔।॥።။។;])["'”’»)\]]*\s+|\n\s*\n\s*"""
    full_width = r"[。！？．]+[」』”’）]*"
    pattern = re.compile(rf"{space}|{full_width}\s*")

    def split(text: str, _: str) -> list[str]:
        cuts = [0, *(m.end() for m in pattern.finditer(text)), len(text)]
        return spans_to_texts(text, itertools.pairwise(cuts))

    return {"one regex": split}


def installed() -> dict[str, Split]:
    found: dict[str, Split] = {}
    for make in (ours, sentencex, icu, pysbd, blingfire, syntok, razdel, one_regex):
        try:
            found |= make()
        except ImportError as missing:
            print(f"left out: {make.__name__} ({missing})")
    return found


def boundaries(text: str, sentences: list[str]) -> Found:
    """Find where the sentences start in the text, by counting characters that are not white space.

    Works for libraries that drop or rewrite white space, and never searches.
    """
    visible = [i for i, c in enumerate(text) if not c.isspace()]
    starts, seen = set(), 0
    for sentence in sentences:
        if seen < len(visible) and sentence.strip():
            starts.add(visible[seen])
        seen += sum(not c.isspace() for c in sentence)
    joined = "".join(sentences)
    lost = "" if joined == text else "space"
    if "".join(joined.split()) != "".join(text.split()):
        lost = "text"
    return starts - set(visible[:1]), lost


def language(entry: dict[str, Any]) -> str:
    """The code given to a library: the first language of a mixed text, without the script."""
    return re.split(r"[-+]", entry["lang"])[0]


def score(split: Split, entries: list[dict[str, Any]]) -> dict[str, Any]:
    hit = extra = missed = exact = 0
    lost: set[str] = set()
    wrong = []
    for entry in entries:
        gold, _ = boundaries(entry["text"], entry["sentences"])
        found, what = boundaries(entry["text"], split(entry["text"], language(entry)))
        hit, extra, missed = (
            hit + len(gold & found),
            extra + len(found - gold),
            missed + len(gold - found),
        )
        lost.add(what)
        if gold == found:
            exact += 1
        else:
            wrong.append((entry, sorted(found - gold), sorted(gold - found)))
    total = 2 * hit + extra + missed
    f1 = 2 * hit / total if total else 1.0
    return {"f1": f1, "exact": exact, "n": len(entries), "lost": lost, "wrong": wrong}


def pieces(name: str) -> list[str]:
    """The first megabyte of a corpus, in pieces, each of whole paragraphs where it can be."""
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        return []
    lines = gzip.decompress(path.read_bytes()).decode().splitlines()
    whole = "\n\n".join(json.loads(line)["text"] for line in lines)
    whole = whole.encode()[:1_000_000].decode(errors="ignore")
    out, at = [], 0
    while at < len(whole):
        end = whole.rfind("\n", at, at + PIECE) + 1 if at + PIECE < len(whole) else len(whole)
        end = end if end > at else at + PIECE
        out.append(whole[at:end])
        at = end
    return out


def speed(split: Split, texts: list[str], lang: str) -> float:
    """Megabytes (UTF-8) a second."""
    split(texts[0][:1000], lang)
    done, began = 0, time.perf_counter()
    for text in texts:
        split(text, lang)
        done += len(text.encode())
        if time.perf_counter() - began > BUDGET:
            break
    return done / 1e6 / (time.perf_counter() - began)


def row(*cells: object) -> None:
    print("| " + " | ".join(map(str, cells)) + " |")


def table(libraries: dict[str, Split], gold: list[dict[str, Any]], timed: bool) -> None:
    langs = list(dict.fromkeys(entry["lang"] for entry in gold))
    row("boundary F1 (exact texts)", "texts", *libraries)
    row("---", "---:", *["---:"] * len(libraries))
    for lang in [*langs, "all"]:
        entries = [entry for entry in gold if lang in (entry["lang"], "all")]
        scores = [score(split, entries) for split in libraries.values()]
        row(lang, len(entries), *(f"{s['f1']:.2f} ({s['exact']})" for s in scores))
    losses = [
        max(score(split, gold)["lost"], key=["", "space", "text"].index)
        for split in libraries.values()
    ]
    row("lost by joining", "", *(lost or "nothing" for lost in losses))
    for name, lang in (("english", "en"), ("chinese", "zh")) if timed else ():
        texts = pieces(name)
        if texts:
            speeds = [speed(split, texts, lang) for split in libraries.values()]
            row(f"MB/s, {name} ({lang})", "", *(f"{s:.2f}" for s in speeds))


def show_errors(split: Split, gold: list[dict[str, Any]]) -> None:
    for entry, extra, missed in score(split, gold)["wrong"]:
        marked = "".join(
            ("[+]" if i in extra else "[-]" if i in missed else "") + c
            for i, c in enumerate(entry["text"])
        )
        print(entry["lang"], repr(marked), "#", entry["note"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--langs", help="only these, with commas between")
    parser.add_argument("--errors", help="show where this library adds [+] or misses [-] one")
    parser.add_argument("--no-speed", action="store_true")
    args = parser.parse_args()
    gold = json.loads(GOLD.read_text(encoding="utf-8"))
    if args.langs:
        gold = [entry for entry in gold if entry["lang"] in args.langs.split(",")]
    libraries = installed()
    if args.errors:
        show_errors(libraries[args.errors], gold)
    else:
        table(libraries, gold, not args.no_speed)


if __name__ == "__main__":
    main()
