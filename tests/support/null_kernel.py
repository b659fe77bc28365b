"""A kernel model without cores, for tests of other parts."""

from __future__ import annotations

from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.modelled_slices import ModelledSlices
from navitas.virtual_phone.kernel.spec import find_profile, load_spec
from navitas.virtual_phone.kernel.trace_log import TraceLog


class NullKernel(Kernel):
    """A kernel without cores, for tests of other parts."""

    def __init__(self) -> None:  # not the kernel's own: it has no model, no thread and no files
        self.pids: set[int] = set()

    def start(self) -> None:
        """Nothing to start."""

    def stop(self) -> None:
        """Nothing to stop."""

    def add_process(self, pid: int) -> None:
        """Remember the process."""
        self.pids.add(pid)

    def remove_process(self, pid: int) -> None:
        """Forget the process."""
        self.pids.discard(pid)

    def cpu_count(self) -> int:
        """No model of cores."""
        return 0

    def proc_stat(self) -> str:
        """A machine that has never run."""
        return "cpu  0 0 0 0 0 0 0 0 0 0\n"

    def uptime(self) -> str:
        """A machine that has just booted."""
        return "0.00 0.00\n"

    def rails_uj(self) -> dict[str, float]:
        """No rails."""
        return {}

    def core_energies_uj(self) -> dict[int, dict[int, float]]:
        """No cores."""
        return {}

    def time_in_state(self, pid: int, tid: int) -> str:
        """A thread that has never run."""
        return ""

    def start_trace(self) -> TraceLog:
        """Start a trace without events."""
        spec = load_spec(find_profile("default"))
        return TraceLog(spec, 0, [cluster.freq_khz[0] for cluster in spec.clusters], ModelledSlices(spec))

    def stop_trace(self, log: TraceLog) -> None:
        """Stop the trace."""
        log.end(1)
