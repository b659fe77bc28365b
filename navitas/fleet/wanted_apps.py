"""Which apps of which clients to read: some apps on all clients, others on single clients."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.schema import I64, bucket_of
from navitas.fleet.statistics import Bool


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
