"""Limit the number of Hypothesis examples of a test."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import settings

# Hypothesis stores a test's own settings here. A profile does not change a `max_examples` in these.
_SETTINGS = "_hypothesis_internal_use_settings"


def limit_examples(test: Callable[..., object], most: int) -> None:
    """Let a test run at most `most` examples, even if its own `@settings` allow more. The profile decides if they are new."""
    function = getattr(test, "__func__", test)
    own, profile = getattr(function, _SETTINGS, None), settings()
    if own is not None and own.max_examples > most:
        limited = settings(own, max_examples=most, derandomize=profile.derandomize, database=profile.database)
        setattr(function, _SETTINGS, limited)
