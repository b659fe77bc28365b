"""CPU time of a process and its descendants, including ended ones that no parent waited for (Linux's /proc)."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from pathlib import Path
from typing import NamedTuple

_LOOK_S = 0.1


class _Process(NamedTuple):
    pid: int
    started: int


class CpuTime:
    """A context that polls processes ten times a second. It misses the time that a process uses after its last poll."""

    def __init__(self) -> None:
        self._ticks: dict[_Process, int] = {}
        self._looking_s = 0.0
        self._over = threading.Event()
        self._looking = threading.Thread(target=self._poll_until_exit, daemon=True)
        self._alone = threading.Lock()

    def __enter__(self) -> CpuTime:
        self._looking.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._looking.join()

    def seconds(self) -> float:
        """CPU seconds until now, without the polling thread's."""
        with self._alone:
            self._poll()
            return sum(self._ticks.values()) / os.sysconf("SC_CLK_TCK") - self._looking_s

    def _poll_until_exit(self) -> None:
        while not self._over.wait(_LOOK_S):
            with self._alone:
                self._poll()
                self._looking_s = time.thread_time()

    def _poll(self) -> None:
        ticks, parents = {}, {}
        for stat in Path("/proc").glob("[0-9]*/stat"):
            with contextlib.suppress(OSError):
                words = stat.read_text().rpartition(")")[2].split()
                process = _Process(int(stat.parent.name), int(words[19]))
                ticks[process], parents[process] = int(words[11]) + int(words[12]), int(words[1])
        own = {os.getpid(), *(process.pid for process in ticks if process in self._ticks)}
        while more := {process.pid for process, parent in parents.items() if parent in own and process.pid not in own}:
            own |= more
        self._ticks |= {process: used for process, used in ticks.items() if process.pid in own}
