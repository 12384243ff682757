"""The embedding model that needs no service and no download: wordllama, as LangChain `Embeddings`."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from langchain_core.embeddings import Embeddings
from numpy.typing import NDArray

from langchain_chunkers._extras import need

__all__ = ["WordLlamaEmbeddings"]

_BATCH = 64  # texts that are padded to one length: of like lengths, so that little is wasted


@cache
def _load() -> Any:
    """Load the weights that lie in the package; 17 MB, a tenth of a second, once in a process."""
    package = need("wordllama", "semantic", "WordLlamaEmbeddings")
    # with any other folder it looks for its own tokenizer file in the network
    folder = Path(str(package.__file__)).parent
    return package.WordLlama.load(cache_dir=folder, disable_download=True)


class WordLlamaEmbeddings(Embeddings):
    """Embeds with static token vectors, on any machine, without a network.

    Good at English, fair at other languages in Latin script, weak at Chinese and Japanese, poor at
    Thai and Hindi. No context: a word has one vector wherever it stands.

    Returns vectors of 256 numbers and length 1; zeros for a text without tokens.

    Raises:
        MissingExtraError: The extra ``semantic`` is not installed.

    Cost: some 1,000 paragraphs a second on one core; 17 MB of weights.

    Source: https://github.com/dleemiller/WordLlama (MIT)

    Example:
        >>> model = WordLlamaEmbeddings()
        >>> cat, dog, tax = model.embed_documents(["The cat sleeps.", "A dog naps.", "Taxes rose."])
        >>> dot = lambda a, b: sum(x * y for x, y in zip(a, b))
        >>> dot(cat, dog) > dot(cat, tax)
        True
    """

    def __init__(self) -> None:
        need("wordllama", "semantic", "WordLlamaEmbeddings")

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, in order."""
        answer: list[list[float]] = self.embed_array(texts).tolist()
        return answer

    def embed_array(self, texts: list[str]) -> NDArray[np.float32]:
        """As `embed_documents`, a row for each text."""
        model = _load()
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        vectors = np.zeros((len(texts), 256), dtype=np.float32)
        for start in range(0, len(order), _BATCH):
            numbers = [number for number in order[start : start + _BATCH] if texts[number]]
            if numbers:
                sendable = [_sendable(texts[number]) for number in numbers]
                vectors[numbers] = model.embed(sendable)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        vectors /= np.where(lengths > 0, lengths, 1)
        return vectors

    def embed_query(self, text: str) -> list[float]:
        """Embed one text."""
        return self.embed_documents([text])[0]


def _sendable(text: str) -> str:
    """Replace lone surrogates, which its tokenizer refuses."""
    return text.encode("utf-8", "replace").decode("utf-8")
