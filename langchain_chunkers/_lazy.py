"""Public names that are imported at their first use, so that a package costs what is used of it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

__all__ = ["on_first_use"]


def on_first_use(
    package: str, homes: Mapping[str, Sequence[str]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Make the ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: Its ``__name__``.
        homes: The names that each of its modules has.

    Example:
        >>> get, listed = on_first_use("langchain_chunkers", {"outline": ("Strength",)})
        >>> get("Strength").WORD.name, listed()
        ('WORD', ['Strength'])
    """
    home_of = {name: home for home, names in homes.items() for name in names}

    def get(name: str) -> Any:
        home = home_of.get(name)
        if home is None:
            msg = f"module {package!r} has no attribute {name!r}"
            raise AttributeError(msg)
        value = getattr(import_module(f"{package}.{home}"), name)
        setattr(sys.modules[package], name, value)
        return value

    return get, lambda: sorted(home_of)
