"""The exact energy of methods, threads and components in the test, which reports are compared with."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np

from truth.energy import F64, Energy
from truth.record import Record
from truth.work import ENTER, RESUME, Thread


@dataclass(slots=True)
class MethodTruth:
    """A method's joules on all threads. Inclusive energy counts recursion once."""

    exclusive_j: float = 0.0
    inclusive_j: float = 0.0
    calls: int = 0


@dataclass(slots=True)
class Truth:
    """The test's joules. `threads_j` has the app's threads by tid; `base_j` is the base energy."""

    methods: dict[str, MethodTruth]
    threads_j: dict[int, float]
    others_j: float
    base_j: float
    wall_ns: int
    untraced_j: float = field(default=0.0)

    @property
    def app_j(self) -> float:
        """The energy of all of the app's threads."""
        return sum(self.threads_j.values())

    @property
    def cpu_j(self) -> float:
        """All energy except the base energy."""
        return self.app_j + self.others_j


def truth_of(record: Record, energy: Energy) -> Truth:
    """Compute the energy of the test, its threads and its methods from the exact curves."""
    start_ns, end_ns = record.window
    found = Truth({}, {}, 0.0, energy.base_w * (end_ns - start_ns) / 1e9, end_ns - start_ns)
    methods: defaultdict[str, MethodTruth] = defaultdict(MethodTruth)
    for thread in record.threads:
        curve = energy.threads[thread]
        spent = curve.between(start_ns, end_ns)
        if not thread.app:
            found.others_j += spent
            continue
        found.threads_j[thread.tid] = spent
        times = np.clip([event[0] for event in thread.events], start_ns, end_ns)
        traced = walk(thread, curve.at(times), methods)
        found.untraced_j += spent - traced
        for t_ns, kind, method, _ in thread.events:
            methods[method].calls += kind == ENTER and start_ns <= t_ns < end_ns
    found.methods = dict(methods)
    return found


def walk(thread: Thread, at_event: F64, methods: defaultdict[str, MethodTruth]) -> float:
    """Sum up a thread's calls from a cumulative amount at each of its events; return the sum of its outermost calls.

    Calls without an end count up to the last event.
    """
    stack: list[tuple[str, float, float]] = []
    depth: defaultdict[str, int] = defaultdict(int)
    traced = 0.0

    def close(value: float) -> float:
        method, entered, of_callees = stack.pop()
        depth[method] -= 1
        whole = value - entered
        methods[method].exclusive_j += whole - of_callees
        if not depth[method]:
            methods[method].inclusive_j += whole
        if not stack:
            return whole
        outer, since, inner = stack[-1]
        stack[-1] = outer, since, inner + whole
        return 0.0

    value = 0.0
    for (_, kind, method, _), value in zip(thread.events, at_event.tolist(), strict=True):
        if kind in (ENTER, RESUME):
            stack.append((method, value, 0.0))
            depth[method] += 1
        else:
            traced += close(value)
    while stack:
        traced += close(value)
    return traced


def rows_of(record: Record, energy: Energy, edges_ns: Sequence[int]) -> dict[str, dict[int, F64]]:
    """Compute the joules of each method on each thread (by tid) in tests from each edge to the next one, without probes.

    Shape of the arrays: tests × 2, self and inclusive energy. Inclusive energy counts recursion once.
    """
    edges = np.array(edges_ns, np.int64)
    found: dict[str, dict[int, F64]] = {}
    for thread in (thread for thread in record.threads if thread.app and thread.events):
        times = np.array([event[0] for event in thread.events], np.int64)
        # No call is open after the last event.
        probing = np.array(thread.probing, np.int64).reshape(-1, 2)
        points = np.unique(np.concatenate([times, edges[edges < times[-1]], probing[probing[:, 1] <= times[-1]].ravel()]))
        in_probes = np.searchsorted(probing[:, 0], points[:-1], side="right") > np.searchsorted(
            probing[:, 1], points[:-1], side="right"
        )
        joules = np.diff(energy.threads[thread].at(points)) * ~in_probes
        events = np.searchsorted(times, points[:-1], side="right")
        tests = np.searchsorted(edges, points[:-1], side="right") - 1
        stack: list[str] = []
        done = 0
        for event, test, spent_j in zip(events.tolist(), tests.tolist(), joules.tolist(), strict=True):
            thread.move_stack(stack, done, event)
            done = event
            for method in set(stack) if 0 <= test < len(edges) - 1 else ():
                row = found.setdefault(method, {}).setdefault(thread.tid, np.zeros((len(edges) - 1, 2)))
                row[test] += spent_j * (method == stack[-1]), spent_j
    return found


def save(truth: Truth, path: Path) -> None:
    """Save the truth next to a recording. Navitas never reads it."""
    path.write_text(json.dumps(asdict(truth), indent=1), "utf-8")
