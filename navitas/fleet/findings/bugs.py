"""Clients on which an app drains far more than on other clients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.findings.hogs import Hogs, effects_on_clients
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Z95, descending_order, normal_scores, scaled_distance, shrunk, tail_rates

FDR_LIMIT = 0.1
"""False discovery rate of bugs."""
_LEAST_DAYS = 3
"""Least effective number of days with evidence of a bug."""


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
    suspects = effects_on_clients(fleet, hogs, fleet.buckets, suspects=True)
    place = np.searchsorted(hogs.app, suspects.app)
    extra = suspects.value - np.nan_to_num(hogs.effect.value)[place]
    error = np.sqrt(
        max(hogs.given.spreads.noise, 1.0) ** 2 * suspects.variance
        + np.where(hogs.is_hog, hogs.given.spreads.variance, 0.0)[place]
    )
    z = normal_scores(extra / error, suspects.freedom)
    false_rate = tail_rates(z, int(hogs.alone.contrasted.sum()))
    beyond_screen = extra - Z95 * error > hogs.evidence.charged_ppm_s[place]
    kept = np.flatnonzero(beyond_screen & (false_rate <= FDR_LIMIT) & (suspects.days >= _LEAST_DAYS))
    variance = max(float(np.mean(extra[kept] ** 2 - error[kept] ** 2)), 0.0) if len(kept) else 0.0
    extra, deviation = shrunk(extra[kept], error[kept], variance)
    log_factor = Z95 * hogs.effect.scale_error[place][kept]
    low, high = (extra + side * scaled_distance(extra, Z95 * deviation, side * log_factor) for side in (-1, 1))
    order = descending_order(low)
    kept, extra, low, high = kept[order], extra[order], low[order], high[order]
    client, app = suspects.client[kept], suspects.app[kept]
    pairs, seconds, drop = _usage(fleet, client, app)
    rate = drop / np.maximum(seconds, 1.0)
    return Bugs(client, app, pairs, seconds, rate, extra, low, high, false_rate[kept])


def _usage(fleet: Fleet, client: I64, app: I64) -> tuple[I64, F64, F64]:
    """How many pairs of clients have these apps, how long they ran, and what was drained."""
    suspect = pa.table({"client": client, "app": pa.array(app, pa.int32())})
    found = fleet.query_clients(statement("bugs"), suspect=suspect)
    order = np.lexsort((found["app"].to_numpy(), found["client"].to_numpy()))
    pairs, seconds, drop = (found[name].to_numpy()[order] for name in ("pairs", "ran_s", "drop_ppm"))
    back = np.argsort(np.lexsort((app, client)))
    return pairs[back], seconds[back], drop[back]
