"""Figures that differ between two commits that were measured in turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from navitas.compare.effect import LEVEL
from navitas.compare.session import Kind, Session, Subject
from navitas.extra_libraries import extra_library

LIMIT = 0.05
"""The share of false ones that is expected among the steps of all figures."""
LEAST_PERCENT = 2.0
"""Smaller changes are no steps: each build's code is laid out and compiled differently."""
_LEAST_SHARE = 0.01
_LEAST_TURNS = 3
_ROUNDING = 1e-12


class SessionPair(NamedTuple):
    """Two commits that were measured in turns."""

    earlier: Session
    later: Session


@dataclass(frozen=True, slots=True)
class Step:
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
    """Return the logarithms of later over earlier, by turn. None if a run has no energy of the figure, or no turn has both."""
    both = sorted(set(pair.earlier.repeats) & set(pair.later.repeats))
    sides = []
    for session in pair:
        values = session.joules(sorted(tests)).get(subject)
        if values is None or not both:
            return None
        sides.append(np.array([values[session.repeats.index(turn)] for turn in both]))
    earlier, later = sides
    return np.log(later / earlier) if np.all(earlier > 0) and np.all(later > 0) else None


def all_steps(pairs: Sequence[SessionPair], kinds: Sequence[Kind]) -> list[Step]:
    """Return the change of each figure of some kinds in all turns of two commits, the clearest first.

    Left out are figures with less than 1 % of all energy, and those without energy in some run.
    """
    tests = shared_tests(pairs)
    if not tests:
        return []
    joules = [session.joules(sorted(tests)) for pair in pairs for session in pair]
    total = sum(float(one[Subject("total", "all tests")].mean()) for one in joules)
    subjects = set.intersection(*(set(one) for one in joules))
    shown = [
        one
        for one in sorted(subjects)
        if one.kind in kinds and sum(float(side[one].mean()) for side in joules) >= _LEAST_SHARE * total
    ]
    found = [step for one in shown if (step := _step(pairs, tests, one)) is not None]
    if found:
        adjusted = _stats().false_discovery_control([one.p for one in found])
        found = [
            Step(one.subject, one.percent, one.low_percent, one.high_percent, float(p), one.t)
            for one, p in zip(found, adjusted, strict=True)
        ]
    return sorted(found, key=lambda one: -abs(one.t))


def is_clear(step: Step, limit: float = LIMIT) -> bool:
    """Whether a figure changed, and by more than builds of the same code differ."""
    return step.p <= limit and abs(step.percent) >= LEAST_PERCENT


def _step(pairs: Sequence[SessionPair], tests: set[str], subject: Subject) -> Step | None:
    parts = [turn_changes(pair, tests, subject) for pair in pairs]
    known = [part for part in parts if part is not None]
    changes = np.concatenate(known) if len(known) == len(parts) else np.array([])
    if len(changes) < _LEAST_TURNS:
        return None
    error = max(float(changes.std(ddof=1)) / np.sqrt(len(changes)), _ROUNDING)
    mean = float(changes.mean()) if abs(changes.mean()) > _ROUNDING else 0.0
    half = float(_stats().t.ppf((1 + LEVEL) / 2, len(changes) - 1)) * error
    percent, low, high = (float(100 * np.expm1(value)) for value in (mean, mean - half, mean + half))
    return Step(subject, percent, low, high, float(2 * _stats().t.sf(abs(mean) / error, len(changes) - 1)), mean / error)


def _stats() -> Any:
    return extra_library("scipy.stats", "bisecting needs", "history")
