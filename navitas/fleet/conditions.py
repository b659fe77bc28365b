"""What chosen apps drain by condition: version, screen, network, and the client's model and OS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet import cells
from navitas.fleet.engine.base import statement
from navitas.fleet.schema import NETWORKS
from navitas.fleet.stages import LEAST_S, Fleet
from navitas.fleet.statistics import F64, I64
from navitas.fleet.usage import SCREENS
from navitas.fleet.versions import version_key

_ROWS_AT_ONCE = 1 << 22
_LAST = "MAX_BY({0}, CASE WHEN {0} IS NOT NULL THEN last_s END) AS {0}"
_PHONES = f"SELECT client, {_LAST.format('model')}, {_LAST.format('os')} FROM clients GROUP BY client"
_COUNTS = """
SELECT packages.app_id AS app, COUNT(*) AS cells FROM cells JOIN packages ON cells.package = packages.id GROUP BY packages.app_id
"""


@dataclass(frozen=True, slots=True)
class Feature:
    """A text for each row: the place in `values`, which are in the order of versions; −1 where it is not known, or changes."""

    values: tuple[str, ...]
    place: NDArray[np.int32]

    @classmethod
    def of(cls, values: Iterable[str], place: NDArray[np.integer]) -> Feature:
        """From values in any order, of which "" is not known, and places in them."""
        given = list(values)
        known = sorted({value for value in given if value}, key=version_key)
        number = {value: at for at, value in enumerate(known)}
        return cls(tuple(known), np.array([*(number.get(value, -1) for value in given), -1], np.int32)[place])

    def of_rows(self, rows: NDArray[np.integer]) -> Feature:
        """Of these rows."""
        return Feature(self.values, self.place[rows])


@dataclass(frozen=True, slots=True)
class Cells:
    """An app's sums by client and condition; `s` / `w` is the extra drain in ppm/s, `noise` the variance of `s`.

    `cluster` is the place in `clients`; `seconds` and `drop_ppm` are those with the app at both ends of a pair.
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
        """Those that occur, by feature, in their order."""
        return {
            name: [feature.values[at] for at in np.unique(feature.place).tolist() if at >= 0]
            for name, feature in self.features.items()
        }


def cells_by_app(
    fleet: Fleet, apps: I64, told: Callable[[int, int], None] = lambda done, of: None
) -> Iterator[tuple[int, Cells]]:
    """The cells of each app, so many apps at a time as fit into memory. FleetError when samples cannot be read."""
    if not len(apps):
        return
    cells.brought_up_to_date(fleet, apps, told)
    texts = _Texts.of(fleet)
    sql = statement("conditions", least_s=LEAST_S)
    for chosen in _groups(fleet, apps):
        table = pa.concat_tables(fleet.by_clients(sql, cells.FOLDER, chosen=pa.table({"app": pa.array(chosen, pa.int32())})))
        # In the same order whatever made it, for sums depend on it by rounding.
        client, package, screen, network, app = (
            table[name].to_numpy() for name in ("client", "package", "screen", "network", "app")
        )
        table = table.take(np.lexsort(((package * SCREENS + screen) * (cells.CHANGING + 1) + network, client, app)))
        app = table["app"].to_numpy()
        for number in chosen:
            low, high = np.searchsorted(app, [number, number + 1]).tolist()
            yield number, _cells(table.slice(low, high - low), texts)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Clients in order with what their phones are, and packages' versions by number."""

    client: I64
    model: Feature
    os: Feature
    version: Feature

    @classmethod
    def of(cls, fleet: Fleet) -> _Texts:
        phones = pa.concat_tables(fleet.by_clients(_PHONES)).sort_by("client")
        names, texts = fleet.packages, [""] * len(fleet.app_of)
        for number, version in zip(names["id"].to_pylist(), names["version"].to_pylist(), strict=True):
            texts[number] = version
        return cls(
            phones["client"].to_numpy(),
            _encoded(phones["model"]),
            _encoded(phones["os"]),
            Feature.of(texts, np.arange(len(texts))),
        )


def _encoded(column: pa.ChunkedArray) -> Feature:
    encoded = column.combine_chunks().fill_null("").dictionary_encode()
    return Feature.of(encoded.dictionary.to_pylist(), encoded.indices.to_numpy())


def _cells(table: pa.Table, texts: _Texts) -> Cells:
    own = np.searchsorted(texts.client, table["client"].to_numpy())
    clients, cluster = np.unique(own, return_inverse=True)
    features = {
        "version": texts.version.of_rows(table["package"].to_numpy()),
        "os": texts.os.of_rows(own),
        "model": texts.model.of_rows(own),
        "network": Feature.of([*NETWORKS, ""], table["network"].to_numpy()),
        "screen": Feature.of(["off", "", "on"], table["screen"].to_numpy()),
    }
    s, w, noise, seconds, drop = (table[name].to_numpy() for name in ("s", "w", "noise", "seconds", "drop_ppm"))
    return Cells(texts.client[clients], cluster, s, w, noise, seconds, drop, features)


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
