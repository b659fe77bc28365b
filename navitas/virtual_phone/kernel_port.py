"""The interface of the phone's kernel model."""

from __future__ import annotations

from typing import Protocol

from navitas.virtual_phone.kernel.trace_log import TraceLog


class KernelPort(Protocol):
    """Places the CPU time of registered host processes on virtual cores, and writes sysfs under the phone's root."""

    def start(self) -> None:
        """Begin to sample and to write sysfs files."""
        ...

    def stop(self) -> None:
        """End sampling (idempotent)."""
        ...

    def add_process(self, pid: int) -> None:
        """Count the CPU time of a host process from now on."""
        ...

    def bind_process(self, pid: int, cpus: frozenset[int]) -> None:
        """Run a process only on these CPUs from now on."""
        ...

    def remove_process(self, pid: int) -> None:
        """Stop counting an ended process. Ignores unknown pids."""
        ...

    def cpu_count(self) -> int:
        """Return the number of the phone's cores; 0 without a model of them."""
        ...

    def proc_stat(self) -> str:
        """Return the present text of `/proc/stat`."""
        ...

    def uptime(self) -> str:
        """Return the present text of `/proc/uptime`."""
        ...

    def rails_uj(self) -> dict[str, float]:
        """Return the present energy of every rail in µJ."""
        ...

    def core_energies_uj(self) -> dict[int, dict[int, float]]:
        """Return the energy of running cores in µJ, by cluster and process."""
        ...

    def time_in_state(self, pid: int, tid: int) -> str:
        """Return the present text of a registered process's `/proc/PID/task/TID/time_in_state`."""
        ...

    def start_trace(self) -> TraceLog:
        """Begin to record scheduling slices."""
        ...

    def stop_trace(self, log: TraceLog) -> None:
        """End a trace (idempotent)."""
        ...
