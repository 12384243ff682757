"""What the splitters that know meaning are made of: units, curves, methods, the default model.

A model is asked how alike neighbouring sentences are; the answer only *raises* some of the
engine's own places. So offsets, cap and text are safe whatever a model says.
"""

from langchain_chunkers.semantic.explain import Candidate, Explanation
from langchain_chunkers.semantic.model import WordLlamaEmbeddings

__all__ = ["Candidate", "Explanation", "WordLlamaEmbeddings"]
