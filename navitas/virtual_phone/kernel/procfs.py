"""Texts that only the shell reads: /proc/stat, /proc/uptime, threads' time_in_state and the rail monitor's energy_value."""

from __future__ import annotations

import time
from collections.abc import Mapping

from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.sysfs import TICK_NS
from navitas.virtual_phone.kernel.task import KernelTask

_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


def stat(model: KernelModel, processes: int) -> str:
    """Return /proc/stat: ticks of each CPU (all run time as user time), then the system's totals (proc(5))."""
    busy = [ns // TICK_NS for ns in model.busy_ns]
    idle = [(model.wall_ns - ns) // TICK_NS for ns in model.busy_ns]
    total = sum(model.busy_ns) // TICK_NS, (model.wall_ns * len(busy) - sum(model.busy_ns)) // TICK_NS
    lines = [f"cpu  {total[0]} 0 0 {total[1]} 0 0 0 0 0 0"]
    lines += [f"cpu{cpu} {busy[cpu]} 0 0 {idle[cpu]} 0 0 0 0 0 0" for cpu in model.spec.cpus]
    boot_s = int(time.time() - time.clock_gettime(_CLOCK))
    lines += ["intr 0", f"ctxt {model.switches}", f"btime {boot_s}", f"processes {processes}"]
    lines += ["procs_running 1", "procs_blocked 0"]
    return "\n".join(lines) + "\n"


def uptime(model: KernelModel) -> str:
    """Return /proc/uptime: seconds since the host's boot, to agree with the app's clocks, and idle seconds of all CPUs."""
    idle_s = (model.wall_ns * len(model.busy_ns) - sum(model.busy_ns)) / 1e9
    return f"{time.clock_gettime(_CLOCK):.2f} {idle_s:.2f}\n"


def energy_value(rails_uj: Mapping[str, float]) -> str:
    """Return a Pixel's rail monitor (driver s2mpg1x-odpm): a time since boot in ms, then cumulative µWs of every channel."""
    at_ms = int(time.clock_gettime(_CLOCK) * 1000)
    return f"t={at_ms}\n" + "".join(f"CH{k}(T={at_ms})[{rail}], {int(uj)}\n" for k, (rail, uj) in enumerate(rails_uj.items()))


def time_in_state(model: KernelModel, task: KernelTask) -> str:
    """Return a thread's time_in_state as Android's kernels from 4.14 on print it: `cpuN` before each policy's rows."""
    ran_ns = model.task_states_ns.get(task, {})
    lines = []
    for k, cluster in enumerate(model.spec.clusters):
        lines.append(f"cpu{cluster.cpus[0]}\n")
        lines += [f"{khz} {ran_ns.get((k, i), 0) // TICK_NS}\n" for i, khz in enumerate(cluster.freq_khz)]
    return "".join(lines)
