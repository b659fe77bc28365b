"""How much an app's drain differs among clients, estimated for all hogs together."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.fleet.client_effects import ClientEffects
from navitas.fleet.statistics import F64, Bool

_RELATIVE = np.geomspace(0.03, 2.0, 24)
"""Standard deviations among clients, relative to the app's effect, that are considered."""
_USUAL, _FACTOR, _WORTH = 0.3, 2.0, 2.0
"""Before any evidence: the relative standard deviation is usually within a factor of `_FACTOR` of `_USUAL`. This counts as much
as `_WORTH` apps.
"""
_NOISE = np.geomspace(1.0, 2.0, 7)
"""Factors of the noise that are considered. Below 1, values that are far away, which hardly count, would favour the smallest."""
_FAR = 3.5
_ROUNDS = 30


@dataclass(frozen=True, slots=True)
class Spreads:
    """The variance of each app's drain among clients, by place, and the clients' real noise divided by its estimate."""

    variance: F64
    noise: float


def spreads_of(found: ClientEffects, mean: F64, used: Bool) -> Spreads:
    """How much each `used` app's drain differs among clients: 0 for others. `mean` has the apps' drains.

    A client's value is normal with the variance among clients plus that of its noise. Few or noisy clients say little about the
    former, so the relative deviations of all apps have one distribution, which is estimated with them (empirical Bayes), as is
    the noise. A client that is far away, as with a bug, hardly counts.
    """
    place = np.flatnonzero(used & (mean > 0))
    variance = np.zeros(len(mean))
    if not len(place):
        return Spreads(variance, 1.0)
    number_of = np.full(len(mean), -1)
    number_of[place] = np.arange(len(place))
    rows = found.only((number_of[found.app] >= 0) & np.isfinite(found.variance))
    fits = [_fit(replace(rows, app=number_of[rows.app], variance=noise**2 * rows.variance), mean[place]) for noise in _NOISE]
    best = int(np.argmax([likelihood for likelihood, _ in fits]))
    variance[place] = fits[best][1]
    return Spreads(variance, float(_NOISE[best]))


def _fit(rows: ClientEffects, mean: F64) -> tuple[float, F64]:
    """The marginal log-likelihood, and the variance of each app's drain."""
    likelihood = np.stack([_log_likelihood(rows, one * mean) for one in _RELATIVE], axis=1)
    highest = likelihood.max(axis=1, keepdims=True)
    prior = start = _usual_prior()
    for _ in range(_ROUNDS):
        joint = prior * np.exp(likelihood - highest)
        posterior = joint / joint.sum(axis=1, keepdims=True)
        prior = (posterior.sum(axis=0) + _WORTH * start) / (len(mean) + _WORTH)
    return float(np.sum(np.log(joint.sum(axis=1)) + highest[:, 0])), np.asarray(mean**2 * (posterior @ _RELATIVE**2), np.float64)


def _log_likelihood(rows: ClientEffects, deviation: F64) -> F64:
    """The log-likelihood of each app's `deviation` among clients, with the best middle."""
    size = len(deviation)
    variance = rows.variance + deviation[rows.app] ** 2
    weight = np.bincount(rows.app, 1 / variance, size)
    middle = np.bincount(rows.app, rows.value / variance, size) / np.where(weight > 0, weight, 1.0)
    square = np.minimum((rows.value - middle[rows.app]) ** 2 / variance, _FAR**2)
    return np.asarray(-0.5 * np.bincount(rows.app, square + np.log(variance), size), np.float64)


def _usual_prior() -> F64:
    score = np.log(_RELATIVE / _USUAL) / np.log(_FACTOR)
    density = np.exp(-0.5 * score**2)
    return np.asarray(density / density.sum(), np.float64)
