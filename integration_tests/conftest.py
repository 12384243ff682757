"""Set-up for tests with real stores, models, engines and peers.

The fixtures of `tests/fixtures.py` are here too: every run loads that plugin. Mark what needs the
network or a running service with `@pytest.mark.service`.
"""

from __future__ import annotations

from tests.tokenizers import use_tiktoken_cache

use_tiktoken_cache()
