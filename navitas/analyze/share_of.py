"""Shares of a total."""

from __future__ import annotations


def share(value: float, total: float) -> float | None:
    """Return `value` as a share of `total`, or None if `total` is not positive."""
    return value / total if total > 0 else None
