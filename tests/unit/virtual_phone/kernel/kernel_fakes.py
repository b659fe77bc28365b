"""A source of CPU time that tests control."""

from __future__ import annotations

from navitas.virtual_phone.kernel.task import Task, Usage


class FakeSource:
    """CPU time that a test gives; `given` is handed out at the next read."""

    def __init__(self) -> None:
        self.pids: list[int] = []
        self.given: dict[Task, int] = {}
        self.closed = False

    def add(self, pid: int) -> None:
        self.pids.append(pid)

    def remove(self, pid: int) -> Usage:
        known = pid in self.pids
        self.pids = [other for other in self.pids if other != pid]
        return Usage({Task(pid, 0): 1_000} if known else {})

    def read(self, dt_ns: int) -> Usage:
        assert dt_ns >= 0
        given, self.given = self.given, {}
        return Usage(given)

    def close(self) -> None:
        self.closed = True
