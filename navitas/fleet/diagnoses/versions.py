"""Drains of apps by version, and the first version of a hog that drains."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pyarrow as pa

from navitas.fleet.diagnoses import strata
from navitas.fleet.diagnoses.conditions import version_key
from navitas.fleet.engine.base import statement
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import FDR_LIMIT, Hogs
from navitas.fleet.findings.results import Row, interval_percent_h
from navitas.fleet.findings.single_apps import MIN_WEIGHT_S
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Bool, Contrast, contrast, false_rates

MIN_CLIENTS = 3
_MIN_CHI_SQUARED = 3.84
"""Minimum difference in χ² (95 %) between the best position of a step and any other."""
_LEAST_INCREASE = 1 / 3
"""Least step, as a part of the drain from there on."""


def versions_of(fleet: Fleet, hogs: Hogs, bugs: Bugs, apps: I64) -> Iterator[tuple[int, AppVersionRows]]:
    """Yield each of these apps that has a known version with enough clients. Reads samples if strata are missing."""
    is_hog = np.isin(apps, hogs.app[hogs.is_hog])
    version = dict(zip(fleet.packages["id"].to_pylist(), fleet.packages["version"].to_pylist(), strict=True))
    for folder, chosen in strata.prepared(fleet, hogs, bugs.affected(hogs), apps, is_hog):
        wanted = pa.table({"app": pa.array(chosen, pa.int32())})
        table = fleet.query_clients(statement("versions", folder=folder), folder, chosen=wanted)
        table = table.sort_by([(name, "ascending") for name in ("app", "package", "client")])
        for app in chosen.tolist():
            own = table.filter(pa.array(table["app"].to_numpy() == app))
            rows = AppVersionRows.from_table(own, version, hogs.weights_of(own["client"].to_numpy(), app))
            if rows is not None:
                yield app, rows


@dataclass(frozen=True, slots=True)
class AppVersionRows:
    """An app's rows, with numbers of clients and versions. `after_unknown` are versions after one with too few clients.

    `s` and `w` have the client's weight. A client counts if it ran a version, and did not run the app, for long enough
    (`MIN_WEIGHT_S`).
    """

    versions: list[str]
    after_unknown: frozenset[str]
    client: I64
    version: I64
    pairs: I64
    s: F64
    w: F64

    @classmethod
    def from_table(cls, table: pa.Table, names: dict[int, str], weight: F64) -> AppVersionRows | None:
        """Known versions with enough clients; None if there are none."""
        version = np.array([names[package] for package in table["package"].to_pylist()], object)
        known = sorted({name for name in version.tolist() if name}, key=version_key)
        s, w = (table[name].to_numpy() * weight for name in ("s", "w"))
        counts = w >= MIN_WEIGHT_S
        order = [name for name in known if np.count_nonzero(counts & (version == name)) >= MIN_CLIENTS]
        if not order:
            return None
        unsure = frozenset(name for before, name in pairwise(known) if before not in order)
        number = {name: place for place, name in enumerate(order)}
        place = np.array([number.get(name, -1) for name in version.tolist()], np.int64)
        kept = place >= 0
        _, client = np.unique(table["client"].to_numpy()[kept], return_inverse=True)
        return cls(order, unsure, client, place[kept], table["pairs"].to_numpy()[kept], s[kept], w[kept])

    def clients(self, number: int) -> int:
        """How many clients of a version count."""
        return int(np.count_nonzero(self.w[self.version == number] >= MIN_WEIGHT_S))

    def effect(self, number: int) -> Contrast:
        """The effect of a version."""
        return contrast(self.client, self.s, self.w, self.version == number)

    def more(self, later: Bool, earlier: Bool) -> Contrast:
        """How much more some rows drain than others."""
        return contrast(self.client, self.s, self.w, later, earlier)

    def misfit(self, place: int) -> float:
        """χ² of the versions' effects about the means before `place` and from it on; NaN if an effect has no error."""
        total = 0.0
        for rows in (self.version < place, self.version >= place):
            effects = [self.effect(number) for number in np.unique(self.version[rows]).tolist()]
            value, error = (np.array(column) for column in zip(*((one.value, one.error) for one in effects), strict=True))
            if not np.all(error > 0):
                return np.nan  # Clients with identical effects give no error.
            weight = error**-2
            total += float(np.sum(weight * (value - np.sum(weight * value) / weight.sum()) ** 2))
        return total


@dataclass(frozen=True, slots=True)
class VersionRow(Row):
    """The extra drain of a hog in one version."""

    KIND: ClassVar[str] = "versions"

    app: str
    version: str
    clients: int
    pairs: int
    extra_percent_h: float | None
    extra_low_percent_h: float | None
    extra_high_percent_h: float | None


@dataclass(frozen=True, slots=True)
class Since:
    """The first version that drains more than the versions before it, and how much more from there on."""

    app: int
    version: str
    more: Contrast


@dataclass(frozen=True, slots=True)
class Versions:
    """Rows of hogs' versions, in version order within each app. `since` has the first version of apps with a significant step."""

    rows: list[VersionRow]
    since: dict[int, str]


def find_versions(fleet: Fleet, hogs: Hogs, bugs: Bugs) -> Versions:
    """Contrast each version of the hogs with the same clients' time without the app, then versions with each other.

    Reads samples if strata are missing.
    """
    found: list[VersionRow] = []
    steps: list[Since] = []
    p: list[float] = []
    names = fleet.app_names
    for app, rows in versions_of(fleet, hogs, bugs, hogs.app[hogs.is_hog]):
        found += [_row(names[app], rows, number) for number in range(len(rows.versions))]
        if (step := first_version(app, rows)) is not None:
            steps.append(step)
            p.append(min(step.more.p * (len(rows.versions) - 1), 1.0))  # The step may be at any of these places.
    rates = false_rates(np.array(p, np.float64))
    return Versions(found, {step.app: step.version for step, rate in zip(steps, rates, strict=True) if rate <= FDR_LIMIT})


def _row(name: str, rows: AppVersionRows, number: int) -> VersionRow:
    pairs = int(rows.pairs[rows.version == number].sum())
    extra = interval_percent_h("extra", *rows.effect(number).ends)
    return VersionRow(name, rows.versions[number], rows.clients(number), pairs, **extra)


def first_version(app: int, rows: AppVersionRows) -> Since | None:
    """The version at which the effect increases by at least a third, if one position fits significantly best."""
    places = range(1, len(rows.versions))
    if not places:
        return None
    fits = np.array([rows.misfit(place) for place in places])
    best = int(np.argmin(fits))
    if not np.isfinite(fits[best]) or np.any(np.delete(fits, best) < fits[best] + _MIN_CHI_SQUARED):
        return None
    if rows.versions[best + 1] in rows.after_unknown:
        return None
    later = rows.version > best
    more, after = rows.more(later, ~later), contrast(rows.client, rows.s, rows.w, later)
    return Since(app, rows.versions[best + 1], more) if more.value > _LEAST_INCREASE * after.value else None
