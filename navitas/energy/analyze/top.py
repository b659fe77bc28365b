"""Who used the energy: shares by component, by app, and of other processes and base."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, fields, replace
from typing import Any, TypeVar

import numpy as np

from navitas.energy.analyze.records import Totals
from navitas.energy.attribute.component import OwnerKind
from navitas.energy.attribute.consumers_comparison import ConsumerEnergy
from navitas.energy.attribute.forest import sums
from navitas.energy.attribute.ledger import Ledger, counted_runs
from navitas.energy.attribute.scaling import NO_USE
from navitas.recording.parse.arrays import I64

_LEAST_SHARE = 0.05
_NOT_BY_CALLS = ("screen", "gpu")
"""Components that no call of the app uses."""


@dataclass(frozen=True, slots=True)
class ComponentShare:
    """The energy of a component: threads_j + other_processes_j + base_j + unattributed_j = energy_j.

    - `level`: its level of evidence.
    - `rails_j`, `unscaled_j`: what its power rails measured, and what the model alone estimates. None without a rail.
    - `is_silent`: it is known from a rail only, which measured 0 J.
    """

    component: str
    energy_j: float
    threads_j: float
    other_processes_j: float
    base_j: float
    unattributed_j: float
    level: str
    rails_j: float | None = None
    unscaled_j: float | None = None
    is_silent: bool = False

    @property
    def ratio(self) -> float | None:
        """What the rails measured, divided by the model's estimate. None if either is unknown or 0."""
        return self.rails_j / self.unscaled_j if self.rails_j and self.unscaled_j else None


@dataclass(frozen=True, slots=True)
class EnergyUser:
    """The energy of one app's threads, of all other processes, of the base, or of unknown users.

    `kind` is `app`, `other_processes`, `base` or `unattributed`. `name` is the app's package if `kind` is `app`, and empty
    otherwise. `components` splits `energy_j`.
    """

    kind: str
    name: str
    energy_j: float
    components: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Top:
    """Components and users, largest energy first. Both add up to `energy_j`, the energy of all runs without baseline runs."""

    energy_j: float
    components: tuple[ComponentShare, ...]
    users: tuple[EnergyUser, ...]

    def per_run(self, runs: int) -> Top:
        """Return the means of this number of runs."""
        users = [
            replace(user, energy_j=user.energy_j / runs, components=tuple(joules / runs for joules in user.components))
            for user in self.users
        ]
        return Top(self.energy_j / runs, tuple(mean_of(use, runs) for use in self.components), tuple(users))

    def shown(self, component: str | None = None) -> tuple[ComponentShare, ...]:
        """Return the components that tables for people list: one, if it is named, or all that are not silent."""
        return tuple(use for use in self.components if component == use.component or (component is None and not use.is_silent))

    @property
    def silent(self) -> tuple[str, ...]:
        """The names of the silent components."""
        return tuple(use.component for use in self.components if use.is_silent)


R = TypeVar("R", ComponentShare, ConsumerEnergy, Totals)


def mean_of(record: R, runs: int) -> R:
    """Return a record of sums, such as a `ComponentShare`, with each energy (`…_j`) divided by the number of runs."""
    values = {field.name: getattr(record, field.name) for field in fields(record) if field.name.endswith("_j")}
    means: dict[str, Any] = {name: value / runs for name, value in values.items() if value is not None}
    return replace(record, **means)


def top(ledger: Ledger) -> Top:
    """Return the shares of all components and users."""
    energy, components = ledger.energy, len(ledger.components)
    counted = counted_runs(ledger)[ledger.owners.run[energy.owner]]
    user, names = _users(ledger)
    cell = user[energy.owner[counted]] * components + energy.component[counted]
    joules = np.bincount(cell, energy.exclusive_j[counted], len(names) * components).reshape(len(names), components)
    by_kind = sums(np.array([kind for kind, _ in names], np.int64), joules, len(OwnerKind)).T.tolist()
    evidence = {each.component: each for each in ledger.evidence}
    uses = [
        ComponentShare(
            component=name,
            energy_j=sum(kinds),
            threads_j=kinds[OwnerKind.THREAD],
            other_processes_j=kinds[OwnerKind.OTHER_PROCESSES],
            base_j=kinds[OwnerKind.BASE],
            unattributed_j=kinds[OwnerKind.UNATTRIBUTED],
            level=evidence[name].level,
            rails_j=evidence[name].rails_j,
            unscaled_j=evidence[name].unscaled_j,
            is_silent=not any(kinds) and any(reason.code == NO_USE.code for reason in evidence[name].reasons),
        )
        for name, kinds in zip(ledger.components, by_kind, strict=True)
    ]
    users = [
        EnergyUser("app" if kind == OwnerKind.THREAD else kind.name.lower(), name, sum(row), tuple(row))
        for (kind, name), row in zip(names, joules.tolist(), strict=True)
    ]
    return Top(
        energy_j=sum(use.energy_j for use in uses),
        components=tuple(sorted(uses, key=lambda use: -use.energy_j)),
        users=tuple(sorted(users, key=lambda user: -user.energy_j)),
    )


def _users(ledger: Ledger) -> tuple[I64, list[tuple[OwnerKind, str]]]:
    """Return the user of each owner (a row of `Ledger.owners`), and the users. The threads of a package are one user."""
    names: dict[tuple[OwnerKind, str], int] = {}
    users = [
        names.setdefault((OwnerKind(kind), ledger.runs[run].package if kind == OwnerKind.THREAD else ""), len(names))
        for kind, run in zip(ledger.owners.kind.tolist(), ledger.owners.run.tolist(), strict=True)
    ]
    return np.array(users, np.int64), list(names)


def unrecorded(ledger: Ledger) -> tuple[tuple[str, float], ...]:
    """Return components with the joules that their rails measured above the lowest power, most first.

    Only those with at least 5 % of the energy of all runs. Empty without rails, or if the use of components was recorded.
    """
    found: defaultdict[str, float] = defaultdict(float)
    for name, joules in (use for run in ledger.runs if not run.baseline for use in run.unrecorded_j):
        if name not in _NOT_BY_CALLS:
            found[name] += joules
    least_j = _LEAST_SHARE * float(ledger.run_energy_j.sum())
    ranked = sorted(found.items(), key=lambda use: -use[1])
    return tuple((name, joules) for name, joules in ranked if joules > 0 and joules >= least_j)
