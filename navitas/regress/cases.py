"""Execution cases as matrices, in the order of their folds; and sums over them (normal equations)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.regress.arrays import F64, I64

BLOCK = 8192
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Cases:
    """Features and measured energy, sorted by fold.

    - `x`: (n, p), column-major, each column divided by its `scale`, so that no value is beyond ±1.
    - `y`: (n,), joules.
    - `folds`: the rows of each fold.
    - `groups`: (n,) numbers of groups, or None.
    """

    x: F64
    y: F64
    scale: F64
    folds: tuple[slice, ...]
    groups: I64 | None = None

    def predict(self, coefficient: F64) -> F64:
        """Energy of each row, at least 0, by coefficients of (1, x)."""
        return np.asarray(np.maximum(coefficient[0] + self.x @ coefficient[1:], 0.0), np.float64)

    def expanded(self, pairs: Sequence[Pair]) -> Cases:
        """The same cases with products of columns as further columns."""
        products = [self.scale[i] * self.scale[j] for i, j in pairs]
        return replace(self, x=expand(self.x, pairs), scale=np.append(self.scale, products))

    def only(self, column: F64) -> Cases:
        """The same cases with a single column, (n,)."""
        scale = float(np.abs(column).max()) or 1.0
        return replace(self, x=np.asfortranarray(column[:, None] / scale), scale=np.array([scale]))

    def sampled(self, rows: int, seed: int = 0) -> Cases:
        """At most about `rows` random rows, the same share of each fold."""
        share = rows / len(self.y)
        if share >= 1:
            return self
        random = np.random.default_rng(seed)
        kept, folds, at = [], [], 0
        for fold in self.folds:
            size = fold.stop - fold.start
            some = np.sort(random.choice(size, max(2, int(size * share)), replace=False)) + fold.start
            kept.append(some)
            folds.append(slice(at, at + len(some)))
            at += len(some)
        rows_kept = np.concatenate(kept)
        groups = None if self.groups is None else self.groups[rows_kept]
        return Cases(np.asfortranarray(self.x[rows_kept]), self.y[rows_kept], self.scale, tuple(folds), groups)

    def outside(self, fold: slice) -> I64:
        """The numbers of all rows that are not in a fold."""
        return np.concatenate([np.arange(fold.start), np.arange(fold.stop, len(self.y))])


def expand(x: F64, pairs: Sequence[Pair]) -> F64:
    """The columns of x, and then the product of each pair of them."""
    found = np.empty((len(x), x.shape[1] + len(pairs)), order="F")
    found[:, : x.shape[1]] = x
    for place, (i, j) in enumerate(pairs, x.shape[1]):
        np.multiply(x[:, i], x[:, j], out=found[:, place])
    return found


@dataclass(frozen=True, slots=True)
class WeightedSums:
    """Weighted sums over rows. `xx`: (1 + p, 1 + p), of the products of the columns (1, x). `xy`: (1 + p,), of theirs with y."""

    xx: F64
    xy: F64
    rows: int

    def minus(self, other: WeightedSums) -> WeightedSums:
        """The sums over the rows that the other sums do not have."""
        return WeightedSums(self.xx - other.xx, self.xy - other.xy, self.rows - other.rows)


def blocks(rows: slice) -> Iterator[slice]:
    """Split rows, so that temporary matrices stay small."""
    for begin in range(rows.start, rows.stop, BLOCK):
        yield slice(begin, min(begin + BLOCK, rows.stop))


def sums_of(cases: Cases, weight: F64, rows: slice) -> WeightedSums:
    """Sum over some rows, in O(n p²)."""
    columns = cases.x.shape[1] + 1
    xx, xy = np.zeros((columns, columns)), np.zeros(columns)
    for some in blocks(rows):
        root = np.sqrt(weight[some])
        z = np.empty((len(root), columns), order="F")
        z[:, 0] = root
        np.multiply(cases.x[some], root[:, None], out=z[:, 1:])
        xx += z.T @ z  # NumPy computes half of a product with itself
        xy += z.T @ (cases.y[some] * root)
    return WeightedSums(xx, xy, rows.stop - rows.start)


def fold_sums(cases: Cases, weight: F64) -> tuple[WeightedSums, list[WeightedSums]]:
    """The sums over all rows, and over each fold."""
    each = [sums_of(cases, weight, fold) for fold in cases.folds]
    total = WeightedSums(sum((one.xx for one in each), np.zeros(())), sum((one.xy for one in each), np.zeros(())), len(cases.y))
    return total, each


def with_ones(x: F64) -> F64:
    """The columns (1, x)."""
    return np.column_stack([np.ones(len(x)), x])
