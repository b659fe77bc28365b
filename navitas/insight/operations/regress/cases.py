"""Execution cases as matrices, in the order of their folds; sums over them (normal equations); and solvers of linear models.

Solvers get sums over rows, or rows, and return coefficients of (1, x).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.analyze.fitting import least_squares
from navitas.insight.operations.regress.libraries import library
from navitas.recording.parse.arrays import F64, I64

BLOCK = 8192
Pair = tuple[int, int]
RIDGES = (1e-10, 1e-4, 1e-3, 1e-2, 1e-1)
"""Regularisation, relative to the sum of squares of each column."""
STEPS = 10_000
"""Steps of gradient descent."""


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

    def sampled(self, rows: int) -> Cases:
        """At most about `rows` random rows, the same share of each fold."""
        share = rows / len(self.y)
        if share >= 1:
            return self
        random = np.random.default_rng(0)
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

    @property
    def lengths(self) -> F64:
        """The lengths of the columns (1, x)."""
        found = np.sqrt(np.diag(self.xx))
        return np.where(found > 0, found, 1.0)

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


def members(label: I64) -> list[list[int]]:
    """The places that have each label, by the first place."""
    return sorted(np.flatnonzero(label == number).tolist() for number in np.unique(label))


def with_ones(x: F64) -> F64:
    """The columns (1, x)."""
    return np.column_stack([np.ones(len(x)), x])


def non_negative(sums: WeightedSums, ridge: float = RIDGES[0]) -> F64:
    """Least squares without negative coefficients, with a ridge (Lawson and Hanson, by SciPy).

    Columns are scaled to unit length, so that units do not matter. SciPy's solver gets the Cholesky factor of the normal
    equations, whose size does not depend on the number of rows.
    """
    scale, matrix, right = _scaled(sums)
    penalty = np.full(len(scale), ridge)
    penalty[0] = RIDGES[0]  # the idle term is not shrunk
    lower = np.linalg.cholesky(matrix + np.diag(penalty))
    right = library("scipy.linalg").solve_triangular(lower, right, lower=True)
    upper = np.asarray(lower.T, np.float64)
    return np.asarray(least_squares.non_negative(upper, right) / scale, np.float64)


def least_squares_of(sums: WeightedSums, ridge: float = RIDGES[0]) -> F64:
    """Least squares with coefficients of any sign."""
    scale, matrix, right = _scaled(sums)
    return np.asarray(np.linalg.solve(matrix + ridge * np.eye(len(scale)), right) / scale, np.float64)


def gradient_descent(sums: WeightedSums) -> F64:
    """Batch gradient descent on the mean squared error from 0 (paper 3, equations 4 and 5), after 10,000 steps.

    Columns are scaled to unit length, and the step is the inverse of the largest curvature, so that it converges. For a
    quadratic function, the result of t steps along an eigenvector of curvature λ is known: (1 - (1 - αλ)^t) / λ.
    """
    scale, matrix, right = _scaled(sums)
    curvature, vectors = np.linalg.eigh(matrix)
    curvature = np.maximum(curvature, 1e-12 * curvature[-1])
    reached = -np.expm1(STEPS * np.log1p(-np.minimum(curvature / curvature[-1], 1 - 1e-12))) / curvature
    return np.asarray(vectors @ (reached * (vectors.T @ right)) / scale, np.float64)


def huber(x: F64, y: F64, weight: F64) -> F64:
    """Huber's robust regression: residuals beyond 1.35 deviations count linearly (Huber 1964, by scikit-learn)."""
    root = np.sqrt(weight / weight.mean())
    z = with_ones(x) * root[:, None]
    length = np.sqrt((z**2).sum(axis=0))
    scale = np.where(length > 0, length, 1.0) / np.sqrt(len(z))
    z /= scale
    # Columns that are independent of each other and of length 1 need few steps of the optimiser.
    upper = np.linalg.cholesky(z.T @ z / len(z) + 1e-8 * np.eye(z.shape[1])).T
    z = np.ascontiguousarray(library("scipy.linalg").solve_triangular(upper, z.T, trans="T").T)
    unit = np.median(np.abs(y * root)) or 1.0
    model = library("sklearn.linear_model").HuberRegressor(alpha=1e-6, fit_intercept=False, max_iter=200)
    with warnings.catch_warnings():
        # Cross-validation judges what 200 steps reach.
        warnings.simplefilter("ignore", library("sklearn.exceptions").ConvergenceWarning)
        model.fit(z, y * root / unit)
    found = library("scipy.linalg").solve_triangular(upper, model.coef_)
    return np.asarray(found * unit / scale, np.float64)


def bayesian_ridge(x: F64, y: F64, weight: F64) -> F64:
    """Bayesian ridge regression: the evidence sets the regularisation (MacKay 1992, by scikit-learn)."""
    mean, scale = np.average(x, axis=0, weights=weight), x.std(axis=0)
    scale = np.where(scale > 0, scale, 1.0)
    unit = np.abs(y).mean() or 1.0
    model = library("sklearn.linear_model").BayesianRidge()
    model.fit((x - mean) / scale, y / unit, sample_weight=weight / weight.mean())
    slopes = np.asarray(model.coef_) * unit / scale
    return np.append(float(model.intercept_) * unit - float(slopes @ mean), slopes)


def _scaled(sums: WeightedSums) -> tuple[F64, F64, F64]:
    """The lengths of columns, and the normal equations of columns of length 1."""
    scale = sums.lengths
    return scale, sums.xx / np.outer(scale, scale), sums.xy / scale
