"""Ctrl-C as the end of an app's use. It does not interrupt the command, and other signals do."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType


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
