"""A source of CPU time that tests control, and a phone whose energy depends on CPU time alone."""

from __future__ import annotations

from pathlib import Path

from navitas.virtual_phone.kernel.scheduler import CpuUsage, KernelTask
from navitas.virtual_phone.kernel.spec import ClusterSpec, PhoneSpec

ONE_SPEED = PhoneSpec(
    "plain", Path("plain.xml"), 4.0, 50.0, 100.0, (ClusterSpec((0, 1, 2, 3), (1_000_000,), (300.0,), 70.0, 1024.0),)
)
"""Four equal cores with one operating point."""


class FakeSource:
    """CPU time that a test gives; `given` is handed out at the next read."""

    def __init__(self) -> None:
        self.pids: list[int] = []
        self.given: dict[KernelTask, int] = {}
        self.closed = False

    def add(self, pid: int) -> None:
        self.pids.append(pid)

    def remove(self, pid: int) -> CpuUsage:
        known = pid in self.pids
        self.pids = [other for other in self.pids if other != pid]
        return CpuUsage({KernelTask(pid, 0): 1_000} if known else {})

    def read(self, dt_ns: int) -> CpuUsage:
        assert dt_ns >= 0
        given, self.given = self.given, {}
        return CpuUsage(given)

    def close(self) -> None:
        self.closed = True
