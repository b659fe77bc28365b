"""The kernel model: from CPU time of tasks to busy cores, frequencies, counters and energy. Uses no clocks or files."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from random import Random
from types import MappingProxyType

from navitas.virtual_phone.kernel.modelled_rails import HiddenActivity, ModelledRails
from navitas.virtual_phone.kernel.scheduler import KernelTask, Scheduler, Segment, TaskPlacement
from navitas.virtual_phone.kernel.spec import ClusterSpec, PhoneSpec

_HEADROOM = 1.25
UP_LIMIT_NS = 500_000
DOWN_LIMIT_NS = 20_000_000
MAX_STEP_NS = 16_000_000
_NONE: Mapping[KernelTask, int] = MappingProxyType({})

Observer = Callable[[int, Sequence[Segment], Sequence[int]], None]
"""Receives each step: its start, the segments of running tasks, and the index of each cluster's frequency."""


class Governor:
    """The frequency of one cluster: schedutil's rule with rate limits (kernel: cpufreq_schedutil.c).

    `index` is the present operating point. It rises at once, and falls at the earliest 20 ms after a change.
    """

    def __init__(self, cluster: ClusterSpec) -> None:
        self._cluster = cluster
        self._cpus = slice(cluster.cpus[0], cluster.cpus[-1] + 1)
        self._changed_ns = 0
        self.index = 0

    def update(self, now_ns: int, core_utils: list[float]) -> None:
        """Choose the lowest operating point at or above 1.25 × fmax × util / capacity of the cluster's busiest core."""
        cluster = self._cluster
        util = max(core_utils[self._cpus])
        if util == 0.0 and self.index == 0:
            return
        target_khz = _HEADROOM * cluster.freq_khz[-1] * util / cluster.capacity
        index = min(bisect_left(cluster.freq_khz, target_khz), len(cluster.freq_khz) - 1)
        limit_ns = UP_LIMIT_NS if index > self.index else DOWN_LIMIT_NS
        if index != self.index and now_ns - self._changed_ns >= limit_ns:
            self.index = index
            self._changed_ns = now_ns


class KernelModel:
    """Virtual cores with a scheduler and a governor. All counters are cumulative ns since the first step."""

    def __init__(self, spec: PhoneSpec, *, seed: int = 0, activity: HiddenActivity | None = None) -> None:
        self.spec = spec
        self.rails = ModelledRails(spec, activity)
        self.busy_ns = [0] * len(spec.cpus)
        self.time_in_state_ns = [[0] * len(cluster.freq_khz) for cluster in spec.clusters]
        self.wall_ns = 0
        self.switches = 0
        self.task_states_ns: dict[KernelTask, dict[tuple[int, int], int]] = {}
        """The run time of each task, by cluster and index of its frequency."""
        self.observers: list[Observer] = []
        self.scheduler = Scheduler(spec)
        self._cluster_of = [k for k, cluster in enumerate(spec.clusters) for _ in cluster.cpus]
        self._governors = [Governor(cluster) for cluster in spec.clusters]
        self._random = Random(seed)

    @property
    def cur_freq_khz(self) -> list[int]:
        """The frequency of each cluster."""
        return [cluster.freq_khz[g.index] for cluster, g in zip(self.spec.clusters, self._governors, strict=True)]

    def bind(self, pid: int, cpus: frozenset[int]) -> None:
        """Run a process only on these CPUs from the next step on."""
        self.scheduler.bind(pid, cpus)

    def step(self, t0_ns: int, t1_ns: int, runs: Mapping[KernelTask, int], waits: Mapping[KernelTask, int] = _NONE) -> None:
        """Advance from `t0_ns` to `t1_ns`, in which each task used `runs[task]` ns of CPU and waited `waits[task]` ns.

        A long step is divided, with its CPU time spread evenly, so that the governor acts at its usual rate.
        """
        count = -(-(t1_ns - t0_ns) // MAX_STEP_NS)
        if count <= 1:
            self.scheduler.give(runs, waits)
            if count == 1:
                self._step(t0_ns, t1_ns)
            return
        for k in range(count):
            start_ns, end_ns = (t0_ns + (t1_ns - t0_ns) * i // count for i in (k, k + 1))
            self.scheduler.give(_part(runs, k, count), _part(waits, k, count))
            self._step(start_ns, end_ns)

    def _step(self, t0_ns: int, t1_ns: int) -> None:
        dt_ns = t1_ns - t0_ns
        placed = self.scheduler.place(dt_ns)
        # A waking task requests its frequency when it is enqueued, not a step later (kernel: cpufreq_update_util).
        utils = self.scheduler.core_utils()
        for governor in self._governors:
            governor.update(t0_ns, utils)
        segments = self._segments(dt_ns, placed)
        freq_index = [governor.index for governor in self._governors]
        self.rails.add(dt_ns, segments, freq_index)
        for placement in placed:
            self.busy_ns[placement.core] += placement.run_ns
            if placement.task.tid <= 0:
                continue  # a thread that was never seen: no one can read its file
            cluster = self._cluster_of[placement.core]
            states = self.task_states_ns.setdefault(placement.task, {})
            states[cluster, freq_index[cluster]] = states.get((cluster, freq_index[cluster]), 0) + placement.run_ns
        for row, index in zip(self.time_in_state_ns, freq_index, strict=True):
            row[index] += dt_ns
        self.wall_ns += dt_ns
        self.switches += 2 * len(segments)
        for observer in self.observers:
            observer(t0_ns, segments, freq_index)

    def _segments(self, dt_ns: int, placed: Sequence[TaskPlacement]) -> list[Segment]:
        """Return the busy part of each core, which starts at a random moment of the step, with its tasks in sequence."""
        by_core: dict[int, list[TaskPlacement]] = {}
        for placement in placed:
            by_core.setdefault(placement.core, []).append(placement)
        segments = []
        for core, placements in by_core.items():
            at_ns = self._random.randint(0, dt_ns - sum(placement.run_ns for placement in placements))
            for placement in placements:
                segments.append(Segment(at_ns, at_ns + placement.run_ns, core, placement.task))
                at_ns += placement.run_ns
        return segments


def _part(times: Mapping[KernelTask, int], k: int, count: int) -> dict[KernelTask, int]:
    """Return the k-th of `count` parts, which sum to the whole."""
    return {task: ns * (k + 1) // count - ns * k // count for task, ns in times.items()}
