"""Rows of the strata of apps, from the stages' results, and the request for the strata that they need.

A hog has strata on all clients. An app with bugs has strata on its affected clients and on a random control group, because
few clients have the bug. Of all its other clients, only the fact that they have a contrast is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from navitas.fleet import strata
from navitas.fleet.engine.base import statement
from navitas.fleet.schema import I64
from navitas.fleet.stages import MIN_SECONDS, Fleet
from navitas.fleet.strata_request import StrataRequest
from navitas.fleet.usage import SCREENS

CONTROL_SIZE = 256
"""Size of the random control group of an app with bugs, affected clients included."""
_ROWS_AT_ONCE = 1 << 22
_CONTRASTED = "SELECT contrast.client, contrast.app FROM contrast JOIN chosen ON contrast.app = chosen.app WHERE w > 0"
_COUNTS = f"""
SELECT app, COUNT(*) AS number FROM (
    SELECT packages.app_id AS app FROM strata JOIN packages ON strata.package = packages.id
    UNION ALL SELECT app FROM ({_CONTRASTED}) AS contrasted
) AS both_kinds GROUP BY app
"""
_LOWEST = f"""
SELECT app, client FROM (
    SELECT app, client, ROW_NUMBER() OVER (PARTITION BY app ORDER BY client) AS place FROM ({_CONTRASTED}) AS contrasted
) AS numbered WHERE place <= {{others}}
"""
_PAIR = ["client", "app"]


def random_clients(clients: I64) -> I64:
    """The clients with the lowest numbers. Numbers are hashes, so this is a random sample that stays the same."""
    return np.sort(clients)[:CONTROL_SIZE]


def request_for(fleet: Fleet, apps: I64, affected: Mapping[int, I64]) -> StrataRequest:
    """The request for the strata of these apps; of those in `affected`, on its clients and a random control group."""
    single = _single(apps.tolist(), affected)
    if not single:
        return StrataRequest.for_apps(apps, {})
    lowest = pa.concat_tables(fleet.query_clients(_LOWEST.format(others=CONTROL_SIZE), chosen=_chosen(single)))
    lowest = lowest.take(np.lexsort((lowest["client"].to_numpy(), lowest["app"].to_numpy())))
    ends = np.searchsorted(lowest["app"].to_numpy(), np.array([single, np.array(single) + 1], np.int32)).tolist()
    clients = lowest["client"].to_numpy()
    clients_of = {
        app: np.concatenate([affected[app], random_clients(clients[low:high])])
        for app, low, high in zip(single, *ends, strict=True)
    }
    return StrataRequest.for_apps(apps, clients_of)


def rows_of(fleet: Fleet, apps: Sequence[int], affected: Mapping[int, I64], request: StrataRequest) -> pa.Table:
    """The strata by app, client and condition. The order is fixed, because it decides how sums round.

    `contrasted` is true where the client has a contrast of the app. Of apps in `affected`, each such client has an empty row
    that says so, in addition to the rows of `request`. Strata of earlier requests are left out.
    """
    sql = statement("whole", "conditions", least_s=MIN_SECONDS)
    table = pa.concat_tables(fleet.query_clients(sql, strata.FOLDER, chosen=_chosen(apps)))
    table = table.append_column("contrasted", pc.greater(table["w"], 0.0))
    if single := _single(apps, affected):
        is_single = pc.is_in(table["app"], pa.array(single, pa.int32()))
        pairs = pa.table({"client": request.client, "app": request.app})
        own = table.filter(is_single).join(pairs, _PAIR, join_type="left semi")
        own = own.set_column(own.column_names.index("contrasted"), "contrasted", pa.array(np.zeros(own.num_rows, bool)))
        contrasted = pa.concat_tables(fleet.query_clients(_CONTRASTED, chosen=_chosen(single)))
        parts = [table.filter(pc.invert(is_single)), own, _empty_rows(contrasted, table.schema)]
        table = pa.concat_tables(part.select(table.column_names) for part in parts)
    client, package, screen, network, app = (table[name].to_numpy() for name in ("client", "package", "screen", "network", "app"))
    condition = (package.astype(np.int64) * SCREENS + screen) * (strata.CHANGING + 1) + network
    return table.take(np.lexsort((condition, client, app)))


def groups(fleet: Fleet, apps: I64, affected: Mapping[int, I64]) -> Iterator[list[int]]:
    """The apps in order, split into groups whose rows fit into memory. An app that does not fit is a separate group."""
    single = _chosen(_single(apps.tolist(), affected))
    found = (
        pa.concat_tables(fleet.query_clients(_COUNTS, strata.FOLDER, chosen=single))
        .group_by("app")
        .aggregate([("number", "sum")])
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


def _single(apps: Sequence[int], affected: Mapping[int, I64]) -> list[int]:
    return [app for app in apps if app in affected]


def _chosen(apps: Sequence[int]) -> pa.Table:
    return pa.table({"app": pa.array(apps, pa.int32())})


def _empty_rows(contrasted: pa.Table, schema: pa.Schema) -> pa.Table:
    """A row without sums for each client and app, with an unknown condition."""
    size = contrasted.num_rows
    unknown, zeros = np.full(size, -1), np.zeros(size)
    columns = dict.fromkeys(schema.names, zeros) | dict.fromkeys(("package", "screen", "network"), unknown)
    columns |= {name: contrasted[name] for name in _PAIR} | {"contrasted": np.ones(size, bool)}
    return pa.table(columns).cast(schema)
