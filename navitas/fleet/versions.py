"""Drains of hogs by version, and the first version that drains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pyarrow as pa

from navitas.fleet import strata, strata_rows
from navitas.fleet.engine.base import statement
from navitas.fleet.hogs import Hogs
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import F64, I64, Contrast, contrast, false_rates
from navitas.fleet.verdicts import FDR_LIMIT
from navitas.fleet.version_order import version_key

_MIN_CLIENTS = 3
_MIN_CHI_SQUARED = 3.84
"""Minimum difference in χ² (95 %) between the best position of a step and any other."""


@dataclass(frozen=True, slots=True)
class VersionEffect:
    """The extra drain of an app in a version, in ppm of the battery per second."""

    app: int
    version: str
    clients: int
    pairs: int
    effect: Contrast


@dataclass(frozen=True, slots=True)
class Since:
    """The first version that drains more than the versions before it, and how much more from there on."""

    app: int
    version: str
    more: Contrast


@dataclass(frozen=True, slots=True)
class Versions:
    """Effects by version, in version order within each app. `since` has apps with a significant step."""

    effects: tuple[VersionEffect, ...]
    since: dict[int, Since]


def find_versions(fleet: Fleet, hogs: Hogs, progress: Progress = no_progress) -> Versions:
    """Contrast each version of the hogs with the same clients' time without the app, then versions with each other.

    Reads samples if strata are missing.
    """
    apps = hogs.app[hogs.is_hog]
    if not len(apps):
        return Versions((), {})
    strata.bring_up_to_date(fleet, strata.HOGS, strata_rows.request_for(fleet, hogs, apps, {}), progress)
    chosen = pa.table({"app": pa.array(apps, pa.int32())})
    table = pa.concat_tables(fleet.query_clients(statement("versions", folder=strata.HOGS), strata.HOGS, chosen=chosen))
    table = table.sort_by([(name, "ascending") for name in ("app", "package", "client")])
    version = dict(zip(fleet.packages["id"].to_pylist(), fleet.packages["version"].to_pylist(), strict=True))
    effects: list[VersionEffect] = []
    steps: list[Since] = []
    for app in apps.tolist():
        rows = _VersionRows.from_table(table.filter(pa.array(table["app"].to_numpy() == app)), version)
        if rows is None:
            continue
        effects += rows.effects(app)
        first = rows.first(app)
        steps += [] if first is None else [first]
    rates = false_rates(np.array([min(step.more.p * _places(step, effects), 1.0) for step in steps], np.float64))
    return Versions(tuple(effects), {step.app: step for step, rate in zip(steps, rates, strict=True) if rate <= FDR_LIMIT})


def _places(step: Since, effects: Sequence[VersionEffect]) -> int:
    """The number of positions where the step may be."""
    return sum(one.app == step.app for one in effects) - 1


@dataclass(frozen=True, slots=True)
class _VersionRows:
    """An app's rows, with numbers of clients and versions. `after_unknown` are versions after one with too few clients."""

    versions: list[str]
    after_unknown: frozenset[str]
    client: I64
    version: I64
    pairs: I64
    s: F64
    w: F64

    @classmethod
    def from_table(cls, table: pa.Table, names: dict[int, str]) -> _VersionRows | None:
        """Known versions with enough clients; None if there are none."""
        version = np.array([names[package] for package in table["package"].to_pylist()], object)
        known = sorted({name for name in version.tolist() if name}, key=version_key)
        order = [name for name in known if np.count_nonzero(version == name) >= _MIN_CLIENTS]
        if not order:
            return None
        unsure = frozenset(name for before, name in pairwise(known) if before not in order)
        number = {name: place for place, name in enumerate(order)}
        place = np.array([number.get(name, -1) for name in version.tolist()], np.int64)
        kept = place >= 0
        _, client = np.unique(table["client"].to_numpy()[kept], return_inverse=True)
        pairs, s, w = (table[name].to_numpy()[kept] for name in ("pairs", "s", "w"))
        return cls(order, unsure, client, place[kept], pairs, s, w)

    def effects(self, app: int) -> list[VersionEffect]:
        """The effect of each version."""
        found = []
        for number, name in enumerate(self.versions):
            own = self.version == number
            effect = contrast(self.client, self.s, self.w, own)
            found.append(VersionEffect(app, name, int(own.sum()), int(self.pairs[own].sum()), effect))
        return found

    def first(self, app: int) -> Since | None:
        """The version at which the effect increases, if one position fits significantly best."""
        places = range(1, len(self.versions))
        if not places:
            return None
        fits = np.array([self._misfit(place) for place in places])
        best = int(np.argmin(fits))
        if not np.isfinite(fits[best]) or np.any(np.delete(fits, best) < fits[best] + _MIN_CHI_SQUARED):
            return None
        if self.versions[best + 1] in self.after_unknown:
            return None
        later = self.version > best
        return Since(app, self.versions[best + 1], contrast(self.client, self.s, self.w, later, ~later))

    def _misfit(self, place: int) -> float:
        """χ² of the versions' effects about the means before `place` and from it on; NaN if an effect has no error."""
        total = 0.0
        for rows in (self.version < place, self.version >= place):
            effects = [contrast(self.client, self.s, self.w, self.version == number) for number in np.unique(self.version[rows])]
            value, error = (np.array(column) for column in zip(*((one.value, one.error) for one in effects), strict=True))
            if not np.all(error > 0):
                return np.nan  # Clients with identical effects give no error.
            weight = error**-2
            total += float(np.sum(weight * (value - np.sum(weight * value) / weight.sum()) ** 2))
        return total
