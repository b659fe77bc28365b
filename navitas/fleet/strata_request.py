"""A request for strata: some apps on all clients, others on single clients, and the drains of all hogs."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.schema import I64, bucket_of
from navitas.fleet.statistics import F64, Bool


@dataclass(frozen=True, slots=True)
class StrataRequest:
    """Apps on all clients (`everywhere`), and single pairs of a client and an app.

    `app` has all apps to read, ascending: those of the request, and hogs. `by_class` is the reliability of their running times
    by class of pairs (columns), `effect_ppm_s` the drain of hogs, and 0 for other apps.
    """

    everywhere: I64
    single_client: I64
    single_app: I64
    app: I64
    by_class: F64
    effect_ppm_s: F64

    def packages(self, app_of: NDArray[np.int32]) -> NDArray[np.int32]:
        """The packages to read, ascending. `app_of` maps packages to apps."""
        return np.flatnonzero(np.isin(app_of, self.app)).astype(np.int32)

    def wanted(self, clients: I64) -> Bool:
        """Whether the strata of an app (`app`, columns) on a client (rows) are requested. Clients are in ascending order."""
        table = np.zeros((len(clients), len(self.app)), bool)
        table[:, np.isin(self.app, self.everywhere)] = True
        here = np.isin(self.single_client, clients)
        table[np.searchsorted(clients, self.single_client[here]), np.searchsorted(self.app, self.single_app[here])] = True
        return table

    def of_clients(self, samples: pa.Table) -> pa.Table:
        """The samples of clients that have any strata."""
        if len(self.everywhere):
            return samples
        return samples.filter(pa.array(np.isin(samples["client"].to_numpy(), self.single_client)))

    def reliability(self, apps: NDArray[np.integer]) -> F64:
        """The rows of `by_class` of these apps."""
        return self.by_class[np.searchsorted(self.app, apps)]

    def effects(self, apps: NDArray[np.integer]) -> F64:
        """The drains of these apps."""
        return self.effect_ppm_s[np.searchsorted(self.app, apps)]

    def for_bucket(self, bucket: int, buckets: int) -> StrataRequest:
        """The request, reduced to the clients of one of `buckets` buckets."""
        own = bucket_of(self.single_client, buckets) == bucket
        return StrataRequest(
            self.everywhere, self.single_client[own], self.single_app[own], self.app, self.by_class, self.effect_ppm_s
        )

    def digest(self) -> str:
        """A hash that identifies the request."""
        numbers = (self.everywhere, self.single_client, self.single_app, self.app)
        parts = [np.array([len(self.everywhere)]), *numbers, np.round(self.by_class, 9), np.round(self.effect_ppm_s, 9)]
        return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=12).hexdigest()
