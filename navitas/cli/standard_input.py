"""Ends the command when standard input ends, because the process that started it closed it or died."""

from __future__ import annotations

import os
import signal
import sys
import threading

from navitas.errors import UsageError


def interrupt_at_end() -> None:
    """Interrupt this process, as Ctrl-C does, when standard input ends. Raises `UsageError` if it is already closed."""
    if sys.stdin is None:
        raise UsageError("standard input is closed", "leave out --end-with-stdin")
    descriptor = sys.stdin.fileno()

    def wait() -> None:
        while os.read(descriptor, 1 << 16):
            pass
        # Not SIGINT, which background processes of a shell ignore.
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="navitas-stdin", daemon=True).start()
