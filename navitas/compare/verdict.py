"""Verdicts on a change, and how much more data would show a smaller one."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from navitas.compare.effect import Effect
from navitas.extra_libraries import extra_library

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


def verdict(effect: Effect, p: float | None, margin_percent: float, *, together: bool, repeats: int) -> Verdict:
    """Return the verdict on an effect with adjusted `p`.

    "different" if `p` is below `LIMIT`. Otherwise "same" if the interval is within the margin, as by two one-sided tests
    (Schuirmann 1987), here at half the usual level. `together`: each session has runs of both versions. `repeats`: the runs of
    a session and version.
    """
    low, high = effect.low_percent, effect.high_percent
    if p is not None and p < LIMIT:
        return Verdict("different")
    if low is not None and high is not None and -margin_percent < low and high < margin_percent:
        return Verdict("same")
    return Verdict("not enough data", *needed(effect, margin_percent, together=together, repeats=repeats))


def needed(effect: Effect, margin_percent: float, *, together: bool, repeats: int) -> tuple[int | None, int | None]:
    """Return sessions and repeats for each version that show a change of the margin with probability `POWER`.

    None if nothing is known about the spread of runs, or if more than 1000 sessions were needed.
    """
    runs = effect.spread.runs
    if runs is None:
        return None, None
    aim = math.log1p(margin_percent / 100)
    if together:
        sessions = 1
        count = next((n for n in range(max(2, repeats), _MOST) if _shows(aim, 2 * runs**2 / n, 2 * n - 2)), None)
        return (sessions, count) if count is not None else (None, None)
    between = USUAL_SESSIONS if effect.spread.sessions is None else effect.spread.sessions
    variance = 2 * (between**2 + runs**2 / repeats)
    found = next((n for n in range(2, _MOST) if _shows(aim, variance / n, 2 * n - 2)), None)
    return found, None if found is None else repeats


def _shows(aim: float, variance: float, freedom: int) -> bool:
    """Whether a t-test finds a change of `aim` with probability `POWER`, given the variance of its estimate."""
    stats = extra_library("scipy.stats", "comparing needs", "compare")
    if not variance:
        return True
    limit = stats.t.ppf(1 - LIMIT / 2, freedom)
    return bool(stats.nct.sf(limit, freedom, aim / math.sqrt(variance)) >= POWER)
