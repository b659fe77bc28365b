"""The ledger: the result of attribution, as columns. All analyses group these facts.

Dimensions are runs, tests, owners, components, call paths and methods. Facts are energy and calls. Energy is in joules,
times are in nanoseconds of CLOCK_MONOTONIC.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.compensation import ProbesError
from navitas.energy.attribute.component import ComponentCurves
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve
from navitas.recording.parse.arrays import F64, I32, I64, U8, Bool, ColumnTable
from navitas.recording.parse.reasons import MergedReason
from navitas.recording.parse.tables import MethodTable


class CurveStore:
    """E(t) by owner and component. Owners are numbered run by run: threads, groups of threads, then `NON_THREAD_OWNERS`."""

    def __init__(self) -> None:
        self._first: list[int] = []
        self._runs: list[tuple[int, int, Sequence[ComponentCurves | None]]] = []

    def add(self, first_owner: int, threads: int, groups: int, components: Sequence[ComponentCurves | None]) -> None:
        """Add a run's curves; its owners follow those of the previous run."""
        self._first.append(first_owner)
        self._runs.append((threads, groups, components))

    def curve(self, owner: int, component: int) -> Curve:
        """Cumulative joules of an owner. A group of threads has an empty curve, since each of its threads has a curve.

        A charge counts at the time of the call that caused it. For the time at which energy flowed, see `flow`.
        """
        run = bisect_right(self._first, owner) - 1
        threads, groups, components = self._runs[run]
        number, curves = owner - self._first[run], components[component]
        if curves is None:
            return EMPTY_CURVE
        if number < threads:
            own = EMPTY_CURVE
            if curves.threads is not None:
                knots = curves.threads.knots
                section = slice(*knots.start[number : number + 2].tolist())
                own = Curve(knots.t_ns[section], curves.threads.energy_j[section])
            return curves.charges.added_to(own, number)
        non_thread = number - threads - groups
        return EMPTY_CURVE if non_thread < 0 else curves.non_threads[non_thread]

    def flow(self, owner: int, component: int) -> Curve | None:
        """Cumulative joules of all owners of the run that an owner belongs to, over true time; None without charges."""
        curves = self._runs[bisect_right(self._first, owner) - 1][2][component]
        return None if curves is None else curves.flow


NO_TEST = -1
"""The test of energy used outside of all tests."""
NO_OWNER = -1
"""The owner of handed work whose thread is unknown."""
SAMPLE_INTERVAL_NS = 20_000_000
"""The time between readings of the CPU's counters, unless the recording names another one."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run (one process).

    `baseline`: the run has no probes. `tick_ns`: the mean period of ticks, None if every call was timed.
    `sampler`: what took its stack samples, such as `ctimer`; empty if unknown, or without samples.
    `call_cost_ns`: the time that the probes of a call take, and `probes_error`, its relative standard errors; None if unknown.
    `rails_j`: the energy that the device's rails measured while they were read; `rails_estimate_j`: the estimate for that time.
    `package`: the app of the process; empty if unknown. `target_sdk`: that of the app; None if unknown.
    `slept_ns`: how long the device slept between start and end.
    `consumers`: what the device's own power statistics attribute to components, with the estimates.
    `sample_interval_ns`: the time between readings of the CPU's counters. `call_step_ns`: the length of steps of `CallSteps`.
    `unfit`: why the run does not count in statistics: `warmup`, `hot`.
    `unrecorded_j`: joules that rails measured above their lowest power, by component, if the use of components was not recorded.
    """

    id: int
    module: str
    repeat: int
    start_ns: int
    end_ns: int
    baseline: bool
    tick_ns: float | None = None
    call_cost_ns: float | None = None
    probes_error: ProbesError | None = None
    rails_j: float | None = None
    rails_estimate_j: float | None = None
    package: str = ""
    slept_ns: int = 0
    consumers: tuple[ConsumerEnergy, ...] = ()
    unrecorded_j: tuple[tuple[str, float], ...] = ()
    target_sdk: int | None = None
    sampler: str = ""
    unfit: tuple[str, ...] = ()
    sample_interval_ns: int = SAMPLE_INTERVAL_NS
    call_step_ns: int = 0


@dataclass(frozen=True, slots=True)
class Tests(ColumnTable):
    """One row per run of a test, by `run_id` and `id`. `failure`: where and why it failed; empty if that is unknown.

    `run` is a row of `Ledger.runs`, or -1. A test that never ran starts and ends at 0.
    `alternative_j`: joules by the alternative model, None without one. `waited_ns`: the time that the app's threads were ready
    to run and waited for a CPU. `starved_ns`: the share of it, in ns, that the app's own threads do not explain. Both are NaN
    if unknown.
    """

    __test__ = False

    id: I64
    run: I64
    run_id: I64
    module: tuple[str, ...]
    class_name: tuple[str, ...]
    method: tuple[str, ...]
    repeat: I64
    status: tuple[str, ...]
    failure: tuple[str, ...]
    start_ns: I64
    end_ns: I64
    alternative_j: F64 | None
    waited_ns: F64
    starved_ns: F64


@dataclass(frozen=True, slots=True)
class Compensation:
    """The probes' energy and the compensated energy of each row of `Tests`; NaN if unknown.

    `sampled_probes_j` is from the probes' sampled cost alone, without baseline runs. `probes_error_j` is the standard error of
    the probes' energy in `Energy`.
    """

    sampled_probes_j: F64
    probes_error_j: F64
    compensated_j: F64
    compensated_error_j: F64


@dataclass(frozen=True, slots=True)
class Owners(ColumnTable):
    """One row per thread of each run, per group of short-lived threads, and per owner that is not a thread.

    A group stands for several threads whose names differ only in numbers; its `serial` is -1 and its `tid` 0.
    `measured`: whether the owner's energy is known. It is not known of a thread whose CPU time nothing shows.
    """

    run: I64
    kind: U8
    serial: I64
    tid: I64
    name: tuple[str, ...]
    role: tuple[str, ...]
    measured: Bool


@dataclass(frozen=True, slots=True)
class CallPaths(ColumnTable):
    """The rows of `Paths`: each is a method below its callers' path, `parent`, which is `OUTSIDE` for an outermost call.

    `OUTSIDE` and `PROBES` have method and parent -1.
    """

    parent: I64
    method: I64


@dataclass(frozen=True, slots=True)
class Energy(ColumnTable):
    """Self energy, sorted by test, owner, component and path. `raw_j` includes the probes' energy; Σ raw_j = Σ exclusive_j.

    `test` is `NO_TEST` for energy outside of tests. The path of energy outside of calls is `OUTSIDE` or `PROBES`.
    `variance_j2` is the variance of `exclusive_j` due to the error of the probes' cost.
    """

    test: I32
    owner: I32
    component: U8
    path: I32
    exclusive_j: F64
    raw_j: F64
    variance_j2: F64


@dataclass(frozen=True, slots=True)
class CallSteps(ColumnTable):
    """The energy of call paths in tests over time, sorted by test, owner, path and step.

    Step i of a run begins i · `RunEntry.call_step_ns` after the run. `raw_j` adds up to that of `Energy`. Of a run with very many
    rows, the smallest are left out.
    """

    test: I32
    owner: I32
    path: I32
    step: I32
    raw_j: F64


@dataclass(frozen=True, slots=True)
class Calls(ColumnTable):
    """Calls, sorted by test, owner and path. A call path's callers have rows, too. Times exclude callees.

    `cut`: calls without a recorded end; `throws`: calls that an exception ended. `alternative_j`: joules by the alternative
    model, without callees; None without one. `samples`: stack samples whose innermost frame the path is, `squares_j2`: the sum
    of the squares of their energies, and `self_turns_j2` and `turns_j2`: their turns (calls/sample_turns.py), of which the latter
    add up over callees; None if no run has samples.
    """

    test: I32
    owner: I32
    path: I32
    calls: I64
    throws: I64
    cut: I64
    self_ns: F64
    cpu_ns: F64
    alternative_j: F64 | None
    samples: I64 | None = None
    squares_j2: F64 | None = None
    self_turns_j2: F64 | None = None
    turns_j2: F64 | None = None

    @property
    def counted(self) -> I64:
        """Calls; in a recording with stack samples, samples."""
        return self.calls if self.samples is None else self.samples


@dataclass(frozen=True, slots=True)
class Shares(ColumnTable):
    """The energy of each thread (or group) in each test, read from its curves, sorted by test, then owner.

    `energy_j` has a column per component. `threads` is the number of threads that the owner stands for in that test.
    """

    test: I32
    owner: I32
    threads: I64
    cpu_ns: I64
    energy_j: F64


@dataclass(frozen=True, slots=True)
class Transfers(ColumnTable):
    """Bytes that calls moved, sorted by test, owner, component and path, without those of callees.

    `component` is the radio or the storage that carried them. Storage: bytes read and written. The path of bytes without a known
    call is `OUTSIDE`.
    """

    test: I32
    owner: I32
    component: U8
    path: I32
    received_bytes: F64
    sent_bytes: F64


@dataclass(frozen=True, slots=True)
class HandedTasks(ColumnTable):
    """Work that one thread handed to another, sorted by test, owner, starter, path and root.

    `owner` ran the work, in `test`. `starter` handed it over, in the call `path` (`OUTSIDE` if it is unknown). Both are
    `NO_OWNER` for an unknown thread. `root` is the call that started the chain, if work was handed over within other handed
    work; else it is `path`. `tasks` counts the work that began in the test.
    `run_ns` and `energy_j` (a column per component) are without handed work that ran inside of it on the same thread. The energy
    includes that of probes, and is also among the owner's in `Energy`.
    """

    test: I32
    owner: I32
    starter: I32
    path: I32
    root: I32
    tasks: I64
    run_ns: I64
    energy_j: F64


@dataclass(frozen=True, slots=True)
class ModuleMessages(ColumnTable):
    """Communications between the app's modules, by run, then time. A module is an activity, a service, a receiver or similar.

    `run` is a row of `Ledger.runs`, `owner` a thread or `NO_OWNER`, `process` the process within the run. `t_ns` is on
    CLOCK_BOOTTIME, which also counts while the device sleeps, or on CLOCK_MONOTONIC if that is unknown. `path` is the call that
    sent or received the message, `OUTSIDE` if it is unknown, and `root` the call that started the handed work in which it ran,
    `OUTSIDE` if there is none. `module`, `target` and `action` are indexes in `names`; index 0 is the empty name. For the other
    columns, see `Communications`.
    """

    run: I64
    owner: I64
    process: I64
    t_ns: I64
    token: I64
    kind: I64
    flags: I64
    period_ms: I64
    path: I64
    root: I64
    module: I64
    target: I64
    action: I64
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """A component's lowest level of evidence of all runs, and the reasons why it is not a better one.

    `basis` and `expected_error` are those of the level (`EvidenceLevel`). `rails_j` is what power rails measured of the
    component, and `unscaled_j` what the model alone estimates for the same runs; None without a rail.
    """

    component: str
    level: str
    reasons: tuple[MergedReason, ...]
    basis: str = ""
    expected_error: float | None = None
    rails_j: float | None = None
    unscaled_j: float | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """All facts of a recording, and the dimensions whose rows they refer to.

    `run_energy_j` (run × component) is read from the curves alone; sums of facts must agree with it. `alternative` names the
    model of the columns `alternative_j`, or is None. `call_steps` is None if there are many events and
    `AnalysisSettings.call_steps` is false. `messages` is None if no run recorded communications between modules.
    """

    runs: tuple[RunEntry, ...]
    tests: Tests
    compensation: Compensation
    owners: Owners
    components: tuple[str, ...]
    paths: CallPaths
    methods: MethodTable
    energy: Energy
    calls: Calls
    shares: Shares
    transfers: Transfers
    handed: HandedTasks
    run_energy_j: F64
    evidence: tuple[Evidence, ...]
    alternative: str | None
    curves: CurveStore
    call_steps: CallSteps | None = None
    messages: ModuleMessages | None = None


def counted_runs(ledger: Ledger) -> Bool:
    """Whether each run counts, which baseline runs do not. The last element is that of owners without a run (−1): False."""
    return np.array([not run.baseline for run in ledger.runs] + [False])


def counted_wall_ns(ledger: Ledger) -> int:
    """The sum of the durations of the runs that count, which baseline runs do not."""
    return sum(run.end_ns - run.start_ns for run in ledger.runs if not run.baseline)
