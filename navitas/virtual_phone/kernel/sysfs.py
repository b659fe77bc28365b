"""The files of /sys/devices/system/cpu for the virtual phone's apps, replaced by rename so that no read is torn; and texts that
only the shell reads: /proc/stat, /proc/uptime, threads' time_in_state and the rail monitor's energy_value.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

from navitas.virtual_phone.kernel.kernel_model import KernelModel
from navitas.virtual_phone.kernel.scheduler import KernelTask
from navitas.virtual_phone.kernel.spec import ClusterSpec

IDLE_INTERVAL_NS = 60_000_000
TICK_NS = 10_000_000  # a tick of time_in_state and /proc/stat (USER_HZ = 100)
_CLOCK = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class _Policy:
    """One policy's changing files, and the values last written to them."""

    def __init__(self, folder: Path, cluster: ClusterSpec) -> None:
        self.frequency_file = str(folder / "scaling_cur_freq")
        self.state_file = str(folder / "stats/time_in_state")
        self.labels = [f"{khz} " for khz in cluster.freq_khz]
        self.cpus = slice(cluster.cpus[0], cluster.cpus[-1] + 1)
        self.khz = 0
        self.busy_ns = 0
        self.written_ns = -IDLE_INTERVAL_NS


class Sysfs:
    """Writes the model's CPU files under `root`. `publish` rewrites the changed ones.

    Replacing files takes most of a tick's time. So `time_in_state` is replaced in every tick while its policy is busy (a real
    kernel's is current at every read). While it idles at one frequency, and only that row grows, it is replaced every 60 ms.
    """

    def __init__(self, root: Path, model: KernelModel) -> None:
        self._cpu = root / "sys/devices/system/cpu"
        self._root = root
        self._model = model
        self._scratch = str(root / ".kernel.tmp")
        self._policies = [_Policy(self._folder(cluster), cluster) for cluster in model.spec.clusters]

    def _folder(self, cluster: ClusterSpec) -> Path:
        return self._cpu / f"cpufreq/policy{cluster.policy}"

    def create(self) -> None:
        """Create the tree with all files, and /proc/self."""
        cpus = self._model.spec.cpus
        span = f"{cpus[0]}-{cpus[-1]}\n" if len(cpus) > 1 else f"{cpus[0]}\n"
        for cluster in self._model.spec.clusters:
            policy = self._folder(cluster)
            (policy / "stats").mkdir(parents=True, exist_ok=True)
            members = " ".join(map(str, cluster.cpus)) + "\n"
            self._replace(policy / "related_cpus", members)
            self._replace(policy / "affected_cpus", members)
            self._replace(policy / "scaling_available_frequencies", " ".join(map(str, cluster.freq_khz)) + " \n")
            self._replace(policy / "scaling_available_governors", "schedutil \n")
            self._replace(policy / "scaling_governor", "schedutil\n")
            self._replace(policy / "scaling_driver", "navitas-virtual\n")
            for kind in ("cpuinfo", "scaling"):
                self._replace(policy / f"{kind}_min_freq", f"{cluster.freq_khz[0]}\n")
                self._replace(policy / f"{kind}_max_freq", f"{cluster.freq_khz[-1]}\n")
            # Only root can read the hardware's own frequency.
            self._replace(policy / "cpuinfo_cur_freq", f"{cluster.freq_khz[0]}\n")
            (policy / "cpuinfo_cur_freq").chmod(0o400)
            for cpu in cluster.cpus:
                (self._cpu / f"cpu{cpu}").mkdir(exist_ok=True)
                self._replace(self._cpu / f"cpu{cpu}/cpu_capacity", f"{round(cluster.capacity)}\n")
                _link(self._cpu / f"cpu{cpu}/cpufreq", f"../cpufreq/{policy.name}")
        for name in ("possible", "present", "online"):
            self._replace(self._cpu / name, span)
        (self._root / "proc").mkdir(exist_ok=True)
        _link(self._root / "proc/self", "/proc/self")
        self.publish()

    def publish(self) -> None:
        """Update the changing files from the model."""
        model = self._model
        for k, (policy, khz) in enumerate(zip(self._policies, model.cur_freq_khz, strict=True)):
            busy_ns = sum(model.busy_ns[policy.cpus])
            works = khz != policy.khz or busy_ns != policy.busy_ns
            if khz != policy.khz:
                self._replace(policy.frequency_file, f"{khz}\n")
                policy.khz = khz
            if works or model.wall_ns - policy.written_ns >= IDLE_INTERVAL_NS:
                rows = zip(policy.labels, model.time_in_state_ns[k], strict=True)
                self._replace(policy.state_file, "".join([f"{label}{ns // TICK_NS}\n" for label, ns in rows]))
                policy.busy_ns, policy.written_ns = busy_ns, model.wall_ns

    def _replace(self, name: str | Path, text: str) -> None:
        descriptor = os.open(self._scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)
        os.rename(self._scratch, name)  # noqa: PTH104 (a hundred times a second)


def _link(path: Path, target: str) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)


def proc_stat(model: KernelModel, processes: int) -> str:
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


def proc_uptime(model: KernelModel) -> str:
    """Return /proc/uptime: seconds since the host's boot, to agree with the app's clocks, and idle seconds of all CPUs."""
    idle_s = (model.wall_ns * len(model.busy_ns) - sum(model.busy_ns)) / 1e9
    return f"{time.clock_gettime(_CLOCK):.2f} {idle_s:.2f}\n"


def energy_value(rails_uj: Mapping[str, float]) -> str:
    """Return a Pixel's rail monitor (driver s2mpg1x-odpm): a time since boot in ms, then cumulative µWs of every channel."""
    at_ms = int(time.clock_gettime(_CLOCK) * 1000)
    return f"t={at_ms}\n" + "".join(f"CH{k}(T={at_ms})[{rail}], {int(uj)}\n" for k, (rail, uj) in enumerate(rails_uj.items()))


def thread_time_in_state(model: KernelModel, task: KernelTask) -> str:
    """Return a thread's time_in_state as Android's kernels from 4.14 on print it: `cpuN` before each policy's rows."""
    ran_ns = model.task_states_ns.get(task, {})
    lines = []
    for k, cluster in enumerate(model.spec.clusters):
        lines.append(f"cpu{cluster.cpus[0]}\n")
        lines += [f"{khz} {ran_ns.get((k, i), 0) // TICK_NS}\n" for i, khz in enumerate(cluster.freq_khz)]
    return "".join(lines)
