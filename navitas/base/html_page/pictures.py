"""Intervals as coordinates on a common scale, which templates draw as inline SVG: the rows of a forest plot."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Self

_WIDTH = 200.0
_EDGE = 5.0


@dataclass(frozen=True, slots=True)
class IntervalPicture:
    """A line between two ends with a dot at the estimate, and a line at zero: places from 0 to 200. `tone` is its CSS class."""

    label: str
    tone: str
    zero_x: float
    low_x: float
    x: float
    high_x: float


@dataclass(frozen=True, slots=True)
class IntervalScale:
    """The common scale of a table's intervals. It includes zero."""

    low: float
    high: float

    @classmethod
    def of(cls, ends: Iterable[float]) -> Self:
        """Return the scale that reaches to all ends."""
        values = [0.0, *ends]
        return cls(min(values), max(values))

    def picture(self, value: float, low: float | None, high: float | None, *, label: str, tone: str = "more") -> IntervalPicture:
        """Return the picture of an interval. Without ends, it is a dot."""
        ends = (0.0, value if low is None else low, value, value if high is None else high)
        return IntervalPicture(label, tone, *map(self._place, ends))

    def _place(self, value: float) -> float:
        part = (value - self.low) / (self.high - self.low) if self.high > self.low else 0.5
        return round(_EDGE + (_WIDTH - 2 * _EDGE) * min(max(part, 0.0), 1.0), 1)
