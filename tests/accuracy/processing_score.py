"""E_processing and the savings of advice, compared with a simulated app whose modules' true energy is known."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from truth.energy import integrate
from truth.methods import truth_of
from truth.modules import BATTERY, MAIN, RECEIVER, SYNC, UPLOAD, Faults, module_energy, simulate_modules
from truth.phone import PIXEL_6
from truth.recorder import write_recording
from truth.samples import Level

import navitas
from navitas.insight.graph.advice import LEAST_RUN_NS, Advice, advice
from navitas.insight.graph.build_graph import module_graph
from navitas.insight.graph.module_graph import ModuleGraph
from navitas.insight.graph.processing import processing

BUSY = Faults(exact_alarms=12, jobs=6, broadcasts=8, battery_changes=8)
ENTRIES = (MAIN, SYNC, RECEIVER, UPLOAD, BATTERY)
FIXED = Faults()
FAULTY: Mapping[str, Faults] = {
    "exact-repeating-alarm": Faults(exact_alarms=30),
    "frequent-periodic-start": Faults(jobs=60),
    "broadcast-storm": Faults(broadcasts=60),
    "frequent-system-broadcast": Faults(battery_changes=60),
}
"""For each rule, an app with the fault that it finds. `FIXED` is the twin of all of them without a fault."""
_INTERVAL_NS = 20_000_000


@dataclass(frozen=True, slots=True)
class SimulatedGraph:
    """The graph of a recording, with the true joules of its modules and of all of the app's threads."""

    graph: ModuleGraph
    modules_j: Mapping[str, float]
    app_j: float


def simulated_graph(faults: Faults, seed: int, level: Level = "sched") -> SimulatedGraph:
    """Simulate the app, record it with a level of evidence, and build its graph."""
    record = simulate_modules(faults, seed)
    energy = integrate(record)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "r"
        write_recording(path, record, PIXEL_6, interval_ns=_INTERVAL_NS, level=level, seed=seed)
        return SimulatedGraph(module_graph(navitas.load(path)), module_energy(record, energy), truth_of(record, energy).app_j)


def processing_errors(made: SimulatedGraph) -> Iterator[tuple[str, float]]:
    """Yield the relative error of E_processing from each entry."""
    for entry in ENTRIES:
        found = processing(made.graph, [entry])
        yield entry, found.energy_j / sum(made.modules_j[node.name] for node in found.modules) - 1


def advice_of(made: SimulatedGraph, rule: str) -> Advice | None:
    """The only case of a rule, None if there is none.

    The simulated seconds count as the time from which on rates per hour are judged. No saving depends on it.
    """
    found = [one for one in advice(replace(made.graph, run_ns=LEAST_RUN_NS)) if one.rule.id == rule]
    assert len(found) <= 1
    return found[0] if found else None


def saving_error(rule: str, seed: int) -> float:
    """The relative error of a predicted saving: compared with the true energy of the app with the fault minus its twin's."""
    faulty, fixed = simulated_graph(FAULTY[rule], seed), simulated_graph(FIXED, seed)
    found = advice_of(faulty, rule)
    assert found is not None and found.saving_j is not None and advice_of(fixed, rule) is None
    return found.saving_j / (faulty.app_j - fixed.app_j) - 1
