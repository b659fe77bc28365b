"""Effects of apps on the fleet, given all other apps that drain."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.fleet import joint
from navitas.fleet.app_evidence import AppEvidence
from navitas.fleet.client_effects import ClientEffects
from navitas.fleet.joint_effects import JointEffects, Outliers, joint_effects
from navitas.fleet.joint_request import JointRequest
from navitas.fleet.joint_systems import JointSystem, systems_of
from navitas.fleet.schema import I64
from navitas.fleet.single_apps import USUAL_SPREAD, SingleApps, unusual_pairs
from navitas.fleet.spreads import Spreads, spreads_of
from navitas.fleet.stages import Fleet, Progress
from navitas.fleet.statistics import F64, Bool, Effects
from navitas.fleet.suspects import app_priors, are_suspects, effects_of_clients
from navitas.fleet.wanted_apps import WantedApps

_CANDIDATE_T = 2.0
_MOST_CANDIDATES = 500
"""Apps that are regressed together: effects of at least so many standard errors, the most certain ones first."""
_SUSPECT_Z = 2.5
"""An app whose drain on a client is so many standard deviations from its usual one is regressed on that client, too."""
_OUTLIER_Z = 3.5
_CERTAIN_T = 4.0
"""Apps with an effect of at least so many standard errors show how much drains differ among clients."""


@dataclass(frozen=True, slots=True)
class GivenOthers:
    """Effects, and for each app the one that runs most along with it, or −1, and their correlation.

    `spreads` says how much drains differ among clients, and `request` what the stage *joint* has computed. It is None without any
    app that seems to drain.
    """

    effect: Effects
    spreads: Spreads
    partner: I64
    overlap: F64
    request: JointRequest | None


def given_others(fleet: Fleet, evidence: AppEvidence, alone: SingleApps, usual_ppm_s: float, progress: Progress) -> GivenOthers:
    """The effects, where those that differ from 0 are from one regression on all of them. Reads samples if they are missing."""
    size = len(evidence.app)
    made = GivenOthers(alone.effect, Spreads(alone.variance, 1.0), np.full(size, -1), np.zeros(size), None)
    chosen = _candidates(alone)
    single = WantedApps(evidence.app[chosen], *unusual_pairs(fleet, evidence, alone, _SUSPECT_Z))
    app = np.union1d(single.everywhere, single.single_app).astype(np.int64)
    if not len(app):
        return made
    request = JointRequest(single, app, evidence.by_class[np.searchsorted(evidence.app, app)])
    joint.bring_up_to_date(fleet, request, progress)
    if not len(chosen):
        return replace(made, request=request)
    systems = list(systems_of(fleet, request))
    first = joint_effects(systems, request.candidates, Outliers.none())
    on_clients, outliers = _on_clients(systems, request, first.value, usual_ppm_s, alone.noise_scale)
    found = joint_effects(systems, request.candidates, outliers)
    spreads = _spreads(on_clients, request, found)
    certain = np.searchsorted(evidence.app, request.app[spreads.variance > 0])
    variance, effect, partner, overlap = alone.variance.copy(), _copied(alone.effect), made.partner, made.overlap
    variance[certain] = spreads.variance[spreads.variance > 0]
    effect.value[chosen], effect.error[chosen] = found.value, found.error
    effect.freedom[chosen] = np.maximum(found.clusters - 1, 1.0)
    others = np.abs(found.overlap - np.diag(np.diag(found.overlap)))
    overlap[chosen] = others.max(axis=1)
    partner[chosen] = np.where(overlap[chosen] > 0, evidence.app[chosen][others.argmax(axis=1)], -1)
    return GivenOthers(effect, replace(spreads, variance=variance), partner, overlap, request)


def _candidates(alone: SingleApps) -> I64:
    """The places of apps that are regressed together."""
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.abs(alone.effect.value / alone.effect.error)
    chosen = np.flatnonzero(t > _CANDIDATE_T)
    return np.sort(chosen[np.argsort(-t[chosen], kind="stable")][:_MOST_CANDIDATES])


def _copied(effect: Effects) -> Effects:
    return replace(effect, value=effect.value.copy(), error=effect.error.copy(), freedom=effect.freedom.copy())


def _on_clients(
    systems: Sequence[JointSystem], request: JointRequest, effect: F64, usual_ppm_s: float, noise_scale: float
) -> tuple[ClientEffects, Outliers]:
    """Effects on single clients, and suspects that differ from their app's effect even given the client's other apps."""
    mean = _of_request(request, effect)
    variance = (USUAL_SPREAD * mean) ** 2
    priors = app_priors(request, mean, variance, _candidates_in(request), usual_ppm_s)
    everywhere = effects_of_clients(systems, request, priors, noise_scale)
    found = everywhere.only(are_suspects(everywhere, request))
    far = np.abs(found.value - mean[found.app]) > _OUTLIER_Z * np.sqrt(found.variance + priors.variance[found.app])
    return everywhere, Outliers(found.client[far], found.app[far], found.value[far])


def _spreads(on_clients: ClientEffects, request: JointRequest, found: JointEffects) -> Spreads:
    """How much drains differ among clients, by place in the request's apps: 0 for apps without a certain effect."""
    certain = _candidates_in(request)
    certain[request.candidates] = found.value > _CERTAIN_T * found.error
    return spreads_of(on_clients, _of_request(request, found.value), certain)


def _of_request(request: JointRequest, value: F64) -> F64:
    """The candidates' values, by place in the request's apps: 0 for others."""
    values = np.zeros(len(request.app))
    values[request.candidates] = value
    return values


def _candidates_in(request: JointRequest) -> Bool:
    return np.isin(request.app, request.apps.everywhere)
