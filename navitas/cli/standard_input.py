"""Standard input as a sign of life of whoever started the command."""

from __future__ import annotations

import os
import signal
import threading


def interrupt_at_end_of(descriptor: int) -> None:
    """Interrupt this process, as Ctrl-C does, when the input ends: its other end was closed, or whoever held it has died."""

    def wait() -> None:
        while os.read(descriptor, 1 << 16):
            pass
        # Not SIGINT: what runs in a shell's background is told to ignore it.
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=wait, name="navitas-stdin", daemon=True).start()
