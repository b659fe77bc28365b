"""The clients of a block: phones, habits and installed apps. They are the same in all periods."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.simulate.catalog import DAY_S, DEVICES, OSES, VERSIONS, Catalog, FleetModel
from navitas.fleet.statistics import F64, I64, Bool

_ZONES_H = (-8.0, -5.0, 0.0, 1.0, 5.5, 8.0)
_RESIDENT_DUTY, _RESIDENT_RUN = 0.97, 60.0


@dataclass(frozen=True, slots=True)
class InstalledApps:
    """Installed apps by client and slot, ascending. An empty slot has −1.

    An app runs for a share `duty` of the time, and forgets its state at the rate `switch_per_s`. At a sample with the screen on,
    an app that would not run starts with `used`, and is in the foreground by the cumulative preference `chosen`.
    Version k is installed from `updated[…, k − 1]` on. `extra_ppm_s` is the drain of a hog or bug on this client, or 0.
    """

    app: I64
    duty: NDArray[np.float32]
    switch_per_s: NDArray[np.float32]
    used: NDArray[np.float32]
    chosen: NDArray[np.float32]
    updated: F64
    extra_ppm_s: F64
    bug: Bool


@dataclass(frozen=True, slots=True)
class Clients:
    """A block of clients, by descending number of samples."""

    number: I64
    samples: I64
    device: I64
    os: I64
    step_ppm: I64
    idle_ppm_s: F64
    screen_ppm_s: F64
    use: F64
    zone_s: F64
    joined_s: I64
    low_ppm: F64
    nightly: F64
    wifi: F64
    advised: Bool
    apps: InstalledApps


def clients_of(model: FleetModel, catalog: Catalog, number: I64, samples: I64, random: np.random.Generator) -> Clients:
    """Draw the clients with these numbers and counts of samples."""
    size = len(number)
    by_size = np.argsort(-samples, kind="stable")
    device = _drawn(random, [one.share for one in DEVICES], size)
    os = _drawn(random, [one.share for one in OSES], size)
    steps = _drawn(random, [share for _, share in model.steps], size)
    use = random.standard_normal(size)
    own = np.exp(0.3 * random.standard_normal(size) + 0.15 * use)
    idle = np.array([one.idle_ppm_s for one in DEVICES])[device] * np.array([one.factor for one in OSES])[os] * own
    screen = np.array([one.screen_ppm_s for one in DEVICES])[device] * np.exp(0.2 * random.standard_normal(size))
    return Clients(
        number=number[by_size],
        samples=samples[by_size],
        device=device,
        os=os,
        step_ppm=np.array([step for step, _ in model.steps])[steps],
        idle_ppm_s=idle,
        screen_ppm_s=screen,
        use=use,
        zone_s=3600 * np.array(_ZONES_H)[random.integers(len(_ZONES_H), size=size)] + 3600 * random.standard_normal(size),
        joined_s=(model.start_s + random.uniform(0, model.joining_s, size)).astype(np.int64),
        low_ppm=random.uniform(80_000, 300_000, size),
        nightly=random.beta(4, 1.5, size),
        wifi=random.beta(3, 2, size),
        advised=random.random(size) >= model.control_share,
        apps=_apps(model, catalog, use, (device, os), random),
    )


def _drawn(random: np.random.Generator, shares: list[float], size: int) -> I64:
    total = np.cumsum(shares)
    last = len(shares) - 1
    return np.asarray(np.minimum(np.searchsorted(total, random.random(size) * total[-1], side="right"), last), np.int64)


def _apps(model: FleetModel, catalog: Catalog, use: F64, phones: tuple[I64, I64], random: np.random.Generator) -> InstalledApps:
    size = len(use)
    low, high = model.installed
    count = np.clip(model.mean_installed * np.exp(0.2 * use + 0.1 * random.standard_normal(size) - 0.025), low, high).astype(
        np.int64
    )
    app = _installed(catalog, count, random)
    there = app >= 0
    known = np.where(there, app, 0)
    shape = app.shape
    resident = random.random(shape) < catalog.resident[known]
    # The duty of other apps is set so that an average client runs `running` apps, residents included.
    share = float(np.mean(catalog.resident[known][there]))
    rest = max(model.running / model.mean_installed - share * _RESIDENT_DUTY, 0.02) / (1 - share)
    duty = np.clip(rest * random.gamma(4, 0.25, shape) * np.exp(0.15 * use[:, None] - 0.01), 0.01, 0.9)
    run = np.clip(catalog.run_length[known] * np.exp(0.2 * random.standard_normal(shape)), 1.2, 50)
    duty, run = np.where(resident, _RESIDENT_DUTY, duty), np.where(resident, _RESIDENT_RUN, run)
    shown = catalog.shown[known]
    liked = np.where(there, random.exponential(1, shape) ** 2 * np.where(shown, 1, 1e-9), 0)
    chosen = np.cumsum(liked, axis=1)
    bug = _bugs(model, catalog, app, phones, random)
    return InstalledApps(
        app,
        np.where(there, duty, 0).astype(np.float32),
        (1 / (1 - duty) / run / model.gap_s).astype(np.float32),
        np.where(there & shown & ~resident, 0.15 * random.random(shape), 0).astype(np.float32),
        (chosen / chosen[:, -1:]).astype(np.float32),
        _updated(catalog, known, random),
        _extra(model, catalog, app, bug, random),
        bug,
    )


def _installed(catalog: Catalog, count: I64, random: np.random.Generator) -> I64:
    """Draws apps without replacement by weight: the greatest values of log weight + Gumbel noise."""
    slots = int(count.max())
    app = np.full((len(count), slots), -1, np.int64)
    places = np.arange(slots)
    for low in range(0, len(count), 64):
        some = count[low : low + 64]
        key = np.log(catalog.weight) + random.gumbel(size=(len(some), len(catalog.weight)))
        best = np.argsort(-key, axis=1)[:, :slots]
        best[places >= some[:, None]] = len(catalog.weight)
        best.sort(axis=1)
        app[low : low + 64] = np.where(best < len(catalog.weight), best, -1)
    return app


def _updated(catalog: Catalog, known: I64, random: np.random.Generator) -> F64:
    """Times of updates. Some apps never update; the others update after days with a mean typical of the client."""
    days = random.lognormal(1.2, 0.8, len(known))
    lag = random.exponential(1, known.shape) * days[:, None] * DAY_S
    lag[random.random(known.shape) < 0.1] = np.inf
    return np.asarray(catalog.released[known][..., 1:VERSIONS] + lag[..., None])


def _bugs(model: FleetModel, catalog: Catalog, app: I64, phones: tuple[I64, I64], random: np.random.Generator) -> Bool:
    """Draws bugs. Buggy apps have them on clients that meet their condition, with a chance that keeps the total the same."""
    known = np.maximum(app, 0)
    rate = model.bug_share / model.buggy_apps if model.buggy_apps else 0.0
    chance = np.where(catalog.buggy[known] & (app >= 0), rate, 0.0)
    condition = np.array(catalog.condition)[known]
    conditions = ([(f"model={one.name}", one.share) for one in DEVICES], [(f"os={one.name}", one.share) for one in OSES])
    for named, phone in zip(conditions, phones, strict=True):
        for value, (text, share) in enumerate(named):
            chance = np.where(condition == text, np.where(phone[:, None] == value, chance / share, 0.0), chance)
    return np.asarray(random.random(app.shape) < chance)


def _extra(model: FleetModel, catalog: Catalog, app: I64, bug: Bool, random: np.random.Generator) -> F64:
    """Draws drains. A hog's drain varies between clients; its mean over clients is the app's."""
    spread = model.hog_spread
    own = np.exp(spread * random.standard_normal(app.shape) - spread**2 / 2)
    low, high = np.log(model.bug_extra)
    heavy = np.exp(random.uniform(low, high, app.shape)) * model.typical_ppm_s
    return np.where(bug, heavy, np.where(app >= 0, catalog.extra_ppm_s[np.maximum(app, 0)] * own, 0.0))
