"""Weights of clients: those whose drain varies far more than that of others, or whose screen's brightness is unknown."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.engine.base import statement
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64, Bool

_LIMIT = 4.0
"""From so many times the usual variance on, a client's weight times its variance is constant."""
_BRIGHT = 0.9
"""A client reports its screen's brightness if so many of its samples with a lit screen do."""


@dataclass(frozen=True, slots=True)
class ClientWeights:
    """Clients, ascending, their weights, at most 1, and whether they report their screen's brightness."""

    client: I64
    weight: F64
    is_bright: Bool

    def of(self, clients: I64, needs_brightness: Bool) -> F64:
        """The weights of these clients (rows) for apps (columns)."""
        row = np.searchsorted(self.client, clients)
        return self.weight[row, None] * (self.is_bright[row, None] | ~needs_brightness)

    def table(self) -> pa.Table:
        """Rows of `counted` for statements."""
        return pa.table({"client": self.client, "weight": self.weight, "bright_weight": self.weight * self.is_bright})


def client_weights(fleet: Fleet) -> ClientWeights:
    """The weights of all clients, by the variance that their apps' regressions leave.

    A phone with a bad gauge can vary a hundred times more than others, and would decide how wide all intervals are. Weights do
    not depend on what an app drains there, so means stay unbiased.
    """
    all_clients = fleet.query_clients(statement("brightness", share=_BRIGHT)).sort_by("client")
    variances = fleet.query_clients(statement("variances")).sort_by("client")
    client, variance = all_clients["client"].to_numpy(), variances["variance"].to_numpy()
    limit = _LIMIT * np.median(variance) if len(variance) else 0.0
    weight = np.ones(len(client))
    weight[np.searchsorted(client, variances["client"].to_numpy())] = limit / np.maximum(variance, limit)
    return ClientWeights(client, weight, all_clients["is_bright"].to_numpy())
