"""Figures as text, for the terminal and for pages."""

from __future__ import annotations

from navitas.base.units import UNKNOWN


def number(value: float | None, digits: int = 1) -> str:
    """A number with thousands separators, or a dash if it is unknown."""
    return UNKNOWN if value is None else f"{value:,.{digits}f}"


def with_interval(
    value: float | None, low: float | None, high: float | None, digits: int = 0, *, interval_format: str = "({})"
) -> str:
    """A signed number and its interval, such as `+44 (39 – 50)`. An unknown bound is a question mark, an unknown value a dash.

    `interval_format` surrounds the interval, for example with markup.
    """
    if value is None:
        return UNKNOWN
    bounds = " – ".join("?" if bound is None else f"{bound:.{digits}f}" for bound in (low, high))
    return f"{value:+.{digits}f} {interval_format.format(bounds)}"
