"""Gains in battery life with intervals, for all apps together."""

from __future__ import annotations

import numpy as np

from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.statistics import F64, life_gain_s


def gains_s(rate: F64, less: F64, half_width: F64) -> F64:
    """Return the seconds of battery life gained if a drain falls by `less`, as (low, middle, high) rows."""
    return np.stack([life_gain_s(rate, less + shift) for shift in (-half_width, 0.0, half_width)])


def gains_without_s(hogs: Hogs) -> F64:
    """Return the gains without each of these apps."""
    effect = hogs.effect
    return np.stack([life_gain_s(hogs.rate, less) for less in (effect.low, effect.value, effect.high)])
