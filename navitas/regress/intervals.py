"""Prediction intervals from errors of rows that were left out of the fit (conformal prediction).

Lei et al. 2018, "Distribution-free predictive inference for regression", section 5.2 (errors normalised by their expected
size), and Barber et al. 2021, "Predictive inference with the jackknife+", section 3 (residuals of folds).
"""

from __future__ import annotations

import math

import numpy as np

from navitas.regress.arrays import F64
from navitas.regress.noise import Noise, floored


def half_width(y: F64, predicted: F64, noise: Noise, level: float) -> tuple[float, bool]:
    """The half width, in units of predicted energy to the power of the noise, and whether there are enough rows.

    That is joules for constant noise, and a share for proportional noise.

    It is the (n + 1)·level-th smallest error of left-out rows, between two of them by linear interpolation, so that intervals of
    few rows are not too wide. If there are fewer rows, it is the largest one.
    """
    size = np.abs(y - predicted) / floored(predicted, y) ** noise.exponent
    rank = (len(y) + 1) * level
    return float(np.interp(rank, np.arange(1, len(y) + 1), np.sort(size))), math.ceil(rank) <= len(y)
