"""The measurements behind the bars that this package has to clear; `test_bars.py` asserts them."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from statistics import median
from typing import Any, NamedTuple

import regex

from integration_tests.benchmarks import corpus
from integration_tests.benchmarks.guarantees import (
    counter,
    find_faults,
    hostile_texts,
    lost_characters,
)
from integration_tests.benchmarks.peers import Piece
from integration_tests.benchmarks.speed import over
from integration_tests.benchmarks.timing import (
    Job,
    Ratio,
    by_turns,
    compare,
    ratio,
    time_limit,
    timed,
)

# ------------------------------------------------------------------ speed beside LangChain


def recursive_characters(texts: tuple[str, ...]) -> tuple[Job, Job]:
    """LangChain's recursive splitter and ours, 1,000 characters, texts."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    from langchain_chunkers import RecursiveSplitter

    theirs = RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=0)
    return over(texts, theirs.split_text), over(texts, RecursiveSplitter(1000).split_text)


def fixed_characters(texts: tuple[str, ...]) -> tuple[Job, Job]:
    """LangChain's recursive splitter and our fixed one, 1,000 characters, texts."""
    from langchain_chunkers import FixedSizeSplitter

    slow, _ = recursive_characters(texts)
    return slow, over(texts, FixedSizeSplitter(1000).split_text)


def documents(texts: tuple[str, ...]) -> tuple[Job, Job]:
    """LangChain's recursive splitter and ours, 1,000 characters, documents with `start_index`."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    from langchain_chunkers import RecursiveSplitter

    options = {"chunk_size": 1000, "chunk_overlap": 0, "add_start_index": True}
    theirs, ours = RecursiveCharacterTextSplitter(**options), RecursiveSplitter(**options)
    return lambda: theirs.create_documents(texts), lambda: ours.create_documents(texts)


def recursive_tokens(texts: tuple[str, ...]) -> tuple[Job, Job]:
    """LangChain's recursive splitter and ours, 256 tokens of cl100k_base, texts."""
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    from langchain_chunkers import RecursiveSplitter

    options: dict[str, Any] = {"chunk_size": 256, "chunk_overlap": 0}
    theirs = RecursiveCharacterTextSplitter.from_tiktoken_encoder("cl100k_base", **options)
    ours = RecursiveSplitter.from_tiktoken_encoder("cl100k_base", **options)
    return over(texts, theirs.split_text), over(texts, ours.split_text)


def token_count(texts: tuple[str, ...]) -> tuple[Job, Job]:
    """Our token count splitter, and one bare encode of the same texts."""
    import tiktoken

    from langchain_chunkers import TokenCountSplitter

    encoding = tiktoken.get_encoding("cl100k_base")
    return over(texts, TokenCountSplitter().split_text), over(texts, encoding.encode_ordinary)


class Bar(NamedTuple):
    """What is timed, and how many times as long the first job must take (or may take)."""

    what: str
    jobs: Callable[[tuple[str, ...]], tuple[Job, Job]]
    bar: float
    at_most: bool = False

    def cleared(self, found: Ratio) -> bool:
        # a neighbour on the machine bends the wall clock, threads the CPU clock: either will do
        if self.at_most:
            return min(found) <= self.bar
        return max(found) >= self.bar


BARS = {
    "recursive": Bar("`RecursiveSplitter(1000)`, characters", recursive_characters, 2),
    "fixed": Bar("`FixedSizeSplitter(1000)`, characters", fixed_characters, 5),
    "documents": Bar("`create_documents`, `add_start_index`, characters", documents, 2.5),
    "tokens": Bar("`RecursiveSplitter.from_tiktoken_encoder`, 256", recursive_tokens, 2.5),
    "token_count": Bar("`TokenCountSplitter`, one bare encode", token_count, 1.6, at_most=True),
}


def measure(name: str, language: str, turns: int | None = None) -> Ratio:
    """Time the two jobs of a bar by turns."""
    corpus.use_encodings()
    slow, fast = BARS[name].jobs(corpus.documents(language))
    return compare(slow, fast, turns or (5 if "token" in name else 9))


# ------------------------------------------------------------------ linear time

SMALL = 64_000  # characters; 8 times as many is half a megabyte
SMALL_UNSTRIPPED = 160_000  # one run of white space: what is quadratic in its length shows late
# the splitters of plain text; each of the others has its own page of measurements
TEXT = ("fixed", "paragraph", "recursive", "sentence", "token")
LARGEST = 8_000_000
HANGS = 90.0  # seconds; all attempts of a sound splitter take two or three


def growing_texts() -> dict[str, Callable[[int], str]]:
    """Texts of any length: real and hostile."""
    english = "\n\n".join(corpus.documents("English"))
    chinese = "\n\n".join(corpus.documents("Chinese"))
    letters = regex.sub(r"[\W_]+", "", english)
    line = regex.sub(r"\s+", " ", english)
    return {
        "English": lambda n: english[:n],
        "Chinese": lambda n: (chinese * 2)[:n],
        "no spaces": lambda n: letters[:n],
        "newlines only": lambda n: "\n" * n,
        "spaces only": lambda n: " " * n,
        "dashes only": lambda n: "-" * n,
        "one repeated token": lambda n: (" hello" * (n // 6 + 1))[:n],
        "one long line": lambda n: line[:n],
        "nested brackets": lambda n: "[" * (n // 2) + "]" * (n // 2),
    }


def splitters(*, strip: bool = True) -> Iterator[tuple[str, Any]]:
    """The splitters of plain text, by name and unit."""
    from langchain_chunkers.base import registry

    corpus.use_encodings()
    for name in TEXT:
        kind = registry()[name]
        options: dict[str, Any] = {"strip_whitespace": strip}
        if name != "token":
            yield f"{name}, characters", kind(chunk_size=400, **options)
        yield f"{name}, tokens", kind.from_tiktoken_encoder(chunk_size=100, **options)


def growth(
    splitter: Any, make: Callable[[int], str], small_size: int = SMALL, attempts: int = 7
) -> float:
    """How many times as long 8 times the text takes; the lowest of some attempts, `inf` for a hang.

    Time can only be added by neighbours and caches, so the lowest is the nearest to the truth. What is
    done in no time is asked for more: below some milliseconds the larger text only measures where
    caches end.
    """
    while (
        small_size < LARGEST and min(timed(over((make(small_size),), splitter.split_text))) < 0.01
    ):
        small_size *= 4
    small, large = make(small_size), make(8 * small_size)
    # the small text 8 times, so that both jobs are as long and both clocks as exact
    jobs = [over((small,) * 8, splitter.split_text), over((large,), splitter.split_text)]
    found = float("inf")
    try:
        with time_limit(HANGS):
            splitter.split_text(small)
            for _ in range(attempts):
                few, much = by_turns(jobs, turns=1, warm=False)
                found = min(found, 8 * min(ratio(much, few)))
                if found <= 9:
                    break
    except TimeoutError:
        pass
    return found


def growths(*, strip: bool) -> Iterator[tuple[tuple[str, str], float]]:
    """Measure `growth` of all splitters, by splitter and text."""
    texts = growing_texts()
    for name, splitter in splitters(strip=strip):
        for text in texts if strip else UNSTRIPPED:
            size = SMALL if strip else SMALL_UNSTRIPPED
            key = name if strip else f"{name}, unstripped", text
            yield key, growth(splitter, texts[text], size)


UNSTRIPPED = ("newlines only", "spaces only")  # stripped, such text is gone at once

# ------------------------------------------------------------------ import

HEAVY = (
    "transformers", "torch", "docling", "tokenizers", "tensorflow", "sklearn", "scipy", "pandas",
    "spacy", "nltk", "sentence_transformers", "chonkie", "llama_index", "semchunk", "typer", "rich",
    "tqdm",
)  # fmt: skip

_IMPORT = """
import sys, time
import langchain_text_splitters
known = set(sys.modules)
wall, cpu = time.perf_counter(), time.process_time()
import langchain_chunkers
wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
print(wall, cpu, *{name.partition(".")[0] for name in set(sys.modules) - known})
"""


class Import(NamedTuple):
    """Milliseconds beyond langchain_text_splitters (medians), and the packages that came with it."""

    wall: float
    cpu: float
    packages: set[str]


def import_cost(runs: int = 9) -> Import:
    """Import in fresh interpreters, with bytecode cached, as an installed package has it."""
    walls, cpus, packages = [], [], set()
    with tempfile.TemporaryDirectory() as cache:
        setting = {"PYTHONPYCACHEPREFIX": cache, "PYTHONDONTWRITEBYTECODE": ""}
        for run in range(runs + 1):
            answer = subprocess.run(
                [sys.executable, "-c", _IMPORT],
                capture_output=True,
                text=True,
                check=True,
                env={**os.environ, **setting},
            )
            wall, cpu, *names = answer.stdout.split()
            if run:  # the first one compiles
                walls.append(float(wall) * 1000)
                cpus.append(float(cpu) * 1000)
                packages.update(names)
    return Import(median(walls), median(cpus), packages)


# ------------------------------------------------------------------ contract

_CLUSTER = regex.compile(r"\X")


def contract_violations(sizes: tuple[int, ...] = (8, 64, 400)) -> list[str]:
    """Check every splitter, unit, size and overlap on the hostile texts and on real ones."""
    from langchain_chunkers.base import registry

    corpus.use_encodings()
    texts = {
        **hostile_texts(),
        **{language: corpus.documents(language)[0][:3000] for language in corpus.LANGUAGES},
    }
    clusters = {
        name: {found.start() for found in _CLUSTER.finditer(text)} | {len(text)}
        for name, text in texts.items()
    }
    found: list[str] = []
    for kind_name in TEXT:
        kind = registry()[kind_name]
        for unit in ("characters", "tokens") if kind_name != "token" else ("tokens",):
            make: Any = kind.from_tiktoken_encoder if unit == "tokens" else kind
            for size in sizes:
                for overlap in (0, size // 4):
                    for strip in (True, False):
                        splitter = make(
                            chunk_size=size, chunk_overlap=overlap, strip_whitespace=strip
                        )
                        case = f"{kind_name} {size}/{overlap} {unit} strip={strip}"
                        for name, text in texts.items():
                            found += (
                                f"{case}, {name}: {what}"
                                for what in _violations(
                                    splitter, text, size, unit, overlap, strip, clusters[name]
                                )
                            )
    return found


def _violations(
    splitter: Any, text: str, size: int, unit: str, overlap: int, strip: bool, clusters: set[int]
) -> Iterator[str]:
    count = counter(unit)
    spans = splitter.split_spans(text)
    chunks = splitter.split_text(text)
    if [text[span.start : span.end] for span in spans] != chunks:
        yield "texts and spans differ"
    pieces = [Piece(chunk, span.start) for chunk, span in zip(chunks, spans, strict=True)]
    faults = find_faults(lambda _: pieces, text, size, count, overlapping=bool(overlap))
    if faults.wrong_offsets or faults.replaced or faults.lost:
        yield str(faults)
    covered = "".join(
        text[max(span.start, before) : span.end]
        for span, before in zip(spans, [0, *(span.end for span in spans)], strict=False)
    )
    if not strip and covered != text:
        yield "not the whole text"
    if strip and lost_characters(text, [covered]):
        yield "lost text"
    for span, chunk in zip(spans, chunks, strict=True):
        # one cluster above the cap is divided by code point: the one exception
        in_cluster = span.start not in clusters or span.end not in clusters
        if count(chunk) > size and not (in_cluster or len(_CLUSTER.findall(chunk)) == 1):
            yield f"{count(chunk)} {unit} at {span.start}"
        if in_cluster and not _within_large_cluster(text, span.start, span.end, size, count):
            yield f"half a character at {span.start}..{span.end}"


def _within_large_cluster(
    text: str, start: int, end: int, size: int, count: Callable[[str], int]
) -> bool:
    """Whether the clusters that hold the two ends are above the cap, where they are cut."""
    for at in (start, end):
        for found in _CLUSTER.finditer(text, max(0, at - 200)):
            if found.start() < at < found.end() and count(found.group()) <= size:
                return False
            if found.start() >= at:
                break
    return True


# ------------------------------------------------------------------ answers kept whole


def answers_kept_whole(size: int = 200) -> dict[str, float]:
    """Share of answer sentences of the Chinese XQuAD in one chunk."""
    from integration_tests.benchmarks import quality

    corpora, questions = quality.load(None, "xquad_zh")
    splits = {"ours": quality.ours(size), "LangChain": quality.langchain(size)}
    return {
        name: quality.intact(questions, {line["doc_id"]: split(line["text"]) for line in corpora})
        for name, split in splits.items()
    }


def heading_only_chunks(size: int = 200) -> dict[str, int]:
    """Chunks that are a heading and nothing else, in 150 documents of CMRC 2018."""
    from integration_tests.benchmarks import quality

    texts = [line["text"] for line in corpus.read_lines("cmrc2018.jsonl.gz")]
    splits = {
        "recursive": quality.ours(size),
        "sentence": quality.ours(size, "sentence"),
        "paragraph": quality.ours(size, "paragraph"),
        "LangChain": quality.langchain(size),
    }
    return {
        name: sum(quality.heading_only(text[s:e]) for text in texts for s, e in split(text))
        for name, split in splits.items()
    }
