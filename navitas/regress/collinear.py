"""Which columns the cases cannot separate, decided before fitting (Belsley, Kuh and Welsch 1980, chapter 3)."""

from __future__ import annotations

import numpy as np

from navitas.regress.arrays import F64
from navitas.regress.cases import WeightedSums

MOST_INDEX = 30.0
"""The condition index from which a dependency is strong."""
_LEAST_SHARE = 0.5
"""A column takes part in dependencies if they have this share of its coefficient's variance."""
_TOGETHER = 0.3
_TINY = 1e-14


def dependent_columns(sums: WeightedSums) -> list[list[int]]:
    """Groups of columns of x (numbered from 0) that change together.

    The idle column is projected out and columns are scaled to unit length. Columns are of one group if most of the variance
    of their coefficients comes from the same directions with a condition index above 30. This does not depend on which
    basis of these directions the decomposition returns.
    """
    own = sums.xx[1:, 1:] - np.outer(sums.xx[0, 1:], sums.xx[0, 1:]) / sums.xx[0, 0]
    length = np.sqrt(np.maximum(np.diag(own), 0.0))
    length = np.where(length > 0, length, 1.0)
    values, vectors = np.linalg.eigh(own / np.outer(length, length))
    if not len(values):
        return []
    values = np.maximum(values, _TINY * values[-1])
    weak = np.sqrt(values[-1] / values) > MOST_INDEX
    if not weak.any():
        return []
    variance = vectors**2 / values
    involved = variance[:, weak].sum(axis=1) / variance.sum(axis=1) > _LEAST_SHARE
    direction = vectors[:, weak] @ vectors[:, weak].T
    part = np.sqrt(np.maximum(np.diag(direction), _TINY))
    linked = (np.abs(direction) / np.outer(part, part) > _TOGETHER) & np.outer(involved, involved)
    return [group for group in _components(linked) if len(group) > 1]


def _components(linked: np.ndarray) -> list[list[int]]:
    found: list[list[int]] = []
    left = set(range(len(linked)))
    while left:
        group, todo = set(), [min(left)]
        while todo:
            one = todo.pop()
            if one not in group:
                group.add(one)
                todo += np.flatnonzero(linked[one]).tolist()
        found.append(sorted(group))
        left -= group
    return found


def lengths(sums: WeightedSums) -> F64:
    """The lengths of the columns (1, x)."""
    found = np.sqrt(np.diag(sums.xx))
    return np.where(found > 0, found, 1.0)
