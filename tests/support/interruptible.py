"""Ctrl-C for tests that run where it is ignored."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def interruptible() -> Iterator[None]:
    """Within it, SIGINT raises KeyboardInterrupt in this process and ends the processes that it starts.

    A shell starts its background jobs with SIGINT ignored, and each process inherits that from its parent: `nohup make test &`
    would run every test that way. Use it around the start of each process that a test interrupts.
    """
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)
