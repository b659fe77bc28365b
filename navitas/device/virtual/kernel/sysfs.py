"""The files of /sys/devices/system/cpu as the virtual phone's apps read them, replaced by rename so no read is torn."""

from __future__ import annotations

import os
from pathlib import Path

from navitas.device.virtual.kernel.model import KernelModel

TICK_NS = 10_000_000  # a tick of time_in_state and /proc/stat (USER_HZ = 100)


class Sysfs:
    """Writes the model's CPU files under `root`; `publish` rewrites those whose text has changed.

    `time_in_state` is replaced at most once in `min_interval_ns`, since replacing a file is the costliest part of a tick.
    """

    def __init__(self, root: Path, model: KernelModel, *, min_interval_ns: int = 20_000_000) -> None:
        self._cpu = root / "sys/devices/system/cpu"
        self._root = root
        self._model = model
        self._min_interval_ns = min_interval_ns
        self._written_ns = -min_interval_ns
        self._scratch = str(root / ".kernel.tmp")
        self._policies = [self._cpu / f"cpufreq/policy{cluster.policy}" for cluster in model.spec.clusters]
        self._labels = [[f"{khz} " for khz in cluster.freq_khz] for cluster in model.spec.clusters]
        self._text: dict[str, str] = {}

    def create(self) -> None:
        """Make the tree with all files, and /proc/self."""
        cpus = self._model.spec.cpus
        span = f"{cpus[0]}-{cpus[-1]}\n" if len(cpus) > 1 else f"{cpus[0]}\n"
        for cluster, policy in zip(self._model.spec.clusters, self._policies, strict=True):
            (policy / "stats").mkdir(parents=True, exist_ok=True)
            members = " ".join(map(str, cluster.cpus)) + "\n"
            self._write(policy / "related_cpus", members)
            self._write(policy / "affected_cpus", members)
            self._write(policy / "scaling_available_frequencies", " ".join(map(str, cluster.freq_khz)) + " \n")
            self._write(policy / "scaling_available_governors", "schedutil \n")
            self._write(policy / "scaling_governor", "schedutil\n")
            self._write(policy / "scaling_driver", "navitas-virtual\n")
            for kind in ("cpuinfo", "scaling"):
                self._write(policy / f"{kind}_min_freq", f"{cluster.freq_khz[0]}\n")
                self._write(policy / f"{kind}_max_freq", f"{cluster.freq_khz[-1]}\n")
            for cpu in cluster.cpus:
                (self._cpu / f"cpu{cpu}").mkdir(exist_ok=True)
                self._write(self._cpu / f"cpu{cpu}/cpu_capacity", f"{round(cluster.capacity)}\n")
                _link(self._cpu / f"cpu{cpu}/cpufreq", f"../cpufreq/{policy.name}")
        for name in ("possible", "present", "online"):
            self._write(self._cpu / name, span)
        (self._root / "proc").mkdir(exist_ok=True)
        _link(self._root / "proc/self", "/proc/self")
        self.publish()

    def publish(self) -> None:
        """Bring the changing files up to the model."""
        model = self._model
        due = model.wall_ns - self._written_ns >= self._min_interval_ns
        for k, policy in enumerate(self._policies):
            self._write(policy / "scaling_cur_freq", f"{model.cur_freq_khz[k]}\n")
            if due:
                self._write(policy / "stats/time_in_state", self._time_in_state(k))
        if due:
            self._written_ns = model.wall_ns

    def _time_in_state(self, k: int) -> str:
        rows = zip(self._labels[k], self._model.time_in_state_ns[k], strict=True)
        return "".join([f"{label}{ns // TICK_NS}\n" for label, ns in rows])

    def _write(self, path: Path, text: str) -> None:
        name = str(path)
        if self._text.get(name) == text:
            return
        descriptor = os.open(self._scratch, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o644)
        try:
            os.write(descriptor, text.encode())
        finally:
            os.close(descriptor)
        os.rename(self._scratch, name)  # noqa: PTH104 (a hundred times a second)
        self._text[name] = text


def _link(path: Path, target: str) -> None:
    path.unlink(missing_ok=True)
    path.symlink_to(target)
