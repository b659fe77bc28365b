"""The port of a component (CPU, screen, Wi-Fi …): it computes its cumulative energy curves by owner, and charges of calls."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import Enum, IntEnum
from typing import Protocol

import numpy as np

from navitas.energy.attribute.analysis_settings import DEFAULT, AnalysisSettings
from navitas.energy.attribute.calls.paths import PROBES
from navitas.energy.attribute.curves import EMPTY_CURVE, Curve, Knots, distinct
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest
from navitas.recording.parse.arrays import F64, I64, Bool, ColumnTable
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables


@dataclass(frozen=True, slots=True)
class Charges(ColumnTable):
    """Energy by its cause. `thread` is an index in `RunTables.threads`, `t_ns` the time of the causing call.

    `path` is the call path of the causing call (a number of `Paths`, `OUTSIDE` if it is unknown). `received_bytes` and
    `sent_bytes` are what the call moved; of storage, what it read and wrote.
    """

    thread: I64
    t_ns: I64
    path: I64
    energy_j: F64
    received_bytes: F64
    sent_bytes: F64

    def scaled(self, ratio: float) -> Charges:
        """All energies multiplied by a ratio."""
        return replace(self, energy_j=self.energy_j * ratio)

    def by_thread(self, threads: int) -> F64:
        """Joules of each thread."""
        return np.bincount(self.thread, self.energy_j, threads).astype(np.float64)

    def added_to(self, curve: Curve, thread: int) -> Curve:
        """A thread's curve with a step of 1 ns at each of its charges, so that a charge counts in the window that holds it."""
        own = self.thread == thread
        if not own.any():
            return curve
        at, place = np.unique(self.t_ns[own], return_inverse=True)
        step_j = np.cumsum(np.bincount(place, self.energy_j[own]))
        t_ns = distinct(np.concatenate([curve.t_ns, at, at + 1]))
        before = np.searchsorted(at, t_ns, side="left")  # charges before each time
        return Curve(t_ns, curve.at(t_ns) + np.concatenate([[0.0], step_j])[before])


NO_CHARGES = Charges(*(np.empty(0, np.int64),) * 3, *(np.empty(0),) * 3)


def charges_of_time(thread: I64, t_ns: I64, path: I64, energy_j: F64) -> Charges:
    """Charges of calls that move no bytes."""
    none = np.zeros(len(thread))
    return Charges(thread, t_ns, path, energy_j, none, none)


_NONE = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True)
class ApiSpans(ColumnTable):
    """Time in which a call of an API was innermost: `busy_ns` between `start_ns` and `end_ns`.

    With events, a span is busy all the time. With folded calls, a span is an epoch. `kind` is a `HookKind`. `t_ns` is the time at
    which the call counts: its start; of folded calls the end of their epoch, as for their number.
    """

    thread: I64
    t_ns: I64
    start_ns: I64
    end_ns: I64
    busy_ns: I64
    path: I64
    kind: I64


@dataclass(frozen=True, slots=True)
class ApiCalls:
    """A run's calls of APIs. `hook_path` is the call path of each row of `RunTables.hooks`.

    `spans` are all calls of APIs in the call trees, with or without a hook's record. `path_method` and `path_parent` are the
    columns of `Paths`: the last method of each path, and the path of its caller.
    """

    hook_path: I64
    spans: ApiSpans
    path_method: I64
    path_parent: I64
    is_api: Bool
    """Whether each method is an API's."""
    labels: Sequence[str] = ()
    """A name of each method for messages, with file and line."""

    def caller(self, path: int) -> int:
        """The row of the app's method that made the call with this path; -1 if it is unknown."""
        while path > PROBES:
            method = int(self.path_method[path])
            if method < len(self.labels) and not (method < len(self.is_api) and self.is_api[method]):
                return method
            path = int(self.path_parent[path])
        return -1

    def caller_label(self, path: int) -> str:
        """The label of `caller`; empty if it is unknown."""
        method = self.caller(path)
        return self.labels[method] if method >= 0 else ""


NO_SPANS = ApiSpans(*(_NONE,) * 7)
NO_API_CALLS = ApiCalls(_NONE, NO_SPANS, np.zeros(1, np.int64), np.full(1, -1), np.zeros(0, bool))


class OwnerKind(IntEnum):
    """What energy belongs to."""

    THREAD = 0
    OTHER_PROCESSES = 1
    BASE = 2
    UNATTRIBUTED = 3


NON_THREAD_OWNERS = (OwnerKind.OTHER_PROCESSES, OwnerKind.BASE, OwnerKind.UNATTRIBUTED)
"""The owners of a run that follow its threads and groups of threads, in this order."""


@dataclass(frozen=True, slots=True)
class ComponentInputs:
    """The inputs of components in addition to a run's tables.

    `marks` are the edges of the tests' windows: threads' curves have a knot at each. `methods` is the size of the method
    table. `read_api` reads the run's calls of APIs that use a component.
    """

    manifest: Manifest
    model: PowerModel
    marks: I64
    methods: int
    settings: AnalysisSettings = DEFAULT
    read_api: Callable[[], ApiCalls] = lambda: NO_API_CALLS

    @property
    def api(self) -> ApiCalls:
        """The run's calls of APIs that use a component."""
        return self.read_api()


@dataclass(frozen=True, slots=True)
class ThreadCurves:
    """Cumulative joules of all threads of a run: thread i has the knots of curve i.

    `cpu_ns` is the cumulative CPU time at the same knots. Only one component provides it; for all others it is None.
    `by_clock`: whether threads without a known CPU time have no energy here, although they may have used some.
    """

    knots: Knots
    energy_j: F64
    cpu_ns: F64 | None = None
    by_clock: bool = False


@dataclass(frozen=True, slots=True)
class ComponentCurves:
    """A component's energy in one run, by owner. `threads` is None if threads use none of it.

    `level` is the run's level of evidence (the name of one of `Component.levels`). `reasons` explain why it is not a better
    one. `alternative` has the cumulative joules of the alternative model, or is None.

    `charges` is the energy of threads that belongs to the call that caused it, whenever it flowed. It adds to `threads`.
    `flow` is the cumulative energy of all owners over true time. Without charges it is None: it is then the sum of all curves.
    `taken_from_base` is the energy that this component explains and the CPU's base contains; it is subtracted there.
    `unscaled` is the flow that the model alone estimates, if it is not `flow`. `unscaled_j` is its energy in the run, and
    `rails_j` what rails measured; None without a rail.
    """

    level: str
    reasons: tuple[Reason, ...]
    threads: ThreadCurves | None = None
    other_processes: Curve = EMPTY_CURVE
    base: Curve = EMPTY_CURVE
    unattributed: Curve = EMPTY_CURVE
    alternative: Curve | None = None
    charges: Charges = NO_CHARGES
    flow: Curve | None = None
    taken_from_base: Curve = EMPTY_CURVE
    unscaled: Curve | None = None
    unscaled_j: float | None = None
    rails_j: float | None = None

    @property
    def uses_threads(self) -> bool:
        """Whether threads may have energy of the component."""
        return self.threads is not None or len(self.charges) > 0

    @property
    def non_threads(self) -> tuple[Curve, ...]:
        """The curves of the owners that are not threads, in the order of `NON_THREAD_OWNERS`."""
        curves = {
            OwnerKind.OTHER_PROCESSES: self.other_processes,
            OwnerKind.BASE: self.base,
            OwnerKind.UNATTRIBUTED: self.unattributed,
        }
        return tuple(curves[kind] for kind in NON_THREAD_OWNERS)

    def between(self, a_ns: int, b_ns: int) -> float:
        """Joules of all owners' curves from `a_ns` to `b_ns`, without charges."""
        non_threads_j = sum(curve.between(a_ns, b_ns) for curve in self.non_threads)
        return non_threads_j + (0.0 if self.threads is None else float(threads_between(self.threads, a_ns, b_ns).sum()))

    def during(self, a_ns: int, b_ns: int) -> float:
        """Joules that flowed from `a_ns` to `b_ns`, whichever call caused them."""
        return self.between(a_ns, b_ns) if self.flow is None else self.flow.between(a_ns, b_ns)


@dataclass(frozen=True, slots=True)
class EvidenceLevel:
    """A level of evidence: its name, the data that energy is computed from, and its expected error.

    `expected_error` is the median relative error of a method's self energy, None if not measured (docs/accuracy.md).
    """

    name: str
    basis: str = ""
    expected_error: float | None = None


class RailUse(Enum):
    """The energy of a component that a power rail measures."""

    ACTIVE = "active"
    """All energy except the base power's."""
    BASE = "base"
    """The base power's energy."""
    TOTAL = "total"
    """All energy. The component is scaled to it; `ACTIVE` and `BASE` rails are only compared with the estimate."""


class Component(Protocol):
    """One consumer of energy."""

    @property
    def name(self) -> str:
        """Its name in reports."""
        ...

    @property
    def levels(self) -> tuple[EvidenceLevel, ...]:
        """Its levels of evidence, best first."""
        ...

    def rail_use(self, rail: str) -> RailUse | None:
        """What the power rail of this name measures of the component, or None."""
        ...

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        """The component's energy in a run, or None if there is no data."""
        ...


@dataclass(frozen=True, slots=True)
class MeasuredComponent:
    """A component with its curves in one run, None without data."""

    component: Component
    curves: ComponentCurves | None


def threads_between(curves: ThreadCurves, a_ns: int, b_ns: int) -> F64:
    """Joules of each thread from `a_ns` to `b_ns`."""
    owner = np.arange(len(curves.knots.start) - 1)
    low = curves.knots.place(owner, np.full_like(owner, a_ns)).read(curves.energy_j)
    return curves.knots.place(owner, np.full_like(owner, b_ns)).read(curves.energy_j) - low


def threads_j(curves: ComponentCurves, threads: int, a_ns: int, b_ns: int) -> F64:
    """Joules of each thread: by its curve from `a_ns` to `b_ns`, and all its charges."""
    joules = curves.charges.by_thread(threads)
    return joules if curves.threads is None else threads_between(curves.threads, a_ns, b_ns) + joules


def run_energy_j(curves: ComponentCurves, start_ns: int, end_ns: int) -> float:
    """Joules of all owners in a run."""
    curves_j = curves.between(start_ns, end_ns)
    return curves_j + float(curves.charges.energy_j.sum()) if len(curves.charges) else curves_j
