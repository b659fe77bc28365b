"""Checks whether a version of an app drains more than the one before it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet.bugs import Bugs
from navitas.fleet.hogs import Hogs
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import I64, Contrast, false_rates
from navitas.fleet.verdicts import FDR_LIMIT
from navitas.fleet.version_strata import versions_of


@dataclass(frozen=True, slots=True)
class VersionCheck:
    """A version, the one before it, the clients of both, and how much more it drains in ppm/s.

    `false_rate` is the false discovery rate of "drains more than the limit" among this and all more certain checks.
    """

    app: int
    version: str
    before: str
    clients: int
    clients_before: int
    more: Contrast
    false_rate: float

    @property
    def drains_more(self) -> bool:
        """Whether the version significantly drains more."""
        return self.false_rate <= FDR_LIMIT


def check_versions(  # noqa: PLR0917
    fleet: Fleet, hogs: Hogs, bugs: Bugs, apps: I64, least_ppm_s: float, progress: Progress = no_progress
) -> list[VersionCheck]:
    """Compare each version of these apps with the one before it, among versions with at least three clients."""
    made: list[VersionCheck] = []
    for app, rows in versions_of(fleet, hogs, bugs, apps, progress):
        for number in range(1, len(rows.versions)):
            later, earlier = rows.version == number, rows.version == number - 1
            more = rows.more(later, earlier)
            made.append(
                VersionCheck(
                    app, rows.versions[number], rows.versions[number - 1], int(later.sum()), int(earlier.sum()), more, np.nan
                )
            )
    p = np.array([one.more.above(least_ppm_s) for one in made], np.float64)
    rates = false_rates(p)
    return [
        VersionCheck(one.app, one.version, one.before, one.clients, one.clients_before, one.more, float(rate))
        for one, rate in zip(made, rates, strict=True)
    ]
