"""Calls of a chat model: many at a time, structured or JSON in text, tried again, never trusted."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Generic, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.runnables.config import get_executor_for_config
from pydantic import BaseModel

from langchain_chunkers._extras import need
from langchain_chunkers.errors import ModelError

__all__ = ["Caller", "Failure", "json_in"]

_T = TypeVar("_T")
_TRIES = 40  # braces at which JSON is looked for in a text; models put little in front of it
_FENCE = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Failure:
    """A call that gave nothing that can be used, after all tries.

    Attributes:
        reason: What was wrong the last time.
        error: The exception.
    """

    reason: str
    error: Exception


@dataclass(frozen=True)
class Caller(Generic[_T]):
    """Asks a chat model.

    Attributes:
        llm: The model.
        parse: ``(number of the question, answer) -> what it means``; raises `ModelError` where it
            means nothing. The answer is JSON where there is a schema, else text.
        schema: What the answer must look like, for models with structured output.
        concurrency: Most calls at a time.
        retries: How often a question is asked again.
        wait: Seconds before the second try where the call itself failed; doubled each time.
    """

    llm: BaseChatModel
    parse: Callable[[int, Any], _T]
    schema: type[BaseModel] | None = None
    concurrency: int = 8
    retries: int = 2
    wait: float = 1.0

    def run(
        self, questions: Sequence[list[BaseMessage]], *, show: bool = False
    ) -> list[_T | Failure]:
        """Ask all questions, some at a time, in threads; answers come in order."""
        if not questions:
            return []
        bar = _bar(len(questions), show=show)

        def one(number: int) -> _T | Failure:
            attempt = _Attempt(self, number, questions[number])
            while attempt.goes_on:
                if attempt.pause:
                    time.sleep(attempt.pause)
                try:
                    answer = attempt.model.invoke(attempt.messages)
                except Exception as error:  # noqa: BLE001 - whatever a client raises, the text is split
                    attempt.failed(error)
                else:
                    attempt.answered(answer)
            bar()
            return attempt.outcome

        if len(questions) == 1:
            return [one(0)]
        with get_executor_for_config({"max_concurrency": self.concurrency}) as pool:
            return list(pool.map(one, range(len(questions))))

    async def arun(
        self, questions: Sequence[list[BaseMessage]], *, show: bool = False
    ) -> list[_T | Failure]:
        """As `run`; the model is awaited."""
        bar = _bar(len(questions), show=show)
        gate = asyncio.Semaphore(self.concurrency)

        async def one(number: int) -> _T | Failure:
            attempt = _Attempt(self, number, questions[number])
            async with gate:
                while attempt.goes_on:
                    if attempt.pause:
                        await asyncio.sleep(attempt.pause)
                    try:
                        answer = await attempt.model.ainvoke(attempt.messages)
                    except Exception as error:  # noqa: BLE001 - as above
                        attempt.failed(error)
                    else:
                        attempt.answered(answer)
            bar()
            return attempt.outcome

        return list(await asyncio.gather(*map(one, range(len(questions)))))


class _Attempt(Generic[_T]):
    """One question until it is answered or given up; knows nothing of threads or of waiting."""

    def __init__(self, caller: Caller[_T], number: int, messages: list[BaseMessage]) -> None:
        self.caller, self.number = caller, number
        self.messages: list[BaseMessage] = list(messages)
        self._first = list(messages)
        self.tries = 0
        self.pause = 0.0
        self.goes_on = True
        self.result: Any = None
        self.structured = _structured(caller.llm, caller.schema)

    @property
    def outcome(self) -> _T | Failure:
        """What came of it."""
        result: _T | Failure = self.result
        return result

    @property
    def model(self) -> Any:
        """What is called next."""
        return self.caller.llm if self.structured is None else self.structured

    def failed(self, error: Exception) -> None:
        """Note that the call itself failed; a server without tools may know plain text."""
        self.structured = None
        self.pause = self.caller.wait * 2**self.tries
        self._again(error)

    def answered(self, answer: Any) -> None:
        """Take an answer, or say to the model what is wrong with it."""
        text = ""
        self.pause = 0.0
        try:
            payload, text = _payload(answer, plain=self.caller.schema is None)
            self.result = self.caller.parse(self.number, payload)
            self.goes_on = False
        except ModelError as error:
            said = AIMessage(content=text or "(nothing)")
            ask = f"This answer cannot be used: {error} Answer again, in the form asked for."
            self.messages = [*self._first, said, HumanMessage(content=ask)]
            self._again(error)

    def _again(self, error: Exception) -> None:
        self.tries += 1
        if self.tries > self.caller.retries:
            reason = f"{type(error).__name__}: {error}"
            self.result, self.goes_on = Failure(reason[:300], error), False


def _structured(llm: BaseChatModel, schema: type[BaseModel] | None) -> Any:
    """Give the model with structured output; ``None`` for models that have none."""
    if schema is None:
        return None
    try:
        return llm.with_structured_output(schema, include_raw=True)
    except Exception:  # noqa: BLE001 - NotImplementedError, and what integrations raise for it
        return None


def _payload(answer: Any, *, plain: bool) -> tuple[Any, str]:
    """Take the content out of what a model gave: JSON, or text; and the text as it came.

    Raises:
        ModelError: There is none.
    """
    if isinstance(answer, dict) and "raw" in answer:  # structured, with the raw message
        parsed = answer.get("parsed")
        text = _text(answer["raw"])
        if parsed is not None:
            return (parsed.model_dump() if isinstance(parsed, BaseModel) else parsed), text
        answer = answer["raw"]
    text = _text(answer)
    if plain:
        if not text.strip():
            raise ModelError("The answer has no text.", answer)
        return text.strip(), text
    return json_in(text), text


def _text(message: Any) -> str:
    if isinstance(message, str):
        return message
    return str(message.text) if isinstance(message, BaseMessage) else str(message)


def json_in(text: str) -> Any:
    """Find the first JSON object or list in a text: alone, in a code block, or among words.

    Raises:
        ModelError: There is none, or it is cut off.

    Example:
        >>> json_in('Here you are: {"topics": [{"start": 3}]} Anything else?')
        {'topics': [{'start': 3}]}
    """
    fenced = _FENCE.search(text)
    for candidate in (text.strip(), fenced.group(1).strip() if fenced else ""):
        try:
            value = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict | list):
            return value
    decoder = json.JSONDecoder()
    at = -1
    for _ in range(_TRIES):
        nearest = [
            place for place in (text.find("{", at + 1), text.find("[", at + 1)) if place >= 0
        ]
        if not nearest:
            break
        at = min(nearest)
        try:
            return decoder.raw_decode(text, at)[0]
        except (ValueError, RecursionError):
            continue
    raise ModelError("It holds no JSON.", text)


def _bar(total: int, *, show: bool) -> Callable[[], object]:
    """Make what is called after each answer."""
    if not show:
        return _nothing
    bar = need("tqdm.auto", "progress", "show_progress").tqdm(
        total=total, desc="Asking", unit="call"
    )
    return partial(_step, bar)


def _nothing() -> None:
    pass


def _step(bar: Any) -> None:
    bar.update()
    if bar.n >= bar.total:
        bar.close()
