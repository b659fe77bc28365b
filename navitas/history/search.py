"""Find the commit that changed a figure: which commits to measure next, and when to stop.

Probabilistic bisection: each measurement splits the probability of the commits that are left, and an unclear one is repeated
(Waeber, Frazier and Henderson 2013, doi:10.1137/120861898).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from navitas.history.evidence import CommitEvidence

Measure = Callable[[int, int, int], np.ndarray]
"""Measures two commits, by index, in turns. Returns the logarithm of later over earlier for each turn that counts.

Raises `UnbuildableError` for a commit that does not build, or whose tests fail.
"""
_BUILT_BONUS = 0.05


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
    """The most likely commits, which together are wrong with probability `error`. A single one if the search succeeded.

    `builds` counts the commits that were built, also those that failed, which `skipped` names with reasons.
    """

    commits: tuple[int, ...]
    error: float
    builds: int
    skipped: dict[int, str]
    evidence: CommitEvidence


def most_builds(commits: int) -> int:
    """Return the default limit of builds: both ends, plain bisection, and three more."""
    return 2 + math.ceil(math.log2(max(commits, 1))) + 3


def search(
    evidence: CommitEvidence, measure: Measure, limits: Limits, on_step: Callable[[np.ndarray], None] = lambda left: None
) -> FoundCommits:
    """Find the commit that changed a figure between commit 0 and `evidence.last`, which `evidence` must already compare.

    `on_step` receives the probabilities of commits 1, 2, … after each measurement.
    """
    last = evidence.last
    built, skipped = {0, last}, dict[int, str]()
    requested: dict[tuple[int, int], int] = defaultdict(int)
    for known in evidence.pairs:
        requested[known.earlier, known.later] += max(len(known.changes), 1)
    while True:
        probabilities = evidence.probabilities()
        on_step(probabilities)
        pair = _next(probabilities, requested, built, skipped, limits)
        if pair is None:
            return _found(probabilities, len(built | set(skipped)), skipped, evidence, limits)
        requested[pair] += limits.turns
        try:
            changes = measure(*pair, limits.turns)
        except UnbuildableError as error:
            skipped[error.index] = error.reason
            continue
        built |= set(pair)
        evidence.add(*pair, changes)


def _next(
    probabilities: np.ndarray, requested: dict[tuple[int, int], int], built: set[int], skipped: dict[int, str], limits: Limits
) -> tuple[int, int] | None:
    """The next pair: one that splits the probability best, or the likely commit and the one before it. None at the end."""
    likely = int(np.argmax(probabilities)) + 1
    last = len(probabilities)
    room = limits.builds - len(built | set(skipped))
    is_sure = probabilities[likely - 1] >= 1 - limits.error

    def is_possible(earlier: int, later: int) -> bool:
        return (
            not {earlier, later} & set(skipped)
            and len({earlier, later} - built) <= room
            and requested[earlier, later] + limits.turns <= limits.most_turns
        )

    if is_sure:
        neighbours = (likely - 1, likely)
        return neighbours if not requested[neighbours] and is_possible(*neighbours) else None
    bad = np.cumsum(probabilities)  # of each commit 1, 2, … to contain the change
    scores = {
        index: _entropy(bad[index - 1]) + _BUILT_BONUS * (index in built) for index in range(1, last) if is_possible(0, index)
    }
    best = max(scores, key=lambda index: scores[index], default=None)
    if best is not None and limits.error < 2 * min(bad[best - 1], 1 - bad[best - 1]):
        return 0, best
    neighbours = (likely - 1, likely)
    return neighbours if is_possible(*neighbours) else None


def _entropy(probability: float) -> float:
    both = np.clip([probability, 1 - probability], 1e-12, 1)
    return float(-(both * np.log2(both)).sum())


def _found(
    probabilities: np.ndarray, builds: int, skipped: dict[int, str], evidence: CommitEvidence, limits: Limits
) -> FoundCommits:
    order: Sequence[int] = np.argsort(-probabilities, kind="stable").tolist()
    sums = np.cumsum(probabilities[order])
    count = min(int(np.searchsorted(sums, 1 - limits.error)) + 1, len(order))
    commits = tuple(sorted(index + 1 for index in order[:count]))
    return FoundCommits(commits, max(0.0, 1 - float(sums[count - 1])), builds, skipped, evidence)
