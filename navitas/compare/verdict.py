"""Verdicts on a change, which change the data would show, and how much more data would show a smaller one."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np

from navitas.compare.effect import Deviations, Effect, stats
from navitas.extra_libraries import extra_library

Word = Literal["same", "different", "not enough data"]

LIMIT = 0.05
"""A change counts at a false discovery rate of 5 %."""
POWER = 0.92
"""The probability of finding a change: 9 in 10, and some more, since spreads are estimates."""
USUAL_SESSIONS = 0.08
"""The standard deviation of sessions if there is only one: that of ten sessions with a power meter (Nexus 5X, S2-group)."""
_MOST = 1000
_PERCENTS = np.geomspace(0.1, 1000, 400).tolist()
"""Changes of which the smallest one is found that data would show, in steps of 2 %."""


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word` on a change, and the smallest change that such data would show; None if it would show none.

    With "not enough data", `sessions` of `repeats` runs for each version would show a change of the margin.
    """

    word: Word
    shows_percent: float | None = None
    sessions: int | None = None
    repeats: int | None = None


def verdict(
    effect: Effect,
    p: float | None,
    margin_percent: float,
    *,
    sessions: int,
    repeats: int,
    together: bool,
    figures: int = 1,
) -> Verdict:
    """Return the verdict on an effect with adjusted `p`, from a number of sessions of each version with some repeats each.

    "different" if `p` is below `LIMIT`. Otherwise "same" if the interval is within the margin, as by two one-sided tests
    (Schuirmann 1987), here at half the usual level. `together`: each session has runs of both versions. `figures`: how many of
    its kind are compared.
    """
    low, high = effect.low_percent, effect.high_percent
    data = {"sessions": sessions, "repeats": repeats}
    shows = shown_percent(effect.spread, **data, together=together, figures=figures)
    if p is not None and p < LIMIT:
        return Verdict("different", shows)
    if low is not None and high is not None and -margin_percent < low and high < margin_percent:
        return Verdict("same", shows)
    return Verdict("not enough data", shows, *needed(effect, margin_percent, **data, together=together, figures=figures))


def shown_percent(spread: Deviations, *, sessions: int, repeats: int, together: bool, figures: int = 1) -> float | None:
    """Return the smallest change that so many sessions and repeats of each version show with probability `POWER`.

    Also if no other one of `figures` changes. None if they show no change, such as one session of each version.
    """
    if not together and (sessions < 2 or spread.sessions is None):
        return None
    found = _precision(spread, sessions, repeats, together=together)
    if found is None:
        return None
    place = bisect_left(_PERCENTS, True, key=lambda percent: _shows(math.log1p(percent / 100), *found, LIMIT / figures))
    return _PERCENTS[place] if place < len(_PERCENTS) else None


def needed(
    effect: Effect, margin_percent: float, *, sessions: int, repeats: int, together: bool, figures: int = 1
) -> tuple[int | None, int | None]:
    """Return more sessions and repeats for each version that show a change of the margin with probability `POWER`.

    Also if no other one of `figures` changes. None if the spread is unknown, or if more than 1000 were needed.
    """
    spread, aim, level = effect.spread, math.log1p(margin_percent / 100), LIMIT / figures

    def shows(sessions: int, repeats: int) -> bool:
        found = _precision(spread, sessions, repeats, together=together)
        return found is not None and _shows(aim, *found, level)

    if together and spread.changes is None:
        runs = _least(repeats + 1, lambda count: shows(1, count))
        return (None, None) if runs is None else (1, runs)
    count = _least(sessions + 1, lambda count: shows(count, repeats))
    return count, None if count is None else repeats


def _precision(spread: Deviations, sessions: int, repeats: int, *, together: bool) -> tuple[float, int] | None:
    """The variance of the estimate of a change, and its degrees of freedom. None if the spread is unknown."""
    if together and spread.changes is not None:
        return spread.changes**2 / sessions, sessions - 1
    if together:
        return None if spread.runs is None or repeats < 2 else (2 * spread.runs**2 / repeats, 2 * repeats - 2)
    if spread.runs is None and spread.sessions is None:
        return None
    between = USUAL_SESSIONS if spread.sessions is None else spread.sessions
    return 2 * (between**2 + (spread.runs or 0.0) ** 2 / repeats) / sessions, 2 * sessions - 2


def _least(start: int, shows: Callable[[int], bool]) -> int | None:
    """The smallest number from `start` on that suffices."""
    numbers = range(max(2, start), _MOST)
    place = bisect_left(numbers, True, key=shows)
    return numbers[place] if place < len(numbers) else None


def _shows(aim: float, variance: float, freedom: int, level: float) -> bool:
    """Whether a t-test at this level finds a change of `aim` with probability `POWER`, given the variance of its estimate."""
    return not variance or aim >= math.sqrt(variance) * _least_effect(freedom, level)


@lru_cache(maxsize=4096)
def _least_effect(freedom: int, level: float) -> float:
    """The smallest change that a t-test at this level finds with probability `POWER`, in standard errors of its estimate.

    It is the same for all figures of a kind, so it is computed once.
    """
    limit = float(stats().t.ppf(1 - level / 2, freedom))

    def surplus(effect: float) -> float:
        return float(stats().nct.sf(limit, freedom, effect)) - POWER

    most = 2 * limit + 2  # enough for any degrees of freedom: with one, 1.75 × the limit is
    return float(extra_library("scipy.optimize", "comparing needs", "compare").brentq(surplus, 0.0, most))
