"""Parameters of a simulated fleet, and its apps: popularity, versions, hogs, and apps in which bugs occur."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from navitas.base.errors import UsageError
from navitas.fleet.schema import PACKAGES
from navitas.fleet.statistics import F64, I64, Bool

DAY_S = 86_400
VERSIONS = 4
"""Most versions of an app."""
RESOURCES = ("cpu", "gps", "radio")
_PLACE = 1 << 20
"""Seed of the catalog's random numbers. Buckets have smaller seeds."""


class PhoneModel(NamedTuple):
    """A phone model: its share of clients, and its drains (ppm of a full battery per second)."""

    name: str
    share: float
    idle_ppm_s: float
    screen_ppm_s: float


class Os(NamedTuple):
    """An operating system version: its share of clients, and its factor of the idle drain."""

    name: str
    share: float
    factor: float


DEVICES = (
    PhoneModel("Alder 5", 0.22, 4.2, 30.0),
    PhoneModel("Alder 5 Mini", 0.10, 5.4, 34.0),
    PhoneModel("Birch X", 0.18, 3.6, 26.0),
    PhoneModel("Birch X Pro", 0.09, 3.3, 28.0),
    PhoneModel("Cedar One", 0.14, 6.0, 38.0),
    PhoneModel("Cedar Lite", 0.08, 6.8, 36.0),
    PhoneModel("Elm 7", 0.08, 4.6, 31.0),
    PhoneModel("Fir Note", 0.06, 3.0, 33.0),
    PhoneModel("Oak S", 0.04, 5.0, 42.0),
    PhoneModel("Pine 2", 0.01, 7.5, 44.0),
)
OSES = (Os("11", 0.08, 1.0), Os("12", 0.17, 1.0), Os("13.0", 0.10, 1.15), Os("13.1", 0.30, 1.0), Os("14", 0.35, 0.95))


@dataclass(frozen=True, slots=True)
class FleetModel:
    """All parameters that, with a seed and a store, determine the samples. Drains are in ppm of a full battery per second.

    `installed`, `hog_extra` and `bug_extra` are ranges; the last two are relative to `typical_ppm_s`. `steps` are level steps
    (ppm) with their shares. `bug_share` is the share of bugs among pairs of a client and an app that is not a hog. All bugs
    are in a share `buggy_apps` of the apps. `hidden_use` (0 … 1) has two effects. It is the degree to which the screen's time
    between two samples follows the state at the ends. It is also the share of hogs and apps with bugs that run more while the
    screen is on. `dirt` adds clock jumps, charges between samples, and missing values. `counters` says whether
    samples have the total time with the screen on.
    """

    clients: int = 1000
    samples: int = 200_000
    apps: int = 1000
    zipf: float = 1.0
    installed: tuple[int, int] = (30, 80)
    running: float = 30.0
    typical_ppm_s: float = 12.0
    hog_share: float = 0.05
    hog_extra: tuple[float, float] = (0.1, 0.6)
    hog_spread: float = 0.25
    since_share: float = 0.4
    bug_share: float = 1 / 300
    buggy_apps: float = 0.1
    bug_extra: tuple[float, float] = (0.5, 2.0)
    conditional_share: float = 0.5
    steps: tuple[tuple[int, float], ...] = ((10_000, 0.60), (50_000, 0.35), (100_000, 0.05))
    gap_s: float = 1800.0
    gap_spread: float = 0.5
    start_s: int = 1_767_225_600
    control_share: float = 0.5
    hidden_use: float = 0.0
    dirt: bool = False
    counters: bool = True

    def __post_init__(self) -> None:
        """Raise `UsageError` if the numbers are contradictory."""
        for wrong, message in (
            (self.clients < 1, "a fleet has at least one client"),
            (self.samples < 2 * self.clients, f"{self.clients} clients need at least {2 * self.clients} samples"),
            (not 1 <= self.installed[0] <= self.installed[1], "numbers of installed apps are at least 1, ascending"),
            (self.apps < self.installed[1], f"there are fewer apps than the {self.installed[1]} that a client may install"),
            (self.apps > 100_000, "more than 100,000 apps cannot be simulated"),
            (not 0 < self.running <= 0.9 * self.mean_installed, "more apps run than are installed"),
            (self.gap_s < 10, "samples are at least 10 s apart"),
            (not all(0 < step <= 500_000 for step, _ in self.steps), "steps of the level are between 0 and 50 %"),
            (sum(share for _, share in self.steps) <= 0, "no step of the level has a share"),
            (self.hog_share + self.buggy_apps > 1, "hogs and apps with bugs are more than all apps"),
            (not all(0 <= share <= 1 for share in self._shares()), "shares are between 0 and 1"),
        ):
            if wrong:
                raise UsageError(f"cannot simulate this fleet: {message}", "Change its numbers.")

    def _shares(self) -> tuple[float, ...]:
        named = (self.hog_share, self.since_share, self.bug_share, self.buggy_apps, self.conditional_share, self.control_share)
        return (*named, self.hidden_use, *(share for _, share in self.steps))

    @property
    def mean_installed(self) -> float:
        return float(sum(self.installed)) / 2

    @property
    def span_s(self) -> float:
        """The time in which most clients take samples, including the days in which they join."""
        return self.samples / self.clients * self.gap_s * 1.2 + self.joining_s

    @property
    def joining_s(self) -> float:
        """The time in which clients join: a third of their stay, at most ten days."""
        return min(10.0 * DAY_S, self.samples / self.clients * self.gap_s / 3)

    def as_dict(self) -> dict[str, Any]:
        """Plain values, for JSON."""
        return json.loads(json.dumps(asdict(self)))  # type: ignore[no-any-return]

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> FleetModel:
        """The inverse of `as_dict`."""
        pairs = ("installed", "hog_extra", "bug_extra")
        steps = tuple((int(step), float(share)) for step, share in values["steps"])
        return cls(**{**values, **{name: tuple(values[name]) for name in pairs}, "steps": steps})


def generator(seed: int, *place: int) -> np.random.Generator:
    """Random numbers of one place (a bucket, a block of clients, a period), independent of the order of places."""
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence([seed, *place])))


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
        return f"org.example.app{app:05d}"

    def version_name(self, version: int) -> str:
        return f"{1 + version // 2}.{5 * (version % 2)}"

    def packages(self) -> pa.Table:
        """The list of packages in the store's format."""
        app = np.repeat(np.arange(len(self.first)), self.versions)
        version = np.arange(len(app)) - self.first[app]
        texts = [*map(self.app_name, app.tolist())], [*map(self.version_name, version.tolist())]
        return pa.table([np.arange(len(app)), *texts], PACKAGES.names).cast(PACKAGES)


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
