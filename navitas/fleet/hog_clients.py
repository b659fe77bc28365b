"""What hogs and suspects drain on single clients, by the clients' own samples."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from navitas.fleet.client_effects import ClientEffects
from navitas.fleet.hogs import Hogs
from navitas.fleet.joint_systems import systems_of
from navitas.fleet.stages import Fleet
from navitas.fleet.suspects import app_priors, effects_of_clients, suspect_effects


def effects_on_clients(fleet: Fleet, hogs: Hogs, buckets: Sequence[int], *, suspects: bool) -> ClientEffects:
    """The effects on all clients of some buckets, by number of the app: of suspects only, or of hogs, too."""
    if hogs.request is None:
        return ClientEffects.none()
    request, place = hogs.request, np.searchsorted(hogs.app, hogs.request.app)
    mean = np.nan_to_num(hogs.effect.value)[place]
    priors = app_priors(request, mean, hogs.variance[place], hogs.is_hog[place], hogs.usual_ppm_s)
    systems = systems_of(fleet, request, buckets)
    if suspects:
        found = suspect_effects(systems, request, priors, hogs.noise_scale)
    else:
        found = effects_of_clients(systems, request, priors, hogs.noise_scale)
    return found.with_apps(request.app)
