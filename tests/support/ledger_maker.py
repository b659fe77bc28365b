"""Small ledgers from descriptions of tests, threads and call trees, to test reports without a recording."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import fsum, nan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.energy.attribute.calls.paths import OUTSIDE, PROBES
from navitas.energy.attribute.component import NON_THREAD_OWNERS, ComponentCurves, OwnerKind, ThreadCurves
from navitas.energy.attribute.curves import Curve, Knots
from navitas.energy.attribute.handed_tasks import no_handed_tasks
from navitas.energy.attribute.ledger import (
    NO_TEST,
    CallPaths,
    Calls,
    CallSteps,
    Compensation,
    CurveStore,
    Energy,
    Evidence,
    Ledger,
    Owners,
    RunEntry,
    Shares,
    Tests,
    Transfers,
)
from navitas.recording.parse.tables import MethodTable

_NO_ROWS = np.empty(0, np.int32)
NO_TRANSFERS = Transfers(_NO_ROWS, _NO_ROWS, _NO_ROWS.astype(np.uint8), _NO_ROWS, np.empty(0), np.empty(0))
EVIDENCE = Evidence("cpu", "thread-time", ())
RUN = RunEntry(id=0, module="", repeat=0, start_ns=0, end_ns=1_000_000_000, baseline=False)


@dataclass(frozen=True, slots=True)
class NodeSpec:
    """A call-tree node. `parent` is the index of an earlier node, or -1 for a root. Values exclude callees.

    `probes_j` is the energy of its probes, in addition to `exclusive_j`. The probes of all nodes belong to their thread.
    """

    parent: int
    method: int
    calls: int
    exclusive_j: float
    self_ns: int = 0
    cpu_ns: int = 0
    throws: int = 0
    cut: int = 0
    probes_j: float = 0.0
    alternative_j: float = 0.0


@dataclass(frozen=True, slots=True)
class ThreadSpec:
    """A thread, or a group of `count` threads, in one test. Energy that its nodes and probes do not use is outside of calls."""

    serial: int
    name: str
    energy_j: float
    role: str = "app"
    tid: int = 0
    count: int = 1
    cpu_ns: int = 0
    nodes: Sequence[NodeSpec] = ()

    @property
    def probes_j(self) -> float:
        """Energy of all its probes."""
        return fsum(node.probes_j for node in self.nodes)

    @property
    def untraced_j(self) -> float:
        """Energy outside of calls."""
        return self.energy_j - fsum(node.exclusive_j for node in self.nodes) - self.probes_j


@dataclass(frozen=True, slots=True)
class TestSpec:
    """One run of a test, in a separate run.

    A `baseline` has no probes; the run of the same repeat with probes is compared with it.
    `compensation` has the columns of `Compensation`, in order; NaN for unknown values.
    """

    __test__ = False

    class_name: str
    method: str
    repeat: int
    threads: Sequence[ThreadSpec]
    module: str = ":"
    status: str = "passed"
    failure: str = ""
    wall_ns: int = 1_000_000_000
    other_processes_j: float = 0.0
    base_j: float = 0.0
    unattributed_j: float = 0.0
    alternative_j: float = 0.0
    baseline: bool = False
    compensation: tuple[float, float, float, float] = (nan, nan, nan, nan)
    waited_ns: float = nan
    starved_ns: float = nan


def made_ledger(
    tests: Sequence[TestSpec],
    methods: MethodTable,
    *,
    run: RunEntry = RUN,
    evidence: Evidence = EVIDENCE,
    outside_tests_j: float = 0.0,
    alternative: str | None = None,
) -> Ledger:
    """Return a ledger of one component. Every run is like `run`, with constant power.

    The base of the first run also used `outside_tests_j` outside tests. Raises `ValueError` for siblings with the same method,
    because these are one node.
    """
    rows = _Rows()
    for number, test in enumerate(tests):
        for thread in test.threads:
            rows.add_thread(number, thread)
        for kind, joules in (
            (OwnerKind.OTHER_PROCESSES, test.other_processes_j),
            (OwnerKind.BASE, test.base_j),
            (OwnerKind.UNATTRIBUTED, test.unattributed_j),
        ):
            rows.owners.append((number, kind, -1, 0, "", ""))
            rows.use(number, OUTSIDE, joules)
            if kind == OwnerKind.BASE and number == 0:
                rows.use(NO_TEST, OUTSIDE, outside_tests_j)
    return Ledger(
        runs=tuple(
            replace(run, id=number, module=test.module, repeat=test.repeat, baseline=test.baseline)
            for number, test in enumerate(tests)
        ),
        tests=_tests(tests, alternative=alternative is not None),
        compensation=Compensation(*np.array([test.compensation for test in tests], np.float64).reshape(-1, 4).T),
        owners=rows.owner_table(),
        components=(evidence.component,),
        paths=rows.path_table(),
        methods=methods,
        energy=rows.energy_table(),
        calls=rows.call_table(alternative=alternative is not None),
        shares=rows.share_table(),
        transfers=NO_TRANSFERS,
        handed=no_handed_tasks(1),
        run_energy_j=rows.run_energies(len(tests)),
        evidence=(evidence,),
        alternative=alternative,
        curves=rows.curve_store(run, len(tests)),
        call_steps=CallSteps(*(np.empty(0, np.int32),) * 4, np.empty(0)),
    )


def _tests(tests: Sequence[TestSpec], *, alternative: bool) -> Tests:
    numbers = np.arange(len(tests))
    return Tests(
        id=numbers,
        run=numbers,
        run_id=numbers,
        module=tuple(test.module for test in tests),
        class_name=tuple(test.class_name for test in tests),
        method=tuple(test.method for test in tests),
        repeat=np.array([test.repeat for test in tests], np.int64),
        status=tuple(test.status for test in tests),
        failure=tuple(test.failure for test in tests),
        start_ns=np.zeros(len(tests), np.int64),
        end_ns=np.array([test.wall_ns for test in tests], np.int64),
        alternative_j=np.array([test.alternative_j for test in tests], np.float64) if alternative else None,
        waited_ns=np.array([test.waited_ns for test in tests], np.float64),
        starved_ns=np.array([test.starved_ns for test in tests], np.float64),
    )


@dataclass
class _Rows:
    """Facts and dimensions as rows. Facts are added to the last owner. Tests and runs have the same rows."""

    owners: list[tuple[int, int, int, int, str, str]] = field(default_factory=list)
    paths: dict[tuple[int, int], int] = field(default_factory=dict)
    """The number of each call path by its caller's and its method, from `PROBES + 1` on."""
    energy: list[tuple[float, ...]] = field(default_factory=list)
    calls: list[tuple[float, ...]] = field(default_factory=list)
    shares: list[tuple[float, ...]] = field(default_factory=list)

    def add_thread(self, test: int, thread: ThreadSpec) -> None:
        self.owners.append((test, OwnerKind.THREAD, thread.serial, thread.tid, thread.name, thread.role))
        owner = len(self.owners) - 1
        self.shares.append((test, owner, thread.count, thread.cpu_ns, thread.energy_j))
        own: list[int] = []
        seen: set[int] = set()
        for node in thread.nodes:
            caller = own[node.parent] if node.parent >= 0 else OUTSIDE
            path = self.paths.setdefault((caller, node.method), PROBES + 1 + len(self.paths))
            if path in seen:
                raise ValueError(f"two nodes of method {node.method} below one caller")
            own.append(path)
            seen.add(path)
            self.use(test, path, node.exclusive_j, node.exclusive_j + node.probes_j)
            counts, times = (node.calls, node.throws, node.cut), (node.self_ns, node.cpu_ns)
            self.calls.append((test, owner, path, *counts, *times, node.alternative_j))
        self.use(test, OUTSIDE, thread.untraced_j)
        self.use(test, PROBES, thread.probes_j, 0.0)

    def use(self, test: int, path: int, exclusive_j: float, raw_j: float | None = None) -> None:
        """Add energy if it is not 0."""
        raw_j = exclusive_j if raw_j is None else raw_j
        if exclusive_j or raw_j:
            self.energy.append((test, len(self.owners) - 1, 0, path, exclusive_j, raw_j, 0.0))

    def owner_table(self) -> Owners:
        run, kind, serial, tid = _columns([row[:4] for row in self.owners], (np.int64, np.uint8, np.int64, np.int64))
        names, roles = (tuple(row[column] for row in self.owners) for column in (4, 5))
        return Owners(run, kind, serial, tid, names, roles, np.ones(len(run), bool))

    def path_table(self) -> CallPaths:
        keys = [(-1, -1), (-1, -1), *self.paths]
        return CallPaths(*_columns(keys, (np.int64, np.int64)))

    def energy_table(self) -> Energy:
        return Energy(*_sorted(self.energy, (np.int32, np.int32, np.uint8, np.int32, *(np.float64,) * 3), keys=4))

    def call_table(self, *, alternative: bool) -> Calls:
        found = Calls(*_sorted(self.calls, (*(np.int32,) * 3, *(np.int64,) * 3, *(np.float64,) * 3), keys=3))
        return found if alternative else replace(found, alternative_j=None)

    def share_table(self) -> Shares:
        found = Shares(*_sorted(self.shares, (np.int32, np.int32, np.int64, np.int64, np.float64), keys=2))
        return replace(found, energy_j=found.energy_j[:, None])

    def curve_store(self, run: RunEntry, runs: int) -> CurveStore:
        """Return straight lines over the run."""
        joules = [0.0] * len(self.owners)
        for _, owner, _, _, exclusive_j, *_ in self.energy:
            joules[int(owner)] += exclusive_j
        ends, found = np.array([run.start_ns, run.end_ns]), CurveStore()
        for number in range(runs):
            own = [owner for owner, row in enumerate(self.owners) if row[0] == number]
            threads = [owner for owner in own if self.owners[owner][1] == OwnerKind.THREAD]
            knots = Knots.from_columns(np.repeat(np.arange(len(threads)), 2), np.tile(ends, len(threads)), len(threads))
            lines = ThreadCurves(knots, np.array([value for owner in threads for value in (0.0, joules[owner])]))
            rest = {
                kind.name.lower(): Curve(ends, np.array([0.0, joules[owner]]))
                for kind, owner in zip(NON_THREAD_OWNERS, own[len(threads) :], strict=True)
            }
            found.add(own[0], len(threads), 0, [ComponentCurves("made", (), lines if threads else None, **rest)])
        return found

    def run_energies(self, runs: int) -> NDArray[np.float64]:
        found: list[list[float]] = [[] for _ in range(runs)]
        for _, owner, _, _, exclusive_j, *_ in self.energy:
            found[self.owners[int(owner)][0]].append(exclusive_j)
        return np.array([fsum(joules) for joules in found], np.float64)[:, None]


def _columns(rows: Sequence[tuple[float, ...]], kinds: Sequence[type[np.generic]]) -> list[NDArray[Any]]:
    return [np.array([row[i] for row in rows], kind) for i, kind in enumerate(kinds)]


def _sorted(rows: Sequence[tuple[float, ...]], kinds: Sequence[type[np.generic]], keys: int) -> list[NDArray[Any]]:
    return _columns(sorted(rows, key=lambda row: row[:keys]), kinds)
