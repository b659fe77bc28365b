"""Ends what a process has left running, wherever it went: children in sessions of their own are of no group that is known.

Where there is `/proc`, everything that a process starts is told by a variable of its environment. Elsewhere, and for what
clears its environment, only the process group ends.
"""

from __future__ import annotations

import contextlib
import os
import signal
import uuid
from pathlib import Path

_VARIABLE = "NAVITAS_PROCESS"
_ROUNDS = 20  # what is killed may have started more meanwhile


def new_mark() -> dict[str, str]:
    """The variable that a process and all that it starts will have."""
    return {_VARIABLE: uuid.uuid4().hex}


def end_marked(mark: dict[str, str], proc: Path = Path("/proc")) -> None:
    """Kill every process with the mark; blocks for as long as reading their environments takes."""
    wanted = f"{_VARIABLE}={mark[_VARIABLE]}".encode()
    for _ in range(_ROUNDS):
        if not _kill_all(wanted, proc):
            return


def _kill_all(wanted: bytes, proc: Path) -> bool:
    """Whether there was one."""
    found = False
    for folder in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or is another user's
            handle = os.pidfd_open(int(folder.name))
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                    found = True
            finally:
                os.close(handle)
    return found
