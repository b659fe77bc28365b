"""The ledger's dimensions, collected run by run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from navitas.energy.attribute.component import NON_THREAD_OWNERS, OwnerKind
from navitas.energy.attribute.curves import Curve
from navitas.energy.attribute.forest import binned
from navitas.energy.attribute.ledger import NO_TEST, Owners, Tests
from navitas.energy.attribute.run_rows import stem
from navitas.energy.attribute.window_spans import NO_WINDOW, WindowSpans
from navitas.recording.manifest import Manifest, Test
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.run_queue import RunQueue
from navitas.recording.parse.tables import Thread


class TestRows:
    """The rows of all tests, with their windows."""

    __test__ = False

    def __init__(self, tests: Sequence[Test], failures: Mapping[tuple[int, int], str], *, alternative: bool) -> None:
        self._failures = failures
        self.tests = sorted(tests, key=lambda test: (test.run, test.id))
        self._row = {(test.run, test.id): row for row, test in enumerate(self.tests)}
        size = len(self.tests)
        self._run = np.full(size, -1)
        self._start_ns, self._end_ns = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self._alternative_j = np.zeros(size) if alternative else None
        self._waited_ns, self._starved_ns = np.full(size, np.nan), np.full(size, np.nan)

    def __len__(self) -> int:
        return len(self.tests)

    def add_windows(self, run: int, run_id: int, spans: WindowSpans, alternatives: Sequence[Curve]) -> I64:
        """Set the windows of a run's tests; return the row of each window's test, `NO_TEST` if it is not in the manifest.

        `alternatives` are the energy curves of the alternative model, one for each component that has one.
        """
        row_of_window = np.array([self._row.get((run_id, window.test_id), NO_TEST) for window in spans.windows], np.int64)
        known = row_of_window != NO_TEST
        row = row_of_window[known]
        self._run[row] = run
        self._start_ns[row], self._end_ns[row] = spans.start_ns[known], spans.end_ns[known]
        if self._alternative_j is not None:
            for alternative in alternatives:
                self._alternative_j[row] += alternative.at(self._end_ns[row]) - alternative.at(self._start_ns[row])
        return row_of_window

    def add_waits(self, rows: I64, waited_ns: F64, starved_ns: F64) -> None:
        """Set how long the app's threads waited in each window; `rows` is the result of `add_windows`."""
        known = rows != NO_TEST
        self._waited_ns[rows[known]], self._starved_ns[rows[known]] = waited_ns[known], starved_ns[known]

    def table(self) -> Tests:
        tests = self.tests
        return Tests(
            id=np.array([test.id for test in tests], np.int64),
            run=self._run,
            run_id=np.array([test.run for test in tests], np.int64),
            module=tuple(test.module for test in tests),
            class_name=tuple(test.class_name for test in tests),
            method=tuple(test.method for test in tests),
            repeat=np.array([test.repeat for test in tests], np.int64),
            status=tuple(test.status for test in tests),
            failure=tuple(self._failures.get((test.run, test.id), "") for test in tests),
            start_ns=self._start_ns,
            end_ns=self._end_ns,
            alternative_j=self._alternative_j,
            waited_ns=self._waited_ns,
            starved_ns=self._starved_ns,
        )


class OwnerRows:
    """The rows of all owners, run by run: threads, groups of threads, then `NON_THREAD_OWNERS`."""

    def __init__(self) -> None:
        self._rows: list[tuple[int, int, int, int, str, str, bool]] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add(self, run: int, threads: Sequence[Thread], groups: Sequence[int], measured: Bool) -> None:
        """Add a run's owners; `groups` has the index of one thread of each group. `measured` is by thread."""
        kind, known = OwnerKind.THREAD, measured.tolist()
        self._rows += [
            (run, kind, thread.serial, thread.tid, thread.name, thread.role, known[place]) for place, thread in enumerate(threads)
        ]
        self._rows += [(run, kind, -1, 0, stem(threads[one].name), threads[one].role, known[one]) for one in groups]
        self._rows += [(run, kind, -1, 0, "", "", True) for kind in NON_THREAD_OWNERS]

    def table(self) -> Owners:
        run, kind, serial, tid, name, role, measured = zip(*self._rows, strict=True) if self._rows else ((),) * 7
        numbers = (np.array(run, np.int64), np.array(kind, np.uint8), np.array(serial, np.int64), np.array(tid, np.int64))
        return Owners(*numbers, tuple(name), tuple(role), np.array(measured, bool))


STEP_NS = 100_000_000
"""The step in which waiting and running time are compared. It is long compared with a clock's lag of one tick (4 ms)."""


def waits_of(queue: RunQueue, spans: WindowSpans, cpus: int) -> tuple[F64, F64]:
    """By window: the time spent ready to run without a CPU, in total and because of other processes or a CPU limit.

    Threads of one app also wait for each other. Other processes can have used only the CPU time that the app left unused. So in
    each step: starved = min(waited, cpus * time - ran).
    """
    grid = np.union1d(_thinned(queue.t_ns), spans.marks)
    window, length_ns = spans.at(grid[:-1]), np.diff(grid)
    ran_ns = np.diff(np.interp(grid, queue.t_ns, queue.ran_ns))
    waited_ns = np.diff(np.interp(grid, queue.t_ns, queue.waited_ns))
    starved_ns = np.minimum(waited_ns, np.maximum(cpus * length_ns - ran_ns, 0.0))
    inside, count = window != NO_WINDOW, len(spans.windows)
    return binned(window[inside], waited_ns[inside], count), binned(window[inside], starved_ns[inside], count)


def cpus_of(manifest: Manifest) -> int:
    """The number of CPUs available to the app: the device's; on a virtual phone, at most the host's."""
    cpus, host = len(manifest.device.cpus), manifest.provenance.host
    on_host = host.cpus if manifest.device.kind == "virtual" and host is not None else None
    return max(1, cpus if on_host is None else min(cpus, on_host))


def _thinned(t_ns: I64) -> I64:
    """The first time in each step."""
    return t_ns[np.diff(t_ns // STEP_NS, prepend=-1) > 0]
