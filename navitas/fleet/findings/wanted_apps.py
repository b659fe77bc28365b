"""Requests of the stages *joint* and *strata*: the apps whose samples they read, on all clients or on single ones."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from navitas.fleet.schema import bucket_of
from navitas.fleet.statistics import F64, I64, Bool

_DECIMALS = 6
"""Decimals of figures in requests. Later ones differ between runs, since engines sum in any order, and so would digests."""


@dataclass(frozen=True, slots=True)
class WantedApps:
    """Apps on all clients (`everywhere`), and single pairs of a client and an app."""

    everywhere: I64
    single_client: I64
    single_app: I64

    def table(self, clients: I64, apps: I64) -> Bool:
        """Whether each of `apps` (columns) is wanted on each client (rows). Both are ascending and have all that is wanted."""
        table = np.zeros((len(clients), len(apps)), bool)
        table[:, np.isin(apps, self.everywhere)] = True
        here = np.isin(self.single_client, clients)
        table[np.searchsorted(clients, self.single_client[here]), np.searchsorted(apps, self.single_app[here])] = True
        return table

    def of_clients(self, samples: pa.Table) -> pa.Table:
        """The samples of clients on which any app is wanted."""
        if len(self.everywhere):
            return samples
        return samples.filter(pa.array(np.isin(samples["client"].to_numpy(), self.single_client)))

    def for_bucket(self, bucket: int, buckets: int) -> WantedApps:
        """The same, reduced to the clients of one of `buckets` buckets."""
        own = bucket_of(self.single_client, buckets) == bucket
        return WantedApps(self.everywhere, self.single_client[own], self.single_app[own])

    def parts(self) -> list[I64]:
        """Numbers that identify it."""
        return [np.array([len(self.everywhere)]), self.everywhere, self.single_client, self.single_app]


@dataclass(frozen=True, slots=True)
class JointRequest:
    """Candidates on all clients, and on single clients the apps that seem to drain unlike on others (suspects).

    `app` has all of them, ascending, and `by_class` the reliability of their running times by class of pairs (columns).
    """

    apps: WantedApps
    app: I64
    by_class: F64

    @property
    def candidates(self) -> I64:
        """The places of candidates in `app`."""
        return np.searchsorted(self.app, self.apps.everywhere)

    def for_bucket(self, bucket: int, buckets: int) -> Self:
        """The request, reduced to the clients of one of `buckets` buckets."""
        return replace(self, apps=self.apps.for_bucket(bucket, buckets))

    def digest(self) -> str:
        """A hash that identifies the request."""
        return _digest(*self.apps.parts(), self.app, self.by_class)


@dataclass(frozen=True, slots=True)
class StrataRequest(JointRequest):
    """The apps whose strata are wanted, and what their sums need.

    `app` also has all hogs. `effect_ppm_s` is the drain of hogs, and 0 for other apps.
    """

    effect_ppm_s: F64

    def packages(self, app_of: NDArray[np.int32]) -> NDArray[np.int32]:
        """The packages to read, ascending. `app_of` maps packages to apps."""
        return np.flatnonzero(np.isin(app_of, self.app)).astype(np.int32)

    def reliability(self, apps: NDArray[np.integer]) -> F64:
        """The rows of `by_class` of these apps."""
        return self.by_class[np.searchsorted(self.app, apps)]

    def effects(self, apps: NDArray[np.integer]) -> F64:
        """The drains of these apps."""
        return self.effect_ppm_s[np.searchsorted(self.app, apps)]

    def digest(self) -> str:
        """A hash that identifies the request."""
        return _digest(*self.apps.parts(), self.app, self.by_class, self.effect_ppm_s)


def steady(values: F64) -> F64:
    """Figures for a request: equal in runs that differ by how sums round."""
    return np.round(values, _DECIMALS)


def _digest(*parts: F64 | I64) -> str:
    return hashlib.blake2b(b"".join(part.tobytes() for part in parts), digest_size=12).hexdigest()
