"""Effects on the clients of all buckets: of hogs, and of suspects, which seem to drain unlike on other clients."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from navitas.fleet.client_effects import AppPriors, ClientEffects, Priors, client_effects
from navitas.fleet.joint_request import JointRequest
from navitas.fleet.joint_systems import JointSystem
from navitas.fleet.statistics import F64, Bool

_LEAST_SPREAD = 0.05
"""Least standard deviation among clients, relative to the usual drain."""


def effects_of_clients(
    systems: Iterable[JointSystem], request: JointRequest, priors: AppPriors, noise_scale: float
) -> ClientEffects:
    """The effects of apps with a prior on all clients, and of suspects on theirs, given the other apps there."""
    parts = [client_effects(system, Priors.of(system, request.apps, priors), noise_scale) for system in systems]
    return ClientEffects.concatenated(parts)


def suspect_effects(
    systems: Iterable[JointSystem], request: JointRequest, priors: AppPriors, noise_scale: float
) -> ClientEffects:
    """The effects of suspects only."""
    parts = []
    for system in systems:
        found = client_effects(system, Priors.of(system, request.apps, priors), noise_scale)
        parts.append(found.only(are_suspects(found, request)))
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
