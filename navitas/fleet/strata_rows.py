"""Rows of the strata of apps, from the stage's results, and the request for the strata that they need.

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
from navitas.fleet.hogs import Hogs
from navitas.fleet.single_apps import MIN_WEIGHT_S
from navitas.fleet.stages import Fleet, Progress, added, no_progress
from navitas.fleet.statistics import I64, Bool
from navitas.fleet.stratum_sums import CHANGING
from navitas.fleet.usage import SCREENS
from navitas.fleet.wanted_apps import StrataRequest, WantedApps

CONTROL_SIZE = 256
"""Size of the random control group of an app with bugs, affected clients included."""
_ROWS_AT_ONCE = 1 << 22
_CONTRASTED = f"""
SELECT contrast.client, contrast.app FROM contrast JOIN chosen ON contrast.app = chosen.app
WHERE w0 + w1 + w2 + w3 + w4 >= {MIN_WEIGHT_S}
"""
_COUNTS = f"""
SELECT app, COUNT(*) AS number FROM (
    SELECT app FROM {{folder}} UNION ALL SELECT app FROM ({_CONTRASTED}) AS contrasted
) AS both_kinds GROUP BY app
"""
_LOWEST = f"""
SELECT app, client FROM (
    SELECT app, client, ROW_NUMBER() OVER (PARTITION BY app ORDER BY client) AS place FROM ({_CONTRASTED}) AS contrasted
) AS numbered WHERE place <= {CONTROL_SIZE}
"""


def random_clients(clients: I64) -> I64:
    """The clients with the lowest numbers. Numbers are hashes, so this is a random sample that stays the same."""
    return np.sort(clients)[:CONTROL_SIZE]


def request_for(fleet: Fleet, hogs: Hogs, apps: I64, affected: Mapping[int, I64]) -> StrataRequest:
    """The request for the strata of these apps; of those in `affected`, on its clients and a random control group."""
    client, app = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
    if affected:
        lowest = fleet.query_clients(_LOWEST, chosen=_chosen([*affected]))
        for one, own in affected.items():
            drawn = random_clients(lowest["client"].to_numpy()[lowest["app"].to_numpy() == one])
            client.append(np.union1d(own, drawn))
            app.append(np.full(len(client[-1]), one))
    whole = np.union1d(np.union1d(apps, [*affected]), hogs.app[hogs.is_hog]).astype(np.int64)
    whole = whole[np.isin(whole, hogs.app)]  # Other apps have no pairs.
    place = np.searchsorted(hogs.app, whole)
    return StrataRequest(
        apps=WantedApps(
            np.setdiff1d(np.intersect1d(apps, whole), [*affected]).astype(np.int64), np.concatenate(client), np.concatenate(app)
        ),
        app=whole,
        by_class=hogs.evidence.by_class[place],
        effect_ppm_s=np.where(hogs.is_hog, hogs.effect.value, 0.0)[place],
    )


def prepared(  # noqa: PLR0917
    fleet: Fleet, hogs: Hogs, affected: Mapping[int, I64], apps: I64, is_suspect: Bool, progress: Progress = no_progress
) -> Iterator[tuple[str, I64]]:
    """Yield the folders that have the strata of `apps`, with those in each. Reads samples if strata are missing.

    `is_suspect` marks those that are read together with all hogs, and with all apps in `affected` on single clients.
    """
    suspects, others = apps[is_suspect], apps[~is_suspect]
    if len(suspects):
        request = request_for(fleet, hogs, hogs.app[hogs.is_hog], affected)
        strata.bring_up_to_date(fleet, strata.SUSPECTS, request, progress)
        yield strata.SUSPECTS, suspects
    if len(others):
        strata.bring_up_to_date(fleet, strata.OTHERS, request_for(fleet, hogs, others, {}), progress)
        yield strata.OTHERS, others


def rows_of(fleet: Fleet, folder: str, apps: Sequence[int], affected: Mapping[int, I64]) -> pa.Table:
    """The strata by app, client and condition. The order is fixed, because it decides how sums round.

    `contrasted` is true where the client has a contrast of the app. Of apps in `affected`, each such client has an empty row
    that says so, in addition to its strata.
    """
    table = fleet.query_clients(statement("conditions", folder=folder), folder, chosen=_chosen(apps))
    single = [app for app in apps if app in affected]
    is_single = pc.is_in(table["app"], pa.array(single, pa.int32()))
    table = table.append_column("contrasted", pc.and_(pc.greater(table["w"], 0.0), pc.invert(is_single)))
    if single:
        contrasted = fleet.query_clients(_CONTRASTED, chosen=_chosen(single))
        table = pa.concat_tables([table, _empty_rows(contrasted, table.schema)])
    client, package, screen, network, app = (table[name].to_numpy() for name in ("client", "package", "screen", "network", "app"))
    condition = (package.astype(np.int64) * SCREENS + screen) * (CHANGING + 1) + network
    return table.take(np.lexsort((condition, client, app)))


def groups(fleet: Fleet, folder: str, apps: I64, affected: Mapping[int, I64]) -> Iterator[list[int]]:
    """The apps in order, split into groups whose rows fit into memory. An app that does not fit is a separate group."""
    found = fleet.query_clients(_COUNTS.format(folder=folder), folder, chosen=_chosen([*affected]))
    found = added(found, ["app"], ["number"])
    rows = dict(zip(found["app"].to_pylist(), found["number"].to_pylist(), strict=True))
    group: list[int] = []
    size = 0
    for app in apps.tolist():
        if group and size + rows.get(app, 0) > _ROWS_AT_ONCE:
            yield group
            group, size = [], 0
        group.append(app)
        size += rows.get(app, 0)
    yield group


def _chosen(apps: Sequence[int]) -> pa.Table:
    return pa.table({"app": pa.array(apps, pa.int32())})


def _empty_rows(contrasted: pa.Table, schema: pa.Schema) -> pa.Table:
    """A row without sums for each client and app, with an unknown condition."""
    size = contrasted.num_rows
    unknown, zeros = np.full(size, -1), np.zeros(size)
    columns = dict.fromkeys(schema.names, zeros) | dict.fromkeys(("package", "screen", "network"), unknown)
    columns |= {name: contrasted[name] for name in ("client", "app")} | {"contrasted": np.ones(size, bool)}
    return pa.table(columns).cast(schema)
