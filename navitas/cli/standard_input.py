"""Standard input as a sign of life of the process that started the command."""

from __future__ import annotations

import os
import signal
import sys
import threading

from navitas.errors import UsageError


def interrupt_at_end() -> None:
    """Interrupt this process, as Ctrl-C does, when standard input ends: its other end was closed, or that process died.

    UsageError when it is closed already.
    """
    if sys.stdin is None:
        raise UsageError("standard input is closed, so its end cannot be waited for", "leave out --end-with-stdin")
    descriptor = sys.stdin.fileno()

    def wait() -> None:
        while os.read(descriptor, 1 << 16):
            pass
        # Not SIGINT: what runs in a shell's background ignores it.
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="navitas-stdin", daemon=True).start()
