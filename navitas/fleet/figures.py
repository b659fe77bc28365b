"""Figures as text, for the terminal and for pages."""

from __future__ import annotations

from navitas.base.units import UNKNOWN

_LEAST_PROBABILITY = 1e-4


def number(value: float | None, digits: int = 1) -> str:
    """A number with thousands separators, or a dash if it is unknown."""
    return UNKNOWN if value is None else f"{value:,.{digits}f}"


def probability(value: float | None) -> str:
    """A probability with two significant digits and without an exponent, such as `0.0023`; below 0.0001 as `<0.0001`."""
    if value is None:
        return UNKNOWN
    return f"<{_LEAST_PROBABILITY}" if value < _LEAST_PROBABILITY else f"{value:.2g}"


def with_interval(value: float | None, low: float | None, high: float | None, digits: int = 0) -> str:
    """A signed number and its interval, such as `+44 (39 – 50)`. An unknown bound is a question mark, an unknown value a dash."""
    if value is None:
        return UNKNOWN
    bounds = " – ".join("?" if bound is None else f"{bound:.{digits}f}" for bound in (low, high))
    return f"{value:+.{digits}f} ({bounds})"
