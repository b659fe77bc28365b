"""How the user ends an app's use: by Ctrl-C, which then does not interrupt the command, by Enter, or after a time."""

from __future__ import annotations

import select
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

_POLL_S = 0.5


class _Ended(BaseException):
    pass


@contextmanager
def until_ctrl_c() -> Iterator[None]:
    """Run the block to its end, or until Ctrl-C. A second Ctrl-C interrupts the command, also after the block.

    Other threads than the main one get no signals, and a process that ignores Ctrl-C still does.
    """
    before = signal.getsignal(signal.SIGINT)
    if before in (signal.SIG_IGN, None) or threading.current_thread() is not threading.main_thread():
        yield
        return

    def end(_signal: int, _frame: FrameType | None) -> None:
        signal.signal(signal.SIGINT, before)
        raise _Ended

    with suppress(_Ended):
        signal.signal(signal.SIGINT, end)
        try:
            yield
        finally:
            if signal.getsignal(signal.SIGINT) is end:  # not if another signal interrupts the command
                signal.signal(signal.SIGINT, before)


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
