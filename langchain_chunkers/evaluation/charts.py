"""Charts as SVG: no script, no style attribute, so that a page may forbid both."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from langchain_chunkers.evaluation.bootstrap import Interval
from langchain_chunkers.view.safe import as_html, as_plain

__all__ = ["curves", "histogram", "whiskers"]

_NAMES = 190  # pixels for the names of splitters
_COLOURS = 8


def _text(
    x: float, y: float, text: str, kind: str = "", anchor: str = "start", most: int = 24
) -> str:
    # what a chart cannot show as it is, such as bidi controls, is named
    shown = as_html(as_plain(text if len(text) <= most else text[: most - 1] + "…"))
    return f'<text x="{x:.0f}" y="{y:.0f}" class="{kind}" text-anchor="{anchor}">{shown}</text>'


def _line(x1: float, x2: float, y1: float, y2: float, kind: str) -> str:
    return f'<line x1="{x1:.1f}" x2="{x2:.1f}" y1="{y1:.1f}" y2="{y2:.1f}" class="{kind}"/>'


def _svg(width: int, height: int, label: str, parts: Sequence[str]) -> str:
    return (
        f'<svg viewBox="0 0 {width} {height}" width="{width}" height="{height}" role="img" '
        f'aria-label="{as_html(as_plain(label))}">{"".join(parts)}</svg>'
    )


def whiskers(name: str, scores: Mapping[str, Interval]) -> str:
    """Draw a mean and its interval for each splitter, on one axis from 0 to 1.

    Args:
        name: Name of the measure.
        scores: Means with their intervals, by name of splitter.
    """
    width, height = 560, 34 + 26 * len(scores)
    low = max(0.0, min(one.low for one in scores.values()) - 0.05) if scores else 0.0
    high = min(1.0, max(one.high for one in scores.values()) + 0.05) if scores else 1.0
    scale = (width - _NAMES - 80) / max(high - low, 1e-9)
    parts = []
    for value in np.linspace(low, high, 5):
        x = _NAMES + (value - low) * scale
        parts.append(_line(x, x, 8, height - 22, "grid"))
        parts.append(_text(x, height - 6, f"{value:.2f}", "soft", "middle"))
    for number, (splitter, one) in enumerate(scores.items()):
        y = 20 + 26 * number
        start, mean, end = (_NAMES + (v - low) * scale for v in (one.low, one.mean, one.high))
        parts += [
            _text(8, y + 5, splitter),
            _line(start, end, y, y, "whisker"),
            f'<circle cx="{mean:.1f}" cy="{y}" r="5" class="dot"/>',
            _text(width - 8, y + 5, f"{one.mean:.3f}", "soft", "end"),
        ]
    return _svg(width, height, f"{name}: means with 95 % intervals", parts)


def histogram(name: str, sizes: Sequence[int], unit: str) -> str:
    """Draw how many chunks have which size.

    Args:
        name: Name of the splitter.
        sizes: Sizes of its chunks.
        unit: What sizes count.
    """
    width, height, bars = 300, 150, 24
    counts, edges = np.histogram(sizes or [0], bins=bars)
    most = max(1, int(counts.max()))
    parts = [_text(8, 18, name)]
    for number, count in enumerate(counts):
        tall = (height - 56) * int(count) / most
        x = 8 + number * (width - 16) / bars
        parts.append(
            f'<rect x="{x:.1f}" y="{height - 26 - tall:.1f}" width="{(width - 16) / bars - 1:.1f}" '
            f'height="{tall:.1f}" class="bar"/>'
        )
    parts += [
        _text(8, height - 8, f"{edges[0]:.0f}", "soft"),
        _text(width - 8, height - 8, f"{edges[-1]:.0f} {unit}", "soft", "end"),
        _text(width - 8, 18, f"{len(sizes)}", "soft", "end"),
    ]
    return _svg(width, height, f"Sizes of the chunks of {name}", parts)


def curves(budgets: Sequence[int], recalls: Mapping[str, Sequence[float]], unit: str) -> str:
    """Draw evidence recall against the size of the prompt, a line for each splitter.

    Args:
        budgets: Sizes of prompts, ascending.
        recalls: Recall at each, by name of splitter.
        unit: What sizes count.
    """
    width, height, left, right = 760, 320, 50, 200
    low = min((min(values) for values in recalls.values()), default=0.0)
    low = max(0.0, low - 0.05)
    wide, tall = width - left - right, height - 60

    def x(number: int) -> float:
        return left + wide * (number / max(1, len(budgets) - 1))

    def y(value: float) -> float:
        return 20 + tall * (1 - (value - low) / (1 - low))

    parts = []
    for value in np.linspace(low, 1, 5):
        line = f'<line x1="{left}" x2="{left + wide}" y1="{y(value):.0f}" y2="{y(value):.0f}" '
        parts += [
            line + 'class="grid"/>',
            _text(left - 6, y(value) + 4, f"{value:.2f}", "soft", "end"),
        ]
    for number, budget in enumerate(budgets):
        parts.append(_text(x(number), height - 18, f"{budget:,}", "soft", "middle"))
    parts.append(_text(left + wide / 2, height - 2, f"prompt, {unit}", "soft", "middle", 60))
    for number, (splitter, values) in enumerate(recalls.items()):
        colour = f"c{number % _COLOURS}"
        points = " ".join(f"{x(i):.1f},{y(value):.1f}" for i, value in enumerate(values))
        at = 24 + 22 * number
        parts += [
            f'<polyline points="{points}" class="curve {colour}"/>',
            _line(width - right + 14, width - right + 34, at, at, f"curve {colour}"),
            _text(width - right + 40, at + 5, splitter),
        ]
    return _svg(width, max(height, 40 + 22 * len(recalls)), "Recall against prompt size", parts)
