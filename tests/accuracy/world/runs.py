"""When each app of a phone runs, with battery saver off and on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import DAY_S, MINUTE_S, CatalogApp, RunShape
from world.launches import Foreground
from world.people import HOUR_S, Person, daily
from world.regimes import OS_ROLES
from world.spans import NO_SPANS, Floats, Spans, difference, intersection, merged, total_s, union
from world.streams import stream

_STAY_SIGMA = 0.8
_RUN_SIGMA = 0.8
_ROLE_SHARES = {"mobile": 0.7, "saver-off": 0.6, "saver-on": 0.6}
_RARE_SHARE = 0.05


@dataclass(frozen=True, slots=True)
class AppRuns:
    """When an app runs while battery saver is off (`normal`), and on (`saver`); the same array if saver has no effect."""

    normal: Spans
    saver: Spans


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What runs of apps depend on. `stops_background`: battery saver stops apps that are not in the foreground."""

    person: Person
    foreground: Foreground
    mobile: Spans
    off: Spans
    stops_background: bool
    days: int
    upgrade_s: float

    @property
    def end_s(self) -> float:
        """The end of the world."""
        return self.days * DAY_S


def draw_runs(apps: list[CatalogApp], around: Surroundings, seed: int, phone: int) -> dict[int, AppRuns]:
    """Draw the runs of all apps of a phone, by index. Companions come last, because they start with other apps."""
    found: dict[int, AppRuns] = {}
    for app in sorted(apps, key=lambda app: app.way == "companion"):
        rng = stream(seed, phone, "runs", app.index)
        parent = found.get(app.parent) if app.parent is not None else None
        found[app.index] = _runs(app, around, parent, rng)
    return found


def _runs(app: CatalogApp, around: Surroundings, parent: AppRuns | None, rng: np.random.Generator) -> AppRuns:
    if app.role in {"saver-off", "saver-on"}:
        often = renewals(app.run_mean_s, app.run_shape, _ROLE_SHARES[app.role], around.end_s, rng)
        rarely = renewals(app.run_mean_s, app.run_shape, _RARE_SHARE, around.end_s, rng)
        return AppRuns(often, rarely) if app.role == "saver-off" else AppRuns(rarely, often)
    if app.role in OS_ROLES and app.role != "os-updated":
        return _os_runs(app, around, rng)
    if app.way == "session":
        used = around.foreground.spans(app.index)
        return _stopped(_session_runs(app, used, around, rng), used, around)
    if app.way == "companion":
        normal = _companion_runs(app, NO_SPANS if parent is None else parent.normal, around.end_s, rng)
        return _stopped(normal, normal if parent is None else intersection(normal, parent.saver), around)
    if app.way == "resident":
        runs = _resident_runs(app, around.end_s, rng)
        return AppRuns(runs, runs)
    return _stopped(_timer_runs(app, around, rng), NO_SPANS, around)


def _stopped(normal: Spans, saver: Spans, around: Surroundings) -> AppRuns:
    return AppRuns(normal, saver if around.stops_background else normal)


def renewals(mean_s: float, shape: RunShape, share: float, end_s: float, rng: np.random.Generator) -> Spans:
    """Draw runs of a mean length, with exponential gaps such that they take a share of the time."""
    gap_s = mean_s * (1.0 - share) / share
    start_s = -rng.uniform(3.0, 6.0) * (mean_s + gap_s)
    parts: list[Spans] = []
    while start_s < end_s:
        count = int(1.2 * (end_s - start_s) / (mean_s + gap_s)) + 10
        runs = _lengths(mean_s, shape, count, rng)
        ends = start_s + np.cumsum(rng.exponential(gap_s, count) + runs)
        parts.append(np.column_stack([ends - runs, ends]))
        start_s = float(ends[-1])
    drawn = np.concatenate(parts)
    return merged(drawn[:, 0], drawn[:, 1], end_s)


def _lengths(mean_s: float, shape: RunShape, count: int, rng: np.random.Generator) -> Floats:
    if shape == "fixed":
        return np.full(count, mean_s)
    if shape == "exponential":
        return rng.exponential(mean_s, count)
    return np.asarray(mean_s * np.exp(rng.normal(-(_RUN_SIGMA**2) / 2, _RUN_SIGMA, count)))


def _timer_runs(app: CatalogApp, around: Surroundings, rng: np.random.Generator) -> Spans:
    if app.role == "evening":
        return daily(around.days, around.person.utc_offset_s, (18.8, 20.5), (21.0, 23.2), 0.7, rng)
    if app.role == "mobile":
        return intersection(renewals(app.run_mean_s, app.run_shape, _ROLE_SHARES["mobile"], around.end_s, rng), around.mobile)
    return renewals(app.run_mean_s, app.run_shape, app.run_share, around.end_s, rng)


def _os_runs(app: CatalogApp, around: Surroundings, rng: np.random.Generator) -> AppRuns:
    """Runs of an app that the OS upgrade adds or removes."""
    upgrade_s = min(around.upgrade_s, around.end_s)
    start_s, end_s = (0.0, upgrade_s) if app.role == "os-removed" else (upgrade_s, around.end_s)
    runs = merged(np.array([start_s]), np.array([end_s]))
    if app.role == "os-timer":
        runs = intersection(runs, renewals(app.run_mean_s, app.run_shape, 0.5, around.end_s, rng))
    return AppRuns(runs, runs)


def _session_runs(app: CatalogApp, used: Spans, around: Surroundings, rng: np.random.Generator) -> Spans:
    """The foreground, and a stay in the background after it, which a reboot ends."""
    stays = app.stay_median_s * np.exp(rng.normal(0.0, _STAY_SIGMA, len(used)))
    reboots = np.append(around.off[:, 0], np.inf)
    limit = reboots[np.searchsorted(reboots, used[:, 1])]
    return merged(used[:, 0], np.minimum(used[:, 1] + stays, limit), around.end_s)


def _resident_runs(app: CatalogApp, end_s: float, rng: np.random.Generator) -> Spans:
    resident = rng.random() < app.resident_share
    run_days, stop_h = rng.uniform(0.7, 3.0), rng.uniform(1.0, 8.0)
    if not resident:
        return NO_SPANS
    if not app.stops:
        return np.array([[0.0, end_s]])
    share = run_days * 24.0 / (run_days * 24.0 + stop_h)
    stops = renewals(stop_h * HOUR_S, "lognormal", 1.0 - share, end_s, rng)
    return difference(np.array([[0.0, end_s]]), stops)


def _companion_runs(app: CatalogApp, parent: Spans, end_s: float, rng: np.random.Generator) -> Spans:
    """Runs that start with runs of the parent. A planted companion ends with it, and also runs at times without it."""
    if app.role in {None, "twin"}:
        started = rng.random(len(parent)) < app.start_probability
        lags = rng.exponential(max(app.lag_mean_s, 1e-9), len(parent)) * (app.lag_mean_s > 0)
        return merged(parent[started, 0], parent[started, 1] + lags[started], end_s)
    alone = renewals(30 * MINUTE_S, "exponential", app.run_share, end_s, rng)
    order = rng.permutation(len(parent))
    before = np.cumsum((parent[:, 1] - parent[:, 0])[order])
    chosen = parent[np.sort(order[before <= app.start_probability * total_s(parent) + 1e-6])]
    return union(chosen, difference(alone, parent))
