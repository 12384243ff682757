#!/usr/bin/env python3
"""A small cache."""

from __future__ import annotations

import time
from collections import (
    OrderedDict,
)
from typing import Any

LIMIT = 100
TABLE = {
    "one": [1, 2, 3],
    "two": {"a": 1, "b": [4, 5, 6]},
    "query": """
SELECT key
  FROM cache
def fake(): pass
""",
}


# ---------------------------------------------------------------- the cache


@registered("cache")
class Cache(OrderedDict):
    """Keeps what was asked for.

    The oldest entry goes first. Nothing is ever written to disk, and a cache is not shared between
    processes; see `Store` for that.

    Args:
        limit: How many entries are kept at the most.
    """

    size = 0

    def __init__(self, limit: int = LIMIT) -> None:
        super().__init__()
        self.limit = limit

    # The oldest goes first.
    @locked
    def evict(self, count: int) -> list[Any]:
        """Evict entries."""
        gone = []
        for key in list(self)[:count]:
            if self[key].pinned:
                # pinned ones stay
                continue
            gone.append(self.pop(key))

        if not gone:
            raise LookupError("nothing to evict")
        return gone

    def get_or_make(self, key: str, make: Any, *, ttl: float | None = None) -> Any:
        now = time.monotonic()
        try:
            entry = self[key]
        except KeyError:
            entry = None
        else:
            if entry.until is not None and entry.until < now:
                del self[key]
                entry = None
        if entry is None:
            entry = Entry(make(key), None if ttl is None else now + ttl)
            self[key] = entry
            if len(self) > self.limit:
                self.evict(len(self) - self.limit)
        return entry.value

    class Entry:
        def __init__(self, value, until):
            self.value, self.until = value, until


def main():
    cache = Cache()

    def make(key):
        return key.upper()

    print(cache.get_or_make("a", make))


if __name__ == "__main__":
    main()
