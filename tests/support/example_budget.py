"""Fewer Hypothesis examples than a test asks for."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import settings

# Where Hypothesis keeps a test's own settings. A profile does not change the `max_examples` that a test names itself.
_SETTINGS = "_hypothesis_internal_use_settings"


def limit_examples(test: Callable[..., object], most: int) -> None:
    """Let a test run `most` examples at most, also where its own `@settings` name more."""
    function = getattr(test, "__func__", test)
    own = getattr(function, _SETTINGS, None)
    if own is not None and own.max_examples > most:
        setattr(function, _SETTINGS, settings(own, max_examples=most, derandomize=True, database=None))
