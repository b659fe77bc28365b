"""Apps that drain the battery on every phone that runs them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Bool, Effects, Moments, central_spread, effects_of, false_rates

MIN_SHARE = 0.02
"""Smallest share of the usual drain that makes a hog."""
FDR_LIMIT = 0.05
"""False discovery rate of hogs."""
_BINS = 20
BIN = 1 / _BINS
"""Bin width of the histogram of clients' distances from an app's effect, in standard deviations of their noise."""
_MIN_CLIENTS = 3
_TRIM_LIMIT = 3.5
_NO_LIMIT = 1e300
_SUMS = ("clients", "pairs", "seconds", "drop_ppm", "contrasted", "w", "s", "ss", "sw", "ww")


@dataclass(frozen=True, slots=True)
class Hogs:
    """All apps, by number. Rates and effects are in ppm of the battery per second.

    `false_rate` is the false discovery rate at which the app is a hog, or NaN with too few clients. `usual_ppm_s` is the drain
    of all clients. `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies.
    """

    app: I64
    clients: I64
    contrasted: I64
    pairs: I64
    seconds: F64
    rate: F64
    effect: Effects
    false_rate: F64
    is_hog: Bool
    usual_ppm_s: float
    noise_scale: float


def find_hogs(fleet: Fleet) -> Hogs:
    """Contrast each app's pairs with the same clients' pairs without it (docs/fleet-statistics.md, "Hogs")."""
    numbers = np.unique(fleet.packages["app_id"].to_numpy())
    first = _moments(fleet, numbers, np.zeros(len(numbers)), _NO_LIMIT)
    rough = np.nan_to_num(first["s"] / np.where(first["w"] > 0, first["w"], 1.0))
    bins, count = spread_of(fleet, first["app"].astype(np.int64), rough)
    scale = central_spread(bins, count, BIN)
    sums = _moments(fleet, first["app"].astype(np.int64), rough, _TRIM_LIMIT * scale)
    _, seconds, drop = fleet.totals()
    usual = drop / max(seconds, 1)
    moments = Moments(*(sums[name] for name in ("contrasted", "w", "s", "ss", "sw", "ww")))
    effect = effects_of(moments, MIN_SHARE * usual)
    false_rate = false_rates(np.where(sums["contrasted"] >= _MIN_CLIENTS, effect.p, np.nan))
    return Hogs(
        app=sums["app"].astype(np.int64),
        clients=sums["clients"].astype(np.int64),
        contrasted=sums["contrasted"].astype(np.int64),
        pairs=sums["pairs"].astype(np.int64),
        seconds=sums["seconds"],
        rate=sums["drop_ppm"] / np.maximum(sums["seconds"], 1.0),
        effect=effect,
        false_rate=false_rate,
        is_hog=false_rate <= FDR_LIMIT,
        usual_ppm_s=usual,
        noise_scale=scale,
    )


def spread_of(fleet: Fleet, app: I64, effect: F64) -> tuple[I64, I64]:
    """Histogram of clients' distances from these apps' effects: bins (`BIN` standard deviations of noise wide), counts."""
    found = pa.concat_tables(fleet.query_clients(statement("spread", bins=_BINS), effect=_table(app, effect)))
    found = found.group_by("bin").aggregate([("pairs", "sum")])
    return found["bin"].to_numpy().astype(np.int64), found["pairs_sum"].to_numpy().astype(np.int64)


def _moments(fleet: Fleet, app: I64, effect: F64, limit: float) -> dict[str, F64]:
    parts = pa.concat_tables(fleet.query_clients(statement("hogs", limit=limit), effect=_table(app, effect)))
    summed = parts.group_by("app").aggregate([(name, "sum") for name in _SUMS]).sort_by("app")
    return {
        "app": summed["app"].to_numpy().astype(np.float64),
        **{name: summed[f"{name}_sum"].to_numpy().astype(np.float64) for name in _SUMS},
    }


def _table(app: I64, effect: F64) -> pa.Table:
    return pa.table({"app": pa.array(app, pa.int32()), "beta": effect})
