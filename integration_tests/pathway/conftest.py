"""Pathway has an environment of its own: `make integration_test_pathway` makes it."""

from __future__ import annotations

from importlib.util import find_spec

collect_ignore = [] if find_spec("pathway") else ["test_pathway.py"]
