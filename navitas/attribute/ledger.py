"""The ledger: what attribution produces, as columns. Everything downstream groups these facts.

Dimensions are runs, tests, owners, components, call paths and methods; facts are energies and calls. Energies are joules,
times nanoseconds of CLOCK_MONOTONIC.
"""

from __future__ import annotations

from dataclasses import dataclass

from navitas.attribute.curve_store import CurveStore
from navitas.parse.arrays import F64, I32, I64, U8
from navitas.parse.reasons import MergedReason
from navitas.parse.tables import MethodTable

NO_TEST = -1
"""The test of energy that was used outside of all tests."""
OUTSIDE, PROBES = 0, 1
"""Call paths that are no calls: what a thread spends outside of probed methods, and in the probes themselves."""


@dataclass(frozen=True, slots=True)
class RunEntry:
    """One run (one process). `tick_ns`: the mean period of the ticks that timed its calls, None where every call was timed.

    `call_cost_ns`: what the probes of a call took, `probes_error` its relative standard error; None where not known.
    `rails_j`: what the device's rails measured while they were read, `rails_estimate_j` the estimate for that time.
    `baseline`: without probes, beside the run of the same repeat that has them.
    """

    id: int
    module: str
    repeat: int
    start_ns: int
    end_ns: int
    baseline: bool
    tick_ns: float | None = None
    call_cost_ns: float | None = None
    probes_error: float | None = None
    rails_j: float | None = None
    rails_estimate_j: float | None = None


@dataclass(frozen=True, slots=True)
class Tests:
    """One row for each run of a test, by `run_id` and `id`.

    `run` is a row of `Ledger.runs`, -1 for none. A test that never ran starts and ends at 0.
    `alternative_j`: joules by the alternative model, None without one. `waited_ns`: how long the app's threads were ready to run
    and waited for a CPU; `starved_ns`: how much of that the app's own threads do not explain; NaN where it is not known.
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
    start_ns: I64
    end_ns: I64
    alternative_j: F64 | None
    waited_ns: F64
    starved_ns: F64

    def __len__(self) -> int:
        return len(self.id)


@dataclass(frozen=True, slots=True)
class Compensation:
    """What probes used in each row of `Tests`, and what the test would have used without them; NaN where that is not known.

    `sampled_probes_j` is by the probes' sampled cost alone, whatever runs without probes say; `probes_error_j` is the standard
    error of the probes' energy in `Energy`.
    """

    sampled_probes_j: F64
    probes_error_j: F64
    compensated_j: F64
    compensated_error_j: F64


@dataclass(frozen=True, slots=True)
class Owners:
    """One row for each thread of each run, for each group of short-lived threads, and for what no thread used.

    A group stands for several threads whose names differ in numbers alone: `serial` is -1, `tid` 0.
    """

    run: I64
    kind: U8
    serial: I64
    tid: I64
    name: tuple[str, ...]
    role: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.run)


@dataclass(frozen=True, slots=True)
class CallPaths:
    """A method below its callers' path: `parent` is the path of the caller, `OUTSIDE` for an outermost call.

    `OUTSIDE` and `PROBES` have method and parent -1.
    """

    parent: I64
    method: I64

    def __len__(self) -> int:
        return len(self.parent)


@dataclass(frozen=True, slots=True)
class Energy:
    """Self energy by test, owner, component and path, in this order. `raw_j` includes what probes used; Σ raw_j = Σ exclusive_j.

    `test` is `NO_TEST` for what was used outside of tests; the path of everything but calls is `OUTSIDE` or `PROBES`.
    `variance_j2`: of `exclusive_j`, by the error of the probes' cost.
    """

    test: I32
    owner: I32
    component: U8
    path: I32
    exclusive_j: F64
    raw_j: F64
    variance_j2: F64

    def __len__(self) -> int:
        return len(self.test)


@dataclass(frozen=True, slots=True)
class Calls:
    """Calls by test, owner and path, in this order; a call path's callers have rows, too. Times exclude callees.

    `cut`: calls whose end was never seen; `throws`: calls that an exception ended. `alternative_j`: joules by the alternative
    model, without callees; None without one.
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

    def __len__(self) -> int:
        return len(self.test)


@dataclass(frozen=True, slots=True)
class Shares:
    """What each thread (or group) used in each test as read from its curves, by test, then owner.

    `energy_j` has a column for each component. `threads`: how many threads the owner stands for in that test.
    """

    test: I32
    owner: I32
    threads: I64
    cpu_ns: I64
    energy_j: F64

    def __len__(self) -> int:
        return len(self.test)


@dataclass(frozen=True, slots=True)
class Evidence:
    """What a component's energy rests on: the lowest level of all runs, and why it is not a better one.

    `basis` and `expected_error` are those of the level (`EvidenceLevel`).
    """

    component: str
    level: str
    reasons: tuple[MergedReason, ...]
    basis: str = ""
    expected_error: float | None = None


@dataclass(frozen=True, slots=True)
class Ledger:
    """All facts of a recording and the dimensions that they refer to by row.

    `run_energy_j` (run × component) is read from the curves alone: sums of facts must agree with it. `alternative` names the
    model of the columns `alternative_j`, None without one.
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
    run_energy_j: F64
    evidence: tuple[Evidence, ...]
    alternative: str | None
    curves: CurveStore
