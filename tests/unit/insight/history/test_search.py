"""The search for a commit, on simulated histories: it finds the commit, and its probability of error is true."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.insight.history.evidence import CommitEvidence
from navitas.insight.history.search import FoundCommits, Limits, UnbuildableError, is_most, most_builds, search

RUNS = 0.035
"""The standard deviation of runs within a session, as those of a power meter."""


class Simulated:
    """A history in which commit `changed` adds some percent. What shifts a session shifts both commits, so it is left out."""

    def __init__(
        self,
        seed: int,
        *,
        last: int = 32,
        percent: float = 10,
        far_off: float = 0,
        broken: tuple[int, ...] = (),
        offsets: float = 0,
        second: float = 0,
    ) -> None:
        self.random = np.random.default_rng(seed)
        self.second, self.also = np.log1p(second / 100), 0
        self.last, self.size, self.far_off, self.broken = last, np.log1p(percent / 100), far_off, broken
        self.changed = int(self.random.integers(1, last + 1))
        self.turns = 0
        builds = np.random.default_rng([seed, 1])
        self.offsets = builds.normal(0, offsets, last + 1)
        if second:
            self.also = int(builds.choice([one for one in range(1, last + 1) if one != self.changed]))
        self.measured: set[int] = set()

    def runs(self, commit: int, turns: int) -> np.ndarray:
        far = (self.random.random(turns) < self.far_off) * self.random.uniform(0.1, 0.5, turns)
        level = (self.size if commit >= self.changed else 0.0) + (self.second if commit >= self.also else 0.0)
        return level + self.offsets[commit] + self.random.normal(0, RUNS, turns) + far

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


@pytest.mark.parametrize(("count", "least"), [(12, 0.9), pytest.param(60, 0.95, marks=pytest.mark.extended)])
def test_ten_percent_among_32_commits_is_found_with_at_most_10_builds(count: int, least: float) -> None:
    histories = [Simulated(seed) for seed in range(count)]
    found = [one.search() for one in histories]
    exact = [one.commits == (history.changed,) for one, history in zip(found, histories, strict=True)]
    wrong = [not is_exact and len(one.commits) == 1 for is_exact, one in zip(exact, found, strict=True)]
    assert np.mean(exact) >= least
    assert np.mean(wrong) <= 0.05
    assert max(one.builds for one in found) <= 10
    assert all(len(history.measured) <= 10 for history in histories)


@pytest.mark.parametrize("count", [8, pytest.param(25, marks=pytest.mark.extended)])
def test_the_error_is_true_where_runs_are_far_off(count: int) -> None:
    histories = [Simulated(seed, last=8, far_off=0.2) for seed in range(count)]
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


@pytest.mark.parametrize(("count", "slack"), [(3, 0.34), pytest.param(25, 0.0, marks=pytest.mark.extended)])
@pytest.mark.parametrize(
    ("changes", "least"),
    [
        ({"offsets": 0.005}, 0.9),
        ({"offsets": 0.015}, 0.6),
        ({"offsets": 0.015, "percent": 0}, 0.0),
        ({"percent": 0}, 0.0),
        ({"percent": 8, "second": 4}, 0.0),
        ({"percent": 5, "second": 5}, 0.0),
    ],
)
def test_a_single_commit_is_seldom_a_wrong_one(changes: dict[str, float], least: float, count: int, slack: float) -> None:
    """Histories of 32 commits each: builds differ by an offset, nothing changes, or two commits do."""
    right, wrong = [], []
    for seed in range(count):
        history = Simulated(seed, **changes)  # type: ignore[arg-type]
        found = history.search()
        assert found.builds <= 10
        true = set() if not history.size else {history.changed, history.also} - {0}
        right.append(found.commits == (history.changed,))
        wrong.append(len(found.commits) == 1 and not set(found.commits) & true)
    assert np.mean(right) >= least - slack
    assert np.mean(wrong) <= 0.05


def test_equal_builds_are_no_evidence_of_a_change_and_offsets_are_shared() -> None:
    evidence = CommitEvidence(8)
    for index in range(1, 9):
        evidence.add(0, index, np.full(20, 0.03) + np.linspace(-0.01, 0.01, 20))
    none, *rest = evidence.probabilities()
    assert rest[0] > max(rest[1:]), "only commit 1, or the offset of GOOD, explains it"
    assert none + rest[0] > 0.9
    ends = CommitEvidence(8)
    ends.add(0, 8, 0.03 + np.linspace(-0.01, 0.01, 1000))
    assert ends.probabilities()[0] > 0.05, "more turns do not make an offset a change"


def test_a_step_that_explains_little_of_the_change_is_not_enough() -> None:
    evidence = CommitEvidence(8)
    spread = np.linspace(-0.01, 0.01, 8)
    evidence.add(0, 8, 0.1 + spread)
    evidence.add(3, 4, 0.03 + spread)
    evidence.add(5, 6, 0.08 + spread)
    assert is_most(evidence, 6) and not is_most(evidence, 4) and not is_most(evidence, 2)
