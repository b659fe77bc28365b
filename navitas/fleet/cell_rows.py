"""Rows of which apps' cells are made, from stages' results, and whose cells these need.

Hogs are told by condition on all clients. Few clients have an app's bug, so an app with bugs is told by condition on these, and
on some others to compare them with; of all others it is only known that they tell something of the app.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet import cells
from navitas.fleet.asked import Asked
from navitas.fleet.engine.base import statement
from navitas.fleet.schema import I64
from navitas.fleet.stages import LEAST_S, Fleet
from navitas.fleet.usage import SCREENS

OTHERS = 256
"""So many clients of an app with bugs are told by condition whether they have one or not."""
_ROWS_AT_ONCE = 1 << 22
_TELLING = "SELECT contrast.client, contrast.app FROM contrast JOIN chosen ON contrast.app = chosen.app WHERE w > 0"
_COUNTS = f"""
SELECT app, COUNT(*) AS number FROM (
    SELECT packages.app_id AS app FROM cells JOIN packages ON cells.package = packages.id
    UNION ALL SELECT app FROM ({_TELLING}) AS telling
) AS both_kinds GROUP BY app
"""
_LOWEST = f"""
SELECT app, client FROM (
    SELECT app, client, ROW_NUMBER() OVER (PARTITION BY app ORDER BY client) AS place FROM ({_TELLING}) AS telling
) AS numbered WHERE place <= {{others}}
"""
_PAIR = ["client", "app"]


def by_chance(clients: I64) -> I64:
    """The lowest of some clients' numbers: as these are hashes, it is chance who has them."""
    return np.sort(clients)[:OTHERS]


def asked_for(fleet: Fleet, apps: I64, on: Mapping[int, I64]) -> Asked:
    """Whose cells apps need: of those in `on` its clients', and those of some that are chosen by chance among all that tell."""
    single = _single(apps.tolist(), on)
    if not single:
        return Asked.of_apps(apps, {})
    lowest = pa.concat_tables(fleet.by_clients(_LOWEST.format(others=OTHERS), chosen=_chosen(single)))
    lowest = lowest.take(np.lexsort((lowest["client"].to_numpy(), lowest["app"].to_numpy())))
    ends = np.searchsorted(lowest["app"].to_numpy(), np.array([single, np.array(single) + 1], np.int32)).tolist()
    clients = lowest["client"].to_numpy()
    asked = {app: np.concatenate([on[app], by_chance(clients[low:high])]) for app, low, high in zip(single, *ends, strict=True)}
    return Asked.of_apps(apps, asked)


def rows_of(fleet: Fleet, apps: Sequence[int], on: Mapping[int, I64], asked: Asked) -> pa.Table:
    """By app, client and condition, in the same order whatever made them, for sums depend on it by rounding.

    Where `told` is so, the client tells something of the app. Of apps in `on` each such client has a row of nothing that says it,
    beside those of what is `asked`: what else there is was asked for another time.
    """
    sql = statement("whole", "conditions", least_s=LEAST_S)
    table = pa.concat_tables(fleet.by_clients(sql, cells.FOLDER, chosen=_chosen(apps)))
    table = table.append_column("told", pc.greater(table["w"], 0.0))
    if single := _single(apps, on):
        is_single = pc.is_in(table["app"], pa.array(single, pa.int32()))
        pairs = pa.table({"client": asked.client, "app": asked.app})
        own = table.filter(is_single).join(pairs, _PAIR, join_type="left semi")
        own = own.set_column(own.column_names.index("told"), "told", pa.array(np.zeros(own.num_rows, bool)))
        telling = pa.concat_tables(fleet.by_clients(_TELLING, chosen=_chosen(single)))
        parts = [table.filter(pc.invert(is_single)), own, _of_nothing(telling, table.schema)]
        table = pa.concat_tables(part.select(table.column_names) for part in parts)
    client, package, screen, network, app = (table[name].to_numpy() for name in ("client", "package", "screen", "network", "app"))
    condition = (package.astype(np.int64) * SCREENS + screen) * (cells.CHANGING + 1) + network
    return table.take(np.lexsort((condition, client, app)))


def groups(fleet: Fleet, apps: I64, on: Mapping[int, I64]) -> Iterator[list[int]]:
    """The apps in their order, parted so that no group has more rows than fit into memory, unless an app alone has."""
    single = _chosen(_single(apps.tolist(), on))
    found = (
        pa.concat_tables(fleet.by_clients(_COUNTS, cells.FOLDER, chosen=single)).group_by("app").aggregate([("number", "sum")])
    )
    rows = dict(zip(found["app"].to_pylist(), found["number_sum"].to_pylist(), strict=True))
    group: list[int] = []
    size = 0
    for app in apps.tolist():
        if group and size + rows.get(app, 0) > _ROWS_AT_ONCE:
            yield group
            group, size = [], 0
        group.append(app)
        size += rows.get(app, 0)
    yield group


def _single(apps: Sequence[int], on: Mapping[int, I64]) -> list[int]:
    return [app for app in apps if app in on]


def _chosen(apps: Sequence[int]) -> pa.Table:
    return pa.table({"app": pa.array(apps, pa.int32())})


def _of_nothing(telling: pa.Table, schema: pa.Schema) -> pa.Table:
    """A row for each of these clients and apps, without sums, whose condition is not known."""
    size = telling.num_rows
    unknown, nothing = np.full(size, -1), np.zeros(size)
    columns = dict.fromkeys(schema.names, nothing) | dict.fromkeys(("package", "screen", "network"), unknown)
    columns |= {name: telling[name] for name in _PAIR} | {"told": np.ones(size, bool)}
    return pa.table(columns).cast(schema)
