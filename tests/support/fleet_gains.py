"""Gains in battery life with intervals, for all apps together."""

from __future__ import annotations

import numpy as np

from navitas.fleet.findings.hogs import Hogs
from navitas.fleet.statistics import F64, life_gain_s


def gains_without_s(hogs: Hogs) -> F64:
    """Return the gains without each of these apps."""
    effect = hogs.effect
    return np.stack([life_gain_s(hogs.rate, less) for less in (effect.low, effect.value, effect.high)])
