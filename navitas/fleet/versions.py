"""Drains of hogs by version, and the first version that drains."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.fleet.bugs import Bugs
from navitas.fleet.hogs import Hogs
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import Contrast, contrast, false_rates
from navitas.fleet.verdicts import FDR_LIMIT
from navitas.fleet.version_strata import AppVersionRows, versions_of

_MIN_CHI_SQUARED = 3.84
"""Minimum difference in χ² (95 %) between the best position of a step and any other."""
_LEAST_INCREASE = 1 / 3
"""Least step, as a part of the drain from there on."""


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


def find_versions(fleet: Fleet, hogs: Hogs, bugs: Bugs, progress: Progress = no_progress) -> Versions:
    """Contrast each version of the hogs with the same clients' time without the app, then versions with each other.

    Reads samples if strata are missing.
    """
    effects: list[VersionEffect] = []
    steps: list[Since] = []
    for app, rows in versions_of(fleet, hogs, bugs, hogs.app[hogs.is_hog], progress):
        effects += [_effect(app, rows, number) for number in range(len(rows.versions))]
        first = first_version(app, rows)
        steps += [] if first is None else [first]
    rates = false_rates(np.array([min(step.more.p * _places(step, effects), 1.0) for step in steps], np.float64))
    return Versions(tuple(effects), {step.app: step for step, rate in zip(steps, rates, strict=True) if rate <= FDR_LIMIT})


def _effect(app: int, rows: AppVersionRows, number: int) -> VersionEffect:
    own = rows.version == number
    return VersionEffect(app, rows.versions[number], int(own.sum()), int(rows.pairs[own].sum()), rows.effect(number))


def _places(step: Since, effects: Sequence[VersionEffect]) -> int:
    """The number of positions where the step may be."""
    return sum(one.app == step.app for one in effects) - 1


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
