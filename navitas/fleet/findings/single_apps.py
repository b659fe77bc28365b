"""The effect of each app on its own: a regression of each client's drain on one app, and what clients differ in."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.findings.client_weights import ClientWeights
from navitas.fleet.regression.exposure import CLASSES, corrected, inferred_reliability
from navitas.fleet.regression.usage import EVIDENCE, TIMED
from navitas.fleet.regression.within import BY_CLASS
from navitas.fleet.stages import Fleet, added
from navitas.fleet.statistics import F64, I64, Bool, Effects, Moments, central_spread, effects_of

_LEAST_RELIABILITY = 0.1
_SCREEN_LIMIT_PPM_S = 1e6 / (4 * 3600)
"""A phone with its screen on lasts for four hours or more."""
_RUNS_ERROR = 0.2
"""Relative standard error of inferred running times, times 1 − reliability (docs/dev/decisions.md)."""
_LEVEL_ERROR = 0.3
"""A relative error of effects at level changes, times the share that an app of short runs would lack. The screen is seen at too
many of them, too. Its control takes a part of the effect.
"""
_LEAST_SHOWN = 0.3
"""If samples show less of an app's effect than this, its drain is unknown."""
_LIT_LINK, _ENOUGH_BRIGHT = 0.5, 10
"""An app of the lit screen runs so much more often with it, as a difference of shares. So many clients are enough for it."""
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
class AppEvidence:
    """Apps by number. Shares are 0 to 1, apart from reliabilities, which may be greater with samples at level changes.

    `by_class` is the reliability of running times by class of pairs (columns), and `reliability` their mean. `plain` is that of
    inferred running times before `exposure.corrected`, `seen_error` the error of its logarithm, and `slow_share` the sum of slow
    drops that corrects it, divided by that of `weight_s`, Σ T x̃ d by class. `screen_known` is the share of the evidence with
    known screen time.
    `link` is how much more often the screen is on while the app runs, as a difference of shares. `varied_s` is Σ T d² of
    `within.SUMS`. `screen_ppm_s` is the drain of the screen. Apps of the lit screen are compared on clients that report its
    brightness (`needs_brightness`), or else, if too few do, are not separable from it (`is_dark`).
    """

    app: I64
    by_class: F64
    plain: F64
    seen_error: F64
    slow_share: F64
    weight_s: F64
    screen_known: F64
    link: F64
    varied_s: F64
    screen_ppm_s: float
    needs_brightness: Bool
    is_dark: Bool

    @property
    def reliability(self) -> F64:
        """The mean reliability over classes."""
        return _ratio((self.weight_s * self.by_class).sum(axis=1), self.weight_s.sum(axis=1))

    @property
    def runs_error(self) -> F64:
        """The standard deviation of the logarithm of the unknown factor on each app's effect."""
        of_kind = _RUNS_ERROR * np.maximum(1 - np.nan_to_num(self.reliability, nan=1.0), 0.0)
        return np.sqrt(of_kind**2 + self.seen_error**2 + (_LEVEL_ERROR * np.nan_to_num(self.slow_share)) ** 2)

    @property
    def are_short(self) -> Bool:
        """Whether each app's runs are too short for its samples."""
        return np.asarray(self.reliability < _LEAST_SHOWN)

    def corrected(self, apps: I64, slow_s: F64, drains: F64) -> AppEvidence:
        """The same with other sums of slow drops, by class, and other drains (`exposure.corrected`), for some places of apps."""
        by_class = self.by_class.copy()
        by_class[apps, TIMED.start :] = corrected(self.plain[apps], self.weight_s[apps, TIMED.start :], slow_s, drains)
        slow_share = self.slow_share.copy()
        slow_share[apps] = _ratio(slow_s.sum(axis=1), self.weight_s[apps].sum(axis=1))
        return replace(self, by_class=by_class, slow_share=slow_share)

    @property
    def shown_ppm_s(self) -> F64:
        """What the screen drains more while an app runs, because it is on more often."""
        return np.asarray(np.maximum(np.nan_to_num(self.link), 0.0) * self.screen_ppm_s)

    @property
    def charged_ppm_s(self) -> F64:
        """At most so much of an app's drain is the screen's, where its time between samples or its brightness is unknown."""
        return np.asarray(self.shown_ppm_s * np.where(self.is_dark, 1.0, 1 - np.nan_to_num(self.screen_known, nan=1.0)))

    def table(self, beta: F64, spread: F64 | float = 0.0) -> pa.Table:
        """Rows of `effect` for statements: apps, effects and their variance among clients, and reliabilities by class."""
        columns = {"beta": beta, "spread": np.broadcast_to(spread, beta.shape)}
        columns |= {"lit": self.needs_brightness}
        columns |= {f"l{kind}": self.by_class[:, kind] for kind in TIMED}
        return pa.table({"app": pa.array(self.app, pa.int32()), **columns})


def evidence_of(fleet: Fleet) -> AppEvidence:
    """Read the evidence of all apps that have any."""
    names = EVIDENCE.names[1:]
    found = fleet.query_clients(statement("evidence", sums=", ".join(f"SUM({name}) AS {name}" for name in names)))
    found = added(found, ["app"], names)
    is_app = found["app"].is_valid().to_numpy()
    of = {name: found[name].to_numpy() for name in names}
    w, varied, length, changed, slow = (np.stack([of[f"{name}{kind}"] for kind in range(CLASSES)], axis=1) for name in BY_CLASS)
    with np.errstate(divide="ignore", invalid="ignore"):
        length_s = np.where(varied > 0, length / varied, 0.0)[:, TIMED]
    plain, seen_error = inferred_reliability(changed[:, TIMED], varied[:, TIMED], length_s, w)
    _, seconds, drop = fleet.totals()
    first = _ratio(of["s"], w[:, 0] + (w[:, TIMED] * plain).sum(axis=1)) * max(seconds, 1) / max(drop, 1)
    timed = corrected(plain, w[:, TIMED], slow[:, TIMED], np.nan_to_num(first))
    by_class = np.concatenate([np.ones((len(w), CLASSES - len(TIMED))), timed], axis=1)
    return AppEvidence(
        app=found["app"].drop_null().to_numpy().astype(np.int64),
        by_class=by_class[is_app],
        plain=plain[is_app],
        seen_error=seen_error[is_app],
        slow_share=_ratio(slow[:, TIMED].sum(axis=1), w.sum(axis=1))[is_app],
        weight_s=w[is_app],
        screen_known=_ratio(of["w_screen"], w.sum(axis=1))[is_app],
        varied_s=varied.sum(axis=1)[is_app],
        link=_ratio(of["linked"], varied.sum(axis=1))[is_app],
        screen_ppm_s=_screen_ppm_s(of["s"][~is_app].sum(), w[~is_app].sum(), (w * by_class)[~is_app].sum()),
        needs_brightness=np.zeros(np.count_nonzero(is_app), bool),
        is_dark=np.zeros(np.count_nonzero(is_app), bool),
    )


def with_brightness(fleet: Fleet, evidence: AppEvidence, weights: ClientWeights) -> AppEvidence:
    """The evidence with how apps of the lit screen are compared. Those for use outdoors come with a bright screen."""
    linked = np.nan_to_num(evidence.link) > _LIT_LINK
    if weights.is_bright.all() or not linked.any():
        return evidence
    table = replace(evidence, needs_brightness=linked).table(np.zeros(len(linked)))
    enough = _moments(fleet, table, weights.table(), _NO_LIMIT, 1.0)["contrasted"] >= _ENOUGH_BRIGHT
    return replace(evidence, needs_brightness=linked & enough, is_dark=linked & ~enough)


def _screen_ppm_s(s: float, whole: float, reliable: float) -> float:
    """The screen's drain. It is limited, because the ends of pairs may say little about the time with the screen on."""
    weight = max(reliable, _LEAST_RELIABILITY * whole)
    return min(max(s / weight, 0.0), _SCREEN_LIMIT_PPM_S) if weight > 0 else 0.0


def _ratio(part: F64, whole: F64) -> F64:
    return np.asarray(np.divide(part, whole, out=np.full(len(whole), np.nan), where=whole > 0))


@dataclass(frozen=True, slots=True)
class SingleApps:
    """All apps, by number: clients, those with enough time with the app and without it, pairs, time, drop, and effects in ppm/s.

    `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies. `variance` is that
    of the effect among clients. `middle` are the effects with outliers, and `usual` is how much clients may differ from them.
    `weights` are those of clients.
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
    weights: ClientWeights


def single_apps(fleet: Fleet, evidence: AppEvidence, weights: ClientWeights, least_ppm_s: float) -> SingleApps:
    """Effects of all apps of `evidence`, with p-values of "at most `least_ppm_s`". Outliers among clients are left out."""
    counted = weights.table()
    first = _moments(fleet, evidence.table(np.zeros(len(evidence.app))), counted, _NO_LIMIT, 1.0)
    middle = np.nan_to_num(first["s"] / np.where(first["w"] > 0, first["w"], 1.0))
    scale = central_spread(*_spread_of(fleet, evidence.table(middle), counted), _BIN)
    usual = (USUAL_SPREAD * middle) ** 2
    sums = _moments(fleet, evidence.table(middle, usual), counted, _TRIM_LIMIT, scale)
    moments = Moments(*(sums[name] for name in ("contrasted", "w", "s", "ss", "sw", "ww")))
    effect = effects_of(moments, least_ppm_s)
    apart = moments.ss - 2 * effect.value * moments.sw + effect.value**2 * moments.ww
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.nan_to_num(np.maximum(apart - scale**2 * sums["noise"], 0.0) / moments.ww)
    clients, contrasted, pairs = (sums[name].astype(np.int64) for name in ("clients", "contrasted", "pairs"))
    return SingleApps(
        clients, contrasted, pairs, sums["ran_s"], sums["drop_ppm"], effect, scale, variance, middle, usual, weights
    )


def _spread_of(fleet: Fleet, effects: pa.Table, counted: pa.Table) -> tuple[I64, I64]:
    """Histogram of clients' distances from apps' effects: bins (`_BIN` standard deviations of noise wide), counts."""
    sql = statement("weighed", "spread", bins=_BINS, least_s=MIN_WEIGHT_S)
    found = added(fleet.query_clients(sql, effect=effects, counted=counted), ["bin"], ["pairs"])
    return found["bin"].to_numpy().astype(np.int64), found["pairs"].to_numpy().astype(np.int64)


def unusual_pairs(fleet: Fleet, evidence: AppEvidence, found: SingleApps, least_z: float) -> tuple[I64, I64]:
    """Clients and apps whose drains differ from the app's usual one by this many standard deviations, by client and app."""
    sql = statement("weighed", "unusual", limit=least_z, scale2=found.noise_scale**2, least_s=MIN_WEIGHT_S)
    table = fleet.query_clients(sql, effect=evidence.table(found.middle, found.usual), counted=found.weights.table())
    table = table.sort_by([("client", "ascending"), ("app", "ascending")])
    return table["client"].to_numpy(), table["app"].to_numpy().astype(np.int64)


def _moments(fleet: Fleet, effects: pa.Table, counted: pa.Table, limit: float, scale: float) -> dict[str, F64]:
    """Sums over clients for each app."""
    sql = statement("weighed", "hogs", limit=limit, scale2=scale**2, least_s=MIN_WEIGHT_S)
    summed, app = added(fleet.query_clients(sql, effect=effects, counted=counted), ["app"], _SUMS), effects["app"].to_numpy()
    place = np.searchsorted(app, summed["app"].to_numpy())
    sums = {name: np.zeros(len(app)) for name in _SUMS}
    for name in _SUMS:
        sums[name][place] = summed[name].to_numpy()
    return sums
