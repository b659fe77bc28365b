"""End processes that a process has left running, even those that have left its process group.

With `/proc`, a variable in the environment marks everything that a process starts. Elsewhere, and for children that clear
their environment, only the process group is ended.
"""

from __future__ import annotations

import contextlib
import os
import signal
import uuid
from pathlib import Path

_VARIABLE = "NAVITAS_PROCESS"
_ROUNDS = 20  # processes may start others before they are killed


def new_mark() -> dict[str, str]:
    """Return a variable for a process, which all its children inherit."""
    return {_VARIABLE: uuid.uuid4().hex}


def end_marked(mark: dict[str, str], proc: Path = Path("/proc")) -> None:
    """Kill every process with the mark. Blocks while it reads their environments."""
    wanted = f"{_VARIABLE}={mark[_VARIABLE]}".encode()
    for _ in range(_ROUNDS):
        if not _kill_all(wanted, proc):
            return


def _kill_all(wanted: bytes, proc: Path) -> bool:
    """Kill each process with the mark once. Returns whether there was one."""
    found = False
    for folder in proc.glob("[0-9]*"):
        with contextlib.suppress(OSError):  # it has ended, or belongs to another user
            handle = os.pidfd_open(int(folder.name))
            try:
                if wanted in (folder / "environ").read_bytes().split(b"\0"):
                    signal.pidfd_send_signal(handle, signal.SIGKILL)
                    found = True
            finally:
                os.close(handle)
    return found
