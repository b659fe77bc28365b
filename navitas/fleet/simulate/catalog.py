"""The apps of a simulated fleet: popularity, versions, hogs, and apps in which bugs occur."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.schema import PACKAGES
from navitas.fleet.simulate.model import DAY_S, DEVICES, OSES, FleetModel, generator
from navitas.fleet.statistics import F64, I64, Bool

VERSIONS = 4
"""Most versions of an app."""
RESOURCES = ("cpu", "gps", "radio")
_PLACE = 1 << 20
"""Seed of the catalog's random numbers. Buckets have smaller seeds."""


@dataclass(frozen=True, slots=True)
class Catalog:
    """Apps in order of popularity, and the truth about them.

    `first` is the number of an app's first package; its versions follow. `released` is the time of each version (infinite: no
    such version). A hog drains `extra_ppm_s` from its version `since` on, through `resource`. `buggy` apps have bugs on some
    clients, those that meet `condition`. Apps that are `shown` run more while the screen is on.
    """

    weight: F64
    versions: I64
    first: I64
    released: F64
    hog: Bool
    extra_ppm_s: F64
    since: I64
    resource: I64
    buggy: Bool
    condition: tuple[str, ...]
    shown: Bool
    resident: F64
    run_length: F64

    def app_name(self, app: int) -> str:
        """The name of an app."""
        return f"org.example.app{app:05d}"

    def version_name(self, version: int) -> str:
        """The name of an app's version."""
        return f"{1 + version // 2}.{5 * (version % 2)}"

    def packages(self) -> pa.Table:
        """The list of packages in the store's format."""
        app = np.repeat(np.arange(len(self.first)), self.versions)
        version = np.arange(len(app)) - self.first[app]
        columns = {
            "id": np.arange(len(app)),
            "app": [self.app_name(number) for number in app.tolist()],
            "version": [self.version_name(number) for number in version.tolist()],
            "app_id": app,
        }
        return pa.table({name: columns[name] for name in PACKAGES.names}).cast(PACKAGES)


def catalog_of(model: FleetModel, seed: int) -> Catalog:
    """Draw the apps."""
    random = generator(seed, _PLACE)
    size = model.apps
    rank = np.arange(1, size + 1)
    weight = np.asarray(rank**-model.zipf, np.float64)
    versions = np.minimum(1 + random.geometric(0.55, size) - (random.random(size) < 0.3), VERSIONS)
    hog, buggy = np.zeros(size, bool), np.zeros(size, bool)
    chosen = random.permutation(size)
    hogs, others = round(size * model.hog_share), round(size * model.buggy_apps)
    hog[chosen[:hogs]] = True
    buggy[chosen[hogs : hogs + others]] = True
    late = hog & (random.random(size) < model.since_share)
    versions[late] = np.maximum(versions[late], 2)
    since = np.where(late, 1 + (random.random(size) * (versions - 1)).astype(np.int64), 0)
    first = np.append(0, np.cumsum(versions)[:-1])
    released = np.sort(random.uniform(-60 * DAY_S, 0.5 * model.span_s, (size, VERSIONS)), axis=1) + model.start_s
    released[:, 0] = -np.inf
    released[np.arange(VERSIONS) >= versions[:, None]] = np.inf
    extra = np.where(hog, random.uniform(*model.hog_extra, size) * model.typical_ppm_s, 0.0)
    conditions = [f"os={one.name}" for one in OSES if one.factor > 1] + [f"model={DEVICES[4].name}", "network=mobile"]
    conditional = random.random(size) < model.conditional_share
    which = random.integers(len(conditions), size=size)
    condition = tuple(
        conditions[number] if yes else "" for number, yes in zip(which.tolist(), (buggy & conditional).tolist(), strict=True)
    )
    return Catalog(
        weight,
        versions.astype(np.int64),
        first.astype(np.int64),
        released,
        hog,
        extra,
        since.astype(np.int64),
        random.integers(len(RESOURCES), size=size),
        buggy,
        condition,
        ~(hog | buggy) | (random.random(size) < model.hidden_use),
        np.where(random.random(size) < 0.6, random.beta(2, 2, size), 0.0),
        np.clip(random.lognormal(1.4, 0.5, size), 1.5, 24),
    )
