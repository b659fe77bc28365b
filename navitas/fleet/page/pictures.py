"""Figures in HTML, and pictures as inline SVG: intervals and histograms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.base.html_page.page import text
from navitas.fleet.figures import number, with_interval
from navitas.fleet.statistics import F64

_WIDTH, _HEIGHT = 360, 110
_BASE = 84
_BINS = 30


def interval(value: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    """A signed number, and its interval in a small font."""
    return with_interval(value, low, high, digits, interval_format="<small>({})</small>")


def interval_picture(value: float, low: float, high: float, most: float) -> str:
    """A line from low to high, with a dot at the value, on a scale from 0 to `most`."""
    width, middle = 200, 9

    def at(one: float) -> str:
        return f"{4 + (width - 8) * min(max(one / most, 0.0), 1.0):.1f}"

    label = f"{value:.2f} %/h, from {low:.2f} to {high:.2f}"
    return (
        f'<svg class=interval viewBox="0 0 {width} 18" role="img"><title>{label}</title>'
        f'<line class=axis x1="4" x2="4" y1="1" y2="17"/><line class=axis x1="4" x2="{width - 4}" y1="{middle}" y2="{middle}"/>'
        f'<line class=bar x1="{at(low)}" x2="{at(high)}" y1="{middle}" y2="{middle}"/>'
        f'<circle class=dot cx="{at(value)}" cy="{middle}" r="4"/></svg>'
    )


def histogram_picture(series: Sequence[tuple[str, str, F64]], unit: str, mark: float | None = None) -> str:
    """Overlaid histograms (class, title, values), each scaled to fractions of its own values. A line marks `mark`."""
    values = np.concatenate([one for _, _, one in series]) if series else np.empty(0)
    if not len(values):
        return "<p>No data.</p>"
    low, high = np.percentile(values, [0.5, 99.5]).tolist()
    low, high = min(low, mark or low), max(high, mark or high)
    high = high if high > low else low + 1
    edges = np.linspace(low, high, _BINS + 1)
    shares = [np.histogram(np.clip(one, low, high), edges)[0] / max(len(one), 1) for _, _, one in series]
    most = max(float(share.max()) for share in shares) or 1.0
    x = 10 + (_WIDTH - 20) * np.arange(_BINS + 1) / _BINS
    drawn = "".join(
        f'<path class="{kind}" d="{_outline(x, share / most)}"><title>{text(title)}</title></path>'
        for (kind, title, _), share in zip(series, shares, strict=True)
    )
    if mark is not None:
        place = 10 + (_WIDTH - 20) * (mark - low) / (high - low)
        drawn += f'<line class=mark x1="{place:.1f}" x2="{place:.1f}" y1="4" y2="{_BASE}"/>'
    ticks = "".join(
        f'<text x="{10 + (_WIDTH - 20) * fraction:.0f}" y="{_BASE + 16}" text-anchor="{anchor}">'
        f"{number(low + fraction * (high - low), 0 if high > 30 else 1)}{' ' + text(unit) if fraction == 1 else ''}</text>"
        for fraction, anchor in ((0.0, "start"), (0.5, "middle"), (1.0, "end"))
    )
    label = text(", ".join(title for _, title, _ in series))
    return (
        f'<svg class=histogram viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{label}">{drawn}'
        f'<line class=axis x1="10" x2="{_WIDTH - 10}" y1="{_BASE}" y2="{_BASE}"/>{ticks}</svg>'
    )


def _outline(x: F64, share: F64) -> str:
    y = _BASE - (_BASE - 6) * share
    steps = " ".join(f"V{height:.1f}H{right:.1f}" for height, right in zip(y.tolist(), x[1:].tolist(), strict=True))
    return f"M{x[0]:.1f} {_BASE}{steps}V{_BASE}Z"
