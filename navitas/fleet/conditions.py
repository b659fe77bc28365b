"""What chosen apps drain by condition: version, screen, network, and the client's model and OS."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet import cells
from navitas.fleet.asked import Asked
from navitas.fleet.engine.base import statement
from navitas.fleet.features import AppVersions, Feature, Phones
from navitas.fleet.schema import NETWORKS
from navitas.fleet.stages import LEAST_S, Fleet
from navitas.fleet.statistics import F64, I64, Bool
from navitas.fleet.usage import SCREENS

_ROWS_AT_ONCE = 1 << 22
_COUNTS = """
SELECT app, COUNT(*) AS cells FROM (
    SELECT packages.app_id AS app FROM cells JOIN packages ON cells.package = packages.id UNION ALL SELECT app FROM contrast
) AS both_kinds GROUP BY app
"""
_AS_ONE = """
SELECT client, contrast.app, -1 AS package, -1 AS screen, -1 AS network, seconds, drop_ppm, w, s, noise
FROM contrast JOIN chosen ON contrast.app = chosen.app
"""
"""An app on a client, under all conditions together."""


@dataclass(frozen=True, slots=True)
class Cells:
    """An app's sums by client and condition; `s` / `w` is the extra drain in ppm/s, `noise` the variance of `s`.

    `cluster` is the place in `clients`; `seconds` and `drop_ppm` are those with the app at both ends of a pair. The version, the
    network and the screen are not known where all that a client tells is in one row.
    """

    clients: I64
    cluster: I64
    s: F64
    w: F64
    noise: F64
    seconds: F64
    drop_ppm: F64
    features: dict[str, Feature]

    def values(self) -> dict[str, list[str]]:
        """Those that occur, by feature, in their order; of versions all that the app has anywhere."""
        seen = {name: np.unique(feature.place).tolist() for name, feature in self.features.items()}
        found = {name: [self.features[name].values[at] for at in places if at >= 0] for name, places in seen.items()}
        return found | {"version": [*self.features["version"].values]}


def cells_by_app(
    fleet: Fleet, apps: I64, on: Mapping[int, I64], told: Callable[[int, int], None] = lambda done, of: None
) -> Iterator[tuple[int, Cells]]:
    """The cells of each app, so many apps at a time as fit into memory. FleetError when samples cannot be read.

    Of the apps in `on` only its clients' cells are told by condition; each other client is one row.
    """
    if not len(apps):
        return
    cells.brought_up_to_date(fleet, Asked.of_apps(apps, on), told)
    phones, versions = Phones.of(fleet), AppVersions.of(fleet)
    for group in _groups(fleet, apps):
        table = _rows(fleet, group, on)
        app = table["app"].to_numpy()
        for number in group:
            low, high = np.searchsorted(app, [number, number + 1]).tolist()
            own = table.slice(low, high - low)
            yield number, _cells(own, phones, versions.of_app(number, own["package"].to_numpy()))


def _rows(fleet: Fleet, apps: list[int], on: Mapping[int, I64]) -> pa.Table:
    """The apps' rows in the same order whatever made them, for sums depend on it by rounding."""
    table = pa.concat_tables(fleet.by_clients(statement("conditions", least_s=LEAST_S), cells.FOLDER, chosen=_chosen(apps)))
    table = table.filter(pa.array(_are_on(table, on, elsewhere=True)))
    if single := [app for app in apps if app in on]:
        others = pa.concat_tables(fleet.by_clients(_AS_ONE, chosen=_chosen(single)))
        others = others.filter(pa.array(~_are_on(others, on, elsewhere=False)))
        table = pa.concat_tables([table, others.select(table.column_names).cast(table.schema)])
    client, package, screen, network, app = (table[name].to_numpy() for name in ("client", "package", "screen", "network", "app"))
    return table.take(np.lexsort(((package * SCREENS + screen) * (cells.CHANGING + 1) + network, client, app)))


def _chosen(apps: list[int]) -> pa.Table:
    return pa.table({"app": pa.array(apps, pa.int32())})


def _are_on(table: pa.Table, on: Mapping[int, I64], *, elsewhere: bool) -> Bool:
    """Rows of apps in `on` that are of its clients; those of other apps as `elsewhere` says."""
    client, app = (table[name].to_numpy() for name in ("client", "app"))
    found = np.full(len(app), elsewhere)
    for number in np.intersect1d(app, list(on)).tolist():
        rows = np.flatnonzero(app == number)
        found[rows] = np.isin(client[rows], on[number])
    return found


def _cells(table: pa.Table, phones: Phones, version: Feature) -> Cells:
    own = np.searchsorted(phones.client, table["client"].to_numpy())
    clients, cluster = np.unique(own, return_inverse=True)
    features = {
        "version": version,
        "os": phones.os.of_rows(own),
        "model": phones.model.of_rows(own),
        "network": Feature.of([*NETWORKS, ""], table["network"].to_numpy()),
        "screen": Feature.of(["off", "", "on"], table["screen"].to_numpy()),
    }
    s, w, noise, seconds, drop = (table[name].to_numpy() for name in ("s", "w", "noise", "seconds", "drop_ppm"))
    return Cells(phones.client[clients], cluster, s, w, noise, seconds, drop, features)


def _groups(fleet: Fleet, apps: I64) -> Iterator[list[int]]:
    """The apps in their order, parted so that no group has more rows than fit into memory, unless an app alone has."""
    found = pa.concat_tables(fleet.by_clients(_COUNTS, cells.FOLDER)).group_by("app").aggregate([("cells", "sum")])
    rows = dict(zip(found["app"].to_pylist(), found["cells_sum"].to_pylist(), strict=True))
    group: list[int] = []
    size = 0
    for app in apps.tolist():
        if group and size + rows.get(app, 0) > _ROWS_AT_ONCE:
            yield group
            group, size = [], 0
        group.append(app)
        size += rows.get(app, 0)
    yield group
