"""The rails: the energy that the phone has used, integrated segment by segment from its specification.

They are the reference for the profiler's estimate, so they share no code with `navitas.power` and `navitas.energy.attribute`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence

from navitas.virtual_phone.kernel.modelled_slices import comm
from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.spec import PhoneSpec

MILLION = 1_000_000
_HASH_BYTES = 8
_UJ = 1e-6  # mW × ns = 1e-12 J = 1e-6 µJ


class HiddenActivity:
    """Scales a core's power by a fixed factor for each name of a thread, in 1 ± `spread` (0 to 1).

    Factors are integers of a millionth, so that sums of scaled times are exact. Threads whose name was never seen have factor 1.
    """

    def __init__(self, spread: float = 0.0, seed: int = 0, *, name_of: Callable[[KernelTask], str] = comm) -> None:
        self._spread = spread
        self._seed = seed
        self._name_of = name_of
        self._names: dict[KernelTask, str] = {}
        self._changes: dict[str, int] = {"": 0}

    def change_millionths(self, task: KernelTask) -> int:
        """Return (factor − 1) · 10⁶ of the thread's present name, or of its last one if it has ended."""
        if not self._spread:
            return 0
        name = self._name_of(task) or self._names.get(task, "")
        self._names[task] = name
        if name not in self._changes:
            self._changes[name] = round((2.0 * self._hash(name) - 1.0) * self._spread * MILLION)
        return self._changes[name]

    def _hash(self, name: str) -> float:
        """Return a number in [0, 1) that depends on the phone's seed and a name."""
        digest = hashlib.sha256(f"{self._seed}:{name}".encode("utf-8", "surrogateescape")).digest()
        return int.from_bytes(digest[:_HASH_BYTES]) / (1 << 8 * _HASH_BYTES)


class ModelledRails:
    """Integer ns of every hardware state. Energies are these times multiplied by power, so nothing drifts.

    The activity of threads scales the power of cores: `changed_ns` is Σ time · (factor − 1) · 10⁶, by operating point.
    """

    def __init__(self, spec: PhoneSpec, activity: HiddenActivity | None = None) -> None:
        self._activity = activity or HiddenActivity()
        self._spec = spec
        self._cluster_of = [k for k, cluster in enumerate(spec.clusters) for _ in cluster.cpus]
        self.on_ns = 0
        self.active_ns = 0
        self.cluster_ns = [0] * len(spec.clusters)
        self.core_ns = [[0] * len(cluster.freq_khz) for cluster in spec.clusters]
        self.changed_ns = [[0] * len(cluster.freq_khz) for cluster in spec.clusters]

    def add(self, dt_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        """Integrate one step of `dt_ns`: the segments of running tasks, and each cluster's operating point."""
        self.on_ns += dt_ns
        for segment in segments:
            cluster = self._cluster_of[segment.core]
            ran_ns = segment.end_ns - segment.start_ns
            self.core_ns[cluster][freq_index[cluster]] += ran_ns
            self.changed_ns[cluster][freq_index[cluster]] += ran_ns * self._activity.change_millionths(segment.task)
        self._add_shared(segments)

    def energies_uj(self) -> dict[str, float]:
        """Return the cumulative energy of every rail in µJ, in channel order: clusters, cpu.active, base."""
        spec = self._spec
        rails = {}
        for k, cluster in enumerate(spec.clusters):
            points = zip(self.core_ns[k], self.changed_ns[k], cluster.core_mw, strict=True)
            cores_uj = sum((ns + changed / MILLION) * mw for ns, changed, mw in points) * _UJ
            rails[cluster_rail(spec, k)] = cores_uj + self.cluster_ns[k] * cluster.cluster_mw * _UJ
        rails["VDD_CPU_ACTIVE"] = self.active_ns * spec.active_mw * _UJ
        rails["VSYS_CPU_BASE"] = self.on_ns * spec.base_mw * _UJ
        return rails

    def _add_shared(self, segments: Iterable[Segment]) -> None:
        """Add the time for which clusters and the whole CPU were on: unions of segments, computed edge by edge."""
        edges = sorted(
            [(segment.start_ns, 1, self._cluster_of[segment.core]) for segment in segments]
            + [(segment.end_ns, 0, self._cluster_of[segment.core]) for segment in segments]
        )
        running = [0] * len(self.cluster_ns)
        before_ns = 0
        for at_ns, starts, cluster in edges:
            if any(running):
                self.active_ns += at_ns - before_ns
                for k, count in enumerate(running):
                    self.cluster_ns[k] += at_ns - before_ns if count else 0
            before_ns = at_ns
            running[cluster] += 1 if starts else -1


def cluster_rail(spec: PhoneSpec, cluster: int) -> str:
    """Return the name of a cluster's rail, as on a Pixel 6: S4M_VDD_CPUCL0 for small cores, S2M_VDD_CPUCL2 for big ones."""
    return f"S{max(4 - cluster, 1)}M_VDD_CPUCL{cluster}" if len(spec.clusters) <= 4 else f"VDD_CPUCL{cluster}"
