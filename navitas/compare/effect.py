"""The change of one figure between two versions, from runs in sessions.

Whole sessions differ: the phone's temperature, its battery and what else it does shift all runs of a session together. So the
session is the unit, not the run: more runs in the same session do not make the change of two sessions more certain. Figures are
compared as ratios, by logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from navitas.extra_libraries import extra_library

LEVEL = 0.95
"""The level of intervals."""
_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class Effect:
    """A change in percent of the figure before, and how sure it is.

    `low_percent`, `high_percent` and `p` (of no change, two-sided) are None if there is too little data for them.
    """

    percent: float
    low_percent: float | None
    high_percent: float | None
    p: float | None
    spread: Deviations


@dataclass(frozen=True, slots=True)
class Deviations:
    """Standard deviations of logarithms. None if there is too little data.

    `runs`: of runs within a session. `sessions`: of sessions; with one run in each, of its run, too. `changes`: of the changes in
    sessions that have both versions.
    """

    runs: float | None
    sessions: float | None
    changes: float | None = None


def apart(before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> Effect | None:
    """Return the effect between figures of runs, by session, where each session has runs of one version only.

    Welch's t-test of the sessions' means. It is a mixed model with random sessions, for equal numbers of runs. Returns None if a
    side has no figure, or one that is not above zero.
    """
    old, new = _logs(before), _logs(after)
    if old is None or new is None:
        return None
    means = [np.array([session.mean() for session in side]) for side in (old, new)]
    change = float(means[1].mean() - means[0].mean())
    spread = _spread([*old, *new], len(old))
    if min(len(side) for side in means) < 2:
        return Effect(_percent(change), None, None, None, spread)
    parts = [float(side.var(ddof=1)) / len(side) for side in means]
    error = math.sqrt(sum(parts))
    freedom = sum(parts) ** 2 / sum(part**2 / (len(side) - 1) for part, side in zip(parts, means, strict=True)) if error else 1.0
    return _effect(change, error, freedom, spread)


def within(before: Sequence[np.ndarray], after: Sequence[np.ndarray]) -> Effect | None:
    """Return the effect between figures of runs, by session, where each session has runs of both versions in mixed order.

    What shifts a session shifts both versions, so the differences of the sessions' means count. With a single session it is
    Welch's t-test of its runs. Returns None if a side has no figure, or one that is not above zero.
    """
    old, new = _logs(before), _logs(after)
    if old is None or new is None:
        return None
    spread = _spread([*old, *new], len(old))
    if len(old) == 1:
        effect = apart(np.split(before[0], len(before[0])), np.split(after[0], len(after[0])))
        return None if effect is None else replace(effect, spread=spread)
    changes = np.array([late.mean() - early.mean() for early, late in zip(old, new, strict=True)])
    deviation = float(changes.std(ddof=1))
    spread = replace(spread, changes=deviation)
    return _effect(float(changes.mean()), deviation / math.sqrt(len(changes)), len(changes) - 1.0, spread)


def adjusted(effects: Sequence[Effect | None]) -> list[float | None]:
    """Return each effect's p-value at a controlled false discovery rate (Benjamini and Hochberg 1995), None without one."""
    known = [i for i, effect in enumerate(effects) if effect is not None and effect.p is not None]
    found: list[float | None] = [None] * len(effects)
    if known:
        values = stats().false_discovery_control([effects[i].p for i in known])  # type: ignore[union-attr]
        for i, value in zip(known, values, strict=True):
            found[i] = float(value)
    return found


def _effect(change: float, error: float, freedom: float, spread: Deviations) -> Effect:
    t = stats().t
    if error < _ROUNDING:
        change, error = (0.0 if abs(change) < _ROUNDING else change), 0.0
    half = float(t.ppf((1 + LEVEL) / 2, freedom)) * error
    p = 2 * float(t.sf(abs(change) / error, freedom)) if error else float(change == 0)
    return Effect(_percent(change), _percent(change - half), _percent(change + half), p, spread)


def _spread(sessions: Sequence[np.ndarray], before: int) -> Deviations:
    """Components of variance of sessions of two versions; the first `before` ones belong to one of them."""
    freedom = sum(len(session) - 1 for session in sessions)
    runs = sum(float(((session - session.mean()) ** 2).sum()) for session in sessions) / freedom if freedom else None
    groups = np.split(np.array([session.mean() for session in sessions]), [before])
    of_means = sum(len(side) - 1 for side in groups)
    if not of_means:
        return Deviations(None if runs is None else math.sqrt(runs), None)
    variance = sum(float(((side - side.mean()) ** 2).sum()) for side in groups) / of_means
    share = float(np.mean([1 / len(session) for session in sessions]))
    between = max(0.0, variance - (runs or 0.0) * share)
    return Deviations(None if runs is None else math.sqrt(runs), math.sqrt(between))


def _logs(sessions: Sequence[np.ndarray]) -> list[np.ndarray] | None:
    if not sessions or not all(len(session) and np.all(np.isfinite(session)) and np.all(session > 0) for session in sessions):
        return None
    return [np.log(session) for session in sessions]


def _percent(change: float) -> float:
    return 100 * math.expm1(min(change, 700.0))


def stats() -> Any:
    """`scipy.stats`. Raises `UsageError` if it is not installed."""
    return extra_library("scipy.stats", "comparing needs", "compare")
