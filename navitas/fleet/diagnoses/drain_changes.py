"""Drains compared: a version with the one before it, and one period with another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from navitas.fleet.diagnoses.versions import versions_of
from navitas.fleet.findings.bugs import Bugs
from navitas.fleet.findings.hogs import FDR_LIMIT, Hogs
from navitas.fleet.findings.results import PERCENT_H, Row, interval_percent_h, known
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import I64, Effects, descending_order, false_rates


@dataclass(frozen=True, slots=True)
class CheckRow(Row):
    """A version compared with the one before it. `drains_more` is true if the check fails.

    `false_discovery_rate` is that of "drains more than the limit" among this and all more certain checks, by two-sided p-values:
    the whole interval of a version that drains more is above the limit.
    """

    KIND: ClassVar[str] = "checks"

    app: str
    version: str
    before: str
    clients: int
    more_percent_h: float | None
    more_low_percent_h: float | None
    more_high_percent_h: float | None
    false_discovery_rate: float | None
    drains_more: bool


def check_versions(fleet: Fleet, hogs: Hogs, bugs: Bugs, apps: I64, limit_percent_h: float) -> list[CheckRow]:
    """Compare each version of these apps with the one before it, among versions with at least three clients."""
    pairs = [(app, rows, number) for app, rows in versions_of(fleet, hogs, bugs, apps) for number in range(1, len(rows.versions))]
    more = [rows.more(rows.version == number, rows.version == number - 1) for _, rows, number in pairs]
    rates = false_rates(np.minimum([2 * one.above(limit_percent_h / PERCENT_H) for one in more], 1.0))
    return [
        CheckRow(
            fleet.app_names[app],
            rows.versions[number],
            rows.versions[number - 1],
            min(rows.clients(number), rows.clients(number - 1)),
            **interval_percent_h("more", *effect.ends),
            false_discovery_rate=known(rate),
            drains_more=bool(rate <= FDR_LIMIT),
        )
        for (app, rows, number), effect, rate in zip(pairs, more, rates, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class ChangeRow(Row):
    """An app's extra drain in two periods, and its change. `is_significant`: at a false discovery rate of 5 %, two-sided."""

    KIND: ClassVar[str] = "changes"

    app: str
    clients: int
    before_percent_h: float | None
    after_percent_h: float | None
    change_percent_h: float | None
    change_low_percent_h: float | None
    change_high_percent_h: float | None
    false_discovery_rate: float | None
    is_significant: bool


def changes_of(before: Hogs, after: Hogs, names: Mapping[int, str]) -> list[ChangeRow]:
    """Compare two periods of one fleet: apps that can be judged in both, the most certain changes first.

    Most clients are in both periods. What differs between them is in both effects, so the error of the change is rather too
    large. An unknown factor on the effects is that of the change, too. The false discovery rate is two-sided.
    """
    app, one, other = np.intersect1d(before.app, after.app, return_indices=True)
    judged = np.isfinite(before.false_rate[one]) & np.isfinite(after.false_rate[other])
    app, one, other = app[judged], one[judged], other[judged]
    first, second = before.effect, after.effect
    error = np.hypot(first.error[one], second.error[other])
    freedom = np.minimum(first.freedom[one], second.freedom[other])
    scale_error = np.maximum(first.scale_error[one], second.scale_error[other])
    difference = second.value[other] - first.value[one]
    change = Effects(difference, error, freedom, np.full(len(app), np.nan), scale_error).above(0.0)
    rates = false_rates(2 * np.minimum(change.p, 1 - change.p))
    ends = np.stack([change.low, change.value, change.high]).T
    return [
        ChangeRow(
            app=names[int(app[i])],
            clients=int(min(before.alone.clients[one[i]], after.alone.clients[other[i]])),
            before_percent_h=known(first.value[one[i]] * PERCENT_H),
            after_percent_h=known(second.value[other[i]] * PERCENT_H),
            **interval_percent_h("change", *ends[i].tolist()),
            false_discovery_rate=known(rates[i]),
            is_significant=bool(rates[i] <= FDR_LIMIT),
        )
        for i in descending_order(np.abs(change.value / change.error)).tolist()
    ]
