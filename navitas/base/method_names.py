"""Names of methods, as users and test frameworks write them."""

from __future__ import annotations

import re

_PARAMETERS = re.compile(r"(?<=\S)\([^()]*\)?$")


def without_parameters(method: str) -> str:
    """Return `sort` for `sort(int)`. Names of Kotlin have parentheses elsewhere: `sorts (fast)`, `add(1) is 2`."""
    return _PARAMETERS.sub("", method)
