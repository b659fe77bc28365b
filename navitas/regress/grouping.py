"""Fewer columns than half the cases: operations that change together share a cost from the start."""

from __future__ import annotations

import numpy as np

from navitas.regress.arrays import F64
from navitas.regress.cases import Cases
from navitas.regress.libraries import library

_CASES_EACH = 2
"""The least number of cases for each fitted column (Li and Gallagher have more operations than cases, and no such limit)."""


def column_groups(cases: Cases) -> list[list[int]]:
    """Return groups of columns, at most one for two cases. Each column is in one group; alone if there are enough cases.

    Columns of a group have the largest correlations: hierarchical clustering with average linkage of 1 - r.
    """
    rows, columns = cases.x.shape
    most = max(1, rows // _CASES_EACH)
    if columns <= most:
        return [[column] for column in range(columns)]
    hierarchy = library("scipy.cluster.hierarchy")
    apart = 1 - _correlations(cases.x)
    upper = apart[np.triu_indices(columns, 1)]
    label = hierarchy.fcluster(hierarchy.linkage(upper, "average"), most, "maxclust")
    groups: dict[int, list[int]] = {}
    for column, number in enumerate(label.tolist()):
        groups.setdefault(number, []).append(column)
    return sorted(groups.values())


def _correlations(x: F64) -> F64:
    centered = x - x.mean(axis=0)
    length = np.sqrt((centered**2).sum(axis=0))
    unit = centered / np.where(length > 0, length, 1.0)
    return np.asarray(np.clip(unit.T @ unit, -1.0, 1.0), np.float64)


def joined(cases: Cases, groups: list[list[int]]) -> Cases:
    """The cases with one column for each group: the sum of its columns, in the units of the table."""
    if all(len(group) == 1 for group in groups):
        return cases
    x = np.empty((len(cases.y), len(groups)), order="F")
    scale = np.empty(len(groups))
    for place, group in enumerate(groups):
        column = cases.x[:, group] @ cases.scale[group]
        scale[place] = float(np.abs(column).max()) or 1.0
        x[:, place] = column / scale[place]
    return Cases(x, cases.y, scale, cases.folds, cases.groups)
