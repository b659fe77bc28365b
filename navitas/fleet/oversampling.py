"""Samples at level changes come too often while an app drains: how much smaller that makes its effect.

With rate *r* and time share *p*, an app that drains *a* runs at p(1 + (1 − p)a/r) of the level changes. Where other drains are
low, r is small, and the app seems to run more. So its running time is correlated with low other drains. For two-state Markov
chains with switch rate κ, the running time of a pair by its ends is too long by *a* p(1 − p) γ T/r, with γ = 1 − (1 − e⁻ᵘ)/u and
u = κT.
"""

from __future__ import annotations

import numpy as np

from navitas.fleet.exposure import CLASSES
from navitas.fleet.statistics import F64
from navitas.fleet.within import PairRows, Residuals

_NEAR = 2
"""Pairs before and after a pair whose rate counts as that of the pair. A pair's own rate varies with its own running times."""
_LEAST, _MOST = 0.5, 1.2
_HALVINGS, _LONGEST = 50, 1e3


def slow_drops(pairs: PairRows, left: Residuals, at_levels: F64) -> F64:
    """Σ of unexplained drops divided by the rate near each pair, by client (rows) and class of pairs, in seconds.

    0 for clients that are not `at_levels` (1 or 0), for exact running times, and where the screen's time is unknown: there, its
    drain is not independent of apps.
    """
    ends = np.append(pairs.first[1:], len(pairs.seconds))
    client = np.repeat(np.arange(len(pairs.first)), ends - pairs.first)
    row = np.arange(len(client))
    low, high = np.maximum(row - _NEAR, pairs.first[client]), np.minimum(row + _NEAR + 1, ends[client])
    seconds, drop = (np.append(0.0, np.cumsum(amount)) for amount in (pairs.seconds, pairs.drop_ppm))
    near_s, near_ppm = seconds[high] - seconds[low], drop[high] - drop[low]
    slow = np.divide(near_s, near_ppm, out=np.zeros(len(row)), where=near_ppm > 0)
    flat = np.bincount(client * CLASSES + pairs.kind, left.left_ppm * slow * pairs.screen_known, len(pairs.first) * CLASSES)
    sums = flat.reshape(-1, CLASSES) * at_levels[:, None]
    sums[:, 0] = 0.0
    return np.asarray(sums, np.float64)


def oversampled(reliability: F64) -> F64:
    """γ of classes of pairs with this reliability tanh(u/2)/(u/2)."""
    low, high = np.full(reliability.shape, 1e-6), np.full(reliability.shape, _LONGEST)
    for _ in range(_HALVINGS):
        middle = np.sqrt(low * high)
        longer = np.tanh(middle / 2) / (middle / 2) > reliability
        low, high = np.where(longer, middle, low), np.where(longer, high, middle)
    return np.asarray(1 + np.expm1(-low) / low)


def corrected(reliability: F64, weight_s: F64, slow_s: F64, drains: F64) -> F64:
    """The reliability by app and class of pairs, times the share of the effect that oversampling leaves.

    `weight_s` is Σ T x̃ d, `slow_s` Σ q(1 − q) `slow_drops` with the share q of ends at which the app is seen, and `drains` a
    first estimate of a/r. Time shares p are smaller: p ≈ q / (1 + γ a/r). The share of the effect is limited to 0.5 … 1.2.
    """
    reliable, gamma = (weight_s * reliability).sum(axis=1), oversampled(reliability)
    bent = (slow_s * gamma / (1 + gamma * np.maximum(drains, 0.0)[:, None])).sum(axis=1)
    share = 1 + np.divide(bent, reliable, out=np.zeros(len(reliable)), where=reliable > 0)
    return np.asarray(reliability * np.clip(share, _LEAST, _MOST)[:, None])
