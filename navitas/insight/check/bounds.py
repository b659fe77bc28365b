"""One-sided bounds of changes and of figures, from runs in sessions: whether they are over a limit, and what would show it.

Figures are compared by logarithms, and sessions are the unit, as in navitas/insight/compare/effect.py.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from navitas.base.extra_libraries import extra_library
from navitas.insight.compare.effect import F64, ChangeEstimate, Deviations, as_percent, estimated, spreads
from navitas.insight.compare.verdict import USUAL_SESSIONS, precision

LEVEL = 0.01
"""The probability that a check of code that did not change finds something above its limit.

With few sessions, whose logarithms are not quite normal, it is up to 2 % (tests/accuracy/gate.py).
"""
_LOOK_SHARE = 1 / 6
"""What a judgement of growing data spends of the rest of `LEVEL`: the last one, with the most data, should have most."""
_GROWTHS = [1.25, 1.35, 1.45, 1.55, 1.7, 1.85]
MOST_GROWTH = 2.0
"""Growing data is judged again after 1.25 to 2 times as many repeats: each judgement costs certainty, and too many cost time."""
POWER = 0.97
"""The probability that the requested data decides, if logarithms are normal with the spread that is assumed."""
_CAUTION = 0.9
"""The requested data is enough if the true spread is at most the upper limit of this confidence."""
_USUAL_FREEDOM = 9
"""How many degrees of freedom `USUAL_SESSIONS` has: it is from ten sessions."""
_NO_LIMIT_PERCENT = 5.0
"""The change that data should show if the limit is 0 %."""
_EXACT = 1e-12
_MOST = 10_000
_LEAST_AIM = 1e-3
_NEEDED_BY = "checking needs", "compare"


@dataclass(frozen=True, slots=True)
class BoundedEstimate:
    """The logarithm of a change or of a figure: its standard error and degrees of freedom, None if too little data shows them.

    `spread` has the deviations of the data, `freedom_of_spread` the degrees of freedom of the one that counts.
    """

    value: float
    error: float | None
    freedom: float
    spread: Deviations
    freedom_of_spread: float

    def chance(self, limit: float) -> float | None:
        """Return the one-sided p-value: the probability of such an estimate if the true value is at the limit."""
        if self.error is None:
            return None
        if self.error < _EXACT:
            return 0.0 if self.value > limit + _EXACT else 1.0
        return float(_special().stdtr(self.freedom, -(self.value - limit) / self.error))

    def bound(self, level: float, *, upper: bool) -> float | None:
        """Return the one-sided bound that is wrong with probability `level`."""
        if self.error is None:
            return None
        half = 0.0 if self.error < _EXACT else -float(_special().stdtrit(self.freedom, level)) * self.error
        return self.value + half if upper else self.value - half

    def growth(self, limit: float, level: float) -> float:
        """Return how many times as many repeats would decide if the estimate and the spread stayed as they are.

        From 1.25 to 2: the sooner they would, the sooner it is worth while to judge again.
        """
        if self.error is None:
            return MOST_GROWTH
        far = abs(self.value - limit) / max(self.error, _EXACT)
        return next(
            (growth for growth in _GROWTHS if -_special().stdtrit(growth * self.freedom, level) <= far * math.sqrt(growth)),
            MOST_GROWTH,
        )

    def shows_percent(self, level: float) -> float | None:
        """Return how far over the limit a figure has to be to be found, in percent, with probability `POWER`."""
        if self.error is None:
            return None
        return as_percent(_quantiles(level, self.freedom) * self.error)


def changes(before: Sequence[F64], after: Sequence[F64], *, together: bool) -> list[BoundedEstimate | None]:
    """Return the changes of figures, from figures × runs of each session. None if some run has no energy of a figure.

    Few sessions can be alike by chance, so the spread of both versions' sessions together counts if it is larger. With a single
    session of a version, it is at least what is usual, since that session can be an outlier.
    """
    has_energy, (old, new) = _logarithms(before, after)
    estimate = estimated(old, new, together=together)
    runs, sessions, within = spreads(old, new, estimate.changes)
    counts = (len(old), len(new))
    if not together and max(counts) > 1:
        pooled = _pooled(old, new)
        if min(counts) == 1:
            pooled = np.fmax(pooled, USUAL_SESSIONS)
            estimate = estimate._replace(freedom=np.full(len(pooled), max(counts) - 1.0))
        estimate = estimate._replace(error=np.fmax(estimate.error, pooled * math.sqrt(sum(1 / count for count in counts))))
    # The means of sessions cannot be closer than their runs make them: few sessions can be alike by chance.
    least = runs * math.sqrt(sum(float(np.mean([1 / session.shape[1] for session in side])) / len(side) for side in (old, new)))
    of_runs = sum(session.shape[1] - 1 for session in (*old, *new))
    by_runs = least > estimate.error
    estimate = estimate._replace(
        error=np.where(by_runs, least, estimate.error), freedom=np.where(by_runs, float(of_runs), estimate.freedom)
    )
    of_sessions = len(old) - 1 if together else sum(counts) - 2
    freedom = of_runs if together and len(old) == 1 else of_sessions
    return _rows(has_energy, estimate, (runs, sessions, within), freedom)


def _pooled(old: Sequence[F64], new: Sequence[F64]) -> F64:
    """Return the standard deviation of the means of sessions of the same version."""
    means = [np.column_stack([session.mean(axis=1) for session in side]) for side in (old, new)]
    squares = sum(side.var(axis=1) * side.shape[1] for side in means)
    return np.asarray(np.sqrt(squares / (len(old) + len(new) - 2)), np.float64)


def figures(sessions: Sequence[F64]) -> list[BoundedEstimate | None]:
    """Return the logarithms of figures, from figures × runs of each session. None if some run has no energy of a figure.

    How much sessions differ is estimated from them and from what is usual, which counts as ten more sessions. A single run does
    not show how runs differ.
    """
    has_energy, (logs,) = _logarithms(sessions)
    means = np.column_stack([session.mean(axis=1) for session in logs])
    count = len(logs)
    freedom = _USUAL_FREEDOM + count - 1
    variance = (_USUAL_FREEDOM * USUAL_SESSIONS**2 + means.var(axis=1) * count) / freedom
    if min(session.shape[1] for session in logs) < 2:
        variance = np.full(len(means), np.nan)
    if count == 1:  # Otherwise the spread of sessions' means includes that of runs.
        variance = variance + _variance_of_mean(logs[0])
    unknown = np.full(len(means), np.nan)
    freedoms = np.full(len(means), float(freedom))
    estimate = ChangeEstimate(means.mean(axis=1), np.sqrt(variance / count), freedoms, unknown)
    return _rows(has_energy, estimate, (unknown, np.sqrt(variance), unknown), freedom)


def _variance_of_mean(session: F64) -> F64:
    """Return the variance of each figure's mean by its runs; 0 if there is only one, whose spread is unknown."""
    count = session.shape[1]
    return np.asarray(session.var(axis=1, ddof=1) / count if count > 1 else 0.0 * session[:, 0], np.float64)


def _logarithms(*sides: Sequence[F64]) -> tuple[list[bool], list[list[F64]]]:
    """Return which figures have energy in all runs, and the logarithms of those."""
    has_energy = np.all([np.all((session > 0) & np.isfinite(session), axis=1) for side in sides for session in side], axis=0)
    return has_energy.tolist(), [[np.log(session[has_energy]) for session in side] for side in sides]


def _rows(
    has_energy: list[bool], estimate: ChangeEstimate, deviations: tuple[F64, F64, F64], of_spread: float
) -> list[BoundedEstimate | None]:
    columns = (estimate.change, estimate.error, estimate.freedom, *deviations)
    rows = (
        BoundedEstimate(
            value, None if math.isnan(error) else error, freedom,
            Deviations(*(None if math.isnan(deviation) else deviation for deviation in spread)), of_spread,
        )
        for value, error, freedom, *spread in zip(*(column.tolist() for column in columns), strict=True)
    )  # fmt: skip
    return [next(rows) if is_known else None for is_known in has_energy]


def aim(limit_percent: float) -> float:
    """Return the logarithm of the difference from the limit that a check should show: no change, and twice the limit."""
    if not limit_percent:
        return math.log1p(_NO_LIMIT_PERCENT / 100)
    return math.log1p(limit_percent / (100 + limit_percent))


def needed(
    estimate: BoundedEstimate, limit: float, wanted: float, *, level: float, sessions: int, repeats: int, together: bool
) -> tuple[int | None, int | None]:
    """Return more sessions and repeats of each version that would decide.

    They show a difference of `wanted` from the limit, or, if there are already enough for that, the estimated difference.
    None if the spread is unknown, or if more than 10,000 were needed.
    """
    by_runs = together and estimate.spread.changes is None
    precise = precision(_cautious(estimate), repeats, together=together)
    if precise is None:
        return None, None
    least = 1 + (repeats if by_runs else sessions)
    for difference in (wanted, abs(estimate.value - limit)):
        count = _count(precise.deviation, precise.sides, difference, level)
        if count is None and difference >= _LEAST_AIM:
            break
        if count is not None and count >= least:
            return (1, count) if by_runs else (count, repeats)
    return None, None


def needed_sessions(estimate: BoundedEstimate, limit: float, *, level: float) -> int | None:
    """Return how many sessions would decide whether a figure is over a limit, by the estimated difference."""
    return _count(estimate.spread.sessions or 0.0, 1, abs(estimate.value - limit), level)


def _count(deviation: float, sides: int, difference: float, level: float) -> int | None:
    """Return the least number of values of each version whose mean differs from the limit visibly."""
    if difference < _LEAST_AIM:
        return None

    def is_enough(count: int) -> bool:
        return _quantiles(level, sides * (count - 1)) * deviation / math.sqrt(count) <= difference

    counts = range(2, _MOST + 1)
    least = bisect_left(counts, True, key=is_enough)
    return counts[least] if least < len(counts) else None


def _quantiles(level: float, freedom: float) -> float:
    special = _special()
    return float(special.stdtrit(freedom, POWER) - special.stdtrit(freedom, level))


def _cautious(estimate: BoundedEstimate) -> Deviations:
    """Return upper limits of the deviations."""
    freedom = estimate.freedom_of_spread
    factor = math.sqrt(freedom / float(_special().chdtri(freedom, _CAUTION))) if freedom >= 1 else 1.0
    spread = estimate.spread
    values = (spread.runs, spread.sessions, spread.changes)
    return Deviations(*(None if value is None else factor * value for value in values))


def look_level(spent: float, *, is_last: bool) -> float:
    """Return the level of another judgement of growing data, after earlier ones spent a part of `LEVEL`."""
    return (LEVEL - spent) * (1 if is_last else _LOOK_SHARE)


def holm(chances: Sequence[float], level: float) -> list[float]:
    """Return the level at which each p-value is judged, so that the first wrong estimate has probability `level` (Holm 1979).

    A p-value counts if it is at most its level.
    """
    order = sorted(range(len(chances)), key=chances.__getitem__)
    levels = [0.0] * len(chances)
    left = len(chances)
    for index in order:
        levels[index] = level / left
        if chances[index] <= levels[index]:
            left -= 1
    return levels


def _special() -> Any:
    return extra_library("scipy.special", *_NEEDED_BY)
