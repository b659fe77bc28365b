"""Counts in messages."""

from __future__ import annotations


def counted(count: int, one: str, several: str = "") -> str:
    """Return a number and what it counts, such as `1 line` or `2,000 lines`. `several` is the plural if not that with an s."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
