"""What chosen apps drain by condition: version, screen, network, and the client's model and OS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet import cell_rows, cells
from navitas.fleet.features import AppVersions, Feature, Phones
from navitas.fleet.schema import NETWORKS
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Bool


@dataclass(frozen=True, slots=True)
class ConditionCells:
    """An app's sums by client and condition; `s` / `w` is the extra drain in ppm/s, `noise` the variance of `s`.

    `cluster` is the place in `clients`; `seconds` and `drop_ppm` are those with the app at both ends of a pair. `told` are the
    clients that tell something of the app; of an app with bugs most of them have a row of nothing alone, whose condition is not
    known.
    """

    clients: I64
    told: Bool
    cluster: I64
    s: F64
    w: F64
    noise: F64
    seconds: F64
    drop_ppm: F64
    features: dict[str, Feature]

    def values(self) -> dict[str, list[str]]:
        """Those of clients that tell something, by feature, in their order."""
        rows = self.told[self.cluster]
        return {
            name: [feature.values[at] for at in np.unique(feature.place[rows]).tolist() if at >= 0]
            for name, feature in self.features.items()
        }


def cells_by_app(
    fleet: Fleet, apps: I64, on: Mapping[int, I64], told: Callable[[int, int], None] = lambda done, of: None
) -> Iterator[tuple[int, ConditionCells]]:
    """The cells of each app, so many apps at a time as fit into memory. FleetError when samples cannot be read.

    Of the apps in `on` only its clients, and some that are chosen by chance, are told by condition.
    """
    if not len(apps):
        return
    asked = cell_rows.asked_for(fleet, apps, on)
    cells.brought_up_to_date(fleet, asked, told)
    phones, versions = Phones.of(fleet), AppVersions.of(fleet)
    for group in cell_rows.groups(fleet, apps, on):
        table = cell_rows.rows_of(fleet, group, on, asked)
        ends = np.searchsorted(table["app"].to_numpy(), np.array([group, np.array(group) + 1], np.int32))
        for number, low, high in zip(group, *ends.tolist(), strict=True):
            own = table.slice(low, high - low)
            yield number, _cells(own, phones, versions.of_app(number, own["package"].to_numpy()))


def _cells(table: pa.Table, phones: Phones, version: Feature) -> ConditionCells:
    own = np.searchsorted(phones.client, table["client"].to_numpy())
    clients, cluster = np.unique(own, return_inverse=True)
    features = {
        "version": version,
        "os": phones.os.of_rows(own),
        "model": phones.model.of_rows(own),
        "network": Feature.of([*NETWORKS, ""], table["network"].to_numpy()),
        "screen": Feature.of(["off", "", "on"], table["screen"].to_numpy()),
    }
    told = np.bincount(cluster, table["told"].to_numpy(), len(clients)) > 0
    s, w, noise, seconds, drop = (table[name].to_numpy() for name in ("s", "w", "noise", "seconds", "drop_ppm"))
    return ConditionCells(phones.client[clients], told, cluster, s, w, noise, seconds, drop, features)
