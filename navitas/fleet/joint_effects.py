"""Effects of apps that run together, from one regression on all of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from navitas.fleet.files import read_table
from navitas.fleet.joint import FOLDER
from navitas.fleet.stages import Fleet
from navitas.fleet.statistics import F64, I64

_RIDGE = 1e-9
_CLIENTS = 1024
"""Clients whose scores are computed at once."""


@dataclass(frozen=True, slots=True)
class Outliers:
    """Clients on which an app drains unlike on others, and how much it drains there, in ppm/s."""

    client: I64
    app: I64
    effect: F64


@dataclass(frozen=True, slots=True)
class JointEffects:
    """Effects of the chosen apps in ppm/s, given all others, with clustered standard errors.

    `clusters` are the effective numbers of clients. `overlap` has the correlation of the running times of two apps.
    """

    value: F64
    error: F64
    clusters: F64
    overlap: F64


def joint_effects(fleet: Fleet, app: I64, outliers: Outliers) -> JointEffects:
    """Solve Σ h β = Σ s over clients for all of `app`. The results of the stage must be up to date.

    A client on which an app is an outlier is left out of that app's equation, and its drain there is subtracted from others'.
    Standard errors are clustered by client: A⁻¹ (Σ u uᵀ) A⁻ᵀ with A = Σ h and u = s − h β (Liang and Zeger 1986).
    """
    size = len(app)
    systems = [_system(table, app, outliers) for table in _by_bucket(fleet)]
    whole, right, weight, squares = np.zeros((size, size)), np.zeros(size), np.zeros(size), np.zeros(size)
    for system in systems:
        whole += system.matrix(size)
        right += np.bincount(system.app, system.s, size)
        own = system.app == system.other
        weight += np.bincount(system.app[own], system.h[own], size)
        squares += np.bincount(system.app[own], system.h[own] ** 2, size)
    inverse = np.linalg.inv(whole + _RIDGE * np.diag(np.maximum(np.diag(whole), 1.0)))
    value = inverse @ right
    meat, count = np.zeros((size, size)), np.zeros(size)
    for system in systems:
        for scores in system.scores(value):
            meat += scores.T @ scores
        count += system.clients(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = np.where(count > 1, count / (count - 1), np.nan)
        error = np.sqrt(np.diag(inverse @ meat @ inverse.T) * correction)
        scale = np.sqrt(np.diag(whole))
        return JointEffects(value, error, weight**2 / squares, np.nan_to_num(whole / np.outer(scale, scale)))


def _by_bucket(fleet: Fleet) -> Iterator[pa.Table]:
    """The results of one bucket after another, summed over months."""
    for bucket in fleet.buckets:
        table = pa.concat_tables(read_table(fleet.unit_file(FOLDER, job)) for job in fleet.bucket_jobs(bucket))
        summed = table.group_by(["client", "app", "other"]).aggregate([("h", "sum"), ("s", "sum")])
        yield summed.rename_columns(["client", "app", "other", "h", "s"])


@dataclass(frozen=True, slots=True)
class _System:
    """Equations of a bucket's clients. `app` and `other` are places in the chosen apps, `client` in the bucket's clients."""

    client: I64
    app: I64
    other: I64
    h: F64
    s: F64

    def matrix(self, size: int) -> F64:
        """Σ h over clients."""
        return np.asarray(np.bincount(self.app * size + self.other, self.h, size * size).reshape(size, size), np.float64)

    def scores(self, value: F64) -> Iterator[F64]:
        """Yield s − h β by client (rows) and app, some clients at a time."""
        rest, size = self.s - self.h * value[self.other], len(value)
        block = self.client // _CLIENTS
        for number in range(int(block.max(initial=-1)) + 1):
            rows = np.flatnonzero(block == number)
            place = (self.client[rows] - number * _CLIENTS) * size + self.app[rows]
            yield np.asarray(np.bincount(place, rest[rows], _CLIENTS * size).reshape(_CLIENTS, size), np.float64)

    def clients(self, size: int) -> F64:
        """The number of clients of each app."""
        own = (self.app == self.other) & (self.h > 0)
        return np.bincount(self.app[own], minlength=size).astype(np.float64)


def _system(table: pa.Table, app: I64, outliers: Outliers) -> _System:
    clients, client = np.unique(table["client"].to_numpy(), return_inverse=True)
    one, other = (np.searchsorted(app, table[name].to_numpy()) for name in ("app", "other"))
    h, s = (table[name].to_numpy().copy() for name in ("h", "s"))
    here = np.isin(outliers.client, clients)
    place = np.searchsorted(clients, outliers.client[here]) * len(app) + np.searchsorted(app, outliers.app[here])
    order = np.argsort(place)
    known, effect = place[order], outliers.effect[here][order]
    if len(known):
        at = np.minimum(np.searchsorted(known, client * len(app) + other), len(known) - 1)
        strange = known[at] == client * len(app) + other
        s[strange] -= h[strange] * effect[at[strange]]
        h[strange] = 0.0
        kept = ~np.isin(client * len(app) + one, known)
        client, one, other, h, s = (column[kept] for column in (client, one, other, h, s))
    return _System(client, one, other, h, s)
