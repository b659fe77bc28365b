"""Apps that drain the battery on every phone that runs them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet import joint
from navitas.fleet.app_evidence import AppEvidence, evidence_of
from navitas.fleet.engine.base import statement
from navitas.fleet.joint_effects import Outliers, joint_effects
from navitas.fleet.stages import Fleet, Progress, no_progress
from navitas.fleet.statistics import (
    F64,
    I64,
    Bool,
    Effects,
    Moments,
    central_spread,
    effects_of,
    false_rates,
    upper_tail,
)

MIN_SHARE = 0.02
"""Smallest share of the usual drain that makes a hog."""
FDR_LIMIT = 0.05
"""False discovery rate of hogs."""
_BINS = 20
BIN = 1 / _BINS
"""Bin width of the histogram of clients' distances from an app's effect, in standard deviations of their noise."""
_MIN_CLIENTS = 3
_TRIM_LIMIT = 3.5
_USUAL_SPREAD = 0.5
"""Standard deviation of a hog's effect among clients, relative to the effect, that is not taken for a bug."""
_NO_LIMIT = 1e300
_CANDIDATE_T = 2.0
_MOST_CANDIDATES = 500
"""Apps that are regressed together: effects of at least so many standard errors, the most certain ones first."""
_SUMS = ("clients", "pairs", "ran_s", "drop_ppm", "contrasted", "w", "s", "ss", "sw", "ww", "noise")
MIN_WEIGHT_S = 900.0
"""Least w of a client. Half an hour with an app and half an hour without it have this weight."""


@dataclass(frozen=True, slots=True)
class Hogs:
    """All apps, by number. Rates and effects are in ppm of the battery per second.

    `effect` is the extra drain given all other apps that drain, `alone` that of a regression on the app alone. `false_rate` is the false discovery rate at which the app is a hog, or NaN with too few clients. `usual_ppm_s` is the drain
    of all clients. `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies.
    `spread` is the variance of the effect among clients.
    """

    app: I64
    clients: I64
    contrasted: I64
    pairs: I64
    seconds: F64
    rate: F64
    effect: Effects
    alone: Effects
    false_rate: F64
    is_hog: Bool
    usual_ppm_s: float
    noise_scale: float
    spread: F64
    evidence: AppEvidence


def find_hogs(fleet: Fleet, progress: Progress = no_progress) -> Hogs:
    """Contrast each app's running time with the same clients' other time (docs/fleet-statistics.md, "Hogs").

    Apps that seem to drain or to save are then regressed together. That reads samples, unless it was done before.
    """
    evidence = evidence_of(fleet)
    first = _moments(fleet, evidence, np.zeros(len(evidence.app)), _NO_LIMIT)
    rough = np.nan_to_num(first["s"] / np.where(first["w"] > 0, first["w"], 1.0))
    bins, count = spread_of(fleet, evidence, rough)
    scale = central_spread(bins, count, BIN)
    bounds = _Bounds(rough, (_USUAL_SPREAD * rough) ** 2, _TRIM_LIMIT * scale)
    sums = _moments(fleet, evidence, bounds.middle, bounds.limit, bounds.variance)
    _, seconds, drop = fleet.totals()
    usual = drop / max(seconds, 1)
    moments = Moments(*(sums[name] for name in ("contrasted", "w", "s", "ss", "sw", "ww")))
    alone = effects_of(moments, MIN_SHARE * usual)
    effect = _given_others(fleet, evidence, alone, bounds, MIN_SHARE * usual, progress)
    false_rate = false_rates(np.where(sums["contrasted"] >= _MIN_CLIENTS, np.minimum(2 * effect.p, 1.0), np.nan))
    return Hogs(
        app=evidence.app,
        clients=sums["clients"].astype(np.int64),
        contrasted=sums["contrasted"].astype(np.int64),
        pairs=sums["pairs"].astype(np.int64),
        seconds=sums["ran_s"],
        rate=sums["drop_ppm"] / np.maximum(sums["ran_s"], 1.0),
        effect=effect,
        alone=alone,
        false_rate=false_rate,
        is_hog=false_rate <= FDR_LIMIT,
        usual_ppm_s=usual,
        noise_scale=scale,
        spread=_spread(moments, alone.value, scale**2 * sums["noise"]),
        evidence=evidence,
    )


@dataclass(frozen=True, slots=True)
class _Bounds:
    """A client is an outlier of an app if it is further from `middle` than `limit` standard deviations of noise and `variance`."""

    middle: F64
    variance: F64
    limit: float


def _given_others(
    fleet: Fleet, evidence: AppEvidence, alone: Effects, bounds: _Bounds, least: float, progress: Progress
) -> Effects:
    """The effects, where those that differ from 0 are from one regression on all of them."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(alone.value / alone.error)
        chosen = np.flatnonzero(t > _CANDIDATE_T)
    chosen = np.sort(chosen[np.argsort(-t[chosen], kind="stable")][:_MOST_CANDIDATES])
    if not len(chosen):
        return alone
    app = evidence.app[chosen]
    joint.bring_up_to_date(fleet, joint.JointApps(app, evidence.by_class[chosen]), progress)
    table = evidence.table(bounds.middle, bounds.variance).take(chosen)
    sql = statement("weighed", "outliers", limit=bounds.limit, least_s=MIN_WEIGHT_S)
    strange = pa.concat_tables(fleet.query_clients(sql, effect=table))
    outliers = Outliers(*(strange[name].to_numpy() for name in ("client", "app", "effect")))
    found = joint_effects(fleet, app, outliers)
    value, error, freedom, p = (column.copy() for column in (alone.value, alone.error, alone.freedom, alone.p))
    value[chosen], error[chosen], freedom[chosen] = found.value, found.error, np.maximum(found.clusters - 1, 1.0)
    p[chosen] = upper_tail((value[chosen] - least) / error[chosen], freedom[chosen])
    return Effects(value, error, freedom, p)


def _spread(moments: Moments, value: F64, noise: F64) -> F64:
    """The variance of apps' effects among clients: what their noise does not explain."""
    apart = moments.ss - 2 * value * moments.sw + value**2 * moments.ww
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.nan_to_num(np.maximum(apart - noise, 0.0) / moments.ww)


def spread_of(fleet: Fleet, evidence: AppEvidence, effect: F64, spread: F64 | float = 0.0) -> tuple[I64, I64]:
    """Histogram of clients' distances from these apps' effects: bins (`BIN` standard deviations of noise wide), counts."""
    sql = statement("weighed", "spread", bins=_BINS, least_s=MIN_WEIGHT_S)
    found = pa.concat_tables(fleet.query_clients(sql, effect=evidence.table(effect, spread)))
    found = found.group_by("bin").aggregate([("pairs", "sum")])
    return found["bin"].to_numpy().astype(np.int64), found["pairs_sum"].to_numpy().astype(np.int64)


def _moments(fleet: Fleet, evidence: AppEvidence, effect: F64, limit: float, spread: F64 | float = 0.0) -> dict[str, F64]:
    """Sums over clients for each app of `evidence`."""
    sql = statement("weighed", "hogs", limit=limit, least_s=MIN_WEIGHT_S)
    parts = pa.concat_tables(fleet.query_clients(sql, effect=evidence.table(effect, spread)))
    summed = parts.group_by("app").aggregate([(name, "sum") for name in _SUMS]).sort_by("app")
    place = np.searchsorted(evidence.app, summed["app"].to_numpy())
    sums = {name: np.zeros(len(evidence.app)) for name in _SUMS}
    for name in _SUMS:
        sums[name][place] = summed[f"{name}_sum"].to_numpy()
    return sums
