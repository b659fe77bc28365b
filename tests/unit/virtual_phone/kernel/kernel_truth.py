"""The energy of each process and thread on the kernel model, summed from its steps."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.scheduler import KernelTask, Segment
from navitas.virtual_phone.kernel.spec import PhoneSpec


@dataclass(slots=True)
class TaskEnergy:
    """What a task has run and spent; cluster and cpu.active are split equally among the cores running at the instant."""

    cpu_ns: int = 0
    energy_uj: float = 0.0


class TaskEnergies:
    """The energy of each task, from the segments in which it ran."""

    def __init__(self, spec: PhoneSpec) -> None:
        self._spec = spec
        self._cluster_of = [k for k, cluster in enumerate(spec.clusters) for _ in cluster.cpus]
        self.tasks: defaultdict[KernelTask, TaskEnergy] = defaultdict(TaskEnergy)

    @property
    def cpu_ns(self) -> int:
        """CPU time of all tasks."""
        return sum(task.cpu_ns for task in self.tasks.values())

    @property
    def energy_uj(self) -> float:
        """Energy of all tasks: all but the base."""
        return sum(task.energy_uj for task in self.tasks.values())

    def add(self, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        """One step: who ran on which core when, and each cluster's operating point."""
        for segment in segments:
            cluster = self._cluster_of[segment.core]
            run_ns = segment.end_ns - segment.start_ns
            core_mw = self._spec.clusters[cluster].core_mw[freq_index[cluster]]
            self.tasks[segment.task].cpu_ns += run_ns
            self.tasks[segment.task].energy_uj += run_ns * core_mw / 1e6
        edges = sorted({edge for segment in segments for edge in (segment.start_ns, segment.end_ns)})
        for start_ns, end_ns in pairwise(edges):
            running = [segment for segment in segments if segment.start_ns <= start_ns < segment.end_ns]
            clusters = [self._cluster_of[segment.core] for segment in running]
            for segment, cluster in zip(running, clusters, strict=True):
                shared_mw = self._spec.active_mw / len(running)
                shared_mw += self._spec.clusters[cluster].cluster_mw / clusters.count(cluster)
                self.tasks[segment.task].energy_uj += (end_ns - start_ns) * shared_mw / 1e6

    def observe(self, t0_ns: int, segments: Sequence[Segment], freq_index: Sequence[int]) -> None:
        """A step of a `KernelModel`."""
        self.add(segments, freq_index)


@dataclass(slots=True)
class ProcessTruth:
    """What a process spent: its threads by tid (≤ 0: threads that were never seen)."""

    threads: dict[int, TaskEnergy] = field(default_factory=dict)

    @property
    def energy_uj(self) -> float:
        """Energy of all threads."""
        return sum(thread.energy_uj for thread in self.threads.values())

    @property
    def cpu_ns(self) -> int:
        """CPU time of all threads."""
        return sum(thread.cpu_ns for thread in self.threads.values())


@dataclass(frozen=True, slots=True)
class Truth:
    """The rails' energy, and what each process (by pid) had of it; `rails` less the processes is the base."""

    rails_uj: dict[str, float]
    processes: defaultdict[int, ProcessTruth]
    wall_ns: int
    backlog_ns: int


class KernelTruth:
    """Watches a kernel that has not started yet."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._energies = TaskEnergies(kernel.spec)
        kernel._model.observers.append(self._energies.observe)

    def read(self) -> Truth:
        """Energy by process and thread at this moment."""
        with self._kernel._lock:
            self._kernel._refresh()
            model = self._kernel._model
            processes: defaultdict[int, ProcessTruth] = defaultdict(ProcessTruth)
            for task, spent in self._energies.tasks.items():
                processes[task.pid].threads[task.tid] = TaskEnergy(spent.cpu_ns, spent.energy_uj)
            return Truth(model.rails.energies_uj(), processes, model.wall_ns, model.scheduler.backlog_ns)
