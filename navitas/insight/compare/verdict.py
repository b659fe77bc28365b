"""Verdicts on a change, which change the data would show, and how much more data would show a smaller one."""

from __future__ import annotations

import math
from bisect import bisect_left
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple

import numpy as np

from navitas.base.extra_libraries import extra_library
from navitas.insight.compare.effect import Deviations, Effect, stats

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
_CHANGES = [math.log1p(percent / 100) for percent in _PERCENTS]


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
    if not together and spread.sessions is None:
        return None
    precise = precision(spread, repeats, together=together)
    count = repeats if together and spread.changes is None else sessions
    if precise is None or count < 2:
        return None
    place = bisect_left(_CHANGES, precise.deviation * _least_changes(precise.sides, LIMIT / figures)[count])
    return _PERCENTS[place] if place < len(_PERCENTS) else None


def needed(
    effect: Effect, margin_percent: float, *, sessions: int, repeats: int, together: bool, figures: int = 1
) -> tuple[int | None, int | None]:
    """Return more sessions and repeats for each version that show a change of the margin with probability `POWER`.

    Also if no other one of `figures` changes. None if the spread is unknown, or if more than 1000 were needed.
    """
    aim, level, by_runs = math.log1p(margin_percent / 100), LIMIT / figures, together and effect.spread.changes is None
    precise = precision(effect.spread, repeats, together=together)
    if precise is None:
        return None, None
    numbers = range(max(2, 1 + (repeats if by_runs else sessions)), _MOST)
    least = _least_changes(precise.sides, level)
    aim_deviations = aim / precise.deviation if precise.deviation else math.inf
    place = bisect_left(numbers, True, key=lambda count: least[count] <= aim_deviations)
    if place == len(numbers):
        return None, None
    return (1, numbers[place]) if by_runs else (numbers[place], repeats)


class Precision(NamedTuple):
    """The standard deviation of the estimate of a change from n values for each version is `deviation` / √n.

    A value is a session, or a run if versions have runs in one session only. `sides`: how many deviations are estimated.
    """

    deviation: float
    sides: int


def precision(spread: Deviations, repeats: int, *, together: bool) -> Precision | None:
    """Return the precision of sessions with `repeats` runs, or of the runs of one. None if the spread is unknown."""
    if together and spread.changes is not None:
        return Precision(spread.changes, 1)
    if together:
        return None if spread.runs is None else Precision(math.sqrt(2) * spread.runs, 2)
    if spread.runs is None and spread.sessions is None:
        return None
    between = USUAL_SESSIONS if spread.sessions is None else spread.sessions
    return Precision(math.sqrt(2) * math.hypot(between, (spread.runs or 0.0) / math.sqrt(repeats)), 2)


class _LeastChanges(dict[int, float]):
    """By how many values each version has: the smallest change that a t-test finds with probability `POWER`.

    In standard deviations of a value's change. All figures of a kind share these numbers, so each is computed once, on first use.
    """

    def __init__(self, sides: int, level: float) -> None:
        super().__init__()
        self._sides = sides
        self._level = level

    def __missing__(self, count: int) -> float:
        freedom = self._sides * (count - 1)
        limit = float(stats().t.ppf(1 - self._level / 2, freedom))

        def surplus(effect: float) -> float:
            return float(stats().nct.sf(limit, freedom, effect)) - POWER

        most = 2 * limit + 2  # enough for any degrees of freedom: with one, 1.75 × the limit is
        brentq = extra_library("scipy.optimize", "comparing needs", "compare").brentq
        self[count] = float(brentq(surplus, 0.0, most)) / math.sqrt(count)
        return self[count]


_least_changes = lru_cache(maxsize=64)(_LeastChanges)
