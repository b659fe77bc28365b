"""The picture of a trend: energies of sessions, the levels between change points, and their axes, as coordinates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import exp, log
from statistics import fmean

from navitas.base.units import joules
from navitas.insight.history.trend import FigureTrend

WIDTH, HEIGHT = 360, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 352.0, 10.0, 122.0


@dataclass(frozen=True, slots=True)
class Level:
    """A line at the level of the sessions between two change points."""

    x1: float
    x2: float
    y: float


@dataclass(frozen=True, slots=True)
class TrendPicture:
    """A trend's points, levels and change points in a picture of 360 × 150. `y_ticks` are places and energies.

    `first` and `last` are the labels of the first and the last session, at the ends of the axis.
    """

    label: str
    points: tuple[tuple[float, float, str], ...]
    levels: tuple[Level, ...]
    steps: tuple[float, ...]
    y_ticks: tuple[tuple[float, str], ...]
    first: str
    last: str


def trend_picture(trend: FigureTrend, labels: Sequence[str], label: str) -> TrendPicture:
    """Return the picture of a figure over all sessions, which `labels` name. Its axis of energy begins at 0 J."""
    most = max(trend.energies_j) or 1.0
    last = max(len(labels) - 1, 1)

    def x(session: float) -> float:
        return round(_LEFT + (_RIGHT - _LEFT) * (session / last if len(labels) > 1 else 0.5), 1)

    def y(energy_j: float) -> float:
        return round(_BOTTOM - (_BOTTOM - _TOP) * max(energy_j, 0.0) / most, 1)

    points = zip(trend.sessions, trend.energies_j, strict=True)
    return TrendPicture(
        label,
        tuple((x(session), y(energy), f"{labels[session]}: {joules(energy)}") for session, energy in points),
        tuple(Level(x(start), x(end), y(level)) for start, end, level in _levels(trend)),
        tuple(x((point.before + point.after) / 2) for point in trend.change_points),
        tuple((y(part * most), joules(part * most)) for part in (0.0, 0.5, 1.0)),
        labels[0],
        labels[-1] if len(labels) > 1 else "",
    )


def _levels(trend: FigureTrend) -> Iterator[tuple[int, int, float]]:
    """Yield the first and the last session of each level, and the geometric mean between them."""
    if not trend.change_points:
        return
    starts = [trend.sessions.index(point.after) for point in trend.change_points]
    for start, end in pairwise([0, *starts, len(trend.sessions)]):
        yield trend.sessions[start], trend.sessions[end - 1], exp(fmean(map(log, trend.energies_j[start:end])))
