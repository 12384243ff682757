"""Splitters as plain dictionaries, for JSON and YAML, and back."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from importlib import import_module
from typing import TYPE_CHECKING, Any

from langchain_chunkers.errors import SettingError
from langchain_chunkers.length import LengthMeasure

if TYPE_CHECKING:
    from langchain_chunkers.base import BaseSplitter

__all__ = ["from_config", "splitter_class", "to_config"]


def to_config(splitter: BaseSplitter, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Write the settings that were given, as JSON values."""
    name = type(splitter).name or type(splitter).__name__
    return {"splitter": name, **{key: _plain(key, value) for key, value in settings.items()}}


def _plain(key: str, value: Any) -> Any:
    from langchain_chunkers.base import BaseSplitter

    if isinstance(value, LengthMeasure | BaseSplitter):
        return value.to_config()
    if isinstance(value, tuple | list | set | frozenset):
        return [_plain(key, item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _plain(key, item) for name, item in value.items()}
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | int | float):
        return value
    if callable(value):
        name = getattr(value, "__qualname__", "<unnamed>")
        if "<" not in name:
            return {"callable": f"{value.__module__}:{name}"}
    msg = (
        f"{key}={value!r} cannot be written into a configuration. Give a name, a number, or a "
        f"function that stands at the top of a module."
    )
    raise SettingError(msg)


def splitter_class(name: str) -> type[BaseSplitter]:
    """Find a splitter by its short name or its class name."""
    from langchain_chunkers.base import registry

    known = registry()
    for short, cls in known.items():
        if name in (short, cls.__name__):
            return cls
    msg = f"splitter {name!r} is not known. Splitters are: {', '.join(known)}."
    raise SettingError(msg)


def from_config(cls: type[BaseSplitter], config: Mapping[str, Any]) -> BaseSplitter:
    """Make a splitter of what `to_config` wrote, or of settings written by hand."""
    settings = dict(config)
    name = settings.pop("splitter", None)
    if name is not None:
        found = splitter_class(name)
        if not issubclass(found, cls):
            msg = f"The configuration is of {found.__name__}, which is no {cls.__name__}."
            raise SettingError(msg)
        cls = found
    elif not cls.name:
        msg = "A configuration needs 'splitter', the name of a splitter, such as 'recursive'."
        raise SettingError(msg)
    return cls(**{key: _object(key, value) for key, value in settings.items()})


def _object(key: str, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "splitter" in value:
        from langchain_chunkers.base import BaseSplitter

        return from_config(BaseSplitter, value)
    if key != "length_function" and set(value) == {"callable"}:
        module, _, name = value["callable"].partition(":")
        return getattr(import_module(module), name)
    return dict(value)
