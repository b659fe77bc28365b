"""Figures in HTML."""

from __future__ import annotations

from navitas.fleet.figures import with_interval


def interval(value: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    """A signed number, and its interval in a small font."""
    return with_interval(value, low, high, digits, interval_format="<small>({})</small>")
