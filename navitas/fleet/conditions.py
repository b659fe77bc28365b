"""The drain of chosen apps by condition: version, screen, network, and the client's model and OS."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet import strata_rows
from navitas.fleet.features import AppVersions, Feature, Phones
from navitas.fleet.hogs import Hogs
from navitas.fleet.schema import NETWORKS
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import F64, I64, Bool

_SCREEN_KNOWN = 0.5
"""Least share of the evidence with known screen time, for conditions on the screen. Without it, an app that comes with the screen
is charged for it, and most of all in pairs with the screen on at both ends.
"""


@dataclass(frozen=True, slots=True)
class ConditionStrata:
    """An app's sums by client and condition. `s` / `w` is the extra drain in ppm/s, `noise` the variance of `s`.

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


def strata_by_app(
    fleet: Fleet, hogs: Hogs, apps: I64, affected: Mapping[int, I64], progress: Progress = no_progress
) -> Iterator[tuple[int, ConditionStrata]]:
    """Yield each app with its strata, in groups that fit into memory. Raises `FleetError` when samples cannot be read.

    `affected` has the clients of each app with bugs that is not a hog. Such an app has strata on these clients and on a random
    control group only.
    """
    phones, versions = Phones.from_fleet(fleet), AppVersions.from_fleet(fleet)
    knows_screen = set(hogs.app[hogs.evidence.screen_known >= _SCREEN_KNOWN].tolist())
    is_suspect = np.isin(apps, [*hogs.app[hogs.is_hog].tolist(), *affected])
    for folder, chosen in strata_rows.prepared(fleet, hogs, affected, apps, is_suspect, progress):
        for group in strata_rows.groups(fleet, folder, chosen, affected):
            table = strata_rows.rows_of(fleet, folder, group, affected)
            ends = np.searchsorted(table["app"].to_numpy(), np.array([group, np.array(group) + 1], np.int32))
            for number, low, high in zip(group, *ends.tolist(), strict=True):
                own = table.slice(low, high - low)
                version = versions.feature(number, own["package"].to_numpy())
                yield number, _strata(own, phones, version, with_screen=number in knows_screen)


def _strata(table: pa.Table, phones: Phones, version: Feature, *, with_screen: bool) -> ConditionStrata:
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
    return ConditionStrata(phones.client[clients], contrasted, cluster, s, w, noise, seconds, drop, features)
