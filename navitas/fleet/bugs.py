"""Clients on which an app drains far more than on other clients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.hogs import Hogs
from navitas.fleet.single_apps import BIN, MIN_WEIGHT_S, spread_of
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, descending_order, shrunk, tail_rates

FDR_LIMIT = 0.1
"""False discovery rate of bugs."""
_Z95 = 1.959964
_MIN_Z = 2.0


@dataclass(frozen=True, slots=True)
class Bugs:
    """Pairs of a client and an app, the highest lower confidence bound first. Drains are in ppm of the battery per second.

    `extra` is shrunk for selection; `low` and `high` are its 95 % interval. `rate` is the drain while the app runs there.
    `false_rate` is the false discovery rate of all findings with at least this z.
    """

    client: I64
    app: I64
    pairs: I64
    seconds: F64
    rate: F64
    extra: F64
    low: F64
    high: F64
    false_rate: F64

    def affected(self, hogs: Hogs) -> dict[int, I64]:
        """The clients with a bug of each app that is not a hog."""
        order = np.argsort(self.app, kind="stable")
        app, client = self.app[order], self.client[order]
        others = np.setdiff1d(app, hogs.app[hogs.is_hog])
        bounds = zip(others.tolist(), *(np.searchsorted(app, others, side).tolist() for side in ("left", "right")), strict=True)
        return {one: client[low:high] for one, low, high in bounds}


def find_bugs(fleet: Fleet, hogs: Hogs) -> Bugs:
    """Contrast clients with the app's mean over all clients (docs/fleet-statistics.md, "Bugs"), also of hogs."""
    effect, spread = np.nan_to_num(hogs.effect.value), np.where(hogs.is_hog, hogs.variance, 0.0)
    bins, count = spread_of(fleet, hogs.evidence.table(effect, spread))
    sql = statement("weighed", "bugs", least=_MIN_Z * hogs.noise_scale, least_s=MIN_WEIGHT_S)
    found = pa.concat_tables(fleet.query_clients(sql, effect=hogs.evidence.table(effect, spread)))
    found = found.sort_by([("app", "ascending"), ("client", "ascending")])
    z, extra = (found[name].to_numpy() for name in ("z", "extra"))
    error = found["error"].to_numpy() * hogs.noise_scale
    false_rate = tail_rates(z, bins, count, BIN)
    kept = np.flatnonzero(false_rate <= FDR_LIMIT)
    variance = max(float(np.mean(extra[kept] ** 2 - error[kept] ** 2)), 0.0) if len(kept) else 0.0
    extra, deviation = shrunk(extra, error, variance)
    half = _Z95 * deviation
    kept = kept[descending_order((extra - half)[kept])]
    seconds, drop = found["ran_s"].to_numpy(), found["drop_ppm"].to_numpy()
    return Bugs(
        client=found["client"].to_numpy()[kept],
        app=found["app"].to_numpy().astype(np.int64)[kept],
        pairs=found["pairs"].to_numpy()[kept],
        seconds=seconds[kept],
        rate=(drop / np.maximum(seconds, 1.0))[kept],
        extra=extra[kept],
        low=(extra - half)[kept],
        high=(extra + half)[kept],
        false_rate=false_rate[kept],
    )
