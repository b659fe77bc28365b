"""Compares sessions of two versions: each figure's change, with a verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from navitas.compare.alike import check_alike, warnings
from navitas.compare.effect import Effect, adjusted, apart, within
from navitas.compare.session import Kind, Session, Subject
from navitas.compare.verdict import Verdict, verdict
from navitas.errors import UsageError

MARGIN_PERCENT = 5.0
"""A smaller change is "same", unless the user says otherwise."""
LEAST_SHARE = 0.01
"""Threads and methods with a smaller share of all energy are left out, unless the user says otherwise."""
KINDS: tuple[Kind, ...] = ("total", "component", "test", "thread", "method")


@dataclass(frozen=True, slots=True)
class FigureChange:
    """A figure before and after: geometric means, or means if some energy is 0. `p` is adjusted for all figures of its kind.

    `effect` and `verdict` are None if a run has no energy of this figure.
    """

    subject: Subject
    before_j: float
    after_j: float
    effect: Effect | None
    p: float | None
    verdict: Verdict | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """All changes of the tests that passed in all runs. `left_out` are the other tests; the rest are figures of one version."""

    changes: tuple[FigureChange, ...]
    removed: tuple[Subject, ...]
    added: tuple[Subject, ...]
    left_out: tuple[str, ...]
    warnings: tuple[str, ...]


def compare(
    before: Sequence[Session], after: Sequence[Session], *, together: bool, margin_percent: float, least_share: float
) -> Comparison:
    """Compare two versions.

    `together`: the i-th sessions of both versions were one session, with their runs in mixed order. `margin_percent`: how small
    a change has to be for "same". `least_share`: the share of all energy, in either version, below which methods and threads
    are left out.

    Raises `UsageError` if the devices or power profiles differ, a session is listed twice, or no test passed in all runs.
    """
    sessions = [*before, *after]
    check_alike(sessions)
    tests = set.intersection(*(set(session.tests) for session in sessions))
    left_out = set[str]().union(*(set(session.tests) | session.not_passed for session in sessions)) - tests
    if not tests:
        raise UsageError("no test passed in all runs of all sessions", "Compare recordings of the same tests.")
    joules = [[session.joules(sorted(tests)) for session in side] for side in (before, after)]
    subjects = [{subject for session in side for subject in session} for side in joules]
    changes: list[FigureChange] = []
    for kind in KINDS:
        shared = sorted(subject for subject in subjects[0] & subjects[1] if subject.kind == kind)
        values = {one: [[_of(session, one) for session in side] for side in joules] for one in shared}
        means = {one: (_mean(values[one][0]), _mean(values[one][1])) for one in shared}
        kept = [one for one in shared if kind not in ("thread", "method") or _share(means[one], changes) >= least_share]
        kept.sort(key=lambda one: -max(means[one]))
        effects = [(within if together else apart)(*values[one]) for one in kept]
        count, repeats = min(len(before), len(after)), min(len(session.repeats) for session in sessions)
        for one, effect, p in zip(kept, effects, adjusted(effects), strict=True):
            judged = None
            if effect is not None:
                judged = verdict(effect, p, margin_percent, sessions=count, repeats=repeats, together=together)
            changes.append(FigureChange(one, *means[one], effect, p, judged))
    removed, added = (tuple(sorted(side)) for side in (subjects[0] - subjects[1], subjects[1] - subjects[0]))
    notes = warnings(before, after, sorted(left_out), together)
    return Comparison(tuple(changes), removed, added, tuple(sorted(left_out)), notes)


def _of(session: dict[Subject, np.ndarray], subject: Subject) -> np.ndarray:
    """The runs of a session: 0 J where it never used a thread or method."""
    return session.get(subject, np.zeros(1))


def _mean(sessions: Sequence[np.ndarray]) -> float:
    if all(np.all(session > 0) for session in sessions):
        return float(np.exp(np.mean([np.log(session).mean() for session in sessions])))
    return float(np.mean([session.mean() for session in sessions]))


def _share(means: tuple[float, float], changes: Sequence[FigureChange]) -> float:
    """The larger share of a figure in the total, which is the first change; 1 without a total."""
    if not changes:
        return 1.0
    totals = (changes[0].before_j, changes[0].after_j)
    return max(mean / total if total > 0 else 1.0 for mean, total in zip(means, totals, strict=True))
