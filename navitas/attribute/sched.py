"""Level *sched*: a run's clocks, rates and curves from its kernel trace; in the trace's holes those without it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.attribute.busy import Rest
from navitas.attribute.clocks import Clocks
from navitas.attribute.curves import Curve, middle
from navitas.attribute.energy import SlotRate, integrate_curve
from navitas.attribute.frequency import Cluster
from navitas.attribute.holes import Holes, stitched
from navitas.attribute.instants import traced_energy
from navitas.attribute.result import EvidenceLevel
from navitas.attribute.stints import stints_of
from navitas.attribute.traced import TracedRate, traced_clocks
from navitas.parse.tables import RunTables
from navitas.parse.trace.tables import Trace
from navitas.power.model import PowerModel

_NOTED = 1e-3


@dataclass(frozen=True, slots=True)
class Untraced:
    """What there would be without a trace: its `level`, clocks and rates."""

    level: EvidenceLevel
    clocks: Clocks
    rate: SlotRate
    rest: Rest


@dataclass(frozen=True, slots=True)
class Seen:
    """A run as its trace tells it; `reasons` say what part of the threads' CPU time the trace does not tell."""

    level: EvidenceLevel
    reasons: tuple[str, ...]
    clocks: Clocks
    rate: TracedRate
    others: Curve
    nobody: Curve


def traced_run(run: RunTables, trace: Trace, clusters: Sequence[Cluster], model: PowerModel, plain: Untraced) -> Seen:
    """Join a trace with what is known without it (docs/how-it-measures.md, "Level sched")."""
    holes = Holes.of(trace)
    traced = traced_energy(trace, stints_of(trace, run.threads), clusters, model)
    clocks = traced_clocks(run.threads, plain.clocks, holes, traced.pieces)
    others = stitched(holes, traced.others, integrate_curve(plain.rate, plain.rest.others))
    nobody = stitched(holes, traced.nobody, integrate_curve(plain.rate, plain.rest.unattributed))
    missing = _in_holes(clocks, holes)
    level: EvidenceLevel = "sched" if missing <= 0.5 else plain.level
    reasons = (
        ()
        if missing < _NOTED
        else (f"{missing:.1%} of the threads' CPU time is at level {plain.level}: the trace has holes there",)
    )
    return Seen(level, reasons, clocks, TracedRate(plain.rate, holes, traced.pieces), others, nobody)


def _in_holes(clocks: Clocks, holes: Holes) -> float:
    """The part of all threads' CPU time that falls into the trace's holes."""
    knots = clocks.knots
    spent = np.diff(clocks.cpu_ns)
    spent[knots.start[1:-1] - 1] = 0.0  # from one thread's last knot to the next one's first
    total = spent.sum()
    return float(spent[holes.have(middle(knots.t_ns[:-1], knots.t_ns[1:]))].sum() / total) if total > 0 else 0.0
