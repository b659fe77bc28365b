"""95 % intervals of a figure over the repeats of one session."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log, sqrt
from statistics import NormalDist, fmean, stdev

_STUDENT_T = (12.7062047, 4.3026527, 3.1824463, 2.7764451, 2.5705818, 2.4469119, 2.3646243, 2.3060041, 2.2621572, 2.2281389)
"""97.5 % quantiles of Student's t distribution for 1 to 10 degrees of freedom."""
_NORMAL = NormalDist().inv_cdf(0.975)


@dataclass(frozen=True, slots=True)
class Interval:
    """A 95 % interval of the typical value of runs in the same session. It says nothing about other sessions.

    For values above zero, it is the interval of the median of a log-normal distribution, by Student's t of the logarithms.
    For other values, it is that of the mean.
    """

    low: float
    high: float

    @property
    def relative_percent(self) -> float | None:
        """Half of the width, in percent of the middle: the geometric mean of both ends. None unless both are above zero."""
        return 50 * (self.high - self.low) / sqrt(self.low) / sqrt(self.high) if self.low > 0 else None


def interval_of(values: Sequence[float]) -> Interval | None:
    """Return the interval of a figure's runs; None for fewer than two runs."""
    if len(values) < 2:
        return None
    if min(values) <= 0:
        half = student_t(len(values) - 1) * stdev(values) / sqrt(len(values))
        return Interval(fmean(values) - half, fmean(values) + half)
    logs = [log(value) for value in values]
    half = student_t(len(values) - 1) * stdev(logs) / sqrt(len(logs))
    # With two wildly different values, the interval has no bound that a number can hold.
    return Interval(exp(fmean(logs) - min(half, 600.0)), exp(min(fmean(logs) + half, 600.0)))


def student_t(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t distribution, to 0.01 %.

    Source: for more than 10 degrees of freedom, the expansion 26.7.5 of Abramowitz and Stegun, "Handbook of Mathematical
    Functions".
    """
    if freedom <= len(_STUDENT_T):
        return _STUDENT_T[freedom - 1]
    z, n = _NORMAL, freedom
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    third = (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384
    return z + first / n + second / n**2 + third / n**3
