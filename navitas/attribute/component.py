"""The port of a component: what uses energy (CPU, screen, Wi-Fi …) gives its cumulative energy curves by owner."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Protocol

import numpy as np

from navitas.attribute.curves import NOTHING, Curve, Knots
from navitas.attribute.owner_kind import BESIDE_THREADS, OwnerKind
from navitas.parse.arrays import F64, I64
from navitas.parse.reasons import Reason
from navitas.parse.tables import RunTables
from navitas.power.model import PowerModel
from navitas.recording.manifest import Manifest


@dataclass(frozen=True, slots=True)
class ComponentInputs:
    """What components read beside a run's tables.

    `marks` are the edges of the tests' windows: curves of threads have a knot at each. `methods` is the size of the method
    table. `alternative` names a second model whose figures are requested beside the default ones, None for none.
    """

    manifest: Manifest
    model: PowerModel
    marks: I64
    methods: int
    alternative: str | None = None


@dataclass(frozen=True, slots=True)
class ThreadCurves:
    """Cumulative joules of all threads of a run: thread i has the knots of curve i.

    `cpu_ns`: cumulative CPU time at the same knots, from the one component that knows it; None from all others.
    """

    knots: Knots
    energy_j: F64
    cpu_ns: F64 | None = None


@dataclass(frozen=True, slots=True)
class ComponentCurves:
    """A component's energy in one run, by owner: threads (None where it has no energy of threads), and the rest.

    `level` is the level of evidence that this run reached (the name of one of `Component.levels`), `reasons` say
    why it is not a better one. `alternative`: cumulative joules of the requested alternative model, where this component has one.
    """

    level: str
    reasons: tuple[Reason, ...]
    threads: ThreadCurves | None = None
    other_processes: Curve = NOTHING
    base: Curve = NOTHING
    unattributed: Curve = NOTHING
    alternative: Curve | None = None

    @property
    def beside_threads(self) -> tuple[Curve, ...]:
        """The curves of the owners that are no threads, in the order of `BESIDE_THREADS`."""
        curves = {
            OwnerKind.OTHER_PROCESSES: self.other_processes,
            OwnerKind.BASE: self.base,
            OwnerKind.UNATTRIBUTED: self.unattributed,
        }
        return tuple(curves[kind] for kind in BESIDE_THREADS)

    def between(self, a_ns: int, b_ns: int) -> float:
        """Joules of all owners from `a_ns` to `b_ns`."""
        rest = sum(curve.between(a_ns, b_ns) for curve in self.beside_threads)
        return rest + (0.0 if self.threads is None else float(threads_between(self.threads, a_ns, b_ns).sum()))


@dataclass(frozen=True, slots=True)
class EvidenceLevel:
    """A level of evidence: its name, what energy rests on, and the median error of a method's self energy as a share of it.

    `expected_error` is None where it was not measured (docs/accuracy.md).
    """

    name: str
    basis: str = ""
    expected_error: float | None = None


class RailUse(Enum):
    """What a power rail measures of a component."""

    ACTIVE = "active"
    """All that it uses beyond its base power."""
    BASE = "base"
    """Its base power."""


class Component(Protocol):
    """One consumer of energy."""

    @property
    def name(self) -> str:
        """What results call it."""
        ...

    @property
    def levels(self) -> tuple[EvidenceLevel, ...]:
        """Its levels of evidence, best first."""
        ...

    def rail_use(self, rail: str) -> RailUse | None:
        """What the device's power rail of this name measures of the component; None: nothing."""
        ...

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        """The component's energy in a run; None where nothing is known of it."""
        ...


def threads_between(curves: ThreadCurves, a_ns: int, b_ns: int) -> F64:
    """Joules of each thread from `a_ns` to `b_ns`."""
    owner = np.arange(len(curves.knots.start) - 1)
    low = curves.knots.place(owner, np.full_like(owner, a_ns)).read(curves.energy_j)
    return curves.knots.place(owner, np.full_like(owner, b_ns)).read(curves.energy_j) - low
