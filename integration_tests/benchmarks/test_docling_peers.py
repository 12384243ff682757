"""The bars: nothing cut, lost or over the cap, and not slower than docling-core's own chunker."""

from __future__ import annotations

from integration_tests.benchmarks import docling_peers as peers


def test_nothing_is_over_the_cap_cut_or_lost() -> None:
    found = peers.compared()
    mine = found["DoclingSplitter"]
    assert mine == peers.Losses(mine.chunks, 0, 0, 0, 0, 0)
    assert sum(found["HybridChunker"][1:]) > 0  # the measure sees losses where they are


def test_it_is_not_slower() -> None:
    assert peers.speed().best >= 1
