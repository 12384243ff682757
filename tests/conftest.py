"""Settings of Hypothesis. The fixtures are in `tests/fixtures.py`, which every run loads."""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

# No deadline: other work on the machine must not turn a test red.
# HYPOTHESIS_PROFILE=thorough is what the bar of 200 examples a cell is checked with.
settings.register_profile(
    "quick",
    max_examples=50,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=200)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
