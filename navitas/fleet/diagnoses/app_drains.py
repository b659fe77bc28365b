"""An app's extra drain by its version, by week, and by OS, model, network and screen of the phones that run it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.diagnoses.conditions import strata_by_app
from navitas.fleet.diagnoses.versions import MIN_CLIENTS, versions_of
from navitas.fleet.diagnoses.weeks import monday_of, sums_by_week
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.findings.results import Row, interval_percent_h
from navitas.fleet.findings.single_apps import MIN_WEIGHT_S
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, contrast

IN_ORDER = ("version", "week")
"""What has an order in time, so that each row is compared with the one before it."""


@dataclass(frozen=True, slots=True)
class DrainRow(Row):
    """An app's extra drain where `by` is `value`, with its 95 % interval.

    `more_percent_h` is how much more that is than where it is `before`. What a client drains on both sides cancels out, so a
    change can be certain although the intervals of two rows overlap.
    """

    KIND: ClassVar[str] = "drains"

    app: str
    by: str
    value: str
    before: str | None
    clients: int
    extra_percent_h: float
    extra_low_percent_h: float
    extra_high_percent_h: float
    more_percent_h: float | None
    more_low_percent_h: float | None
    more_high_percent_h: float | None


@dataclass(frozen=True, slots=True)
class _Sums:
    """An app's s and w by client and number of the value (−1: unknown). Clients are numbered from 0."""

    by: str
    values: Sequence[str]
    value_number: NDArray[np.integer]
    cluster: I64
    s: F64
    w: F64

    def rows(self, app: str) -> Iterator[DrainRow]:
        """Yield a row for each value with enough clients that ran both with the app there and without it."""
        before: int | None = None
        for number, value in enumerate(self.values):
            own = self.value_number == number
            clients = np.count_nonzero(np.bincount(self.cluster[own], self.w[own]) >= MIN_WEIGHT_S)
            if clients < MIN_CLIENTS:
                continue
            more = (np.nan,) * 3
            if before is not None:
                more = contrast(self.cluster, self.s, self.w, own, self.value_number == before).ends
            figures: dict[str, Any] = interval_percent_h("extra", *contrast(self.cluster, self.s, self.w, own).ends)
            figures |= interval_percent_h("more", *more)
            yield DrainRow(app, self.by, value, None if before is None else self.values[before], int(clients), **figures)
            if self.by in IN_ORDER:
                before = number


def drains_of(fleet: Fleet, hogs: Hogs, bugs: Bugs, app: int) -> list[DrainRow]:
    """The drains of an app, version by version, then week by week, then by condition. Reads samples if sums are missing."""
    return [row for sums in _sums(fleet, hogs, bugs, app) for row in sums.rows(fleet.app_names[app])]


def _sums(fleet: Fleet, hogs: Hogs, bugs: Bugs, app: int) -> Iterator[_Sums]:
    apps = np.array([app], np.int64)
    for _, rows in versions_of(fleet, hogs, bugs, apps):
        yield _Sums("version", rows.versions, rows.version, rows.client, rows.s, rows.w)
    client, week, s, w = sums_by_week(fleet, hogs, app)
    weeks, number = np.unique(week, return_inverse=True)
    _, cluster = np.unique(client, return_inverse=True)
    yield _Sums("week", list(map(monday_of, weeks.tolist())), number, cluster, s, w)
    # Of an app with bugs that is no hog, strata on all clients are read as those of other apps.
    affected = bugs.affected(hogs) if np.isin(app, hogs.app[hogs.is_hog]) else {}
    for _, strata in strata_by_app(fleet, hogs, apps, affected):
        for name, feature in strata.features.items():
            if name not in IN_ORDER:
                yield _Sums(name, feature.values, feature.place, strata.cluster, strata.s, strata.w)
