"""Checks whether a version of an app drains more than the one before it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from navitas.fleet.bugs import Bugs
from navitas.fleet.hogs import FDR_LIMIT, Hogs
from navitas.fleet.results import PERCENT_H, Row, interval_percent_h, known
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import I64, false_rates
from navitas.fleet.versions import versions_of


@dataclass(frozen=True, slots=True)
class CheckRow(Row):
    """A version compared with the one before it. `drains_more` is true if the check fails.

    `false_discovery_rate` is that of "drains more than the limit" among this and all more certain checks.
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


def check_versions(  # noqa: PLR0917
    fleet: Fleet, hogs: Hogs, bugs: Bugs, apps: I64, limit_percent_h: float, progress: Progress = no_progress
) -> list[CheckRow]:
    """Compare each version of these apps with the one before it, among versions with at least three clients."""
    pairs = [
        (app, rows, number, rows.version == number, rows.version == number - 1)
        for app, rows in versions_of(fleet, hogs, bugs, apps, progress)
        for number in range(1, len(rows.versions))
    ]
    more = [rows.more(later, earlier) for _, rows, _, later, earlier in pairs]
    rates = false_rates(np.array([one.above(limit_percent_h / PERCENT_H) for one in more], np.float64))
    return [
        CheckRow(
            fleet.app_names[app],
            rows.versions[number],
            rows.versions[number - 1],
            int(min(later.sum(), earlier.sum())),
            **interval_percent_h("more", *effect.ends),
            false_discovery_rate=known(rate),
            drains_more=bool(rate <= FDR_LIMIT),
        )
        for (app, rows, number, later, earlier), effect, rate in zip(pairs, more, rates, strict=True)
    ]
