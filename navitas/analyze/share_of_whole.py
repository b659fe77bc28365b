"""Shares of a whole."""

from __future__ import annotations


def share(part: float, whole: float) -> float | None:
    """The share that a part is of a whole; None where the whole is not above zero."""
    return part / whole if whole > 0 else None
