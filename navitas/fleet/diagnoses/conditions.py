"""The drain of chosen apps by condition: version, screen, network, and the client's model and OS."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.diagnoses import strata
from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.schema import NETWORKS
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Bool

_LAST = "MAX_BY({0}, CASE WHEN {0} IS NOT NULL THEN last_s END) AS {0}"
_PHONES = f"SELECT client, {_LAST.format('model')}, {_LAST.format('os')} FROM clients GROUP BY client"
_SCREEN_KNOWN = 0.5
"""Least share of the evidence with known screen time, for conditions on the screen. Without it, an app that comes with the screen
is charged for it, and most of all in pairs with the screen on at both ends.
"""


def version_key(version: str) -> tuple[tuple[int, int, str], ...]:
    """A sort key of versions: `4.9` before `4.10`, `4.2-beta` before `4.2`, `4.2` before `4.2.1`."""
    # Numbers by how many digits they have first: versions may have more than Python converts to int.
    parts = (part.lstrip("0") or "0" if part.isdecimal() else part.lower() for part in re.findall(r"[0-9]+|[a-zA-Z]+", version))
    return (*((2, len(part), part) if part.isdecimal() else (0, 0, part) for part in parts), (1, 0, ""))


@dataclass(frozen=True, slots=True)
class Feature:
    """A text for each row, as its place in `values`, which are in version order. −1: unknown, or changing."""

    values: tuple[str, ...]
    place: NDArray[np.int32]

    @classmethod
    def from_texts(cls, values: Iterable[str], place: NDArray[np.integer]) -> Feature:
        """From values in any order, where "" is unknown, and places in them (−1: unknown)."""
        given = list(values)
        known = sorted({value for value in given if value}, key=lambda value: (version_key(value), value))
        number = {value: at for at, value in enumerate(known)}
        return cls(tuple(known), np.array([*(number.get(value, -1) for value in given), -1], np.int32)[place])

    def take(self, rows: NDArray[np.integer]) -> Feature:
        return Feature(self.values, self.place[rows])


@dataclass(frozen=True, slots=True)
class Phones:
    """Clients in order, with their models and OS."""

    client: I64
    model: Feature
    os: Feature

    @classmethod
    def from_fleet(cls, fleet: Fleet) -> Phones:
        """All clients, with the model and OS that they reported last."""
        table = fleet.query_clients(_PHONES).sort_by("client")
        return cls(table["client"].to_numpy(), _encoded(table["model"]), _encoded(table["os"]))


def _encoded(column: pa.ChunkedArray) -> Feature:
    encoded = column.combine_chunks().fill_null("").dictionary_encode()
    return Feature.from_texts(encoded.dictionary.to_pylist(), encoded.indices.to_numpy())


@dataclass(frozen=True, slots=True)
class AppVersions:
    """Packages in order of their apps, with their versions."""

    app: NDArray[np.int32]
    package: NDArray[np.int32]
    version: list[str]

    @classmethod
    def from_fleet(cls, fleet: Fleet) -> AppVersions:
        """The versions of all packages."""
        table = fleet.packages.sort_by([("app_id", "ascending"), ("id", "ascending")])
        return cls(table["app_id"].to_numpy(), table["id"].to_numpy(), table["version"].to_pylist())

    def feature(self, app: int, package: NDArray[np.int32]) -> Feature:
        """The version of each row. `package` is a package of the app, or −1."""
        low, high = np.searchsorted(self.app, [app, app + 1]).tolist()
        own = self.package[low:high]
        return Feature.from_texts(self.version[low:high], np.where(package < 0, -1, np.searchsorted(own, package)))


@dataclass(frozen=True, slots=True)
class ConditionStrata:
    """An app's sums by client and condition. `s` / `w` is the extra drain in ppm/s, `noise` the variance of `s`.

    Without bugs, these have the client's weight.
    `cluster` is the place in `clients`. `seconds` and `drop_ppm` are those with the app at both ends of a pair. `contrasted`
    marks clients that have a contrast of the app. Of an app with bugs, most of them have one empty row with an unknown
    condition.
    """

    clients: I64
    contrasted: Bool
    cluster: I64
    s: F64
    w: F64
    noise: F64
    seconds: F64
    drop_ppm: F64
    features: dict[str, Feature]

    def values(self) -> dict[str, list[str]]:
        """The values that occur on contrasted clients, by feature, in order."""
        rows = self.contrasted[self.cluster]
        return {
            name: [feature.values[at] for at in np.unique(feature.place[rows]).tolist() if at >= 0]
            for name, feature in self.features.items()
        }


def strata_by_app(fleet: Fleet, hogs: Hogs, apps: I64, affected: Mapping[int, I64]) -> Iterator[tuple[int, ConditionStrata]]:
    """Yield each app with its strata, in groups that fit into memory. Raises `FleetError` when samples cannot be read.

    `affected` has the clients of each app with bugs that is not a hog. Such an app has strata on these clients and on a random
    control group only.
    """
    phones, versions = Phones.from_fleet(fleet), AppVersions.from_fleet(fleet)
    knows_screen = set(hogs.app[hogs.evidence.screen_known >= _SCREEN_KNOWN].tolist())
    is_suspect = np.isin(apps, [*hogs.app[hogs.is_hog].tolist(), *affected])
    for folder, chosen in strata.prepared(fleet, hogs, affected, apps, is_suspect):
        for group in strata.groups(fleet, folder, chosen, affected):
            table = strata.rows_of(fleet, folder, group, affected)
            ends = np.searchsorted(table["app"].to_numpy(), np.array([group, np.array(group) + 1], np.int32))
            for number, low, high in zip(group, *ends.tolist(), strict=True):
                own = table.slice(low, high - low)
                version = versions.feature(number, own["package"].to_numpy())
                weight = np.ones(1) if number in affected else hogs.weights_of(own["client"].to_numpy(), number)
                yield number, _strata(own, weight, phones, version, with_screen=number in knows_screen)


def _strata(table: pa.Table, weight: F64, phones: Phones, version: Feature, *, with_screen: bool) -> ConditionStrata:
    own = np.searchsorted(phones.client, table["client"].to_numpy())
    clients, cluster = np.unique(own, return_inverse=True)
    features = {
        "version": version,
        "os": phones.os.take(own),
        "model": phones.model.take(own),
        "network": Feature.from_texts([*NETWORKS, ""], table["network"].to_numpy()),
    }
    if with_screen:
        features["screen"] = Feature.from_texts(["off", "", "on"], table["screen"].to_numpy())
    contrasted = np.bincount(cluster, table["contrasted"].to_numpy(), len(clients)) > 0
    s, w, noise, seconds, drop = (table[name].to_numpy() for name in ("s", "w", "noise", "seconds", "drop_ppm"))
    return ConditionStrata(
        phones.client[clients], contrasted, cluster, weight * s, weight * w, weight**2 * noise, seconds, drop, features
    )
