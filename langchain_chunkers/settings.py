"""Checks of settings, made when a splitter is made, with messages that say what to do."""

from __future__ import annotations

import inspect
from collections.abc import Collection, Iterable
from functools import cache
from typing import Any

from langchain_chunkers.errors import SettingError

__all__ = ["check_choice", "check_count", "check_sizes", "setting_names", "unknown_settings"]


@cache
def setting_names(cls: type) -> frozenset[str]:
    """Give the names of all settings that a class takes, those it hands on included."""
    names: set[str] = set()
    for base in cls.__mro__:
        if "__init__" not in base.__dict__ or base is object:
            continue
        parameters = list(inspect.signature(base.__dict__["__init__"]).parameters.values())[1:]
        names.update(p.name for p in parameters if p.kind < inspect.Parameter.VAR_KEYWORD)
        if not any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
            break
    return frozenset(names - {"args"})


def unknown_settings(owner: str, unknown: Iterable[str], known: Iterable[str]) -> SettingError:
    """Make the error for settings that do not exist."""
    return SettingError(
        f"{owner} has no setting {', '.join(sorted(map(repr, unknown)))}. "
        f"Settings are: {', '.join(sorted(known))}."
    )


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def check_size(name: str, value: Any, unit: str) -> None:
    """Check a cap that has a name of its own."""
    if not _is_count(value) or value <= 0:
        msg = f"{name} must be a positive integer of {unit}: got {value!r}."
        raise SettingError(msg)


def check_sizes(owner: str, size: Any, overlap: Any, unit: str, needs_size: bool) -> None:
    """Check a cap and an overlap against each other."""
    if size is None:
        if needs_size:
            msg = f"{owner} needs a size: chunk_size must be a positive integer, got None."
            raise SettingError(msg)
    elif not _is_count(size) or size <= 0:
        none = "" if needs_size else ", or None for no cap"
        msg = f"chunk_size must be a positive integer of {unit}{none}: got {size!r}."
        raise SettingError(msg)
    if not _is_count(overlap) or overlap < 0:
        msg = f"chunk_overlap must be an integer of {unit}, zero or more: got {overlap!r}."
        raise SettingError(msg)
    if size is not None and overlap >= size:
        msg = (
            f"chunk_overlap must be smaller than chunk_size: got {overlap} and {size} {unit}. "
            f"Lower chunk_overlap or raise chunk_size."
        )
        raise SettingError(msg)


def check_count(name: str, value: Any, size: int | None, unit: str) -> None:
    """Check a least size against the cap."""
    if not _is_count(value) or value < 0:
        msg = f"{name} must be an integer of {unit}, zero or more: got {value!r}."
        raise SettingError(msg)
    if size is not None and value > size:
        msg = (
            f"{name} must be at most chunk_size: got {value} and {size} {unit}. "
            f"Lower {name} or raise chunk_size."
        )
        raise SettingError(msg)


def check_choice(name: str, value: Any, choices: Collection[Any]) -> None:
    """Check that a setting is one of a few values."""
    if not any(value is choice or value == choice for choice in choices):
        msg = f"{name} must be one of {', '.join(map(repr, choices))}: got {value!r}."
        raise SettingError(msg)
