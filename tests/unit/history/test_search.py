"""The search for a commit, on simulated histories: it finds the commit, and its probability of error is true."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.history.evidence import CommitEvidence
from navitas.history.search import FoundCommits, Limits, UnbuildableError, most_builds, search

RUNS = 0.035
"""The standard deviation of runs within a session, as those of a power meter (shared/field/monsoon)."""


class Simulated:
    """A history in which commit `changed` adds some percent. What shifts a session shifts both commits, so it is left out."""

    def __init__(
        self, seed: int, *, last: int = 32, percent: float = 10, far_off: float = 0, broken: tuple[int, ...] = ()
    ) -> None:
        self.random = np.random.default_rng(seed)
        self.last, self.size, self.far_off, self.broken = last, np.log1p(percent / 100), far_off, broken
        self.changed = int(self.random.integers(1, last + 1))
        self.turns = 0
        self.measured: set[int] = set()

    def runs(self, commit: int, turns: int) -> np.ndarray:
        far = (self.random.random(turns) < self.far_off) * self.random.uniform(0.1, 0.5, turns)
        return (self.size if commit >= self.changed else 0.0) + self.random.normal(0, RUNS, turns) + far

    def measure(self, earlier: int, later: int, turns: int) -> np.ndarray:
        for one in (earlier, later):
            if one in self.broken:
                raise UnbuildableError(one, "does not build")
        self.turns += turns
        self.measured |= {earlier, later}
        return self.runs(later, turns) - self.runs(earlier, turns)

    def search(self, turns: int = 4) -> FoundCommits:
        evidence = CommitEvidence(self.last)
        evidence.add(0, self.last, self.measure(0, self.last, turns))
        return search(evidence, self.measure, Limits(builds=most_builds(self.last), turns=turns))


@pytest.mark.slow
def test_ten_percent_among_32_commits_is_found_with_at_most_10_builds() -> None:
    """200 histories."""
    histories = [Simulated(seed) for seed in range(200)]
    found = [one.search() for one in histories]
    exact = [one.commits == (history.changed,) for one, history in zip(found, histories, strict=True)]
    wrong = [not is_exact and len(one.commits) == 1 for is_exact, one in zip(exact, found, strict=True)]
    assert np.mean(exact) >= 0.95
    assert np.mean(wrong) <= 0.05
    assert max(one.builds for one in found) <= 10
    assert all(len(history.measured) <= 10 for history in histories)


def test_the_error_is_true_where_runs_are_far_off() -> None:
    histories = [Simulated(seed, last=8, far_off=0.2) for seed in range(25)]
    found = [one.search() for one in histories]
    misses = [history.changed not in one.commits for one, history in zip(found, histories, strict=True)]
    assert np.mean(misses) <= 0.12
    assert np.mean([one.commits == (history.changed,) for one, history in zip(found, histories, strict=True)]) >= 0.7


def test_commits_that_do_not_build_are_skipped_and_named() -> None:
    for seed in range(20):
        history = Simulated(seed, last=8, broken=(4,))
        found = history.search()
        if 4 in found.skipped:
            assert found.skipped == {4: "does not build"}
        assert history.changed in found.commits
        if history.changed in (4, 5):
            assert set(found.commits) >= {4, 5}, "they cannot be distinguished"
        else:
            assert found.commits == (history.changed,)


def test_a_single_commit_needs_no_search() -> None:
    history = Simulated(1, last=1)
    found = history.search()
    assert (found.commits, found.builds, history.turns) == ((1,), 2, 4)


def test_without_builds_left_several_commits_remain() -> None:
    history = Simulated(3)
    evidence = CommitEvidence(32)
    evidence.add(0, 32, history.measure(0, 32, 4))
    found = search(evidence, history.measure, Limits(builds=3))
    assert found.builds == 3 and len(found.commits) > 5 and history.changed in found.commits and found.error <= 0.05


def test_identical_values_are_no_problem() -> None:
    def measure(earlier: int, later: int, turns: int) -> np.ndarray:
        return np.full(turns, 0.1 if earlier < 5 <= later else 0.0)

    evidence = CommitEvidence(16)
    evidence.add(0, 16, measure(0, 16, 4))
    assert search(evidence, measure, Limits()).commits == (5,)


def test_measurements_without_turns_do_not_repeat_forever() -> None:
    def measure(earlier: int, later: int, turns: int) -> np.ndarray:
        return np.array([])

    evidence = CommitEvidence(4)
    evidence.add(0, 4, np.full(4, 0.1))
    found = search(evidence, measure, Limits())
    assert len(found.commits) > 1
