"""A kernel model for tests of everything else."""

from __future__ import annotations


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
