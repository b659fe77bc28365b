"""How the cost of probes depends on the power of the core that runs them.

A slow core takes longer for the same probes, at less power. So a call's probes take cost · (reference / power)^exponent.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.parse.arrays import F64
from navitas.parse.sampled_cost import ProbeSamples

_LEAST_RATIO = 1.5
"""Slow and fast samples whose power differs by less than this factor do not show an exponent."""
_OUTER = 0.1


@dataclass(frozen=True, slots=True)
class LocalCost:
    """`exponent` is between 0 (the same time on all cores) and 1 (the same energy)."""

    exponent: float
    reference_j_per_ns: float

    def charged(self, j_per_ns: F64) -> F64:
        """Return the energy of one ns of the mean cost, where a ns of CPU time costs `j_per_ns`."""
        if not self.exponent:
            return j_per_ns
        return np.asarray(j_per_ns ** (1 - self.exponent) * self.reference_j_per_ns**self.exponent * (j_per_ns > 0), np.float64)


SAME_TIME = LocalCost(0.0, 0.0)


def local_cost(samples: ProbeSamples, j_per_ns: F64) -> LocalCost:
    """Compare the samples at low power with those at high power. `j_per_ns` has the power of each sample, 0 if unknown."""
    known = j_per_ns > 0
    if not known.any():
        return SAME_TIME
    log = np.log(np.where(known, j_per_ns, 1.0))
    is_fast = log > np.quantile(log[known], [_OUTER, 1 - _OUTER]).mean()
    halves = known & ~is_fast, known & is_fast
    slow_ns, fast_ns = map(samples.per_call, halves)
    if slow_ns is None or fast_ns is None or min(slow_ns, fast_ns) <= 0:
        return SAME_TIME
    log_ratio = float(log[halves[1]].mean() - log[halves[0]].mean())
    exponent = min(max(float(np.log(slow_ns / fast_ns)) / log_ratio, 0.0), 1.0) if log_ratio >= np.log(_LEAST_RATIO) else 0.0
    if not exponent:
        return SAME_TIME
    return LocalCost(exponent, float(np.mean(j_per_ns[known] ** -exponent) ** (-1 / exponent)))
