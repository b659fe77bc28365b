"""What the phone asks of its kernel model."""

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
        """Count a host process's threads from now on."""
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

    def rails_uj(self) -> dict[str, float]:
        """Energy of every rail in µJ at this moment."""
        ...

    def time_in_state(self, pid: int, tid: int) -> str:
        """Text of a registered process's `/proc/PID/task/TID/time_in_state` at this moment."""
        ...

    def start_trace(self) -> TraceLog:
        """Note who runs where from now on."""
        ...

    def stop_trace(self, log: TraceLog) -> None:
        """End a trace (idempotent)."""
        ...
