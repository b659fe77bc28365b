"""The change of one figure between two versions, from runs in sessions.

Whole sessions differ: the phone's temperature, its battery and what else it does shift all runs of a session together. So the
session is the unit, not the run: more runs in the same session do not make the change of two sessions more certain. Figures are
compared as ratios, by logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from navitas.base.extra_libraries import extra_library

F64 = NDArray[np.float64]
LEVEL = 0.95
"""The level of intervals."""
_ROUNDING = 1e-12
_NEEDED_BY = "comparing needs", "compare"


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


def effect_between(before: Sequence[F64], after: Sequence[F64], *, together: bool = False) -> Effect | None:
    """Return the effect between figures of runs, by session. None if a side has no figure, or one that is not above zero.

    If each session has runs of one version only: Welch's t-test of the sessions' means. It is a mixed model with random sessions,
    for equal numbers of runs. `together`: each session has runs of both versions in mixed order. What shifts a session shifts
    both versions, so the differences of the sessions' means count. With a single session it is Welch's t-test of its runs.
    """
    return effects(*([one[np.newaxis] for one in side] for side in (before, after)), together=together)[0]


def effects(before: Sequence[F64], after: Sequence[F64], *, together: bool) -> list[Effect | None]:
    """Return the effects of many figures, as `effect_between`. Each session is an array of figures × runs."""
    sessions = [*before, *after]
    if not before or not after or not all(session.shape[1] for session in sessions):
        return [None] * max((len(session) for session in sessions), default=1)
    known = np.all([np.all((session > 0) & np.isfinite(session), axis=1) for session in sessions], axis=0)
    old, new = ([np.log(session[known]) for session in side] for side in (before, after))
    estimate = estimated(old, new, together=together)
    columns = (*_judged(estimate), *spreads(old, new, estimate.changes))
    rows = (_effect(*row) for row in zip(*(column.tolist() for column in columns), strict=True))
    return [next(rows) if is_known else None for is_known in known.tolist()]


def estimated(old: Sequence[F64], new: Sequence[F64], *, together: bool) -> ChangeEstimate:
    """Return the changes of figures, from logarithms of figures × runs of each session."""
    if together and len(old) > 1:
        return _of_changes(_means(new) - _means(old))
    return _of_sides(old[0], new[0]) if together else _of_sides(_means(old), _means(new))


def adjusted(effects: Sequence[Effect | None]) -> list[float | None]:
    """Return each effect's p-value as `false_discovery` does, None without one."""
    known = [i for i, effect in enumerate(effects) if effect is not None and effect.p is not None]
    values = dict(zip(known, false_discovery([effects[i].p for i in known]), strict=True))  # type: ignore[union-attr, misc]
    return [values.get(i) for i in range(len(effects))]


def false_discovery(values: Sequence[float]) -> list[float]:
    """Return p-values at a controlled false discovery rate (Benjamini and Hochberg 1995)."""
    return [float(value) for value in stats().false_discovery_control(values)] if values else []


class ChangeEstimate(NamedTuple):
    """Changes of logarithms, their standard errors and degrees of freedom, and the deviation of changes; NaN if unknown."""

    change: F64
    error: F64
    freedom: F64
    changes: F64


def _means(sessions: Sequence[F64]) -> F64:
    """The mean of each figure and session."""
    return np.column_stack([session.mean(axis=1) for session in sessions])


def _of_sides(old: F64, new: F64) -> ChangeEstimate:
    """Welch's t-test of two sides with several values, or the change alone."""
    change, unknown = new.mean(axis=1) - old.mean(axis=1), np.full(len(old), np.nan)
    if min(old.shape[1], new.shape[1]) < 2:
        return ChangeEstimate(change, unknown, unknown, unknown)
    parts = np.stack([side.var(axis=1, ddof=1) / side.shape[1] for side in (old, new)])
    squares = sum(part**2 / (side.shape[1] - 1) for part, side in zip(parts, (old, new), strict=True))
    freedom = np.divide(parts.sum(axis=0) ** 2, squares, out=np.ones(len(old)), where=squares > 0)
    return ChangeEstimate(change, np.sqrt(parts.sum(axis=0)), freedom, unknown)


def _of_changes(changes: F64) -> ChangeEstimate:
    """A t-test of the changes of each session."""
    count = changes.shape[1]
    deviation = changes.std(axis=1, ddof=1)
    return ChangeEstimate(changes.mean(axis=1), deviation / math.sqrt(count), np.full(len(changes), count - 1.0), deviation)


def _judged(one: ChangeEstimate) -> tuple[F64, F64, F64, F64]:
    """The change, its interval, and the probability of no change."""
    special = extra_library("scipy.special", *_NEEDED_BY)
    is_exact = one.error < _ROUNDING
    change = np.where(is_exact & (np.abs(one.change) < _ROUNDING), 0.0, one.change)
    half = special.stdtrit(one.freedom, (1 + LEVEL) / 2) * np.where(is_exact, 0.0, one.error)
    t = np.divide(change, one.error, out=np.zeros(len(change)), where=~is_exact)
    p = np.where(is_exact, change == 0, 2 * special.stdtr(one.freedom, -np.abs(t)))
    return change, change - half, change + half, p


def spreads(old: Sequence[F64], new: Sequence[F64], changes: F64) -> tuple[F64, F64, F64]:
    """Return deviations of runs, sessions and changes: components of variance of sessions of two versions; NaN if unknown."""
    sessions = [*old, *new]
    unknown = np.full(len(changes), np.nan)
    freedom = sum(session.shape[1] - 1 for session in sessions)
    squares = sum(session.var(axis=1) * session.shape[1] for session in sessions)
    runs = squares / freedom if freedom else unknown
    of_means = len(sessions) - 2
    if not of_means:
        return np.sqrt(runs), unknown, changes
    variance = sum(_means(side).var(axis=1) * len(side) for side in (old, new)) / of_means
    share = float(np.mean([1 / session.shape[1] for session in sessions]))
    between = np.maximum(variance - (runs if freedom else 0.0) * share, 0.0)
    return np.sqrt(runs), np.sqrt(between), changes


def _effect(  # noqa: PLR0917
    change: float, low: float, high: float, p: float, runs: float, sessions: float, changes: float
) -> Effect:
    spread = Deviations(*(None if math.isnan(value) else value for value in (runs, sessions, changes)))
    if math.isnan(p):
        return Effect(as_percent(change), None, None, None, spread)
    return Effect(as_percent(change), as_percent(low), as_percent(high), p, spread)


def as_percent(change: float) -> float:
    """A change of a logarithm in percent."""
    return 100 * math.expm1(min(change, 700.0))


def stats() -> Any:
    """`scipy.stats`. Raises `UsageError` if it is not installed."""
    return extra_library("scipy.stats", *_NEEDED_BY)
