"""Bridges to what other people run: each module needs its own extra, and none is imported here."""
