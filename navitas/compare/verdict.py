"""Verdicts on a change, and how much more data would show a smaller one."""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from navitas.compare.effect import Effect, stats

Word = Literal["same", "different", "not enough data"]

LIMIT = 0.05
"""A change counts at a false discovery rate of 5 %."""
POWER = 0.9
USUAL_SESSIONS = 0.08
"""The standard deviation of sessions if there is only one: that of ten sessions with a power meter (Nexus 5X, S2-group)."""
_MOST = 1000


@dataclass(frozen=True, slots=True)
class Verdict:
    """`word` on a change; with "not enough data", `sessions` of `repeats` runs for each version would show `margin_percent`."""

    word: Word
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
    if p is not None and p < LIMIT:
        return Verdict("different")
    if low is not None and high is not None and -margin_percent < low and high < margin_percent:
        return Verdict("same")
    data = {"sessions": sessions, "repeats": repeats}
    return Verdict("not enough data", *needed(effect, margin_percent, **data, together=together, figures=figures))


def needed(
    effect: Effect, margin_percent: float, *, sessions: int, repeats: int, together: bool, figures: int = 1
) -> tuple[int | None, int | None]:
    """Return more sessions and repeats for each version that show a change of the margin with probability `POWER`.

    Also if no other one of `figures` changes. None if the spread is unknown, or if more than 1000 were needed.
    """
    spread, aim, level = effect.spread, math.log1p(margin_percent / 100), LIMIT / figures
    changes = spread.changes
    if together and changes is not None:
        count = _least(sessions + 1, lambda n: _shows(aim, changes**2 / n, n - 1, level))
        return count, None if count is None else repeats
    if together:
        runs = spread.runs
        found = None if runs is None else _least(repeats + 1, lambda n: _shows(aim, 2 * runs**2 / n, 2 * n - 2, level))
        return (None, None) if found is None else (1, found)
    if spread.runs is None and spread.sessions is None:
        return None, None
    between = USUAL_SESSIONS if spread.sessions is None else spread.sessions
    variance = 2 * (between**2 + (spread.runs or 0.0) ** 2 / repeats)
    count = _least(max(2, sessions + 1), lambda n: _shows(aim, variance / n, 2 * n - 2, level))
    return count, None if count is None else repeats


def _least(start: int, shows: Callable[[int], bool]) -> int | None:
    """The smallest number from `start` on that suffices."""
    numbers = range(max(2, start), _MOST)
    place = bisect_left(numbers, True, key=shows)
    return numbers[place] if place < len(numbers) else None


def _shows(aim: float, variance: float, freedom: int, level: float) -> bool:
    """Whether a t-test at this level finds a change of `aim` with probability `POWER`, given the variance of its estimate."""
    if not variance:
        return True
    limit = stats().t.ppf(1 - level / 2, freedom)
    return bool(stats().nct.sf(limit, freedom, aim / math.sqrt(variance)) >= POWER)
