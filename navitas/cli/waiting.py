"""Waits for the user at the terminal."""

from __future__ import annotations

import select
import sys
import time

from navitas.collect.ctrl_c import until_ctrl_c

_POLL_S = 0.5


def wait_for_user(limit_s: float | None) -> None:
    """Wait for `limit_s` seconds, or without a limit for a line or the end of standard input. Ctrl-C ends the wait."""
    end = None if limit_s is None else time.monotonic() + limit_s
    watched = [sys.stdin] if sys.stdin is not None and end is None else []
    with until_ctrl_c():
        while end is None or time.monotonic() < end:
            poll_s = _POLL_S if end is None else min(_POLL_S, max(0.0, end - time.monotonic()))
            if select.select(watched, [], [], poll_s)[0]:
                sys.stdin.readline()
                return
