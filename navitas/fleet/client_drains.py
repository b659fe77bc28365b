"""What hogs drain on one client: a prediction from all clients and from the client's own samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet.hog_clients import effects_on_clients
from navitas.fleet.hogs import Hogs
from navitas.fleet.schema import bucket_of
from navitas.fleet.single_apps import MIN_WEIGHT_S
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import Z95, scaled_distance


@dataclass(frozen=True, slots=True)
class ClientDrains:
    """Extra drains of hogs as the client's own samples show them, by app: value in ppm/s, and variance.

    `among_clients` is the variance of each hog's drain among clients, `scale_error` the `Effects.scale_error` of all clients, and
    `shared_error` that of `Hogs`.
    """

    own: dict[int, tuple[float, float]]
    among_clients: dict[int, float]
    scale_error: dict[int, float]
    shared_error: dict[int, float]

    def predicted(self, app: int, mean: float, half_width: float) -> tuple[float, float, float]:
        """The ends and the middle of the 95 % prediction interval of a hog's drain on this client: low, middle, high.

        `mean` and its interval are those of all clients. The client's own value counts by how certain it is, compared with how
        much clients differ (the posterior of normal effects).
        """
        spread = self.among_clients.get(app, 0.0)
        value, variance = self.own.get(app, (mean, np.inf))
        trust = spread / (spread + variance) if spread > 0 else 0.0
        middle = mean + trust * (value - mean)
        shared = self.shared_error.get(app, 0.0)
        half = float(np.hypot(half_width * (1 - trust), Z95 * np.sqrt(spread * (1 - trust) + shared**2)))
        log_factor = Z95 * self.scale_error.get(app, 0.0)
        below, above = (scaled_distance(np.array(middle), np.array(half), np.array(one)) for one in (-log_factor, log_factor))
        return middle - float(below), middle, middle + float(above)


def client_drains(fleet: Fleet, hogs: Hogs, client: int) -> ClientDrains:
    """Read the client's own effects, given all other hogs on it."""
    bucket = int(bucket_of(np.array([client]), fleet.store.buckets)[0])
    found = effects_on_clients(fleet, hogs, [bucket], suspects=False)
    own = {
        int(found.app[i]): (float(found.value[i]), hogs.noise_of_clients**2 * float(found.variance[i]))
        for i in np.flatnonzero((found.client == client) & (found.weight_s >= MIN_WEIGHT_S))
    }
    columns = (hogs.variance, hogs.effect.scale_error, hogs.shared_error)
    return ClientDrains(own, *(dict(zip(hogs.app.tolist(), column.tolist(), strict=True)) for column in columns))
