"""Ctrl-C, a closed terminal and `kill` for tests that run where these are ignored."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

# `nohup make test &` ignores the first two, and so do all processes that it starts.
_SIGNALS = (signal.SIGINT, signal.SIGHUP, signal.SIGTERM)


@contextmanager
def interruptible() -> Iterator[None]:
    """Within it, SIGINT raises KeyboardInterrupt in this process, and no process that is started ignores a signal to end.

    A shell starts its background jobs with SIGINT ignored, nohup its command with SIGHUP ignored, and each process inherits that
    from its parent. Use it around the start of each process that a test interrupts.
    """
    # A handler of Python's own is SIG_DFL in a started program, and keeps this process as it is.
    handlers = {number: signal.signal(number, signal.default_int_handler) for number in _SIGNALS}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
