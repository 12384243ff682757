"""This package and its peers behind one face, so that each is asked the same.

A contender splits a text into pieces with the offsets that it reports itself (`None` where it
reports none), and has the shortest call that gives texts, which is what is timed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib.metadata import version
from typing import Any, NamedTuple

SIZE_CHARACTERS = 1000
SIZE_TOKENS = 256


class Piece(NamedTuple):
    """A chunk and where it is said to begin."""

    text: str
    start: int | None


class Contender(NamedTuple):
    """One splitter of one library.

    Attributes:
        name: What the tables say.
        package: The distribution, for its version.
        texts: The call that is timed.
        pieces: The call with offsets.
    """

    name: str
    package: str
    texts: Callable[[str], Any]
    pieces: Callable[[str], list[Piece]]

    @property
    def ours(self) -> bool:
        return self.package == "langchain-chunkers"


Made = Iterator[tuple[str, Callable[[str], Any], Callable[[str], list[Piece]]]]


def _encoding() -> Any:
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


def _ours(size: int, overlap: int, unit: str) -> Made:
    from langchain_chunkers import (
        BaseSplitter,
        FixedSizeSplitter,
        ParagraphSplitter,
        RecursiveSplitter,
        SentenceSplitter,
        TokenCountSplitter,
    )

    kinds: list[type[BaseSplitter]] = [
        RecursiveSplitter,
        SentenceSplitter,
        ParagraphSplitter,
        FixedSizeSplitter,
        *([TokenCountSplitter] if unit == "tokens" else []),
    ]
    for kind in kinds:
        make: Any = kind.from_tiktoken_encoder if unit == "tokens" else kind
        splitter = make(chunk_size=size, chunk_overlap=overlap)

        def pieces(text: str, splitter: Any = splitter) -> list[Piece]:
            return [Piece(text[s.start : s.end], s.start) for s in splitter.split_spans(text)]

        yield kind.__name__, splitter.split_text, pieces


def _langchain(size: int, overlap: int, unit: str) -> Made:
    from langchain_text_splitters import RecursiveCharacterTextSplitter, TokenTextSplitter

    def documents(splitter: Any) -> Callable[[str], list[Piece]]:
        def pieces(text: str) -> list[Piece]:
            found = splitter.create_documents([text])
            return [Piece(d.page_content, d.metadata["start_index"]) for d in found]

        return pieces

    options: dict[str, Any] = {"chunk_size": size, "chunk_overlap": overlap}
    if unit == "characters":
        splitter: Any = RecursiveCharacterTextSplitter(**options, add_start_index=True)
        yield "RecursiveCharacterTextSplitter", splitter.split_text, documents(splitter)
        return
    special: dict[str, Any] = {"encoding_name": "cl100k_base", "add_start_index": True}
    for kind in (RecursiveCharacterTextSplitter, TokenTextSplitter):
        make: Any = kind if kind is TokenTextSplitter else kind.from_tiktoken_encoder
        splitter = make(**options, **special, disallowed_special=())
        yield kind.__name__, splitter.split_text, documents(splitter)


def _semchunk(size: int, overlap: int, unit: str) -> Made:
    import semchunk

    encoding = _encoding() if unit == "tokens" else None
    counter = (lambda text: len(encoding.encode_ordinary(text))) if encoding else len
    # its cache of counts would make the second run of the same text another task
    chunker: Any = semchunk.chunkerify(counter, size, memoize=False)
    options = {"overlap": overlap} if overlap else {}

    def pieces(text: str) -> list[Piece]:
        chunks, offsets = chunker(text, offsets=True, **options)
        return [Piece(c, o[0]) for c, o in zip(chunks, offsets, strict=True)]

    yield "semchunk", lambda text: chunker(text, **options), pieces


def _text_splitter(size: int, overlap: int, unit: str) -> Made:
    from semantic_text_splitter import TextSplitter

    splitter: Any = (
        TextSplitter.from_tiktoken_model("gpt-4", size, overlap)
        if unit == "tokens"
        else TextSplitter(size, overlap)
    )

    def pieces(text: str) -> list[Piece]:
        return [Piece(chunk, start) for start, chunk in splitter.chunk_indices(text)]

    yield "TextSplitter", splitter.chunks, pieces


def _chonkie(size: int, overlap: int, unit: str) -> Made:
    import chonkie

    def pieces_of(chunker: Any) -> Callable[[str], list[Piece]]:
        return lambda text: [Piece(c.text, c.start_index) for c in chunker.chunk(text)]

    tokenizer = _encoding() if unit == "tokens" else "character"
    made: list[Any] = [chonkie.TokenChunker(tokenizer, size, overlap)]
    made.append(chonkie.SentenceChunker(tokenizer, size, overlap))
    if not overlap:
        made.append(chonkie.RecursiveChunker(tokenizer, size))
    for chunker in made:

        def texts(text: str, chunker: Any = chunker) -> Any:
            # its cache of counts lives in the class: documents that come again would cost nothing
            for attribute in vars(type(chunker)).values():
                if hasattr(attribute, "cache_clear"):
                    attribute.cache_clear()
            return chunker.chunk(text)

        yield type(chunker).__name__, texts, pieces_of(chunker)


def _llama_index(size: int, overlap: int, unit: str) -> Made:
    from llama_index.core.node_parser import SentenceSplitter, TokenTextSplitter
    from llama_index.core.schema import Document

    tokenizer: Any = _encoding().encode_ordinary if unit == "tokens" else list
    for kind in (SentenceSplitter, TokenTextSplitter):
        splitter: Any = kind(chunk_size=size, chunk_overlap=overlap, tokenizer=tokenizer)

        def pieces(text: str, splitter: Any = splitter) -> list[Piece]:
            nodes = splitter.get_nodes_from_documents([Document(text=text)])
            return [Piece(node.text, node.start_char_idx) for node in nodes]

        yield kind.__name__, splitter.split_text, pieces


_MAKERS: dict[str, Callable[[int, int, str], Made]] = {
    "langchain-chunkers": _ours,
    "langchain-text-splitters": _langchain,
    "semchunk": _semchunk,
    "semantic-text-splitter": _text_splitter,
    "chonkie": _chonkie,
    "llama-index-core": _llama_index,
}


def contenders(size: int, overlap: int, unit: str) -> list[Contender]:
    """Make all splitters of one size, ours first.

    Args:
        size: The cap.
        overlap: Units; splitters that know no overlap are left out unless it is 0.
        unit: ``"characters"`` or ``"tokens"`` (cl100k_base).
    """
    return [
        Contender(name, package, texts, pieces)
        for package, make in _MAKERS.items()
        for name, texts, pieces in make(size, overlap, unit)
    ]


def versions() -> dict[str, str]:
    """Versions of the distributions that take part, and of the tokenizer."""
    return {package: version(package) for package in [*_MAKERS, "tiktoken"]}
