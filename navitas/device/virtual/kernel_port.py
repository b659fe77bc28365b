"""What the phone asks of its kernel model."""

from __future__ import annotations

from typing import Protocol


class KernelPort(Protocol):
    """Places the CPU time of registered host processes on virtual cores, and writes sysfs under the phone's root."""

    def start(self) -> None:
        """Begin to sample and to write sysfs files."""
        ...

    def stop(self) -> None:
        """End sampling (idempotent)."""
        ...

    def add_process(self, pid: int, name: str, *, app: bool) -> None:
        """Count a host process's threads from now on; `app` is false for other processes."""
        ...

    def remove_process(self, pid: int) -> None:
        """A registered process ended (unknown pids are ignored)."""
        ...

    def cpu_count(self) -> int:
        """Number of the phone's cores; 0 when it has no model of them."""
        ...

    def proc_stat(self) -> str:
        """Text of `/proc/stat` at this moment."""
        ...

    def uptime(self) -> str:
        """Text of `/proc/uptime` at this moment."""
        ...

    def energy_value(self) -> str:
        """Text of the rail monitor's `energy_value` at this moment."""
        ...


class NullKernel:
    """A kernel without cores, for tests of everything else."""

    def __init__(self) -> None:
        self.processes: dict[int, tuple[str, bool]] = {}

    def start(self) -> None:
        """Nothing to start."""

    def stop(self) -> None:
        """Nothing to stop."""

    def add_process(self, pid: int, name: str, *, app: bool) -> None:
        """Remember the process."""
        self.processes[pid] = (name, app)

    def remove_process(self, pid: int) -> None:
        """Forget the process."""
        self.processes.pop(pid, None)

    def cpu_count(self) -> int:
        """No model of cores."""
        return 0

    def proc_stat(self) -> str:
        """A machine that never ran."""
        return "cpu  0 0 0 0 0 0 0 0 0 0\n"

    def uptime(self) -> str:
        """A machine just booted."""
        return "0.00 0.00\n"

    def energy_value(self) -> str:
        """A rail monitor without channels."""
        return "t=0\n"
