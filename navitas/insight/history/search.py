"""Find the commit that changed a figure: which commits to measure next, and when to stop.

Probabilistic bisection: each measurement splits the probability of the commits that are left, and an unclear one is repeated
(Waeber, Frazier and Henderson 2013, doi:10.1137/120861898).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from navitas.insight.history.evidence import CommitEvidence

Measure = Callable[[int, int, int], np.ndarray]
"""Measures two commits, by index, in turns. Returns the logarithm of later over earlier for each turn that counts.

Raises `UnbuildableError` for a commit that does not build, or whose tests fail.
"""
_BUILT_BONUS = 0.05
_PRECISE, _PRECISE_AT_END = 0.01, 0.004
"""The standard errors below which more turns of a pair are of no use during the search, and at its end: builds differ by more."""
_CLEAR = 2.5
_LEAST_PART = 0.5
"""The least part of the change between the ends that the step of a found commit must be."""


class UnbuildableError(Exception):
    """A commit that cannot be measured. The search goes around it."""

    def __init__(self, index: int, reason: str) -> None:
        super().__init__(reason)
        self.index = index
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Limits:
    """`error`: the accepted probability that the commit is a wrong one. `turns`: of one measurement; `most_turns` of one pair."""

    error: float = 0.05
    builds: int = 10
    turns: int = 4
    most_turns: int = 40


@dataclass(frozen=True, slots=True)
class FoundCommits:
    """The most likely commits: a single one if the search succeeded.

    `error`: the probability that none of them is right, if one commit changed the figure. `no_change`: that none did, and the
    builds of the ends differ by chance. `step`: the logarithm of the change from the commit before the likely one, if measured.
    `builds` counts the commits that were built, also those that failed, which `skipped` names with reasons.
    """

    commits: tuple[int, ...]
    error: float
    no_change: float
    step: float | None
    builds: int
    skipped: dict[int, str]
    evidence: CommitEvidence


def most_builds(commits: int) -> int:
    """Return the default limit of builds: both ends, plain bisection, and three more."""
    return 2 + math.ceil(math.log2(max(commits, 1))) + 3


class _State(NamedTuple):
    """What was built, what could not be, and how many turns of each pair were requested."""

    built: set[int]
    skipped: dict[int, str]
    requested: defaultdict[tuple[int, int], int]


def search(
    evidence: CommitEvidence, measure: Measure, limits: Limits, on_step: Callable[[np.ndarray], None] = lambda left: None
) -> FoundCommits:
    """Find the commit that changed a figure between commit 0 and `evidence.last`, which `evidence` must already compare.

    A single commit is returned only if its change from the commit before it is clear, and most of the change between the ends.
    `on_step` receives the probabilities of commits 1, 2, … after each measurement, if one of them changed the figure.
    """
    last = evidence.last
    state = built, skipped, requested = _State({0, last}, {}, defaultdict(int))
    for known in evidence.pairs:
        requested[known.earlier, known.later] += max(len(known.changes), 1)
    while True:
        no_change, *rest = evidence.probabilities()
        probabilities = np.array(rest) / sum(rest)
        on_step(probabilities)
        likely = int(np.argmax(rest)) + 1
        is_found = last == 1 or (rest[likely - 1] >= 1 - limits.error and is_most(evidence, likely))
        pair = None if is_found else _next(rest, evidence, state, limits)
        if pair is None:
            commits, error = _likely(probabilities, limits, is_found=is_found)
            step = evidence.change(likely - 1, likely)
            builds = len(built | set(skipped))
            return FoundCommits(commits, error, float(no_change), step and step[0], builds, skipped, evidence)
        requested[pair] += limits.turns
        try:
            changes = measure(*pair, limits.turns)
        except UnbuildableError as error:
            skipped[error.index] = error.reason
            continue
        built.update(pair)
        evidence.add(*pair, changes)


def is_most(evidence: CommitEvidence, commit: int) -> bool:
    """Whether a commit's change from the one before it is clear, and most of the change between the ends."""
    step, whole = evidence.change(commit - 1, commit), evidence.change(0, evidence.last)
    if step is None or whole is None:
        return False
    (size, error), direction = step, np.sign(whole[0])
    return bool(size * direction > max(_CLEAR * error, _LEAST_PART * abs(whole[0])))


def _next(rest: Sequence[float], evidence: CommitEvidence, state: _State, limits: Limits) -> tuple[int, int] | None:
    """The next pair: one that splits the probability best, or the likely commit and the one before it. None at the end."""
    likely, last = int(np.argmax(rest)) + 1, len(rest)
    built, skipped, requested = state
    room = limits.builds - len(built | set(skipped))
    is_sure = rest[likely - 1] >= 1 - limits.error
    precise = _PRECISE_AT_END if is_sure else _PRECISE

    def is_possible(earlier: int, later: int) -> bool:
        known = evidence.change(earlier, later)
        return (
            not {earlier, later} & set(skipped)
            and len({earlier, later} - built) <= room
            and requested[earlier, later] + limits.turns <= limits.most_turns
            and (known is None or known[1] > precise)
        )

    neighbours = (likely - 1, likely)
    if is_sure:
        return neighbours if is_possible(*neighbours) else None
    bad = np.cumsum(rest) / sum(rest)  # of each commit 1, 2, … to contain the change
    scores = {
        index: _entropy(bad[index - 1]) + _BUILT_BONUS * (index in built) for index in range(1, last) if is_possible(0, index)
    }
    best = max(scores, key=lambda index: scores[index], default=None)
    if best is not None and limits.error < 2 * min(bad[best - 1], 1 - bad[best - 1]):
        return 0, best
    # If builds can differ by as much, further builds show that they do not.
    others = [neighbours, (0, last)] + ([] if best is None else [(0, best)])
    return next((pair for pair in others if is_possible(*pair)), None)


def _entropy(probability: float) -> float:
    both = np.clip([probability, 1 - probability], 1e-12, 1)
    return float(-(both * np.log2(both)).sum())


def _likely(probabilities: np.ndarray, limits: Limits, *, is_found: bool) -> tuple[tuple[int, ...], float]:
    """The most likely commits, at least two unless one is found, and the probability that it is another one."""
    order: Sequence[int] = np.argsort(-probabilities, kind="stable").tolist()
    sums = np.cumsum(probabilities[order])
    count = max(int(np.searchsorted(sums, 1 - limits.error)) + 1, 1 if is_found else 2)
    count = min(count, len(order))
    return tuple(sorted(index + 1 for index in order[:count])), max(0.0, 1 - float(sums[count - 1]))
