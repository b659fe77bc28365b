"""How often the stacks of a thread turn from one method to another between samples, which shows how long calls last.

If calls are much shorter than the period, samples are independent draws. Of calls that last longer, neighbors are the same, and
regular samples leave only the begin and the end of each call unknown: by the twelfth part of a squared sample each (the variance
of a uniform distribution). Of γ(k), half of the mean squared difference of a method's presence in samples k apart, times their
number, v = 11/6 · γ(1) − 5/6 · γ(2) is the variance in both cases, and an upper bound in between if the lengths of calls vary
freely. Calls in a rhythm near that of the samples can be off by several errors. Samples at random times are independent draws,
however long calls are: the squared coefficient of variation of the CPU times between samples (0: regular; 1: at random) is the
share of such draws. Differences as estimates of the variance of systematic samples: Wolter, Introduction to Variance Estimation
(2007), chapter 8.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.energy.attribute.calls.paths import OUTSIDE, Paths
from navitas.energy.attribute.forest import binned, preorder, subtree_sums
from navitas.recording.parse.arrays import F64, I64

MOST_PATHS = 1 << 18
"""With more call paths, errors are those of independent draws, because finding common callers needs memory for each path."""
_LAGS = ((1, 11 / 6), (2, -5 / 6))


@dataclass(frozen=True, slots=True)
class StackTurns:
    """v in squared joules. Of inclusive energy, it is a path's sum of `inclusive_j2` and `common_j2` over itself and its callees.

    `self_j2` and `inclusive_j2` are of samples, `common_j2` of the rows `at` of samples with the callers `common` of two samples.
    """

    self_j2: F64
    inclusive_j2: F64
    at: I64
    common: I64
    common_j2: F64


class CommonCallers:
    """Finds the innermost common callers of paths: of two paths, the first parent, depth first, of the paths between them."""

    def __init__(self, paths: Paths) -> None:
        size, parent = len(paths), paths.parent
        self.method = paths.method
        below = subtree_sums(parent, np.ones((size, 1)))[:, 0].astype(np.int64)
        self._place = preorder(parent, np.arange(size), below).astype(np.int32)
        self._path = np.empty(size, np.int32)
        self._path[self._place] = np.arange(size)
        # Row k has the least of 2 ** k consecutive places.
        self._least = np.zeros((size.bit_length(), size), np.int32)
        self._least[0] = self._place[parent[self._path]]
        for k in range(1, len(self._least)):
            step = 1 << (k - 1)
            np.minimum(self._least[k - 1, :-step], self._least[k - 1, step:], out=self._least[k, :-step])

    def of(self, path: I64, following: I64) -> I64:
        """Return the innermost path that both of two different paths are or have as a caller; `OUTSIDE` if there is none."""
        places = self._place[path], self._place[following]
        low, high = np.minimum(*places) + 1, np.maximum(*places)
        k = np.frexp((high - low + 1).astype(np.float64))[1] - 1
        least = np.minimum(self._least[k, low], self._least[k, high - (1 << k) + 1])
        return np.asarray(self._path[least], np.int64)


def turns_of(group: I64, path: I64, energy_j: F64, cpu_ns: F64, callers: CommonCallers | None) -> StackTurns:
    """Return the turns of samples, in order, of threads in tests: those of equal `group`.

    `cpu_ns` is the CPU time that the thread had used. In groups of one or two samples, and without `callers`, all are independent
    draws.
    """
    size, squares_j2 = np.bincount(group), np.square(energy_j)
    at_random = np.ones(len(size)) if callers is None else _irregularity(group, cpu_ns, size)
    inclusive_j2 = at_random[group] * squares_j2
    self_j2 = inclusive_j2.copy()
    at, common, common_j2 = [np.empty(0, np.int64)], [np.empty(0, np.int64)], [np.empty(0)]
    for lag, factor in _LAGS if callers is not None else ():
        assert callers is not None
        first = np.flatnonzero((group[lag:] == group[:-lag]) & (path[lag:] != path[:-lag]))
        second, of = first + lag, group[first]
        # The factor makes up for the samples at the ends, which have no partner.
        scale = (1 - at_random) * factor / 4 * size / np.maximum(size - lag, 1)
        j2 = scale[of] * (squares_j2[first] + squares_j2[second])
        differs = np.where(callers.method[path[first]] == callers.method[path[second]], 0.0, j2)
        for rows in (first, second):
            inclusive_j2[rows] += j2
            self_j2[rows] += differs
        at.append(first)
        common.append(callers.of(path[first], path[second]))
        common_j2.append(-2 * j2)
    summed = _summed(group, np.concatenate(at), np.concatenate(common), np.concatenate(common_j2))
    return StackTurns(self_j2, inclusive_j2, *summed)


def _irregularity(group: I64, cpu_ns: F64, size: I64) -> F64:
    """Return the squared coefficient of variation of the CPU times between the samples of each group, at most 1."""
    within = np.flatnonzero(group[1:] == group[:-1])
    step_ns, of = cpu_ns[within + 1] - cpu_ns[within], group[within]
    mean, square = (np.bincount(of, step_ns**power, len(size)) / np.maximum(size - 1, 1) for power in (1, 2))
    squared = np.divide(square - mean**2, mean**2, out=np.ones(len(size)), where=(size > 2) & (mean > 0))
    return np.clip(squared, 0.0, 1.0)


def _summed(group: I64, at: I64, common: I64, j2: F64) -> tuple[I64, I64, F64]:
    """Sum up pairs of samples by group and common caller. Returns a row of each group, the caller, and the sum."""
    width = int(common.max(initial=0)) + 1
    key = group[at] * width + common
    if int(group[-1] + 1) * width <= 16 * len(group):
        used = np.flatnonzero(np.bincount(key))
        sums = binned(key, j2, int(key.max(initial=-1)) + 1)[used]
    else:
        used, index = np.unique(key, return_inverse=True)
        sums = binned(index, j2, len(used))
    inside = used % width != OUTSIDE
    return np.searchsorted(group, used[inside] // width), used[inside] % width, sums[inside]
