"""Place tasks on cores: utilization of tasks and energy-aware placement, after Linux's PELT and EAS."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from navitas.virtual_phone.kernel.spec import FULL_CAPACITY, PhoneSpec

HALF_LIFE_NS = 32_000_000
_FITS = 0.8  # EAS' margin: a task fits a core if its utilization leaves a fifth of the capacity
_FITS_DOWN = 0.7  # a larger margin for a move to a smaller core, so that the task does not flap
_FORGET = 1.0
_REMEMBER_NS = 5_000_000_000
_EWMA_WEIGHT = 0.25
_WAIT_LIMIT_NS = HALF_LIFE_NS


class KernelTask(NamedTuple):
    """A thread of a process. `tid` ≤ 0 represents threads that were never seen (stream number, negated)."""

    pid: int
    tid: int


class Segment(NamedTuple):
    """`task` runs on core `core` from `start_ns` to `end_ns`, relative to the start of the step."""

    start_ns: int
    end_ns: int
    core: int
    task: KernelTask


@dataclass(slots=True)
class CpuUsage:
    """The usage of tasks in an interval: CPU ns, and ns for which they were ready but waited for a CPU of the host."""

    runs: dict[KernelTask, int] = field(default_factory=dict)
    waits: dict[KernelTask, int] = field(default_factory=dict)

    def add(self, other: CpuUsage) -> None:
        """Add another usage to this one."""
        for mine, its in ((self.runs, other.runs), (self.waits, other.waits)):
            for task, ns in its.items():
                mine[task] = mine.get(task, 0) + ns


@dataclass(slots=True)
class _State:
    util: float = 0.0
    estimate: float = 0.0
    core: int = -1
    backlog_ns: int = 0
    wait_ns: int = 0
    asleep_ns: int = 0

    @property
    def demand(self) -> float:
        """The task's expected utilization when it runs (kernel: task_util_est)."""
        return max(self.util, self.estimate)


@dataclass(frozen=True, slots=True)
class TaskPlacement:
    """In one step, `task` runs `run_ns` on `core`."""

    task: KernelTask
    core: int
    run_ns: int


class Scheduler:
    """Keeps the utilization, core and backlog of every task. The backlog is CPU time that has not run yet: a core runs dt in dt.

    Utilization is the decayed share of time for which a task runs or waits for a CPU of the host, × 1024. Waiting counts, because
    the phone has a free core where the host had none. So the phone's frequencies do not depend on the host's other work.
    Unlike the kernel's, utilization is not scaled by the core's speed: times are measured on the host and are not stretched.

    When a task goes to sleep, its utilization is remembered (kernel: util_est, with a fast rise and an average of weight 1/4).
    When it wakes, this estimate determines its core and frequency.
    """

    def __init__(self, spec: PhoneSpec) -> None:
        self._tasks: dict[KernelTask, _State] = {}
        self._bound: dict[int, frozenset[int]] = {}
        self._by_capacity = sorted(range(len(spec.clusters)), key=lambda k: spec.clusters[k].capacity)
        # The order in which clusters are searched for room: the own one, stronger ones, weaker ones.
        self._search = {
            cluster: [*self._by_capacity[i:], *reversed(self._by_capacity[:i])] for i, cluster in enumerate(self._by_capacity)
        }
        self._capacity = [cluster.capacity for cluster in spec.clusters]
        self._cores = [list(cluster.cpus) for cluster in spec.clusters]
        self._cluster_of = [k for k, cluster in enumerate(spec.clusters) for _ in cluster.cpus]

    @property
    def backlog_ns(self) -> int:
        """CPU time that is not placed yet."""
        return sum(state.backlog_ns for state in self._tasks.values())

    def bind(self, pid: int, cores: frozenset[int]) -> None:
        """Run the tasks of a process only on these cores (kernel: sched_setaffinity)."""
        self._bound[pid] = cores

    def give(self, runs: Mapping[KernelTask, int], waits: Mapping[KernelTask, int]) -> None:
        """Add CPU time (ns by task) to the backlogs, and record waiting time."""
        for task, run_ns in runs.items():
            if run_ns > 0:
                self._tasks.setdefault(task, _State()).backlog_ns += run_ns
        for task, wait_ns in waits.items():
            if task in self._tasks:
                state = self._tasks[task]
                state.wait_ns = min(state.wait_ns + wait_ns, _WAIT_LIMIT_NS)

    def place(self, dt_ns: int) -> list[TaskPlacement]:
        """Place backlogs on cores: at most `dt_ns` of each task and on each core. The rest stays."""
        ready = [(task, state) for task, state in self._tasks.items() if state.backlog_ns]
        ready.sort(key=lambda pair: (-pair[1].backlog_ns, pair[0]))
        free = [dt_ns] * len(self._cluster_of)
        placed = []
        for task, state in ready:
            want = min(state.backlog_ns, dt_ns)
            core = self._choose(state, want, free, self._bound.get(task.pid))
            run_ns = min(want, free[core])
            if run_ns:
                free[core] -= run_ns
                state.core = core
                state.backlog_ns -= run_ns
                placed.append(TaskPlacement(task, core, run_ns))
        self._decay(dt_ns, placed)
        return placed

    def core_utils(self) -> list[float]:
        """Return the utilization of each core (kernel: cpu_util_cfs): of the tasks last placed there, including sleeping ones,
        which decay; or the expected utilization of the tasks that run now, if that is larger.
        """
        utils = [0.0] * len(self._cluster_of)
        expected = [0.0] * len(self._cluster_of)
        for state in self._tasks.values():
            if state.core >= 0:
                utils[state.core] += state.util
                if not state.asleep_ns:
                    expected[state.core] += state.demand
        return [max(pair) for pair in zip(utils, expected, strict=True)]

    def _choose(self, state: _State, want: int, free: list[int], bound: frozenset[int] | None) -> int:
        if bound is not None:
            return max(sorted(bound), key=lambda core: (free[core], core == state.core))
        wanted = self._cluster_for(state)
        if state.core >= 0 and self._cluster_of[state.core] == wanted and free[state.core] >= want:
            return state.core
        roomiest = -1
        for cluster in self._search[wanted]:
            best = max(self._cores[cluster], key=free.__getitem__)
            if free[best] >= want:
                return best
            if roomiest < 0 or free[best] > free[roomiest]:
                roomiest = best
        return roomiest

    def _cluster_for(self, state: _State) -> int:
        here = self._capacity[self._cluster_of[state.core]] if state.core >= 0 else 0.0
        for cluster in self._by_capacity:
            margin = _FITS_DOWN if self._capacity[cluster] < here else _FITS
            if state.demand <= margin * self._capacity[cluster]:
                return cluster
        return self._by_capacity[-1]

    def _decay(self, dt_ns: int, placed: list[TaskPlacement]) -> None:
        keep = 0.5 ** (dt_ns / HALF_LIFE_NS)
        gain = (1 - keep) * FULL_CAPACITY / dt_ns
        ran = {placement.task: placement.run_ns for placement in placed}
        forgotten = []
        for task, state in self._tasks.items():
            run_ns = ran.get(task, 0)
            wait_ns = min(state.wait_ns, dt_ns - run_ns)
            state.wait_ns -= wait_ns
            state.util = state.util * keep + gain * (run_ns + wait_ns)
            if run_ns + wait_ns:
                state.asleep_ns = 0
                if run_ns + wait_ns < dt_ns and not state.backlog_ns:
                    state.estimate = max(state.util, state.estimate + _EWMA_WEIGHT * (state.util - state.estimate))
            else:
                state.asleep_ns += dt_ns
            is_gone = state.asleep_ns and state.util < _FORGET and not state.backlog_ns
            if is_gone and (state.estimate < _FORGET or state.asleep_ns > _REMEMBER_NS):
                forgotten.append(task)
        for task in forgotten:
            del self._tasks[task]
