"""Readers that are too large to stand beside their splitter: text to outline, and nothing else."""
