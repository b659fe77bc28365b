"""How the drains of apps changed from one period to another."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.fleet.hogs import Hogs
from navitas.fleet.statistics import F64, I64, Effects, false_rates


@dataclass(frozen=True, slots=True)
class PeriodChanges:
    """Apps that can be judged in both periods, by number: effects in ppm/s, their change, and its false discovery rate."""

    app: I64
    clients_before: I64
    clients: I64
    before: F64
    after: F64
    change: Effects
    false_rate: F64


def changes_of(before: Hogs, after: Hogs) -> PeriodChanges:
    """Compare two periods of one fleet.

    Most clients are in both periods. What differs between them is in both effects, so the error of the change is rather too
    large. An unknown factor on the effects is that of the change, too. The false discovery rate is two-sided.
    """
    app, one, other = np.intersect1d(before.app, after.app, return_indices=True)
    known = np.isfinite(before.false_rate[one]) & np.isfinite(after.false_rate[other])
    app, one, other = app[known], one[known], other[known]
    first, second = before.effect, after.effect
    error = np.hypot(first.error[one], second.error[other])
    freedom = np.minimum(first.freedom[one], second.freedom[other])
    scale_error = np.maximum(first.scale_error[one], second.scale_error[other])
    difference = second.value[other] - first.value[one]
    change = Effects(difference, error, freedom, np.full(len(app), np.nan), scale_error).above(0.0)
    p = 2 * np.minimum(change.p, 1 - change.p)
    return PeriodChanges(
        app, before.clients[one], after.clients[other], first.value[one], second.value[other], change, false_rates(p)
    )
