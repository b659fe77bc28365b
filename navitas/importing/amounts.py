"""Counts in messages."""

from __future__ import annotations


def amount(count: int, one: str, several: str = "") -> str:
    """Return a count with its noun, such as `1 line` and `2 lines`. `several` is the plural if not that with an s."""
    return f"{count:,} {one if count == 1 else several or one + 's'}"
