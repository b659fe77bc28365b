"""Detect tests that start a process."""

from __future__ import annotations

import _posixsubprocess
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

# Audit events for the start of a process (docs.python.org, "Audit events table").
_STARTS = frozenset({"subprocess.Popen", "os.fork", "os.forkpty", "os.posix_spawn", "os.system", "os.exec", "navitas.fork_exec"})


class NoProcesses:
    """Prevents the start of processes during each `watch`, and remembers attempts."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._is_watching = False
        self.refused: list[str] = []
        # `multiprocessing` calls this function, which has no audit event of its own.
        fork_exec = _posixsubprocess.fork_exec

        def audited(*arguments: object) -> int:
            sys.audit("navitas.fork_exec", arguments[0])
            return fork_exec(*arguments)  # type: ignore[arg-type]

        _posixsubprocess.fork_exec = audited
        sys.addaudithook(self._on_event)  # stays until the process ends

    def _on_event(self, event: str, arguments: tuple[object, ...]) -> None:
        if self._is_watching and event in _STARTS and os.getpid() == self._pid:
            command = str(arguments[0] if arguments else "")
            self.refused.append(f"{event} {command}".strip())
            raise PermissionError(f"a unit test may not start a process: {self.refused[-1]}")

    @contextmanager
    def watch(self) -> Iterator[None]:
        self.refused.clear()
        self._is_watching = True
        try:
            yield
        finally:
            self._is_watching = False
