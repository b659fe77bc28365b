"""The phones of a world: models, OS versions, and which apps and versions each has."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from world.catalog import DAY_S, CatalogApp
from world.regimes import Regime
from world.spans import Floats, Spans
from world.streams import stream

MODELS = tuple(f"model-{number:02d}" for number in range(1, 16))
OS_VERSIONS = ("11", "12", "13", "14", "15")
_MODEL_SHARES = np.array([1.0 / (rank + 1.0) for rank in range(len(MODELS))])
_OS_SHARES = np.array([0.04, 0.12, 0.24, 0.4, 0.2])
_NEVER_UPDATED = 0.08


@dataclass(frozen=True, slots=True)
class Handset:
    """One phone before anything happens. `apps`: indices in the catalog, ascending.

    `adopted_s`: for each app, when the phone first has a version at least as new as each version, shape (versions,).
    `upgrade_s`: when the OS changes, infinite if it does not.
    """

    index: int
    client: str
    model: str
    os_before: str
    os_after: str
    upgrade_s: float
    step: float
    timer_s: float
    apps: tuple[int, ...]
    adopted_s: dict[int, Floats]
    has_brightness: bool

    def os_spans(self, os: str, end_s: float) -> Spans:
        """Return when the phone has this OS version."""
        change_s = min(self.upgrade_s, end_s)
        spans = [(0.0, change_s)] if os == self.os_before else []
        if os == self.os_after and change_s < end_s:
            spans.append((change_s, end_s))
        return np.array(spans, dtype=np.float64).reshape(-1, 2)


def make_roster(regime: Regime, catalog: tuple[CatalogApp, ...], seed: int) -> tuple[Handset, ...]:
    """Draw all phones of a world, each from its own stream."""
    return tuple(_draw(index, regime, catalog, seed) for index in range(regime.phones))


def _draw(index: int, regime: Regime, catalog: tuple[CatalogApp, ...], seed: int) -> Handset:
    rng = stream(seed, index, "handset")
    os_index = int(rng.choice(len(OS_VERSIONS), p=_OS_SHARES))
    upgrade_s = round(float(rng.uniform(0.15, 0.85)) * regime.days * DAY_S, 3)
    upgrades = rng.random() < regime.upgrade_share
    apps = _installed(catalog, rng)
    delay_s = rng.uniform(2.0, 6.0) * DAY_S
    return Handset(
        index=index,
        client=f"phone-{index:05d}",
        model=str(rng.choice(MODELS, p=_MODEL_SHARES / _MODEL_SHARES.sum())),
        os_before=OS_VERSIONS[os_index],
        os_after=(*OS_VERSIONS, "16")[os_index + 1] if upgrades else OS_VERSIONS[os_index],
        upgrade_s=upgrade_s if upgrades else np.inf,
        step=float(rng.choice(regime.steps)),
        timer_s=float(rng.choice(regime.timers_s)),
        apps=apps,
        adopted_s={
            app: np.array([0.0, upgrade_s if upgrades else np.inf])
            if catalog[app].role == "os-updated"
            else _adoption(catalog[app].releases_s, delay_s, rng)
            for app in apps
        },
        has_brightness=bool(rng.random() < regime.brightness_share),
    )


def _installed(catalog: tuple[CatalogApp, ...], rng: np.random.Generator) -> tuple[int, ...]:
    """Draw 20 to 40 apps by popularity, without replacement. A companion brings its parent; twins come together."""
    count = min(int(rng.integers(20, 41)), len(catalog))
    keys = np.log([app.popularity for app in catalog]) + rng.gumbel(size=len(catalog))
    chosen = {int(index) for index in np.argsort(-keys)[:count]}
    for app in catalog:
        if app.parent is not None and app.index in chosen and app.role in {None, "twin"}:
            chosen.add(app.parent)
        elif app.role == "twin" and app.parent in chosen:
            chosen.add(app.index)
    return tuple(sorted(chosen))


def _adoption(releases_s: tuple[float, ...], delay_s: float, rng: np.random.Generator) -> Floats:
    """Draw when each version arrives; a phone that has a newer version has no use for an older one."""
    times = np.array([0.0, *releases_s])
    times[1:] += rng.exponential(delay_s, len(releases_s))
    if rng.random() < _NEVER_UPDATED:
        times[1:] = np.inf
    return np.asarray(np.round(np.minimum.accumulate(times[::-1])[::-1], 3), np.float64)
