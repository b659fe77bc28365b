"""Effects of apps on the fleet, given all other apps that drain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from navitas.fleet.findings import joint
from navitas.fleet.findings.client_effects import ClientEffects, Spreads, app_priors, are_suspects, effects_of_clients, spreads_of
from navitas.fleet.findings.joint import JointSystem, JointSystems
from navitas.fleet.findings.single_apps import USUAL_SPREAD, AppEvidence, SingleApps, unusual_pairs
from navitas.fleet.findings.wanted_apps import JointRequest, WantedApps, steady
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Effects

_RIDGE = 1e-9
_CLIENTS = 1024
"""Clients whose scores are computed at once."""
_CANDIDATE_T = 2.0
_MOST_CANDIDATES = 500
"""Apps that are regressed together: effects of at least so many standard errors, the most certain ones first."""
_SUSPECT_Z = 2.5
"""An app whose drain on a client is so many standard deviations from its usual one is regressed on that client, too."""
_OUTLIER_Z = 3.5
_SAME = 0.99
"""Apps whose running times correlate by more than this have one effect. Which one of them drains is unknown."""
_CERTAIN_T = 4.0
"""Apps with an effect of at least so many standard errors show how much drains differ among clients."""


@dataclass(frozen=True, slots=True)
class Outliers:
    """Clients on which an app drains unlike on others, and how much it drains there, in ppm/s. They are in any order."""

    client: I64
    app: I64
    effect: F64


_NOWHERE = Outliers(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class JointEffects:
    """Effects of the chosen apps in ppm/s, given all others, with clustered standard errors.

    `clusters` are the effective numbers of clients. `overlap` has the correlation of the running times of two apps, after the
    controls and as seen at the ends of pairs.
    """

    value: F64
    error: F64
    clusters: F64
    overlap: F64


def joint_effects(
    systems: Iterable[JointSystem], candidates: I64, outliers: Outliers, runs_error: F64 | None = None
) -> JointEffects:
    """Solve Σ h β = Σ s over clients for all candidates, which are places in the request's apps, as those of outliers are.

    A client on which an app is an outlier is left out of that app's equation, and its drain there is subtracted from others'.
    Standard errors are clustered by client: A⁻¹ (Σ u uᵀ) A⁻ᵀ with A = Σ h and u = s − h β (Liang and Zeger 1986). `runs_error` is
    that of the logarithm of candidates' running times: what is missed of an app's own may count for those that run along with it.
    Without it, there are no errors, which take a second pass over the systems.
    """
    size, equations = len(candidates), partial(_equations, candidates=candidates, outliers=outliers)
    (whole, seen), (right, weight, squares, count) = np.zeros((2, size, size)), np.zeros((4, size))
    for own in map(equations, systems):
        pair = own.app * size + own.other
        whole += np.bincount(pair, own.h, size * size).reshape(size, size)
        seen += np.bincount(pair, own.g, size * size).reshape(size, size)
        right += np.bincount(own.app, own.s, size)
        alone = own.app == own.other
        weight += np.bincount(own.app[alone], own.h[alone], size)
        squares += np.bincount(own.app[alone], own.h[alone] ** 2, size)
        count += np.bincount(own.app[alone & (own.h > 0)], minlength=size)
    inverse = np.linalg.inv(whole + _RIDGE * np.diag(np.maximum(np.diag(whole), 1.0)))
    value, error = inverse @ right, np.full(size, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        if runs_error is not None:
            meat = sum(
                (scores.T @ scores for own in map(equations, systems) for scores in _scores(own, value)), np.zeros((size, size))
            )
            correction = np.where(count > 1, count / (count - 1), np.nan)
            missed = inverse * (np.diag(whole) * value * runs_error) * (1 - np.eye(size))
            error = np.sqrt(np.diag(inverse @ meat @ inverse.T) * correction + np.square(missed).sum(axis=1))
        scale = np.sqrt(np.diag(seen))
        return JointEffects(value, error, weight**2 / squares, np.nan_to_num(seen / np.outer(scale, scale)))


def _scores(system: JointSystem, value: F64) -> Iterator[F64]:
    """Yield s − h β by client (rows) and app, some clients at a time."""
    rest, size = system.s - system.h * value[system.other], len(value)
    block = system.client // _CLIENTS
    for number in range(int(block.max(initial=-1)) + 1):
        rows = np.flatnonzero(block == number)
        place = (system.client[rows] - number * _CLIENTS) * size + system.app[rows]
        yield np.asarray(np.bincount(place, rest[rows], _CLIENTS * size).reshape(_CLIENTS, size), np.float64)


def _equations(system: JointSystem, candidates: I64, outliers: Outliers) -> JointSystem:
    """The equations among candidates. `app` and `other` are places in these."""
    number_of = np.full(system.size, -1)
    number_of[candidates] = np.arange(len(candidates))
    strange, drain = np.zeros((2, len(system.clients), system.size))
    here = np.isin(outliers.client, system.clients)
    place = np.searchsorted(system.clients, outliers.client[here]), outliers.app[here]
    strange[place], drain[place] = 1.0, outliers.effect[here]
    s = system.s - system.h * drain[system.client, system.other]
    one, other = number_of[system.app], number_of[system.other]
    # A row whose other app is no candidate can still have a known drain in s.
    kept = (one >= 0) & (strange[system.client, system.app] == 0)
    h, g = (np.where((other >= 0) & (strange[system.client, system.other] == 0), amount, 0.0) for amount in (system.h, system.g))
    other = np.where(other >= 0, other, one)
    return replace(system, size=len(candidates), app=one, other=other, h=h, g=g, s=s).only(kept)


@dataclass(frozen=True, slots=True)
class GivenOthers:
    """Effects, and for each app the one that runs most along with it, or −1, and their correlation.

    `spreads` says how much drains differ among clients, and `request` what the stage *joint* has computed. It is None without any
    app that seems to drain. `evidence` has the reliabilities given the other apps. `scale` is the factor of those with which the
    stage was computed, by place in the request's apps.
    """

    effect: Effects
    spreads: Spreads
    partner: I64
    overlap: F64
    request: JointRequest | None
    evidence: AppEvidence
    scale: F64


def given_others(fleet: Fleet, evidence: AppEvidence, alone: SingleApps, usual_ppm_s: float) -> GivenOthers:
    """The effects, where those that differ from 0 are from one regression on all of them. Reads samples if they are missing."""
    size = len(evidence.app)
    made = GivenOthers(alone.effect, Spreads(alone.variance, 1.0), np.full(size, -1), np.zeros(size), None, evidence, np.ones(0))
    chosen = _candidates(alone)
    single = WantedApps(evidence.app[chosen], *unusual_pairs(fleet, evidence, alone, _SUSPECT_Z))
    app = np.union1d(single.everywhere, single.single_app).astype(np.int64)
    if not len(app):
        return made
    request = JointRequest(single, app, steady(evidence.by_class[np.searchsorted(evidence.app, app)]))
    joint.bring_up_to_date(fleet, request)
    if not len(chosen):
        return replace(made, request=request, scale=np.ones(len(app)))
    systems = JointSystems(fleet, request)
    lit = evidence.needs_brightness[np.searchsorted(evidence.app, request.app)]
    weighted = partial(JointSystem.weighted, weights=alone.weights, needs_brightness=lit)
    first = joint_effects(systems.changed(weighted), request.candidates, _NOWHERE)
    evidence, scale = _rescaled(evidence, chosen, systems, first.value / usual_ppm_s)
    systems = systems.changed(partial(JointSystem.scaled, reliability=scale))
    runs_error = evidence.runs_error[chosen]
    found, on_clients = _solved(systems, systems.changed(weighted), first.overlap, runs_error, alone.noise_scale, usual_ppm_s)
    spreads = _spreads(on_clients, request, found)
    certain = np.searchsorted(evidence.app, request.app[spreads.variance > 0])
    variance, effect, partner, overlap = alone.variance.copy(), deepcopy(alone.effect), made.partner, made.overlap
    variance[certain] = spreads.variance[spreads.variance > 0]
    effect.value[chosen], effect.error[chosen] = found.value, found.error
    effect.freedom[chosen] = np.maximum(found.clusters - 1, 1.0)
    others = np.abs(found.overlap - np.diag(np.diag(found.overlap)))
    overlap[chosen] = others.max(axis=1)
    partner[chosen] = np.where(overlap[chosen] > 0, evidence.app[chosen][others.argmax(axis=1)], -1)
    return GivenOthers(effect, replace(spreads, variance=variance), partner, overlap, request, evidence, scale)


def _rescaled(evidence: AppEvidence, chosen: I64, systems: JointSystems, drains: F64) -> tuple[AppEvidence, F64]:
    """The evidence with the reliabilities of candidates given all others, and their factor by place in the request's apps.

    Drops that other apps explain are no bias of the regression on all of them.
    """
    request = systems.request
    slow_s = np.sum([system.slow_s() for system in systems], axis=0)[request.candidates]
    changed = evidence.corrected(chosen, slow_s, drains)
    factor = np.nan_to_num(changed.reliability / evidence.reliability, nan=1.0)[chosen]
    return changed, _of_request(request, request.candidates, factor, 1.0)


def _candidates(alone: SingleApps) -> I64:
    """The places of apps that are regressed together."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(alone.effect.value / alone.effect.error)
    chosen = np.flatnonzero(t > _CANDIDATE_T)
    return np.sort(chosen[np.argsort(-t[chosen], kind="stable")][:_MOST_CANDIDATES])


def _solved(  # noqa: PLR0917
    systems: JointSystems,
    weighted: JointSystems,
    overlap: F64,
    runs_error: F64,
    noise_scale: float,
    usual_ppm_s: float,
) -> tuple[JointEffects, ClientEffects]:
    """The effects of candidates on the fleet and on single clients. Of apps that always run together, one stands for all.

    Either of these may drain all of it, or nothing, so half of it is a standard error of each.
    """
    request = systems.request
    kept, group = np.unique(_representatives(overlap), return_inverse=True)
    candidates = request.candidates[kept]
    mean = _of_request(request, candidates, joint_effects(weighted, candidates, _NOWHERE).value)
    on_clients, outliers = _on_clients(systems, mean, usual_ppm_s, noise_scale)
    joined = joint_effects(weighted, candidates, outliers, runs_error[kept])
    shared = (np.bincount(group) > 1) * joined.value / 2
    return JointEffects(joined.value[group], np.hypot(joined.error, shared)[group], joined.clusters[group], overlap), on_clients


def _representatives(overlap: F64) -> I64:
    """For each app, the first one that always runs with it, or itself."""
    return np.asarray(np.argmax((overlap > _SAME) | np.eye(len(overlap), dtype=bool), axis=1), np.int64)


def _on_clients(systems: JointSystems, mean: F64, usual_ppm_s: float, noise_scale: float) -> tuple[ClientEffects, Outliers]:
    """Effects on single clients, and suspects that differ from their app's effect even given the client's other apps."""
    variance, request = (USUAL_SPREAD * mean) ** 2, systems.request
    priors = app_priors(request, mean, variance, np.isin(request.app, request.apps.everywhere), usual_ppm_s)
    everywhere = effects_of_clients(systems, request, priors, noise_scale)
    found = everywhere.only(are_suspects(everywhere, request))
    far = np.abs(found.value - mean[found.app]) > _OUTLIER_Z * np.sqrt(found.variance + priors.variance[found.app])
    return everywhere, Outliers(found.client[far], found.app[far], found.value[far])


def _spreads(on_clients: ClientEffects, request: JointRequest, found: JointEffects) -> Spreads:
    """How much drains differ among clients, by place in the request's apps: 0 for apps without a certain effect."""
    certain = np.zeros(len(request.app), bool)
    certain[request.candidates] = found.value > _CERTAIN_T * found.error
    return spreads_of(on_clients, _of_request(request, request.candidates, found.value), certain)


def _of_request(request: JointRequest, apps: I64, value: F64, otherwise: float = 0.0) -> F64:
    """The values of these places of apps, 0 or `otherwise` for others, by place in the request's apps."""
    values = np.full(len(request.app), otherwise)
    values[apps] = value
    return values
