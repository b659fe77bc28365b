"""Non-negative least squares in relative error, held near a start and smooth between neighbours.

Unknowns are scales of figures that are known roughly, such as those of a power profile: 1 leaves a figure as it is. The fit
minimizes

    Σ ((predicted − measured) / size)²  +  λ² Σ pull² (scale − target)²  +  μ² Σ (link · scales)²

with scales from 0 on. The size is the measured value, or larger for small ones. A link is what differs between neighbouring
operating points of one cluster. So figures that no measurement covers follow those next to them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from navitas.errors import UsageError
from navitas.extra_libraries import extra_library

F64 = NDArray[np.float64]
TOWARDS_START = 0.001
SMOOTHNESS = 0.003
"""λ and μ (docs/calibrating.md)."""
_ROUNDS = 100


@dataclass(frozen=True, slots=True)
class Start:
    """What a fit is held near: the `target` of each scale with the weight of its `pull`, and `links`, of which each row is 0."""

    target: F64
    pull: F64
    links: F64


def fit_scales(use: F64, measured: F64, size: F64, start: Start) -> F64:
    """Return the scale of each unknown.

    `use` has a row for each measurement and a column for each unknown: what the measurement would be from this unknown alone,
    at a scale of 1. Raises `UsageError` if scipy is not installed.
    """
    pull = TOWARDS_START * start.pull
    columns = np.vstack([use / size[:, None], np.diag(pull), SMOOTHNESS * start.links])
    wanted = np.concatenate([measured / size, pull * start.target, np.zeros(len(start.links))])
    # The pull makes the least squares unique, so a solution without negative scales is also the solution with this bound.
    unbounded = np.linalg.solve(columns.T @ columns, columns.T @ wanted)
    if (unbounded >= 0).all():
        return np.asarray(unbounded, np.float64)
    # The bounded fit takes as long as it has rows: R of a QR decomposition has the same solution in fewer.
    reduced = np.asarray(np.linalg.qr(np.column_stack([columns, wanted]), mode="r"), np.float64)
    return non_negative(reduced[:, :-1], reduced[:, -1])


def non_negative(columns: F64, measured: F64) -> F64:
    """Return non-negative coefficients with the least squared error.

    Raises `UsageError` if scipy is not installed, or if the fit does not converge.
    """
    try:
        return np.asarray(_optimize().nnls(columns, measured, maxiter=_ROUNDS * columns.shape[1])[0], np.float64)
    except RuntimeError as error:
        raise UsageError(f"the fit does not converge: {error}", "Check the measured points for damage.") from error


def relative_errors(predicted: F64, measured: F64) -> F64:
    """The absolute relative errors."""
    return np.asarray(np.abs(predicted / measured - 1), np.float64)


def check_installed() -> None:
    """Raise `UsageError` if scipy is not installed, before long work."""
    _optimize()


def _optimize() -> Any:
    return extra_library("scipy.optimize", "calibrating needs", "fit")
