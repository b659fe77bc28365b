"""How fast clients' batteries drain with an app and without it."""

from __future__ import annotations

import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.results import PERCENT_H
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64

_LEAST_S = 4 * 3600.0
"""With less time a client's rate is mostly its level's step."""


def distributions(fleet: Fleet, apps: I64) -> dict[int, tuple[F64, F64]]:
    """For each app, of the clients with hours of both: their drains in %/h with it, and without it."""
    chosen = pa.table({"app": pa.array(apps, pa.int32())})
    table = pa.concat_tables(fleet.by_clients(statement("distributions", least_s=_LEAST_S), chosen=chosen))
    app, rate, other = (table[name].to_numpy() for name in ("app", "rate", "other"))
    return {one: (rate[app == one] * PERCENT_H, other[app == one] * PERCENT_H) for one in apps.tolist()}
