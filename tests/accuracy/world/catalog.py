"""The apps of a world: how each runs, which drain the battery, and when their versions appear."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from world.regimes import OS_ROLES, Regime, Role, Way
from world.streams import log_uniform, stream

RunShape = Literal["exponential", "fixed", "lognormal"]

DAY_S = 86_400.0
MINUTE_S = 60.0
TYPICAL_PERCENT_H = 5.0
_LINKED = {"timer": 0.3, "session": 0.45, "resident": 0.12, "companion": 0.13}
_INDEPENDENT = {"timer": 0.75, "resident": 0.25}
_WAYS_OF_HOGS: tuple[tuple[Way, ...], ...] = (
    ("timer", "timer", "resident"),
    ("timer", "session", "timer", "session", "resident"),
)
_WAY_OF_ROLE: dict[Role, Way] = {"outdoors": "session", "foreground": "session", "navigation": "session"}
_SHARES_WITH_HOST: dict[Role, float] = {"companion-80": 0.8, "companion-95": 0.95, "twin": 1.0}
_NAVIGATION_PERCENT_H = 3.5
_EVERYWHERE = 10.0
"""The popularity of an app that nearly all phones have."""


@dataclass(frozen=True, slots=True)
class CatalogApp:
    """One app. Fields of other ways of running have no effect.

    Timers run for `run_mean_s` at a time, `run_share` of the time. Session apps stay in the background with the median
    `stay_median_s` (0: never). Residents run on `resident_share` of the phones, and some stop at times. Companions start
    with `parent` at `start_probability`, and stay a mean of `lag_mean_s` longer. `hog_percent_h`: mean extra drain, from
    the version with the index `since` on. `releases_s`: when versions after the first appear.
    """

    index: int
    way: Way
    popularity: float
    run_mean_s: float
    run_shape: RunShape
    run_share: float
    stay_median_s: float
    stops: bool
    resident_share: float
    start_probability: float
    lag_mean_s: float
    releases_s: tuple[float, ...]
    parent: int | None = None
    hog_percent_h: float = 0.0
    since: int = 0
    role: Role | None = None

    @property
    def package(self) -> str:
        """The name of the app."""
        return f"example.app{self.index:03d}"


def version_name(index: int) -> str:
    """Return the name of an app's version: 0 is the one at the start of the world."""
    return f"1.{index}"


def make_catalog(regime: Regime, seed: int) -> tuple[CatalogApp, ...]:
    """Draw all apps of a world."""
    rng = stream(seed, "catalog")
    shares = _LINKED if regime.linked else _INDEPENDENT
    ranks = rng.permutation(regime.apps)
    ways = rng.choice(list(shares), size=regime.apps, p=list(shares.values()))
    apps = [_draw(index, ways[index], int(ranks[index]), regime, rng) for index in range(regime.apps)]
    order = [int(index) for index in rng.permutation(regime.apps)]
    hogs, planted = order[: regime.hogs], order[regime.hogs : regime.hogs + len(regime.planted)]
    for number, index in enumerate(hogs):
        apps[index] = _hog(apps[index], number, regime, rng)
    hosts = sorted((apps[i] for i in hogs if apps[i].way in {"timer", "session"}), key=lambda app: -app.popularity)
    for index, role in zip(planted, regime.planted, strict=True):
        apps[index] = _planted(apps[index], role, hosts, rng)
    return tuple(_with_parent(app, apps, rng) for app in apps)


def _draw(index: int, way: Way, rank: int, regime: Regime, rng: np.random.Generator) -> CatalogApp:
    releases = rng.uniform(0.05, 0.9, rng.poisson(regime.releases)) * regime.days * DAY_S
    return CatalogApp(
        index=index,
        way=way,
        popularity=_popularity(rank),
        run_mean_s=float(rng.choice(regime.run_means_min)) * MINUTE_S,
        run_shape=rng.choice(["exponential", "fixed", "lognormal"]),
        run_share=rng.uniform(0.05, 0.4),
        stay_median_s=0.0 if rng.random() < 0.25 else log_uniform(rng, *regime.stays_min) * MINUTE_S,
        stops=bool(rng.random() < 0.3),
        resident_share=rng.uniform(0.6, 1.0),
        start_probability=rng.uniform(0.8, 1.0),
        lag_mean_s=float(rng.choice([0.0, 5.0, 20.0])) * MINUTE_S,
        releases_s=tuple(sorted(float(time) for time in releases)),
    )


def _popularity(rank: int) -> float:
    return float((rank + 5.0) ** -0.9)


def _hog(app: CatalogApp, number: int, regime: Regime, rng: np.random.Generator) -> CatalogApp:
    ways = regime.hog_ways or _WAYS_OF_HOGS[regime.linked]
    extra = log_uniform(rng, 0.1 * TYPICAL_PERCENT_H, TYPICAL_PERCENT_H)
    releases, since = app.releases_s, 0
    new = float(rng.uniform(0.2, 0.6)) * regime.days * DAY_S
    if number < regime.since_hogs:
        releases = tuple(sorted((*releases, new)))
        since = releases.index(new) + 1
    return replace(
        app,
        way=ways[number % len(ways)],
        stay_median_s=max(app.stay_median_s, regime.hog_stay_min * MINUTE_S),
        stops=True,
        hog_percent_h=extra,
        since=since,
        releases_s=releases,
    )


def _planted(app: CatalogApp, role: Role, hosts: list[CatalogApp], rng: np.random.Generator) -> CatalogApp:
    app = replace(app, role=role, way=_WAY_OF_ROLE.get(role, "timer"), popularity=_popularity(int(rng.integers(15, 45))))
    if role in _SHARES_WITH_HOST:
        host = hosts[(role == "companion-95") % len(hosts)].index if hosts else None
        share = _SHARES_WITH_HOST[role]
        return replace(app, way="companion", parent=host, start_probability=share, lag_mean_s=0.0, run_share=0.06)
    if role in OS_ROLES:
        return replace(app, popularity=_EVERYWHERE, releases_s=(np.inf,) if role == "os-updated" else ())
    if role == "navigation":
        return replace(app, popularity=_popularity(0), stay_median_s=0.0, hog_percent_h=_NAVIGATION_PERCENT_H)
    return replace(app, stay_median_s=2 * MINUTE_S if role == "foreground" else 0.0)


def _with_parent(app: CatalogApp, apps: list[CatalogApp], rng: np.random.Generator) -> CatalogApp:
    """Give a companion that has no parent one among the timers and session apps that are not planted."""
    if app.way != "companion" or app.parent is not None:
        return app
    parents = [other.index for other in apps if other.way in {"timer", "session"} and other.role is None]
    return replace(app, parent=int(rng.choice(parents))) if parents else replace(app, way="timer")
