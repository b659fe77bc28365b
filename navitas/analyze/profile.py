"""The result of a recording: its ledger, and the figures that reports and scripts read of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from navitas.analyze.records import Notice, TestEnergy, Totals
from navitas.analyze.tables import Tables
from navitas.attribute.curves import Curve
from navitas.attribute.ledger import Evidence, Ledger, OwnerKind
from navitas.parse.tables import MethodTable

_J_PER_MAH_AND_VOLT = 3.6


@dataclass(frozen=True, slots=True)
class About:
    """What was recorded, how, and on which device."""

    project: str
    device: Mapping[str, object]
    settings: Mapping[str, object]
    power_profile: Mapping[str, object]
    battery_mah: float | None
    voltage_v: float


class Profile:
    """A recording's energy by test, thread, method, component and call path."""

    def __init__(self, ledger: Ledger, about: About, warnings: Iterable[Notice] = ()) -> None:
        self.ledger = ledger
        self.about = about
        self.warnings = tuple(warnings)
        self.tables = Tables(ledger)

    def warn(self, more: Iterable[Notice]) -> None:
        """Add warnings."""
        self.warnings = (*self.warnings, *more)

    @property
    def project(self) -> str:
        """The project's name."""
        return self.about.project

    @property
    def components(self) -> tuple[str, ...]:
        """The components whose energy is known."""
        return self.ledger.components

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What each component's energy rests on."""
        return self.ledger.evidence

    @property
    def method_table(self) -> MethodTable:
        """All methods of the recording; records name them by their index here."""
        return self.ledger.methods

    @cached_property
    def tick_ns(self) -> float | None:
        """The longest mean period of the runs' ticks, where ticks timed the calls; else None."""
        return max((run.tick_ns for run in self.ledger.runs if run.tick_ns is not None and not run.baseline), default=None)

    @cached_property
    def tests(self) -> tuple[TestEnergy, ...]:
        """One record for each run of each test, by run and id."""
        return self.tables.test_records()

    @cached_property
    def totals(self) -> Totals:
        """Sums over all runs but those of a baseline."""
        ledger, energy = self.ledger, self.ledger.energy
        counted = np.array([not run.baseline for run in ledger.runs] + [False])
        own = counted[ledger.owners.run[energy.owner]]
        kind = ledger.owners.kind[energy.owner[own]]
        kinds = np.bincount(kind, energy.exclusive_j[own], len(OwnerKind)).tolist()
        by_component = ledger.run_energy_j[counted[:-1]].sum(axis=0)
        total_j = float(by_component.sum())
        rails = [(run.rails_j, run.rails_estimate_j) for run in ledger.runs if not run.baseline]
        read = [(rails_j, estimate_j) for rails_j, estimate_j in rails if rails_j is not None and estimate_j is not None]
        return Totals(
            energy_j=total_j,
            charge_mah=total_j / (self.about.voltage_v * _J_PER_MAH_AND_VOLT),
            threads_j=kinds[OwnerKind.THREAD],
            other_processes_j=kinds[OwnerKind.OTHER_PROCESSES],
            base_j=kinds[OwnerKind.BASE],
            unattributed_j=kinds[OwnerKind.UNATTRIBUTED],
            outside_tests_j=total_j - float(self.tables.tests_by_kind[~self.tables.is_baseline].sum()),
            rails_j=sum(rails_j for rails_j, _ in read) if read else None,
            rails_estimate_j=sum(estimate_j for _, estimate_j in read) if read else None,
            components=tuple(by_component.tolist()),
        )

    def curve(self, owner: int, component: str) -> Curve:
        """E(t) of a row of `Ledger.owners`: cumulative joules of a component."""
        return self.ledger.curves.curve(owner, self.components.index(component))
