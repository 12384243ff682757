"""Models that answer the same on every machine: for tests of splitters that ask a model.

No network, no weights, no state between calls but what a script says.
"""

from __future__ import annotations

import math
from typing import Any

from langchain_core.callbacks import CallbackManagerForLLMRun
from langchain_core.embeddings import Embeddings
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import PrivateAttr

__all__ = ["LetterEmbeddings", "ScriptedChatModel"]

_SIZE = 64


class LetterEmbeddings(Embeddings):
    """Embeds a text as how often each letter occurs in it: alike letters, alike vectors.

    Letters of all scripts are folded into 64 numbers. A text without letters has a vector of zeros.

    Example:
        >>> a, b, c = LetterEmbeddings().embed_documents(["abab", "baba", "xyz"])
        >>> a == b, a == c
        (True, False)
    """

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        """Embed texts, in order."""
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> list[float]:
        """Embed one text."""
        counts = [0.0] * _SIZE
        for character in text.lower():
            if character.isalpha():
                counts[ord(character) % _SIZE] += 1
        length = math.sqrt(sum(count * count for count in counts)) or 1.0
        return [count / length for count in counts]


class ScriptedChatModel(BaseChatModel):
    """Answers from a script.

    Args:
        answers: Answers in order, the last one again and again; an exception is raised. Or a
            function from the text of all messages to an answer, which serves concurrent calls.

    Attributes:
        prompts: The text of all messages of each call so far.

    Example:
        >>> model = ScriptedChatModel(answers=["one", "two"])
        >>> [model.invoke("?").content for _ in range(3)]
        ['one', 'two', 'two']
    """

    answers: Any
    _prompts: list[str] = PrivateAttr(default_factory=list)

    @property
    def prompts(self) -> list[str]:
        """The text of all messages of each call so far."""
        return self._prompts

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,  # noqa: ARG002
        run_manager: CallbackManagerForLLMRun | None = None,  # noqa: ARG002
        **kwargs: Any,  # noqa: ARG002
    ) -> ChatResult:
        prompt = "\n".join(message.text for message in messages)
        number = len(self._prompts)
        self._prompts.append(prompt)
        if callable(self.answers):
            answer = self.answers(prompt)
        else:
            answer = self.answers[min(number, len(self.answers) - 1)]
        if isinstance(answer, Exception):
            raise answer
        return ChatResult(generations=[ChatGeneration(message=AIMessage(content=answer))])
