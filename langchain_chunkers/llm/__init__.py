"""What the splitters that ask a chat model are made of: windows, prompts, calls, checked answers.

A model names sentences by number, and nothing that it writes becomes text of a chunk. So the worst
that a document can talk it into is a boundary at another sentence.
"""

from langchain_chunkers.llm.estimate import Estimate

__all__ = ["Estimate"]
