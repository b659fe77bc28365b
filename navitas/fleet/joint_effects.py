"""Effects of apps that run together, from one regression on all of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.fleet.joint_systems import JointSystem
from navitas.fleet.statistics import F64, I64

_RIDGE = 1e-9
_CLIENTS = 1024
"""Clients whose scores are computed at once."""


@dataclass(frozen=True, slots=True)
class Outliers:
    """Clients on which an app drains unlike on others, and how much it drains there, in ppm/s. They are in any order."""

    client: I64
    app: I64
    effect: F64

    @classmethod
    def none(cls) -> Outliers:
        """No outliers."""
        return cls(np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0))


@dataclass(frozen=True, slots=True)
class JointEffects:
    """Effects of the chosen apps in ppm/s, given all others, with clustered standard errors.

    `clusters` are the effective numbers of clients. `overlap` has the correlation of the running times of two apps, after the
    controls and as seen at the ends of pairs.
    """

    value: F64
    error: F64
    clusters: F64
    overlap: F64


def joint_effects(systems: Sequence[JointSystem], candidates: I64, outliers: Outliers) -> JointEffects:
    """Solve Σ h β = Σ s over clients for all candidates, which are places in the request's apps, as those of outliers are.

    A client on which an app is an outlier is left out of that app's equation, and its drain there is subtracted from others'.
    Standard errors are clustered by client: A⁻¹ (Σ u uᵀ) A⁻ᵀ with A = Σ h and u = s − h β (Liang and Zeger 1986).
    """
    size = len(candidates)
    equations = [_equations(system, candidates, outliers) for system in systems]
    (whole, seen), (right, weight, squares) = np.zeros((2, size, size)), np.zeros((3, size))
    for own in equations:
        whole += own.matrix(own.h, size)
        seen += own.matrix(own.g, size)
        right += np.bincount(own.app, own.s, size)
        alone = own.app == own.other
        weight += np.bincount(own.app[alone], own.h[alone], size)
        squares += np.bincount(own.app[alone], own.h[alone] ** 2, size)
    inverse = np.linalg.inv(whole + _RIDGE * np.diag(np.maximum(np.diag(whole), 1.0)))
    value = inverse @ right
    meat, count = np.zeros((size, size)), np.zeros(size)
    for own in equations:
        for scores in own.scores(value):
            meat += scores.T @ scores
        count += own.clients(size)
    with np.errstate(divide="ignore", invalid="ignore"):
        correction = np.where(count > 1, count / (count - 1), np.nan)
        error = np.sqrt(np.diag(inverse @ meat @ inverse.T) * correction)
        scale = np.sqrt(np.diag(seen))
        return JointEffects(value, error, weight**2 / squares, np.nan_to_num(seen / np.outer(scale, scale)))


@dataclass(frozen=True, slots=True)
class _Equations:
    """Equations of a bucket's clients. `app` and `other` are places in the candidates, `client` in the bucket's clients."""

    client: I64
    app: I64
    other: I64
    h: F64
    g: F64
    s: F64

    def matrix(self, amount: F64, size: int) -> F64:
        """The sum of h or g over clients."""
        return np.asarray(np.bincount(self.app * size + self.other, amount, size * size).reshape(size, size), np.float64)

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


def _equations(system: JointSystem, candidates: I64, outliers: Outliers) -> _Equations:
    number_of = np.full(system.size, -1)
    number_of[candidates] = np.arange(len(candidates))
    strange, drain = np.zeros((2, len(system.clients), system.size))
    here = np.isin(outliers.client, system.clients)
    place = np.searchsorted(system.clients, outliers.client[here]), outliers.app[here]
    strange[place], drain[place] = 1.0, outliers.effect[here]
    s = system.s - system.h * drain[system.client, system.other]
    one, other = number_of[system.app], number_of[system.other]
    # A row whose other app is no candidate can still have a known drain in s.
    kept = (one >= 0) & (strange[system.client, system.app] == 0)
    h, g = (np.where((other >= 0) & (strange[system.client, system.other] == 0), amount, 0.0) for amount in (system.h, system.g))
    other = np.where(other >= 0, other, one)
    return _Equations(*(column[kept] for column in (system.client, one, other, h, g, s)))
