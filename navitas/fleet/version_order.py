"""The order of versions."""

from __future__ import annotations

import re


def version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key of versions: `4.9` before `4.10`, `4.2-beta` before `4.2`, `4.2` before `4.2.1`."""
    parts = re.findall(r"[0-9]+|[a-zA-Z]+", version)
    return (*(_number(part.lstrip("0")) if part.isdecimal() else (0, 0, part.lower()) for part in parts), (1, 0, ""))


def _number(digits: str) -> tuple[int, int, str]:
    """Sorts by the number of digits first: versions may have more digits than Python converts to int."""
    return 2, len(digits), digits
