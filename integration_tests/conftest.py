"""Set-up for tests with real stores, models, engines and peers.

The fixtures of `tests/fixtures.py` are here too: every run loads that plugin. Mark what needs the
network or a running service with `@pytest.mark.service`.
"""

from __future__ import annotations

import os
import sys

import pytest

from tests.tokenizers import use_tiktoken_cache

use_tiktoken_cache()

_status = 0


def pytest_sessionfinish(exitstatus: int) -> None:
    """Keep the exit code."""
    global _status
    _status = int(exitstatus)


@pytest.hookimpl(trylast=True)
def pytest_unconfigure() -> None:
    """Leave without taking the interpreter down: one time in ten a thread of Daft's aborts that."""
    if "daft" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(_status)
