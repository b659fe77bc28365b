"""Find the commit and the methods of a change in energy, by a function that measures two commits in turns."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from navitas.base.errors import BuildError, RecordingError, UsageError
from navitas.base.untrusted_text import printable, printable_line, printable_list
from navitas.insight.compare.effect import LEVEL, false_discovery, stats
from navitas.insight.compare.figures import FigureChoice
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import ALL_TESTS, Subject
from navitas.insight.history.evidence import CommitEvidence
from navitas.insight.history.search import FoundCommits, Limits, UnbuildableError, search

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
    adjusted = false_discovery([one.p for one in found])
    found = [replace(one, p=p) for one, p in zip(found, adjusted, strict=True)]
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


MeasurePair = Callable[[int, int, int], SessionPair]
"""Builds two commits, by index, unless they are built, and measures them in turns (the third argument).

Raises `BuildError`, `RecordingError` or `UsageError` if that fails: a commit that was not measured before is then skipped.
"""


@dataclass(frozen=True, slots=True)
class Bisection:
    """`change` is the clearest change between the ends, None if no figure of `compared` differs. `found` are the likely commits.

    `methods` are those whose self energy changed at a single found commit, largest change first. `turns`: how many were measured.
    """

    change: FigureStep | None
    compared: tuple[FigureStep, ...]
    found: FoundCommits | None
    methods: tuple[FigureStep, ...]
    turns: int


def bisect(
    commits: Sequence[str],
    measure: MeasurePair,
    choice: FigureChoice | None = None,
    limits: Limits | None = None,
    on_note: Callable[[str], None] | None = None,
) -> Bisection:
    """Search among commits, given by name from the good one to the bad one, in the order of the history.

    `choice`: the figures that count, by default the app energy of all tests and of each test. `on_note` receives what is known so
    far, as text. Raises `UsageError` if no test passed in all runs of both ends, or if no figure matches, and the errors of
    `measure` for commits that were measured before.
    """
    note = on_note or (lambda text: None)
    search_of = CommitSearch(commits, measure, limits or Limits(), note)
    change, compared = search_of.changed_figure(choice or FigureChoice())
    if change is None:
        return Bisection(None, tuple(compared), None, (), search_of.turns)
    note(f"{printable(change.subject.described)}: {change.percent:+.1f} %")
    found = search_of.find_commit(change.subject)
    methods = search_of.stepped_methods(found.commits[0]) if len(found.commits) == 1 else []
    return Bisection(change, tuple(compared), found, tuple(methods), search_of.turns)


@dataclass(slots=True)
class CommitSearch:
    """The commits of a bisection, and the sessions of each measured pair so far."""

    commits: Sequence[str]
    measure_pair: MeasurePair
    limits: Limits
    on_note: Callable[[str], None] = lambda text: None
    sessions: dict[tuple[int, int], list[SessionPair]] = field(default_factory=lambda: defaultdict(list))

    @property
    def turns(self) -> int:
        """How many turns were measured."""
        return sum(len(set(pair.earlier.repeats) & set(pair.later.repeats)) for pairs in self.sessions.values() for pair in pairs)

    def measure(self, earlier: int, later: int) -> SessionPair:
        """Measure two commits in as many turns as one measurement has."""
        pair = self.measure_pair(earlier, later, self.limits.turns)
        self.sessions[earlier, later].append(pair)
        return pair

    def changed_figure(self, choice: FigureChoice) -> tuple[FigureStep | None, list[FigureStep]]:
        """Measure the first and the last commit until a figure differs, or the turns are used up.

        Returns the clearest change or None, and all compared ones: of the figures that a pattern names, by default of all tests,
        each test and each method. Raises `UsageError` if no test passed in both, or no figure matches.
        """
        last = len(self.commits) - 1
        compared: list[FigureStep] = []
        for _ in range(self._looks):
            self.measure(0, last)
            pairs = self.sessions[0, last]
            if not (tests := shared_tests(pairs)):
                raise UsageError(
                    "no test passed in all runs of both revisions", "Correct the tests, or name others with --tests."
                )
            compared = all_steps(pairs, lambda one: choice.limits(one) or (one.kind == "method" and choice.includes(one)))
            # Figures with too few turns to compare exist, too.
            subjects = set.intersection(*(set(session.joules(tests)) for pair in pairs for session in pair))
            if not any(map(choice.includes, subjects)):
                raise choice.none_matches(sorted(subjects))
            if clear := [one for one in compared if is_clear(one, LIMIT / self._looks)]:
                return clear[0], compared
        return None, compared

    def find_commit(self, subject: Subject) -> FoundCommits:
        """Search for the commit that changed a figure, after `changed_figure`."""
        last = len(self.commits) - 1
        tests = shared_tests(self.sessions[0, last])
        evidence, passed = CommitEvidence(last), {0, last}
        for pair in self.sessions[0, last]:
            changes = turn_changes(pair, tests, subject)
            assert changes is not None  # its change was compared
            evidence.add(0, last, changes)

        def measure(earlier: int, later: int, turns: int) -> np.ndarray:
            measured = {commit for pair in self.sessions for commit in pair}
            blamed = earlier if later == last or (later in measured and earlier != 0) else later
            try:
                pair = self.measure(earlier, later)
            except (BuildError, RecordingError, UsageError) as error:
                if blamed in measured:
                    raise
                raise UnbuildableError(blamed, printable_line(error.message.split("\n")[0], 300)) from error
            for index, session in zip((earlier, later), pair, strict=True):
                if not (missing := sorted(tests - set(session.tests))):
                    passed.add(index)
                    continue
                reason = f"did not pass: {printable_list(missing, 3)}"
                if index not in passed:
                    raise UnbuildableError(index, reason)
                self.on_note(f"  {self.commits[index]} {reason}, but passed before: these turns do not count")
                return np.array([])
            changes = turn_changes(pair, tests, subject)
            if changes is None:
                raise UnbuildableError(blamed, f"no energy of {subject.name}")
            percent = f"{100 * np.expm1(changes.mean()):+.1f} %" if len(changes) else "nothing"
            self.on_note(f"{self.commits[later]} against {self.commits[earlier]}: {percent} in {len(changes)} turns")
            return changes

        def on_step(left: np.ndarray) -> None:
            best = int(np.argmax(left))
            count = int(np.sum(left > self.limits.error / len(left)))
            self.on_note(f"  likely: {self.commits[best + 1]} ({100 * left[best]:.1f} %), one of {count}")

        return search(evidence, measure, self.limits, on_step)

    def stepped_methods(self, commit: int) -> list[FigureStep]:
        """Return the methods whose self energy changed at a commit, largest change first.

        Measures the commit and the one before it until a method differs, or the turns are used up. Empty if the one before it was
        not measured.
        """
        if not any(commit - 1 in pair for pair in self.sessions):
            return []
        pairs = self.sessions[commit - 1, commit]
        while True:
            steps = all_steps(pairs, lambda one: one.kind == "method") if pairs else []
            found = [one for one in steps if is_clear(one, LIMIT / self._looks)]
            if found or len(pairs) >= self._looks:
                return sorted(found, key=lambda one: -abs(one.percent))
            self.measure(commit - 1, commit)

    @property
    def _looks(self) -> int:
        return self.limits.most_turns // self.limits.turns
