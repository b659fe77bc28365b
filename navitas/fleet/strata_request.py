"""A request for strata: some apps on all clients, others on single clients, and the drains of all hogs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from navitas.fleet.schema import I64
from navitas.fleet.statistics import F64, Bool
from navitas.fleet.wanted_apps import WantedApps


@dataclass(frozen=True, slots=True)
class StrataRequest:
    """The apps whose strata are wanted, and what their sums need.

    `app` has all apps to read, ascending: those of the request, and hogs. `by_class` is the reliability of their running times
    by class of pairs (columns), `effect_ppm_s` the drain of hogs, and 0 for other apps.
    """

    apps: WantedApps
    app: I64
    by_class: F64
    effect_ppm_s: F64

    def packages(self, app_of: NDArray[np.int32]) -> NDArray[np.int32]:
        """The packages to read, ascending. `app_of` maps packages to apps."""
        return np.flatnonzero(np.isin(app_of, self.app)).astype(np.int32)

    def wanted(self, clients: I64) -> Bool:
        """Whether the strata of an app (`app`, columns) on a client (rows) are requested. Clients are in ascending order."""
        return self.apps.table(clients, self.app)

    def reliability(self, apps: NDArray[np.integer]) -> F64:
        """The rows of `by_class` of these apps."""
        return self.by_class[np.searchsorted(self.app, apps)]

    def effects(self, apps: NDArray[np.integer]) -> F64:
        """The drains of these apps."""
        return self.effect_ppm_s[np.searchsorted(self.app, apps)]

    def for_bucket(self, bucket: int, buckets: int) -> StrataRequest:
        """The request, reduced to the clients of one of `buckets` buckets."""
        return replace(self, apps=self.apps.for_bucket(bucket, buckets))

    def digest(self) -> str:
        """A hash that identifies the request."""
        parts = [*self.apps.parts(), self.app, np.round(self.by_class, 9), np.round(self.effect_ppm_s, 9)]
        return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=12).hexdigest()
