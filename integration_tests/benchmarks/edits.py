"""What one edit of a long document costs an index: chunks to embed again, and ids that changed.

Real documents of a hundred pages; one edit each time: something inserted, deleted or replaced, in
the first, the middle or the last tenth. Run as a program, it prints the table of the
how-to "re-index only what changed": ``python -m integration_tests.benchmarks.edits``.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache
from itertools import product
from statistics import median
from typing import Any, NamedTuple
from uuid import NAMESPACE_OID, uuid5

from langchain_core.documents import Document

from integration_tests.benchmarks import corpus

PAGES = 300_000  # characters: a hundred printed pages
SIZE = 256  # tokens of cl100k_base, no overlap
EDITS = 100

Chunks = list[tuple[str, str]]
"""The text of each chunk, and the id that the library gives it where it is indexed."""


class Edit(NamedTuple):
    """``text[start:end]`` becomes ``new``."""

    start: int
    end: int
    new: str

    def __call__(self, text: str) -> str:
        return text[: self.start] + self.new + text[self.end :]


class Cost(NamedTuple):
    """Of one edit: chunks whose text was not there before, and ids that were not."""

    texts: int
    ids: int


@cache
def documents() -> dict[str, str]:
    """Give long documents: encyclopedia, papers, reports of companies, and Chinese."""
    chroma = {line["doc_id"]: line["text"] for line in corpus.read_lines("chroma/corpora.jsonl.gz")}
    english = [line["text"] for line in corpus.read_lines("english.jsonl.gz")]
    chinese = [
        line["text"]
        for name in ("chinese.jsonl.gz", "cmrc2018.jsonl.gz")
        for line in corpus.read_lines(name)
    ]
    whole = {
        "encyclopedia": "\n\n".join(english),
        "papers": chroma["pubmed"],
        "reports": chroma["finance"],
        "chinese": "\n\n".join(chinese),
    }
    return {name: text[:PAGES] for name, text in whole.items()}


def edits(text: str, count: int = EDITS, seed: int = 7) -> list[Edit]:
    """Make edits of all kinds in all places, by turns; what is inserted is of the text itself."""
    dice = random.Random(seed)
    kinds = list(product(("insert", "delete", "replace"), (0.0, 0.45, 0.9)))
    made = []
    for number in range(count):
        kind, tenth = kinds[number % len(kinds)]
        # from a letter to a paragraph, small ones more often
        size = round(10 ** dice.uniform(0, 2.7))
        start = round(len(text) * (tenth + dice.random() / 10)) % (len(text) - size)
        other = dice.randrange(len(text) - size)
        new = "" if kind == "delete" else text[other : other + size]
        made.append(Edit(start, start if kind == "insert" else start + size, new))
    return made


# ------------------------------------------------------------------ who is compared


def ours(**options: Any) -> Callable[[str], Chunks]:
    """`RecursiveSplitter` and `chunk_id`."""
    from langchain_chunkers import RecursiveSplitter

    splitter: Any = RecursiveSplitter(
        SIZE,
        encoding_name="cl100k_base",
        add_metadata=["chunk_id", "start_index", "end_index"],
        **options,
    )

    def chunks(text: str) -> Chunks:
        found = splitter.split_documents([Document(text, metadata={"source": "a"})])
        return [(each.page_content, each.metadata["chunk_id"]) for each in found]

    return chunks


def langchain() -> Callable[[str], Chunks]:
    """LangChain's recursive splitter, and the key of its `index()`."""
    from langchain_core.indexing.api import _get_document_with_hash
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        "cl100k_base", chunk_size=SIZE, chunk_overlap=0, add_start_index=True, disallowed_special=()
    )

    def chunks(text: str) -> Chunks:
        found = splitter.split_documents([Document(text, metadata={"source": "a"})])
        return [
            (each.page_content, str(_get_document_with_hash(each, key_encoder="sha256").id))
            for each in found
        ]

    return chunks


def chonkie() -> Callable[[str], Chunks]:
    """chonkie's recursive chunker, and the id that its writers to vector stores make."""
    import chonkie
    import tiktoken

    chunker = chonkie.RecursiveChunker(tiktoken.get_encoding("cl100k_base"), SIZE)

    def chunks(text: str) -> Chunks:
        found = chunker.chunk(text)
        return [
            (each.text, str(uuid5(NAMESPACE_OID, f"a::chunk-{number}:{each.text}")))
            for number, each in enumerate(found)
        ]

    return chunks


CONTENDERS: dict[str, Callable[[], Callable[[str], Chunks]]] = {
    "ours, `stable=True`": lambda: ours(stable=True),
    "ours": ours,
    "LangChain": langchain,
    "chonkie": chonkie,
}


# ------------------------------------------------------------------ the experiment


def costs(split: Callable[[str], Chunks], text: str, made: Sequence[Edit]) -> list[Cost]:
    """Make each edit alone, and count what is new behind it."""
    texts, ids = map(Counter, zip(*split(text), strict=True))
    found = []
    for edit in made:
        new_texts, new_ids = map(Counter, zip(*split(edit(text)), strict=True))
        found.append(Cost((new_texts - texts).total(), (new_ids - ids).total()))
    return found


def percentile(values: Sequence[float], share: float) -> float:
    """Give the least value that ``share`` of the values do not exceed."""
    ranked = sorted(values)
    return ranked[min(len(ranked) - 1, max(0, -int(-share * len(ranked) // 1) - 1))]


class Row(NamedTuple):
    """What a contender had to do for the edits of one document."""

    contender: str
    document: str
    texts: float
    texts_p95: float
    ids: float
    ids_p95: float


def row(contender: str, document: str, count: int = EDITS) -> Row:
    """Run the experiment for one contender and one document."""
    corpus.use_encodings()
    text = documents()[document]
    found = costs(CONTENDERS[contender](), text, edits(text, count))
    texts, ids = [cost.texts for cost in found], [cost.ids for cost in found]
    return Row(
        contender,
        document,
        median(texts),
        percentile(texts, 0.95),
        median(ids),
        percentile(ids, 0.95),
    )


def main() -> None:
    """Print the table."""
    print("| | document | texts, median | p95 | ids, median | p95 |")
    print("|---|---|---|---|---|---|")
    for contender, document in product(CONTENDERS, documents()):
        print("| " + " | ".join(map(str, row(contender, document))) + " |", flush=True)


if __name__ == "__main__":
    main()
