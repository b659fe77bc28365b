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
from navitas.energy.attribute.curves import grouped
from navitas.energy.attribute.forest import binned, preorder, subtree_sums
from navitas.recording.parse.arrays import F64, I32, I64

MOST_PATHS = 1 << 18
"""With more call paths, errors are those of independent draws, because finding common callers needs memory for each path."""
_NONE = np.empty(0, np.int64)
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
        self.position = preorder(parent, np.arange(size), below).astype(np.int32)
        self._path = np.empty(size, np.int32)
        self._path[self.position] = np.arange(size)
        # Row k has the least of 2 ** k consecutive places.
        least = np.zeros((size.bit_length(), size), np.int32)
        least[0] = self.position[parent[self._path]]
        for k in range(1, len(least)):
            step = 1 << (k - 1)
            np.minimum(least[k - 1, :-step], least[k - 1, step:], out=least[k, :-step])
        self._least, self._size = least.ravel(), np.int32(size)

    def of(self, position: I32, following: I32) -> I64:
        """Return the innermost path that both of two different paths are or have as a caller; `OUTSIDE` if there is none.

        Paths are given by their `position` in a depth-first walk.
        """
        low, high = np.minimum(position, following) + np.int32(1), np.maximum(position, following)
        k = np.frexp((high - low + np.int32(1)).astype(np.float32))[1] - np.int32(1)  # exact below 2 ** 24
        row = k * self._size
        least = np.minimum(self._least[row + low], self._least[row + high - (np.int32(1) << k) + np.int32(1)])
        return np.asarray(self._path[least], np.int64)


def turns_of(group: I64, path: I64, energy_j: F64, cpu_ns: F64, callers: CommonCallers | None) -> StackTurns:
    """Return the turns of samples, in order, of threads in tests: those of equal `group`.

    `cpu_ns` is the CPU time that the thread had used. In groups of one or two samples, and without `callers`, all are independent
    draws.
    """
    size, squares_j2 = np.bincount(group), np.square(energy_j)
    at_random = np.ones(len(size)) if callers is None else _irregularity(group, cpu_ns, size)
    inclusive_j2 = np.repeat(at_random, size) * squares_j2
    self_j2 = inclusive_j2.copy()
    if callers is None:
        return StackTurns(self_j2, inclusive_j2, _NONE, _NONE, np.empty(0))
    method, position = callers.method[path], callers.position[path]
    at, common, common_j2 = [_NONE], [_NONE], [np.empty(0)]
    for lag, factor in _LAGS:
        # The factor makes up for the samples at the ends, which have no partner.
        scale = np.repeat((1 - at_random) * factor / 4 * size / np.maximum(size - lag, 1), size)
        turns = (group[lag:] == group[:-lag]) & (path[lag:] != path[:-lag])
        j2 = scale[lag:] * (squares_j2[lag:] + squares_j2[:-lag]) * turns
        self_turns_j2 = j2 * (method[lag:] != method[:-lag])
        for rows in (slice(lag, None), slice(None, -lag)):
            inclusive_j2[rows] += j2
            self_j2[rows] += self_turns_j2
        first = np.flatnonzero(turns)
        at.append(first)
        common.append(callers.of(position[first], position[first + lag]))
        common_j2.append(-2 * j2[first])
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
    row, number = grouped(group[at] * (int(common.max(initial=0)) + 1) + common)
    sums, is_inside = binned(number, j2, len(row)), common[row] != OUTSIDE
    return at[row[is_inside]], common[row[is_inside]], sums[is_inside]
