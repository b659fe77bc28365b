"""Distributions of clients' drains with and without an app."""

from __future__ import annotations

import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.results import PERCENT_H
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64

_LEAST_S = 4 * 3600.0
"""Minimum time. With less, the level's step dominates a client's rate."""


def distributions(fleet: Fleet, apps: I64) -> dict[int, tuple[F64, F64]]:
    """For each app: the drains in %/h of its clients, with the app and without it."""
    chosen = pa.table({"app": pa.array(apps, pa.int32())})
    table = fleet.query_clients(statement("distributions", least_s=_LEAST_S), chosen=chosen)
    app, rate, other = (table[name].to_numpy() for name in ("app", "rate", "other"))
    return {one: (rate[app == one] * PERCENT_H, other[app == one] * PERCENT_H) for one in apps.tolist()}
