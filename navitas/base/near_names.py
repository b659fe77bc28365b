"""Names in error messages: those that a user may have meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

from navitas.base.untrusted_text import printable

_MAX_LISTED = 20
_LONGEST_NAME = 200
_MAX_COMPARED = 2000
"""Comparing a name takes about 30 µs."""


def near_names(wanted: str, names: Iterable[str]) -> str:
    """Return names in a list, those similar to `wanted` first, and the number of those beyond 20. Empty without names."""
    known = sorted({name[:_LONGEST_NAME] for name in names})
    likely = known if len(known) <= _MAX_COMPARED else [name for name in known if wanted.casefold() in name.casefold()]
    close = get_close_matches(wanted[:_LONGEST_NAME], likely[:_MAX_COMPARED], n=5, cutoff=0.3)
    ranked = list(dict.fromkeys([*close, *known]))
    listed = ", ".join(printable(name, 60) for name in ranked[:_MAX_LISTED])
    return f"{listed} and {len(ranked) - _MAX_LISTED:,} more" if len(ranked) > _MAX_LISTED else listed


def nearest(word: str, names: Iterable[str]) -> str:
    """Return ` (nearest: …)`, or an empty string if no name is similar."""
    return "".join(f" (nearest: {name})" for name in get_close_matches(word, list(names), 1))
