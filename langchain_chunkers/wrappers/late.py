"""Late chunking: embed a document first, then take the mean of the tokens of each chunk.

Each token has seen the document around it, so a chunk that says "it" has a vector that knows what
"it" is. Gains are for small chunks; for large ones and large models there is none, or a loss.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from langchain_core.documents import Document
from numpy.typing import NDArray

from langchain_chunkers._extras import need
from langchain_chunkers.base import BaseSplitter
from langchain_chunkers.errors import InputError, ModelError, SettingError
from langchain_chunkers.outline import Span
from langchain_chunkers.wrappers.context import check_splitter

__all__ = ["LateChunker", "late_chunking"]

Floats = NDArray[np.float64]
Encode = Callable[[str], tuple[Any, Sequence[tuple[int, int]]]]


class _Embedded(NamedTuple):
    """Chunks and their vectors, in order: what `late_chunking` gives."""

    documents: list[Document]
    vectors: list[list[float]]


def late_chunking(
    text: str,
    spans: Iterable[tuple[int, int]],
    encode: Encode,
    *,
    window: int = 8_000,
    overlap: int = 1_000,
    normalize: bool = True,
) -> list[list[float]]:
    """Embed the spans of a text in the light of the text around them.

    Args:
        text: The document.
        spans: Half-open ``(start, end)`` in characters, such as ``split_spans`` gives.
        encode: ``text -> (token vectors, offsets)``: one vector for each token, and its half-open
            place in characters; special tokens have an empty place. `LateChunker.from_huggingface`
            makes one of a Hugging Face model.
        window: Most characters that are encoded at once; what the model takes, in characters.
        overlap: Characters that windows share. A token in two windows counts in the one in which it
            is farther from an edge.
        normalize: Bring vectors to length 1.

    Returns:
        A vector for each span: the mean of its tokens. A span without tokens has that of the
        nearest token.

    Raises:
        ModelError: ``encode`` gave another number of vectors than of offsets, or no token.

    Cost: one encoding of the text, and a little more; memory for the tokens of the document.
    """
    pairs = [(int(start), int(end)) for start, end in spans]
    if not 0 <= overlap < window:
        msg = f"overlap must be smaller than window: got {overlap} and {window} characters."
        raise SettingError(msg)
    if not pairs:
        return []
    vectors, places = _tokens(text, encode, window, overlap)
    # prefix sums: spans may overlap, and each is two look-ups
    sums = np.concatenate([np.zeros((1, vectors.shape[1])), np.cumsum(vectors, axis=0)])
    starts, ends = places[:, 0], places[:, 1]
    found = []
    for start, end in pairs:
        low = int(np.searchsorted(ends, start, side="right"))
        high = int(np.searchsorted(starts, end, side="left"))
        if high <= low:
            low = min(low, len(vectors) - 1)
            high = low + 1
        mean = (sums[high] - sums[low]) / (high - low)
        length = float(np.linalg.norm(mean))
        found.append((mean / length if normalize and length else mean).tolist())
    return found


def _tokens(
    text: str, encode: Encode, window: int, overlap: int
) -> tuple[Floats, NDArray[np.int64]]:
    """Encode a text, by overlapping windows where it is long; tokens ascend."""
    edges = _windows(text, window, overlap)
    all_vectors, all_places = [], []
    for number, (start, end) in enumerate(edges):
        answer = encode(text[start:end])
        vectors = np.asarray(answer[0], dtype=np.float64)
        places = np.asarray(answer[1], dtype=np.int64).reshape(-1, 2)
        if vectors.ndim != 2 or len(vectors) != len(places):
            msg = f"encode must give a vector for each offset: got {vectors.shape} and {places.shape}."
            raise ModelError(msg, answer)
        places = places + start
        # from the middle of one overlap to the middle of the next
        low = (start + edges[number - 1][1]) // 2 if number else -1
        high = (edges[number + 1][0] + end) // 2 if number + 1 < len(edges) else len(text) + 1
        kept = (places[:, 1] > places[:, 0]) & (places[:, 0] >= low) & (places[:, 0] < high)
        all_vectors.append(vectors[kept])
        all_places.append(places[kept])
    vectors, places = np.concatenate(all_vectors), np.concatenate(all_places)
    if not len(vectors):
        msg = "encode must give at least one token that stands for text: got none."
        raise ModelError(msg)
    return vectors, places


def _windows(text: str, window: int, overlap: int) -> list[tuple[int, int]]:
    """Divide a text into overlapping windows, at spaces where there are some."""
    found, start = [], 0
    while True:
        end = min(start + window, len(text))
        if end < len(text):
            space = text.rfind(" ", start + window - min(200, window // 4), end)
            end = space if space > start else end
        found.append((start, end))
        if end >= len(text):
            return found
        start = max(end - overlap, start + 1)


class LateChunker:
    """Splits documents, and embeds each chunk in the light of its document.

    Args:
        splitter: Any splitter of this package.
        encode: As in `late_chunking`.
        window: Most characters that are encoded at once.
        overlap: Characters that windows share.

    Example:
        >>> from langchain_chunkers import SentenceSplitter
        >>> def encode(text):  # a model of one token a word: its length
        ...     words = [(i, i + len(w)) for w in text.split() for i in [text.index(w)]]
        ...     return [[float(end - start), 1.0] for start, end in words], words
        >>> chunker = LateChunker(SentenceSplitter(chunk_size=None), encode)
        >>> found = chunker.embed_documents([Document(page_content="One two. Three.")])
        >>> [(d.page_content, len(v)) for d, v in zip(*found)]
        [('One two.', 2), ('Three.', 2)]
    """

    def __init__(
        self, splitter: BaseSplitter, encode: Encode, *, window: int = 8_000, overlap: int = 1_000
    ) -> None:
        self.splitter, self.encode = check_splitter(splitter), encode
        self.window, self.overlap = window, overlap

    @classmethod
    def from_huggingface(
        cls, splitter: BaseSplitter, model: Any, tokenizer: Any, **options: Any
    ) -> LateChunker:
        """Make one of a Hugging Face model and its fast tokenizer.

        Args:
            splitter: Any splitter of this package.
            model: A ``transformers.PreTrainedModel`` that gives ``last_hidden_state``.
            tokenizer: Its ``PreTrainedTokenizerFast``, which knows offsets.
            **options: ``window`` and ``overlap``. ``window`` defaults to three characters for each
                token that the model takes; what has more tokens is encoded by halves.
        """
        limit = int(getattr(model.config, "max_position_embeddings", 512))
        options.setdefault("window", max(3 * limit, 64))
        options.setdefault("overlap", options["window"] // 4)
        return cls(splitter, _HuggingFace(model, tokenizer, limit), **options)

    def embed_documents(self, documents: Iterable[Document]) -> _Embedded:
        """Split documents, and embed their chunks.

        Args:
            documents: Documents of any length.

        Returns:
            ``(documents, vectors)``, in order: for ``store.add_embeddings``, ``from_embeddings``
            and the like. Questions are embedded by the model as ever, with mean pooling.
        """
        chunks: list[Document] = []
        vectors: list[list[float]] = []
        splitter = self.splitter._with({"add_start_index": True})
        for document in documents:
            text = document.page_content
            found = splitter.split_documents([document])
            spans = [(each.metadata["start_index"], each.metadata["end_index"]) for each in found]
            for chunk, (start, end) in zip(found, spans, strict=True):
                if text[start:end] not in chunk.page_content:
                    name = type(splitter).__name__
                    msg = f"splitter must give slices of the document: {name} renders another text."
                    raise InputError(msg)
                for name in ("start_index", "end_index"):
                    if name not in self.splitter._facts:
                        chunk.metadata.pop(name)
            chunks += found
            vectors += self.embed_spans(text, spans)
        return _Embedded(chunks, vectors)

    def embed_spans(self, text: str, spans: Iterable[Span | tuple[int, int]]) -> list[list[float]]:
        """Embed spans of a text; see `late_chunking`."""
        return late_chunking(text, spans, self.encode, window=self.window, overlap=self.overlap)


class _HuggingFace:
    """Encodes with a Hugging Face model; a text of too many tokens by halves."""

    def __init__(self, model: Any, tokenizer: Any, limit: int) -> None:
        if not getattr(tokenizer, "is_fast", False):
            msg = "tokenizer must be a fast one, which knows offsets: got a slow one."
            raise InputError(msg)
        self.model, self.tokenizer, self.limit = model, tokenizer, limit

    def __call__(self, text: str) -> tuple[Any, list[tuple[int, int]]]:
        torch = need("torch", "torch", "LateChunker.from_huggingface")
        text = text.encode("utf-8", "replace").decode("utf-8")
        states: list[Any] = []
        places: list[tuple[int, int]] = []
        stack = [(0, len(text))]
        while stack:
            start, end = stack.pop()
            encoded = self.tokenizer(
                text[start:end], return_offsets_mapping=True, return_tensors="pt", verbose=False
            )
            offsets = encoded.pop("offset_mapping")[0].tolist()
            if len(offsets) > self.limit and end - start > 1:
                middle = (start + end) // 2
                stack += [(middle, end), (start, middle)]
                continue
            with torch.no_grad():
                states.append(self.model(**encoded).last_hidden_state[0].float().cpu().numpy())
            # special tokens have the empty place 0, 0
            places += [(a + start, b + start) if b > a else (start, start) for a, b in offsets]
        return np.concatenate(states), places
