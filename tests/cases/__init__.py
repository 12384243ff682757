"""Failures that users of other splitters reported, as tests: a file for each kind."""
