"""How the drains of apps changed from one period to another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from navitas.fleet.hogs import FDR_LIMIT, Hogs
from navitas.fleet.results import PERCENT_H, Row, interval_percent_h, known
from navitas.fleet.statistics import Effects, descending_order, false_rates


@dataclass(frozen=True, slots=True)
class ChangeRow(Row):
    """An app's extra drain in two periods, and its change. `is_significant`: at a false discovery rate of 5 %, two-sided."""

    KIND: ClassVar[str] = "changes"

    app: str
    clients: int
    before_percent_h: float | None
    after_percent_h: float | None
    change_percent_h: float | None
    change_low_percent_h: float | None
    change_high_percent_h: float | None
    false_discovery_rate: float | None
    is_significant: bool


def changes_of(before: Hogs, after: Hogs, names: Mapping[int, str]) -> list[ChangeRow]:
    """Compare two periods of one fleet: apps that can be judged in both, the most certain changes first.

    Most clients are in both periods. What differs between them is in both effects, so the error of the change is rather too
    large. An unknown factor on the effects is that of the change, too. The false discovery rate is two-sided.
    """
    app, one, other = np.intersect1d(before.app, after.app, return_indices=True)
    judged = np.isfinite(before.false_rate[one]) & np.isfinite(after.false_rate[other])
    app, one, other = app[judged], one[judged], other[judged]
    first, second = before.effect, after.effect
    error = np.hypot(first.error[one], second.error[other])
    freedom = np.minimum(first.freedom[one], second.freedom[other])
    scale_error = np.maximum(first.scale_error[one], second.scale_error[other])
    difference = second.value[other] - first.value[one]
    change = Effects(difference, error, freedom, np.full(len(app), np.nan), scale_error).above(0.0)
    rates = false_rates(2 * np.minimum(change.p, 1 - change.p))
    ends = np.stack([change.low, change.value, change.high]).T
    return [
        ChangeRow(
            app=names[int(app[i])],
            clients=int(min(before.clients[one[i]], after.clients[other[i]])),
            before_percent_h=known(first.value[one[i]] * PERCENT_H),
            after_percent_h=known(second.value[other[i]] * PERCENT_H),
            **interval_percent_h("change", *ends[i].tolist()),
            false_discovery_rate=known(rates[i]),
            is_significant=bool(rates[i] <= FDR_LIMIT),
        )
        for i in descending_order(np.abs(change.value / change.error)).tolist()
    ]
