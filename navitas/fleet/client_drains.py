"""What hogs drain on one client: a prediction from all clients and from the client's own samples."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.hogs import Hogs
from navitas.fleet.single_apps import MIN_WEIGHT_S
from navitas.fleet.stages import Fleet

_Z95 = 1.959964
_OWN = """
SELECT app, s / w AS value, noise / (w * w) AS variance FROM weighed WHERE client = {client} AND w >= {least_s} AND noise > 0
"""


@dataclass(frozen=True, slots=True)
class ClientDrains:
    """Extra drains of hogs as the client's own samples show them, by app: value in ppm/s, and variance.

    `among_clients` is the variance of each hog's drain among clients.
    """

    own: dict[int, tuple[float, float]]
    among_clients: dict[int, float]

    def predicted(self, app: int, mean: float, half_width: float) -> tuple[float, float, float]:
        """The ends and the middle of the 95 % prediction interval of a hog's drain on this client: low, middle, high.

        `mean` and its interval are those of all clients. The client's own value counts by how certain it is, compared with how
        much clients differ (the posterior of normal effects).
        """
        spread = self.among_clients.get(app, 0.0)
        value, variance = self.own.get(app, (mean, np.inf))
        trust = spread / (spread + variance) if spread > 0 else 0.0
        middle = mean + trust * (value - mean)
        half = float(np.hypot(half_width * (1 - trust), _Z95 * np.sqrt(spread * (1 - trust))))
        return middle - half, middle, middle + half


def client_drains(fleet: Fleet, hogs: Hogs, client: int) -> ClientDrains:
    """Read the client's contrasts. What an app drains less because others run along with it is subtracted."""
    sql = statement("weighed") + _OWN.format(client=client, least_s=MIN_WEIGHT_S)
    effects = hogs.evidence.table(np.zeros(len(hogs.app)))
    table = pa.concat_tables(fleet.query_clients(sql, effect=effects))
    shift = dict(zip(hogs.app.tolist(), (hogs.alone.value - hogs.effect.value).tolist(), strict=True))
    own = {
        row["app"]: (row["value"] - shift[row["app"]], hogs.noise_scale**2 * row["variance"])
        for row in table.to_pylist()
        if np.isfinite(shift[row["app"]])
    }
    return ClientDrains(own, dict(zip(hogs.app.tolist(), hogs.variance.tolist(), strict=True)))
