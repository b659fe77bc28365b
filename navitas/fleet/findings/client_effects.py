"""What apps drain on single clients, by a regression of each client on its apps together.

With S, H and G as in `joint.JOINT`, a client's S is normal with mean H β and variance D G D. The β of each app has a normal
prior: the drains of other clients. So an app that runs along with a hog is not charged for it, and two apps that always run
together stay uncertain (mixed model, Henderson 1975).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, replace

import numpy as np

from navitas.fleet.findings.joint import JointSystem
from navitas.fleet.findings.wanted_apps import JointRequest, WantedApps
from navitas.fleet.statistics import F64, I64, Bool

_RIDGE = 1e-9
_MANY = 1e6
"""Degrees of freedom of a variance from all of a client's pairs."""
_CLIENTS = 256
"""Clients whose equations are solved at once."""
_LEAST_SPREAD = 0.05
"""Least standard deviation among clients, relative to the usual drain."""
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
class AppPriors:
    """Drains of apps by number, ascending: mean and variance among clients, and the `wide` variance of an unusual drain.

    A variance of 0 says that the app is regressed only where it is unusual.
    """

    app: I64
    mean: F64
    variance: F64
    wide: float

    def on_clients(self, system: JointSystem, apps: WantedApps) -> F64:
        """The variance by client (rows) and app: wide for `apps` on single clients, 0 for apps that are not regressed there."""
        variance = np.tile(self.variance, (len(system.clients), 1))
        here = np.isin(apps.single_client, system.clients)
        place = np.searchsorted(system.clients, apps.single_client[here]), np.searchsorted(self.app, apps.single_app[here])
        variance[place] = np.maximum(variance[place], self.wide)
        return variance


@dataclass(frozen=True, slots=True)
class ClientEffects:
    """Drains of apps on clients in ppm/s, by the clients' own samples alone, with the variance of their noise.

    `app` is a place in the request's apps, unless `with_apps` replaced it. `weight_s` is Σ T x̃ y, `days` the effective number of
    days with evidence, and `freedom` the degrees of freedom of the variance. Other apps of the client are accounted for.
    """

    client: I64
    app: I64
    value: F64
    variance: F64
    weight_s: F64
    days: F64
    freedom: F64

    def only(self, kept: Bool) -> ClientEffects:
        """These entries."""
        return ClientEffects(*(getattr(self, one.name)[kept] for one in fields(self)))

    def with_apps(self, app: I64) -> ClientEffects:
        """The same with the numbers of apps."""
        return replace(self, app=app[self.app])

    @classmethod
    def concatenated(cls, parts: list[ClientEffects]) -> ClientEffects:
        """All of these."""
        none = cls(np.zeros(0, np.int64), np.zeros(0, np.int64), *np.zeros((5, 0)))
        return cls(*(np.concatenate([getattr(part, one.name) for part in (none, *parts)]) for one in fields(cls)))


def client_effects(system: JointSystem, mean: F64, variance: F64, noise_scale: float) -> ClientEffects:
    """The effects of apps on the clients of a bucket, given each other.

    `mean` has the prior of each app, `variance` that of each client (rows) and app: 0 where it is not regressed.

    `noise_scale` is the clients' real spread divided by the spread that the variance of their pairs implies. Noise is the greater
    one of that by pairs, scaled, and that by days.
    """
    varied = (system.app == system.other) & (system.g > 0) & (system.h > 0)
    wanted = np.zeros(variance.shape, bool)
    place = system.client[varied], system.app[varied]
    wanted[place] = variance[place] > 0
    system = system.among(wanted)
    own = system.app == system.other
    client, app = system.client[own], system.app[own]
    solved = [_solved(rows, mean, variance, noise_scale) for rows in _blocks(system)]
    value, noise = (np.concatenate(parts) for parts in zip(*solved, strict=True)) if solved else (np.zeros(0), np.zeros(0))
    days = system.g[own] ** 2 / system.gg[own]
    by_day = system.day_noise[own] > noise_scale**2 * system.noise[own]
    freedom = np.where(by_day, np.maximum(days - 1, 1.0), _MANY)
    return ClientEffects(system.clients[client], app, value, noise, system.h[own], days, freedom)


def _blocks(system: JointSystem) -> Iterator[JointSystem]:
    """Some clients at a time."""
    starts = np.searchsorted(system.client, np.arange(0, len(system.clients) + _CLIENTS, _CLIENTS))
    for low, high in zip(starts[:-1].tolist(), starts[1:].tolist(), strict=True):
        if high > low:
            yield system.only(slice(low, high))


def _solved(system: JointSystem, prior_mean: F64, prior_variance: F64, noise_scale: float) -> tuple[F64, F64]:
    """Each effect and its variance, where its own prior does not count, and those of the client's other apps do."""
    own = np.flatnonzero(system.app == system.other)
    first = np.flatnonzero(np.diff(system.client[own], prepend=-1))
    size = np.diff(np.append(first, len(own)))
    row = np.repeat(np.arange(len(first)), size)
    column = np.arange(len(own)) - first[row]
    at = _places(system, own, row, column)
    widest = int(size.max())
    h, g = np.zeros((2, len(first), widest, widest))
    h[at], g[at] = system.h, system.g
    s, mean = np.zeros((2, len(first), widest))
    precision = np.ones((len(first), widest))
    s[row, column], mean[row, column] = system.s[own], prior_mean[system.app[own]]
    precision[row, column] = 1 / prior_variance[system.client[own], system.app[own]]
    deviation = np.ones((len(first), widest))
    noise = np.maximum(noise_scale**2 * system.noise[own], system.day_noise[own])
    deviation[row, column] = np.sqrt(noise / system.g[own])
    diagonal = np.arange(widest)
    g[:, diagonal, diagonal] = np.where(g[:, diagonal, diagonal] > 0, (1 + _RIDGE) * g[:, diagonal, diagonal], 1.0)
    h, s = h / deviation[:, :, None], s / deviation
    weighed = np.linalg.solve(g, h).transpose(0, 2, 1)
    posterior = weighed @ h
    posterior[:, diagonal, diagonal] += precision
    inverse = np.linalg.inv(posterior)
    shift = np.einsum("cij,cj->ci", inverse, np.einsum("cij,cj->ci", weighed, s - np.einsum("cij,cj->ci", h, mean)))
    spread = inverse[:, diagonal, diagonal]
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = 1 / np.maximum(1 / spread - precision, 0.0)
        value = mean + np.where(np.isfinite(variance), shift / spread * variance, 0.0)
    return value[row, column], variance[row, column]


def _places(system: JointSystem, own: I64, row: I64, column: I64) -> tuple[I64, I64, I64]:
    """The place of each row of the system in matrices: client, row and column. `own` are the rows on the diagonal."""
    key = system.client[own] * (1 << 32) + system.app[own]
    one, other = (np.searchsorted(key, system.client * (1 << 32) + app) for app in (system.app, system.other))
    return row[one], column[one], column[other]


def effects_of_clients(
    systems: Iterable[JointSystem], request: JointRequest, priors: AppPriors, noise_scale: float, *, suspects_only: bool = False
) -> ClientEffects:
    """The effects of apps with a prior on all clients, and of suspects on theirs, given the other apps there."""
    parts = []
    for system in systems:
        found = client_effects(system, priors.mean, priors.on_clients(system, request.apps), noise_scale)
        parts.append(found.only(are_suspects(found, request)) if suspects_only else found)
    return ClientEffects.concatenated(parts)


def app_priors(request: JointRequest, mean: F64, variance: F64, drains: Bool, usual_ppm_s: float) -> AppPriors:
    """The priors of all apps in the request: apps that drain do so on all clients, others only where they are suspects."""
    least = (_LEAST_SPREAD * usual_ppm_s) ** 2
    return AppPriors(request.app, mean, np.where(drains, np.maximum(variance, least), 0.0), usual_ppm_s**2)


def are_suspects(found: ClientEffects, request: JointRequest) -> Bool:
    """Whether each effect is that of a suspect."""
    _, client = np.unique(np.concatenate([request.apps.single_client, found.client]), return_inverse=True)
    count, size = len(request.apps.single_client), len(request.app)
    suspects = client[:count] * size + np.searchsorted(request.app, request.apps.single_app)
    return np.isin(client[count:] * size + found.app, suspects)


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
