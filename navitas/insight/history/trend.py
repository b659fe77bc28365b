"""Which sessions belong together, and their order; the trend of each figure over them, and its change points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from navitas.base.errors import UsageError
from navitas.insight.compare.effect import LEVEL, Effect, effect_between, false_discovery, stats
from navitas.insight.compare.figures import KINDS, FigureChoice, has_share
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import ALL_TESTS, Subject
from navitas.insight.history.change_points import LIMIT, change_points, first_p, is_drift

_Series = dict[Subject, list[tuple[int, np.ndarray]]]
LEAST_SESSIONS = 4
"""The fewest sessions for change points."""


class SessionSeries(NamedTuple):
    """Sessions that can be compared, in order. `left_out`: how many others there are."""

    sessions: tuple[Session, ...]
    left_out: int


def latest_series(sessions: Sequence[Session]) -> SessionSeries:
    """Return the sessions of the device, power profile and project of the latest session, by time."""
    ordered = sorted(sessions, key=lambda one: one.created_utc)
    groups = [(one.device, one.power_profile, one.origin.project) for one in ordered]
    kept = [one for one, group in zip(ordered, groups, strict=True) if group == groups[-1]]
    return SessionSeries(tuple(kept), len(ordered) - len(kept))


def by_revision(sessions: Sequence[Session], revisions: Sequence[str]) -> list[Session]:
    """Return sessions in the order of their revisions, then by time. Those of other revisions are placed by time."""
    place = {revision: index for index, revision in enumerate(revisions)}
    ordered = sorted(
        (one for one in sessions if one.origin.revision in place),
        key=lambda one: (place[one.origin.revision], bool(one.origin.dirty), one.created_utc),
    )
    for one in sorted((one for one in sessions if one.origin.revision not in place), key=lambda one: one.created_utc):
        later = next((i for i, other in enumerate(ordered) if other.created_utc > one.created_utc), len(ordered))
        ordered.insert(later, one)
    return ordered


def latest_of_each(sessions: Sequence[Session]) -> list[Session]:
    """Leave out all but the last of the sessions that ran in turns: what shifts one of them shifts all."""
    last = {one.session: index for index, one in enumerate(sessions)}
    return [one for index, one in enumerate(sessions) if not one.session or last[one.session] == index]


def labels(sessions: Sequence[Session]) -> list[str]:
    """A short revision (`+`: with changes) for each session, or its time. Those of the same revision also have their times."""
    origins = [one.origin for one in sessions]
    revisions = [f"{origin.revision[:8]}{'+' if origin.dirty else ''}" if origin.revision else "" for origin in origins]
    found = [revision or one.created_utc[:19] for revision, one in zip(revisions, sessions, strict=True)]
    return [
        f"{text} {one.created_utc[:16]}" if one.origin.revision and found.count(text) > 1 else text
        for text, one in zip(found, sessions, strict=True)
    ]


@dataclass(frozen=True, slots=True)
class ChangePoint:
    """The level of a figure changes from the session `before` to `after` (indexes). `effect` is between the levels around it."""

    before: int
    after: int
    effect: Effect


@dataclass(frozen=True, slots=True)
class Slope:
    """Percent per session, by the median of all pairs of sessions (Theil-Sen), with a 95 % interval."""

    percent: float
    low_percent: float
    high_percent: float


@dataclass(frozen=True, slots=True)
class FigureTrend:
    """A figure in the sessions that have it (indexes): geometric means of their runs, or means if some energy is not above 0.

    `p`: of no change, adjusted for all figures of its kind. It and `slope` are None if there are too few sessions, or some have
    no energy. `drifts`: it changes steadily, rather than between two sessions.
    """

    subject: Subject
    sessions: tuple[int, ...]
    energies_j: tuple[float, ...]
    slope: Slope | None
    p: float | None
    change_points: tuple[ChangePoint, ...]
    drifts: bool = False


def trends(sessions: Sequence[Session], choice: FigureChoice, least_share: float) -> tuple[FigureTrend, ...]:
    """Return the trends of a choice's figures. All but those of single tests are sums over the tests that all sessions have.

    `least_share`: the share of the energy of all tests, in any session, below which threads and methods are left out.
    Raises `UsageError` if no test is in all sessions, or no figure is in the choice.
    """
    tests = common_tests(sessions)
    if not tests:
        raise UsageError("no test passed in all runs of all sessions", "Keep a history for each set of tests.")
    joules = [one.joules(sorted(tests)) for one in sessions]
    totals = [float(one[Subject("all", ALL_TESTS, choice.energy)].mean()) for one in joules]
    found: list[FigureTrend] = []
    shown = {
        subject
        for one, total in zip(joules, totals, strict=True)
        for subject, runs in one.items()
        if choice.includes(subject) and has_share(subject, float(runs.mean()), total, least_share)
    }
    for kind in KINDS:
        if kind == "test":
            found += _of_kind(_of_tests(sessions, choice))
            continue
        subjects = sorted(subject for subject in shown if subject.kind == kind)
        found += _of_kind({one: [(i, session.get(one, np.zeros(1))) for i, session in enumerate(joules)] for one in subjects})
    if not found:
        raise choice.none_matches(joules[-1])
    return tuple(found)


def common_tests(sessions: Sequence[Session]) -> set[str]:
    """Return the tests that passed in all runs of all sessions."""
    return set.intersection(*(set(session.tests) for session in sessions))


def _of_tests(sessions: Sequence[Session], choice: FigureChoice) -> _Series:
    """Each test in the sessions that have it."""
    series: _Series = {}
    for index, session in enumerate(sessions):
        for name in session.tests:
            one = Subject("test", name, choice.energy)
            if choice.includes(one):
                series.setdefault(one, []).append((index, session.joules([name])[one]))
    return series


def _of_kind(series: _Series) -> list[FigureTrend]:
    levels = {subject: _levels([runs for _, runs in values]) for subject, values in series.items()}
    known = {subject: values for subject, values in levels.items() if values is not None and len(values) >= LEAST_SESSIONS}
    adjusted = dict(zip(known, false_discovery([first_p(values) for values in known.values()]), strict=True))
    found = [_trend(subject, values, levels[subject], adjusted.get(subject)) for subject, values in series.items()]
    return sorted(found, key=lambda one: -one.energies_j[-1])


def _trend(subject: Subject, values: Sequence[tuple[int, np.ndarray]], levels: np.ndarray | None, p: float | None) -> FigureTrend:
    indexes, runs = tuple(index for index, _ in values), [one for _, one in values]
    if levels is None:
        return FigureTrend(subject, indexes, tuple(float(one.mean()) for one in runs), None, None, ())
    points = []
    is_changed = p is not None and p <= LIMIT
    drifts = is_changed and is_drift(levels)
    if is_changed:
        starts = change_points(levels)
        bounds = [0, *starts, len(levels)]
        for left, start, right in zip(bounds, starts, bounds[2:], strict=False):
            effect = effect_between(runs[left:start], runs[start:right])
            assert effect is not None  # all energies are above 0
            points.append(ChangePoint(indexes[start - 1], indexes[start], effect))
    energies = tuple(np.exp(levels).tolist())
    return FigureTrend(subject, indexes, energies, _slope(levels), p, tuple(points), drifts)


def _levels(runs: Sequence[np.ndarray]) -> np.ndarray | None:
    if not all(np.all(one > 0) for one in runs):
        return None
    return np.array([np.log(one).mean() for one in runs])


def _slope(levels: np.ndarray) -> Slope | None:
    if len(levels) < LEAST_SESSIONS:
        return None
    slope, _, low, high = stats().theilslopes(levels, alpha=LEVEL)
    return Slope(*(float(100 * np.expm1(value)) for value in (slope, low, high)))
