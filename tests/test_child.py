"""Work in a process of its own."""

from __future__ import annotations

import os
import pickle
import sys
import time
from functools import partial

import pytest

from langchain_chunkers.integrations.child import Child, ChildError


def doubled(text: str) -> list[str]:
    print("what libraries print is no answer")
    return [text, text]


def asleep(seconds: float) -> str:
    time.sleep(seconds)
    return "awake"


def failing(reason: str) -> None:
    raise ValueError(reason)


def dying(status: int) -> None:
    os._exit(status)


def own_id() -> int:
    return os.getpid()


def swelling(size: int) -> int:
    held = bytearray(b"x") * size
    time.sleep(size / 10_000_000)
    return len(held)


def test_a_call_gives_what_the_function_gives_and_the_process_is_kept() -> None:
    child = Child(doubled, 60, None)
    assert child.call("é" * 100_000) == ["é" * 100_000] * 2
    assert child.call("\ud800") == ["\ud800", "\ud800"]
    child = Child(own_id, 60, None)
    assert child.call() == child.call() != os.getpid()


def test_what_takes_too_long_is_ended_and_the_next_call_works() -> None:
    child = Child(asleep, 2, None)
    with pytest.raises(ChildError, match="it took longer than 2 seconds"):
        child.call(60)
    assert child.call(0) == "awake"


def test_an_error_is_told_and_the_process_lives_on() -> None:
    child = Child(failing, 60, None)
    for reason in ("no such luck", "again"):
        with pytest.raises(ChildError, match=reason):
            child.call(reason)


def test_a_death_is_told() -> None:
    child = Child(dying, 60, None)
    with pytest.raises(ChildError, match=r"died \(exit status -?\d+\)"):
        child.call(3)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux bounds the memory of a process")
def test_memory_is_bounded() -> None:
    child = Child(swelling, 60, 250_000_000)
    assert child.call(1000) == 1000
    with pytest.raises(ChildError, match="it needs more memory than 250,000,000 bytes"):
        child.call(300_000_000)


def test_preparation_is_not_counted_and_its_failure_is_told() -> None:
    assert Child(own_id, 0.5, None, partial(asleep, 1)).call()
    with pytest.raises(ChildError, match="not installed"):
        Child(own_id, 60, None, partial(failing, "not installed")).call()
    with pytest.raises(ChildError, match="did not start"):
        Child(own_id, 60, None, partial(dying, 3)).call()


def test_what_cannot_be_pickled_is_said_at_once() -> None:
    with pytest.raises((pickle.PicklingError, AttributeError)):
        Child(lambda: 1, 60, None)
