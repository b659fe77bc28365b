"""The rails: the energy that the phone has spent, integrated segment by segment from its specification.

This is the yardstick for the profiler's estimate. It shares no code with `navitas.power` and `navitas.attribute`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from navitas.virtual_phone.kernel.physics import Physics
from navitas.virtual_phone.kernel.spec import PhoneSpec
from navitas.virtual_phone.kernel.task import Segment

_UJ = 1e-6  # mW × ns = 1e-12 J = 1e-6 µJ


class ModelledRails:
    """Integer ns of every state of the hardware; energies are those times the state's power, so nothing drifts."""

    def __init__(self, spec: PhoneSpec, physics: Physics | None = None) -> None:
        self._spec = spec
        self._physics = physics or Physics()
        self._cluster_of = [k for k, cluster in enumerate(spec.clusters) for _ in cluster.cpus]
        self.on_ns = 0
        self.active_ns = 0
        self.cluster_ns = [0] * len(spec.clusters)
        self.core_ns = [[0] * len(cluster.freq_khz) for cluster in spec.clusters]
        self._extra_uj = [0.0] * len(spec.clusters)

    def add(self, dt_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        """Integrate one step of `dt_ns`: who ran on which core when, and each cluster's operating point during it."""
        self.on_ns += dt_ns
        spent_uj = self._cores(segments, freq_index) + self._shared(segments)
        self._physics.warm(dt_ns, spent_uj)

    def energies_uj(self) -> dict[str, float]:
        """Cumulative energy of every rail in µJ, in channel order: clusters, then cpu.active, then the base."""
        spec = self._spec
        rails = {}
        for k, cluster in enumerate(spec.clusters):
            cores_uj = sum(ns * mw for ns, mw in zip(self.core_ns[k], cluster.core_mw, strict=True)) * _UJ
            rails[cluster_rail(spec, k)] = cores_uj + self.cluster_ns[k] * cluster.cluster_mw * _UJ + self._extra_uj[k]
        rails["VDD_CPU_ACTIVE"] = self.active_ns * spec.active_mw * _UJ
        rails["VSYS_CPU_BASE"] = self.on_ns * spec.base_mw * _UJ
        return rails

    def _cores(self, segments: Iterable[Segment], freq_index: Sequence[int]) -> float:
        """Time and power of running cores; returns the energy in µJ."""
        total_uj = 0.0
        for segment in segments:
            cluster = self._cluster_of[segment.core]
            index = freq_index[cluster]
            run_ns = segment.end_ns - segment.start_ns
            self.core_ns[cluster][index] += run_ns
            energy_uj = run_ns * self._spec.clusters[cluster].core_mw[index] * _UJ
            if not self._physics.off:
                scaled_uj = energy_uj * self._physics.factor(segment.task)
                self._extra_uj[cluster] += scaled_uj - energy_uj
                energy_uj = scaled_uj
            total_uj += energy_uj
        return total_uj

    def _shared(self, segments: Iterable[Segment]) -> float:
        """On-times of clusters and of the whole: unions of the segments, swept edge by edge; returns the energy in µJ."""
        edges = sorted(
            [(segment.start_ns, 1, segment) for segment in segments] + [(segment.end_ns, 0, segment) for segment in segments]
        )
        running: list[Segment] = []
        before_ns = 0
        total_uj = 0.0
        for at_ns, starts, segment in edges:
            if running and at_ns > before_ns:
                total_uj += self._share(at_ns - before_ns, running)
            before_ns = at_ns
            if starts:
                running.append(segment)
            else:
                running.remove(segment)
        return total_uj

    def _share(self, span_ns: int, running: Sequence[Segment]) -> float:
        self.active_ns += span_ns
        power_mw = self._spec.active_mw
        for k in {self._cluster_of[segment.core] for segment in running}:
            self.cluster_ns[k] += span_ns
            power_mw += self._spec.clusters[k].cluster_mw
        return span_ns * power_mw * _UJ


def cluster_rail(spec: PhoneSpec, cluster: int) -> str:
    """A cluster's rail, named as on a Pixel 6: S4M_VDD_CPUCL0 the small cores, S2M_VDD_CPUCL2 the big ones."""
    return f"S{max(4 - cluster, 1)}M_VDD_CPUCL{cluster}" if len(spec.clusters) <= 4 else f"VDD_CPUCL{cluster}"
