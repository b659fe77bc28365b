"""Figures that differ between two commits that were measured in turns."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from navitas.compare.effect import LEVEL, stats
from navitas.compare.session import ALL_TESTS, Session, Subject

LIMIT = 0.05
"""The share of false ones that is expected among the steps of all figures."""
LEAST_PERCENT = 2.0
"""Smaller changes are no steps: each build's code is laid out and compiled differently."""
_LEAST_SHARE = 0.01
_LEAST_TURNS = 3
_TRIM = 0.2
"""The share of runs at each end that does not count, since some runs are far off (Yuen 1974, doi:10.1093/biomet/61.1.165)."""
_ROUNDING = 1e-12


class SessionPair(NamedTuple):
    """Two commits that were measured in turns."""

    earlier: Session
    later: Session


@dataclass(frozen=True, slots=True)
class FigureStep:
    """A figure's change in percent, with a 95 % interval.

    `p` is adjusted for all compared figures. `t` is the change in units of its standard error.
    """

    subject: Subject
    percent: float
    low_percent: float
    high_percent: float
    p: float
    t: float


def shared_tests(pairs: Sequence[SessionPair]) -> set[str]:
    """Return the tests that passed in all runs."""
    return set.intersection(*(set(session.tests) for pair in pairs for session in pair))


def turn_changes(pair: SessionPair, tests: set[str], subject: Subject) -> np.ndarray | None:
    """Return the logarithms of later over earlier, by turn. None if a run has no energy of the figure."""
    both = sorted(set(pair.earlier.repeats) & set(pair.later.repeats))
    sides = []
    for session in pair:
        values = session.joules(sorted(tests)).get(subject)
        if values is None:
            return None
        sides.append(np.array([values[session.repeats.index(turn)] for turn in both]))
    earlier, later = sides
    return np.log(later / earlier) if np.all(earlier > 0) and np.all(later > 0) else None


def shared_subjects(pairs: Sequence[SessionPair]) -> set[Subject]:
    """Return the figures that all sessions have, also those with too few turns to compare."""
    tests = sorted(shared_tests(pairs))
    found = [set(session.joules(tests)) for pair in pairs for session in pair]
    return set.intersection(*found) if found else set()


def all_steps(pairs: Sequence[SessionPair], includes: Callable[[Subject], bool]) -> list[FigureStep]:
    """Return the change of each included figure in all turns of two commits, the clearest first.

    Left out are figures with less than 1 % of the app energy of all tests, and those without energy in some run.
    """
    tests = shared_tests(pairs)
    if not tests:
        return []
    joules = [session.joules(sorted(tests)) for pair in pairs for session in pair]
    total = sum(float(one[Subject("all", ALL_TESTS, "app")].mean()) for one in joules)
    subjects = set.intersection(*(set(one) for one in joules))
    shown = [
        one
        for one in sorted(subjects)
        if includes(one) and sum(float(side[one].mean()) for side in joules) >= _LEAST_SHARE * total
    ]
    found = [step for one in shown if (step := _step([side[one] for side in joules], one)) is not None]
    if found:
        adjusted = stats().false_discovery_control([one.p for one in found])
        found = [
            FigureStep(one.subject, one.percent, one.low_percent, one.high_percent, float(p), one.t)
            for one, p in zip(found, adjusted, strict=True)
        ]
    return sorted(found, key=lambda one: -abs(one.t))


def is_clear(step: FigureStep, limit: float = LIMIT) -> bool:
    """Whether a figure changed, and by more than builds of the same code differ."""
    return step.p <= limit and abs(step.percent) >= LEAST_PERCENT


def _step(runs: Sequence[np.ndarray], subject: Subject) -> FigureStep | None:
    """`runs` are of the earlier and the later session of each pair, one after the other."""
    if not all(np.all(one > 0) for one in runs):
        return None
    sides = [_centered(np.log(one), np.log(other)) for one, other in zip(runs[::2], runs[1::2], strict=True)]
    earlier, later = (np.concatenate([side[i] for side in sides]) for i in (0, 1))
    if min(len(earlier), len(later)) < _LEAST_TURNS:
        return None
    if max(np.ptp(earlier), np.ptp(later)) < _ROUNDING:
        change, half, p, t = float(later[0] - earlier[0]), 0.0, 0.0, np.inf
        p, t = (1.0, 0.0) if abs(change) < _ROUNDING else (p, np.copysign(t, change))
    else:
        found = stats().ttest_ind(later, earlier, equal_var=False, trim=_TRIM)
        change = float(stats().trim_mean(later, _TRIM) - stats().trim_mean(earlier, _TRIM))
        # Each session's middle was subtracted, which makes the spread of runs too small.
        count = len(earlier) + len(later) - 2
        t = float(found.statistic) * math.sqrt(1 - (len(sides) - 1) / count)
        p = float(2 * stats().t.sf(abs(t), found.df))
        half = float(stats().t.ppf((1 + LEVEL) / 2, found.df)) * abs(change / t) if t else 0.0
    percent, low, high = (float(100 * np.expm1(value)) for value in (change, change - half, change + half))
    return FigureStep(subject, percent, low, high, p, float(t))


def _centered(earlier: np.ndarray, later: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logarithms of both commits' runs, less what the session shifts."""
    middle = (np.median(earlier) + np.median(later)) / 2
    return earlier - middle, later - middle
