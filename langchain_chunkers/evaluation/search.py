"""The indexes that a comparison asks: BM25, embeddings, or any retriever of LangChain.

Each is built over the chunks of all documents, and answers with the numbers of chunks.
"""

from __future__ import annotations

import logging
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any, Protocol

import numpy as np
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.retrievers import BaseRetriever

from langchain_chunkers._extras import need
from langchain_chunkers.errors import InputError, ModelError, SettingError

__all__ = ["NUMBER", "Index", "Remembering", "indexes", "terms"]

NUMBER = "evaluation_chunk"  # the key under which a chunk given to a retriever has its number

# scripts without spaces between words, and Thai, Lao and Hangul, whose words need a dictionary
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff\uac00-\ud7a3"
)
_RUN = re.compile(f"[{_UNSPACED}]+|[^\\W_{_UNSPACED}]+")
_BLOCK = 512  # questions asked of vectors at a time, so that memory stays bounded

Factory = Callable[[list[Document]], BaseRetriever]


class Index(Protocol):
    """Finds chunks."""

    def search(self, queries: Sequence[str], k: int) -> list[list[int]]:
        """Give the numbers of up to ``k`` chunks for each query, the best first."""


def terms(text: str) -> list[str]:
    """List the terms of a text: words in lower case; pairs of characters where no spaces part words.

    Example:
        >>> terms("The 水泵坏了, again")
        ['the', '水泵', '泵坏', '坏了', 'again']
    """
    found: list[str] = []
    for run in _RUN.findall(text.lower()):
        if run[0] >= "\u0e00" and re.match(f"[{_UNSPACED}]", run):
            found += [run[i : i + 2] for i in range(max(1, len(run) - 1))]
        else:
            found.append(run)
    return found


def _bm25s() -> ModuleType:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # in a notebook it asks for widgets that it does not need
        return need("bm25s", "evaluation", "The retriever 'bm25'")


class BM25Index:
    """BM25 with the weights of Lucene: what a search engine gives without any model.

    Args:
        documents: The chunks.

    Raises:
        MissingExtraError: The extra ``evaluation`` is not installed.
    """

    def __init__(self, documents: Sequence[Document]) -> None:
        bm25s = _bm25s()
        logging.getLogger("bm25s").setLevel(logging.WARNING)  # it tells each step at DEBUG
        self._size = len(documents)
        self._index = bm25s.BM25(method="lucene")
        words = [terms(document.page_content) for document in documents]
        self._empty = not any(words)
        if not self._empty:
            self._index.index(words, show_progress=False)

    def search(self, queries: Sequence[str], k: int) -> list[list[int]]:
        """As `Index`; chunks without a term of the query are not found."""
        if self._empty:
            return [[] for _ in queries]
        vocabulary = self._index.vocab_dict
        found: list[list[int]] = []
        for query in queries:
            known = [term for term in terms(query) if term in vocabulary]
            if not known:
                found.append([])
                continue
            scores = self._index.get_scores(known)
            found.append(_best(scores, min(k, self._size), floor=0.0))
        return found


class VectorIndex:
    """Cosine similarity over all vectors: exact, no approximation that could blur a comparison."""

    def __init__(self, documents: Sequence[Document], embeddings: Embeddings) -> None:
        self._embeddings = embeddings
        texts = [document.page_content for document in documents]
        self._vectors = _unit(embeddings.embed_documents(texts) if texts else [], len(texts))

    def search(self, queries: Sequence[str], k: int) -> list[list[int]]:
        """As `Index`."""
        found: list[list[int]] = []
        for first in range(0, len(queries), _BLOCK):
            asked = [
                self._embeddings.embed_query(query) for query in queries[first : first + _BLOCK]
            ]
            scores = _unit(asked, len(asked)) @ self._vectors.T
            found += [_best(row, min(k, len(self._vectors))) for row in scores]
        return found


class RetrieverIndex:
    """A retriever of LangChain, built over the chunks by a function of the user's."""

    def __init__(
        self, documents: Sequence[Document], factory: Factory, max_concurrency: int = 8
    ) -> None:
        numbered = [
            Document(
                page_content=document.page_content,
                metadata={**document.metadata, NUMBER: number},
                id=document.id,
            )
            for number, document in enumerate(documents)
        ]
        self._retriever = factory(numbered)
        self._most = max_concurrency

    def search(self, queries: Sequence[str], k: int) -> list[list[int]]:
        """As `Index`; the retriever decides how many chunks it gives."""
        answers = self._retriever.batch(list(queries), config={"max_concurrency": self._most})
        try:
            return [[int(found.metadata[NUMBER]) for found in answer][:k] for answer in answers]
        except KeyError:
            msg = (
                f"The retriever gave documents without metadata[{NUMBER!r}]. It must give the chunks "
                "that the function was called with, metadata included."
            )
            raise ModelError(msg) from None


class Remembering(Embeddings):
    """Asks another model once for each text, whichever splitter made it.

    Args:
        embeddings: The model.
    """

    def __init__(self, embeddings: Embeddings) -> None:
        self._inner = embeddings
        self._texts: dict[str, list[float]] = {}
        self._queries: dict[str, list[float]] = {}

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """As `Embeddings`."""
        new = [text for text in dict.fromkeys(texts) if text not in self._texts]
        if new:
            vectors = self._inner.embed_documents(new)
            if len(vectors) != len(new):
                msg = f"The embedding model gave {len(vectors)} vectors for {len(new)} texts."
                raise ModelError(msg)
            self._texts.update(zip(new, vectors, strict=True))
        return [self._texts[text] for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """As `Embeddings`."""
        if text not in self._queries:
            self._queries[text] = self._inner.embed_query(text)
        return self._queries[text]


def _unit(vectors: Any, count: int) -> Any:
    """Scale vectors to length 1; vectors of zeros stay as they are."""
    rows = np.asarray(vectors, dtype=np.float32).reshape(count, -1)
    if not np.isfinite(rows).all():
        msg = "The embedding model gave a vector with NaN or infinite numbers."
        raise ModelError(msg)
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def _best(scores: Any, k: int, floor: float = -np.inf) -> list[int]:
    """Give the numbers of the k best scores above the floor, the best first; the earlier of equals."""
    if not k:
        return []
    least = np.partition(scores, len(scores) - k)[len(scores) - k]
    above = np.flatnonzero(scores >= max(least, np.nextafter(floor, np.inf)))
    return [int(i) for i in above[np.argsort(-scores[above], kind="stable")][:k]]


def indexes(
    retrievers: Mapping[str, Any] | Sequence[Any], max_concurrency: int
) -> dict[str, Callable[[Sequence[Document]], Index]]:
    """Make what builds an index, by name.

    Args:
        retrievers: Names (``"bm25"``, ``"wordllama"``), embeddings, or functions that make a
            retriever of a list of documents; or a dictionary that names them.
        max_concurrency: Questions that a retriever of LangChain is asked at a time.

    Raises:
        SettingError: One is none of these, or two have one name.
        MissingExtraError: ``"wordllama"`` without the extra ``semantic``.
    """
    if isinstance(retrievers, Mapping):
        named = dict(retrievers)
    else:
        if isinstance(retrievers, str) or not isinstance(retrievers, Sequence):
            retrievers = [retrievers]
        named = {}
        for one in retrievers:
            name = one if isinstance(one, str) else getattr(one, "__name__", type(one).__name__)
            if name in named:
                msg = f"Two retrievers are called {name!r}: give a dictionary that names them."
                raise SettingError(msg)
            named[name] = one
    return {name: _builder(one, max_concurrency) for name, one in named.items()}


def _builder(one: Any, max_concurrency: int) -> Callable[[Sequence[Document]], Index]:
    if one == "bm25":
        _bm25s()
        return BM25Index
    if one == "wordllama":
        from langchain_chunkers.semantic import WordLlamaEmbeddings

        one = WordLlamaEmbeddings()
    if isinstance(one, Embeddings):
        remembering = Remembering(one)
        return lambda documents: VectorIndex(documents, remembering)
    if isinstance(one, BaseRetriever):
        msg = (
            "A retriever has chunks already. Give a function that makes one of a list of documents, "
            "such as lambda chunks: InMemoryVectorStore.from_documents(chunks, model).as_retriever()."
        )
        raise InputError(msg)
    if callable(one):
        return lambda documents: RetrieverIndex(documents, one, max_concurrency)
    msg = (
        f"A retriever is 'bm25', 'wordllama', embeddings, or a function that makes a retriever of a "
        f"list of documents: got {one!r:.80}."
    )
    raise SettingError(msg)
