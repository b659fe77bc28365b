"""Histograms as coordinates, which templates draw as inline SVG."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.fleet.figures import number
from navitas.fleet.statistics import F64

_LEFT, _RIGHT, _BASE = 10.0, 350.0, 84.0
_BINS = 30


@dataclass(frozen=True, slots=True)
class HistogramPicture:
    """Overlaid histograms in a picture of 360 × 110: a class and an outline for each. `mark_x` is the place of a value."""

    title: str
    label: str
    note: str
    outlines: tuple[tuple[str, str], ...]
    ticks: tuple[tuple[float, str, str], ...]
    """Places, anchors and texts below the axis."""
    mark_x: float | None


def histogram_picture(
    title: str, label: str, series: Sequence[tuple[str, F64]], unit: str, *, mark: float | None = None, note: str = ""
) -> HistogramPicture | None:
    """Return histograms of series (class, values), each scaled to fractions of its own values. None without values."""
    values = np.concatenate([part for _, part in series])
    if not len(values):
        return None
    low, high = np.percentile(values, [0.5, 99.5]).tolist()
    low, high = min(low, mark or low), max(high, mark or high)
    high = high if high > low else low + 1
    edges = np.linspace(low, high, _BINS + 1)
    shares = [np.histogram(np.clip(part, low, high), edges)[0] / max(len(part), 1) for _, part in series]
    most = max(float(share.max()) for share in shares) or 1.0
    x = np.linspace(_LEFT, _RIGHT, _BINS + 1)
    digits = 0 if high > 30 else 1
    ticks = ((0.0, "start", ""), (0.5, "middle", ""), (1.0, "end", f" {unit}"))
    return HistogramPicture(
        title,
        label,
        note,
        tuple((kind, _outline(x, share / most)) for (kind, _), share in zip(series, shares, strict=True)),
        tuple((_at(part), anchor, f"{number(low + part * (high - low), digits)}{end}") for part, anchor, end in ticks),
        None if mark is None else _at((mark - low) / (high - low)),
    )


def _at(part: float) -> float:
    return round(_LEFT + (_RIGHT - _LEFT) * part, 1)


def _outline(x: F64, share: F64) -> str:
    y = _BASE - (_BASE - 6) * share
    steps = " ".join(f"V{height:.1f}H{right:.1f}" for height, right in zip(y.tolist(), x[1:].tolist(), strict=True))
    return f"M{x[0]:.1f} {_BASE}{steps}V{_BASE}Z"
