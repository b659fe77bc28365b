"""Make Ctrl-C work in tests if the shell ignores it."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Let SIGINT raise KeyboardInterrupt in this process and end the processes that it starts.

    A shell starts background jobs with SIGINT ignored, and child processes inherit this. All tests of `nohup make test &` would
    run that way. Use this context around the start of each process that a test interrupts.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
