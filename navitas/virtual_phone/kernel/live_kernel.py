"""The running kernel: ticks, watched processes, files under the phone's root, live texts of /proc, and the CPU's rails."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

from navitas.base.errors import DeviceError
from navitas.virtual_phone.kernel.host_slices import HostSlices
from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.modelled_rails import HiddenActivity
from navitas.virtual_phone.kernel.modelled_slices import ModelledSlices
from navitas.virtual_phone.kernel.scheduler import CpuUsage, KernelTask
from navitas.virtual_phone.kernel.sources import CpuSource, default_source
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.sysfs import Sysfs, proc_stat, proc_uptime, thread_time_in_state
from navitas.virtual_phone.kernel.trace_log import SliceSource, TraceLog
from navitas.virtual_phone.kernel.tracefs import Tracefs

PERIOD_S = 0.010
_FRESH_NS = 1_000_000


class Kernel:
    """The virtual phone's kernel under `root`. Thread-safe; call `start` and `stop` once each.

    Traces come from the host's scheduler if there is a `tracefs`, else from the model's. After a failed tick (for example because
    the root is gone), the live texts raise DeviceError.
    """

    def __init__(
        self,
        spec: PhoneSpec,
        root: Path,
        *,
        source: CpuSource | None = None,
        tracefs: Tracefs | None = None,
        activity: HiddenActivity | None = None,
    ) -> None:
        self.spec = spec
        self._model = KernelModel(spec, activity=activity)
        self._sysfs = Sysfs(root, self._model)
        self._source = source or default_source()
        self._pids: set[int] = set()
        self._tracefs = tracefs
        self._traces: list[TraceLog] = []
        self._lock = threading.Lock()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="virtual-kernel", daemon=True)
        self._now_ns = 0
        self._failure: Exception | None = None

    def start(self) -> None:
        """Write all files and begin to tick."""
        self._now_ns = time.monotonic_ns()
        self._sysfs.create()
        self._thread.start()

    def stop(self) -> None:
        """Run a last tick and end (idempotent). Counters stay readable."""
        if not self._stopping.is_set():
            self._stopping.set()
            if self._thread.is_alive():
                self._thread.join()
            with self._lock:
                self._source.close()
            for log in list(self._traces):
                self.stop_trace(log)
            if self._tracefs is not None:
                self._tracefs.close()

    def add_process(self, pid: int) -> None:
        """Run the CPU time of a host process on virtual cores from now on."""
        with self._lock:
            self._source.add(pid)
            self._pids.add(pid)
            sources = [log.source for log in self._traces]
        for source in sources:
            # Do not wait for the host's tracer, which is slow: the caller would read the rails too late.
            threading.Thread(target=source.watch, args=(pid,), name="virtual-kernel-watch", daemon=True).start()

    def bind_process(self, pid: int, cpus: frozenset[int]) -> None:
        """Run a process only on these CPUs from now on."""
        with self._lock:
            self._model.bind(pid, cpus)

    def remove_process(self, pid: int) -> None:
        """Stop watching. Call it before you reap an ended process, while its last CPU time is still readable."""
        with self._lock:
            last = self._source.remove(pid)
            if self._thread.is_alive():
                self._tick(last)

    def proc_stat(self) -> str:
        """Return the text of /proc/stat."""
        with self._lock:
            self._refresh()
            return proc_stat(self._model, len(self._pids))

    def uptime(self) -> str:
        """Return the text of /proc/uptime."""
        with self._lock:
            self._refresh()
            return proc_uptime(self._model)

    def rails_uj(self) -> dict[str, float]:
        """Return the energy of every rail in µJ."""
        with self._lock:
            self._refresh()
            return self._model.rails.energies_uj()

    def core_energies_uj(self) -> dict[int, dict[int, float]]:
        """Return the energy of the running cores in µJ, by cluster and process, without what the cores share."""
        with self._lock:
            self._refresh()
            energies: dict[int, dict[int, float]] = {k: {} for k in range(len(self.spec.clusters))}
            for task, states in self._model.task_states_ns.items():
                for (cluster, index), ran_ns in states.items():
                    spent_uj = ran_ns * self.spec.clusters[cluster].core_mw[index] * 1e-6
                    energies[cluster][task.pid] = energies[cluster].get(task.pid, 0.0) + spent_uj
            return energies

    def time_in_state(self, pid: int, tid: int) -> str:
        """Return the text of a watched thread's /proc/PID/task/TID/time_in_state, as of the last tick."""
        with self._lock:
            return thread_time_in_state(self._model, KernelTask(pid, tid))

    def start_trace(self) -> TraceLog:
        """Begin to record scheduling slices and frequencies."""
        source = self._slice_source()
        with self._lock:
            self._refresh()
            log = TraceLog(self.spec, self._now_ns, self._model.cur_freq_khz, source)
            self._model.observers.append(log.step)
            self._traces.append(log)
            return log

    def stop_trace(self, log: TraceLog) -> None:
        """End a trace (idempotent)."""
        with self._lock:
            if log not in self._traces:
                return
            self._traces.remove(log)
            try:
                self._refresh()
            finally:
                self._model.observers.remove(log.step)
                now_ns = self._now_ns
        # Without the lock, because the host may take a while.
        log.end(now_ns)

    def cpu_count(self) -> int:
        """Return the number of virtual cores."""
        return len(self.spec.cpus)

    def _slice_source(self) -> SliceSource:
        if self._tracefs is not None:
            with suppress(OSError, ValueError):  # the host does not permit it
                return HostSlices(self.spec, self._tracefs.instance(), list(self._pids))
        return ModelledSlices(self.spec)

    def _run(self) -> None:
        try:
            self._tick_until_stopped()
        except Exception as error:
            # After any error: counters that stand still must not look like a phone at rest.
            self._failure = error
            raise

    def _tick_until_stopped(self) -> None:
        due_s = time.monotonic() + PERIOD_S
        while not self._stopping.wait(max(0.0, due_s - time.monotonic())):
            # Do not catch up after a late tick: the next one is due one period from now.
            due_s = max(due_s + PERIOD_S, time.monotonic())
            with self._lock:
                self._tick()
        with self._lock:
            self._tick()

    def _tick(self, last: CpuUsage | None = None) -> None:
        before_ns, self._now_ns = self._now_ns, time.monotonic_ns()
        usage = self._source.read(self._now_ns - before_ns)
        if last:
            usage.add(last)
        self._model.step(before_ns, self._now_ns, usage.runs, usage.waits)
        if self._failure is None:
            try:
                self._sysfs.publish()
            except OSError as error:
                self._failure = error

    def _refresh(self) -> None:
        """Raise if ticking has failed. Advance the model to now, unless the last tick is recent."""
        if self._failure:
            raise DeviceError(f"The virtual phone's kernel stopped: {self._failure}.", "Restart the virtual phone.")
        if self._thread.is_alive() and time.monotonic_ns() - self._now_ns > _FRESH_NS:
            self._tick()
