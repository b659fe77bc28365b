"""Waiting for a person at the terminal."""

from __future__ import annotations

import select
import sys
import time

_LOOK_S = 0.5


def until_enter(limit_s: float | None) -> None:
    """Return when a line, or the end, comes on standard input, after `limit_s`, or on Ctrl-C; where input is closed, on the
    last two alone."""
    end = None if limit_s is None else time.monotonic() + limit_s
    watched = [sys.stdin] if sys.stdin is not None and end is None else []
    try:
        while end is None or time.monotonic() < end:
            patience = _LOOK_S if end is None else min(_LOOK_S, max(0.0, end - time.monotonic()))
            if select.select(watched, [], [], patience)[0]:
                sys.stdin.readline()
                return
    except KeyboardInterrupt:
        return
