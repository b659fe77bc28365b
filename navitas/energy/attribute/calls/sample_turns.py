"""How often the stacks of a thread turn from one method to another between samples, which shows how long calls last.

If calls are much shorter than the period, samples are independent draws. Of calls that last longer, neighbors are the same, and
regular samples leave only the begin and the end of each call unknown: by the twelfth part of a squared sample each (the variance
of a uniform distribution). Of γ(k), half of the mean squared difference of a method's presence in samples k apart, times their
number, v = 11/6 · γ(1) − 5/6 · γ(2) is the variance in both cases, and an upper bound in between. Samples at random times are
independent draws, however long calls are: the squared coefficient of variation of the CPU times between samples (0: regular; 1: at
random) is the share of such draws. Differences as estimates of the variance of systematic samples: Wolter, Introduction to Variance
Estimation (2007), chapter 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.curves import group_starts
from navitas.energy.attribute.forest import binned
from navitas.recording.parse.arrays import F64, I64

_LAGS = ((1, 11 / 6), (2, -5 / 6))


@dataclass(frozen=True, slots=True)
class Turns:
    """v in squared joules. Of inclusive energy, it is a path's sum of `inclusive_j2` and `common_j2` over itself and its callees.

    `self_j2` and `inclusive_j2` are of samples, `common_j2` of the rows `at` of samples with the callers `common` of two samples.
    """

    self_j2: F64
    inclusive_j2: F64
    at: I64
    common: I64
    common_j2: F64


def turns_of(group: I64, path: I64, energy_j: F64, cpu_ns: F64, paths: Paths) -> Turns:
    """Return the turns of samples, in order, of threads in tests: those of equal `group`.

    `cpu_ns` is the CPU time that the thread had used. In groups of one or two samples, all are independent draws.
    """
    size = np.bincount(group)[group]
    squares_j2, at_random = np.square(energy_j), _irregularity(group, cpu_ns)[group]
    self_j2, inclusive_j2 = at_random * squares_j2, at_random * squares_j2
    method, parts = paths.method[path], []
    for lag, factor in _LAGS:
        one = np.flatnonzero((group[lag:] == group[:-lag]) & (at_random[lag:] < 1) & (path[lag:] != path[:-lag]))
        other = one + lag
        # The factor makes up for the samples at the ends, which have no partner.
        scale = (1 - at_random[one]) * factor / 4 * size[one] / (size[one] - lag)
        j2 = scale * (squares_j2[one] + squares_j2[other])
        differs = np.where(method[one] == method[other], 0.0, j2)
        for rows in (one, other):
            inclusive_j2[rows] += j2
            self_j2[rows] += differs
        parts.append((one, path[one], path[other], j2))
    at, low, high, j2 = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    at, common, common_j2 = _common(group, at, (np.minimum(low, high), np.maximum(low, high)), j2, paths)
    return Turns(self_j2, inclusive_j2, at, common, -2 * common_j2)


def _irregularity(group: I64, cpu_ns: F64) -> F64:
    """Return the squared coefficient of variation of the CPU times between the samples of each group, at most 1."""
    step_ns = np.diff(cpu_ns)[group[1:] == group[:-1]]
    of_step = group[1:][group[1:] == group[:-1]]
    count = np.bincount(of_step, minlength=int(group[-1]) + 1)
    mean, square = (np.bincount(of_step, step_ns**power, len(count)) / np.maximum(count, 1) for power in (1, 2))
    squared = np.divide(square - mean**2, mean**2, out=np.ones(len(count)), where=(count > 1) & (mean > 0))
    return np.clip(squared, 0.0, 1.0)


def _common(group: I64, at: I64, pair: tuple[I64, I64], j2: F64, paths: Paths) -> tuple[I64, I64, F64]:
    """Sum up pairs of samples by group and innermost common caller. Returns a row of each group, the caller, and the sum."""
    key = (group[at] * len(paths) + pair[0]) * len(paths) + pair[1]
    if not len(at) or (int(group.max()) + 1) * len(paths) ** 2 < np.iinfo(np.int64).max:
        _, first, index = np.unique(key, return_index=True, return_inverse=True)
    else:  # too many paths for one number
        order = np.lexsort((pair[1], pair[0], group[at]))
        starts = group_starts(*(column[order] for column in (group[at], *pair)))
        first, index = order[starts], np.empty(len(at), np.int64)
        index[order] = np.cumsum(starts) - 1
    caller = common_callers(pair[0][first], pair[1][first], paths)
    inside = caller != OUTSIDE
    return at[first][inside], caller[inside], binned(index, j2, len(first))[inside]


def common_callers(one: I64, other: I64, paths: Paths) -> I64:
    """Return the innermost path that both of two paths are or have as a caller; `OUTSIDE` if there is none."""
    one, other = one.copy(), other.copy()
    going = np.flatnonzero(one != other)
    while len(going):
        low, high = one[going], other[going]
        by = paths.depth[low] - paths.depth[high]
        one[going] = np.where(by >= 0, paths.parent[low], low)
        other[going] = np.where(by <= 0, paths.parent[high], high)
        going = going[one[going] != other[going]]
    return one
