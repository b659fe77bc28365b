"""Solvers of linear models. They get sums over rows, or rows, and return coefficients of (1, x)."""

from __future__ import annotations

import warnings

import numpy as np

from navitas.regress.arrays import F64
from navitas.regress.cases import WeightedSums, with_ones
from navitas.regress.libraries import library

RIDGES = (1e-10, 1e-4, 1e-3, 1e-2, 1e-1)
"""Regularisation, relative to the sum of squares of each column."""
STEPS = 10_000
"""Steps of gradient descent."""


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
    found = library("scipy.optimize").nnls(lower.T, right, maxiter=30 * len(right))[0]
    return np.asarray(found / scale, np.float64)


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
    scale = _lengths(z) / np.sqrt(len(z))
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
    scale = np.sqrt(np.diag(sums.xx))
    scale = np.where(scale > 0, scale, 1.0)
    return scale, sums.xx / np.outer(scale, scale), sums.xy / scale


def _lengths(z: F64) -> F64:
    found = np.sqrt((z**2).sum(axis=0))
    return np.where(found > 0, found, 1.0)
