"""The effect of each app on its own: a regression of each client's drain on one app, and what clients differ in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.app_evidence import AppEvidence
from navitas.fleet.engine.base import statement
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Effects, Moments, central_spread, effects_of

MIN_WEIGHT_S = 900.0
"""Least w of a client. Half an hour with an app and half an hour without it have this weight."""
_BINS = 20
_BIN = 1 / _BINS
"""Bin width of the histogram of clients' distances from an app's effect, in standard deviations of their noise."""
_TRIM_LIMIT = 3.5
USUAL_SPREAD = 0.5
"""Standard deviation of a hog's effect among clients, relative to the effect, that does not count as a bug."""
_NO_LIMIT = 1e300
_SUMS = ("clients", "pairs", "ran_s", "drop_ppm", "contrasted", "w", "s", "ss", "sw", "ww", "noise")


@dataclass(frozen=True, slots=True)
class SingleApps:
    """All apps, by number: clients, those with enough time with the app and without it, pairs, time, drop, and effects in ppm/s.

    `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies. `variance` is that
    of the effect among clients. `middle` are the effects with outliers, and `usual` is how much clients may differ from them.
    """

    clients: I64
    contrasted: I64
    pairs: I64
    seconds: F64
    drop_ppm: F64
    effect: Effects
    noise_scale: float
    variance: F64
    middle: F64
    usual: F64


def single_apps(fleet: Fleet, evidence: AppEvidence, least_ppm_s: float) -> SingleApps:
    """Effects of all apps of `evidence`, with p-values of "at most `least_ppm_s`". Outliers among clients are left out."""
    first = _moments(fleet, evidence.table(np.zeros(len(evidence.app))), evidence.app, _NO_LIMIT, 1.0)
    middle = np.nan_to_num(first["s"] / np.where(first["w"] > 0, first["w"], 1.0))
    scale = central_spread(*_spread_of(fleet, evidence.table(middle)), _BIN)
    usual = (USUAL_SPREAD * middle) ** 2
    sums = _moments(fleet, evidence.table(middle, usual), evidence.app, _TRIM_LIMIT, scale)
    moments = Moments(*(sums[name] for name in ("contrasted", "w", "s", "ss", "sw", "ww")))
    effect = effects_of(moments, least_ppm_s)
    apart = moments.ss - 2 * effect.value * moments.sw + effect.value**2 * moments.ww
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.nan_to_num(np.maximum(apart - scale**2 * sums["noise"], 0.0) / moments.ww)
    clients, contrasted, pairs = (sums[name].astype(np.int64) for name in ("clients", "contrasted", "pairs"))
    return SingleApps(clients, contrasted, pairs, sums["ran_s"], sums["drop_ppm"], effect, scale, variance, middle, usual)


def _spread_of(fleet: Fleet, effects: pa.Table) -> tuple[I64, I64]:
    """Histogram of clients' distances from apps' effects: bins (`_BIN` standard deviations of noise wide), counts."""
    sql = statement("weighed", "spread", bins=_BINS, least_s=MIN_WEIGHT_S)
    found = pa.concat_tables(fleet.query_clients(sql, effect=effects))
    found = found.group_by("bin").aggregate([("pairs", "sum")])
    return found["bin"].to_numpy().astype(np.int64), found["pairs_sum"].to_numpy().astype(np.int64)


def unusual_pairs(fleet: Fleet, evidence: AppEvidence, found: SingleApps, least_z: float) -> tuple[I64, I64]:
    """Clients and apps whose drains differ from the app's usual one by this many standard deviations, by client and app."""
    sql = statement("weighed", "unusual", limit=least_z, scale2=found.noise_scale**2, least_s=MIN_WEIGHT_S)
    table = pa.concat_tables(fleet.query_clients(sql, effect=evidence.table(found.middle, found.usual)))
    table = table.sort_by([("client", "ascending"), ("app", "ascending")])
    return table["client"].to_numpy(), table["app"].to_numpy().astype(np.int64)


def _moments(fleet: Fleet, effects: pa.Table, app: I64, limit: float, scale: float) -> dict[str, F64]:
    """Sums over clients for each app."""
    sql = statement("weighed", "hogs", limit=limit, scale2=scale**2, least_s=MIN_WEIGHT_S)
    parts = pa.concat_tables(fleet.query_clients(sql, effect=effects))
    summed = parts.group_by("app").aggregate([(name, "sum") for name in _SUMS]).sort_by("app")
    place = np.searchsorted(app, summed["app"].to_numpy())
    sums = {name: np.zeros(len(app)) for name in _SUMS}
    for name in _SUMS:
        sums[name][place] = summed[f"{name}_sum"].to_numpy()
    return sums
