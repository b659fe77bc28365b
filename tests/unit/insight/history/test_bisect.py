"""A bisection blames the commit whose tests failed, and not for a failure of one that passed before."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from support.made_sessions import made_session

from navitas.base.errors import BuildError
from navitas.insight.compare.figures import FigureChoice, FigurePattern
from navitas.insight.compare.session import Session
from navitas.insight.compare.subject import Subject
from navitas.insight.history.bisect import CommitSearch, SessionPair, bisect
from navitas.insight.history.search import Limits

NAMES = [f"c{index}" for index in range(17)]
SUBJECT = Subject("method", "a.Sorter.sort()V")
METHOD = FigureChoice("app", (FigurePattern("method", "a.Sorter.sort"),))


class Made:
    """Measures made-up commits, of which commit 9 of 16 adds 10 %. `failing`: measurements, and the commit that fails."""

    def __init__(self, failing: dict[int, int], broken: int | None = None) -> None:
        self.failing, self.broken = failing, broken
        self.count, self.random = 0, np.random.default_rng(1)

    def measure(self, earlier: int, later: int, turns: int) -> SessionPair:
        if self.broken in (earlier, later):
            raise BuildError(f"the build of c{self.broken} failed", "Correct it.")
        self.count += 1
        return SessionPair(self._session(earlier, turns), self._session(later, turns))

    def _session(self, commit: int, turns: int) -> Session:
        runs = np.exp(self.random.normal(0, 0.02, turns)) * (1.1 if commit >= 9 else 1.0)
        found = made_session(list(runs), self.count, rest_j=0.01)
        return replace(found, tests={}) if self.failing.get(self.count) == commit else found

    def searched(self) -> CommitSearch:
        """A search whose ends are measured."""
        searched = CommitSearch(NAMES, self.measure, Limits(builds=9))
        searched.measure(0, 16)
        return searched


@pytest.mark.parametrize("failing", [{}, {3: 0}, {3: 0, 4: 0}])
def test_a_failure_of_good_skips_no_commit(failing: dict[int, int]) -> None:
    found = Made(failing).searched().find_commit(SUBJECT)
    assert (found.commits, found.skipped) == ((9,), {})


def test_a_commit_that_fails_at_first_is_skipped() -> None:
    found = Made({2: 8}).searched().find_commit(SUBJECT)
    assert list(found.skipped) == [8] and 9 in found.commits


def test_a_script_bisects_with_a_function_that_measures() -> None:
    notes: list[str] = []
    result = bisect(NAMES, Made({}, broken=8).measure, METHOD, Limits(builds=12), notes.append)
    assert result.change is not None and result.change.subject == SUBJECT and result.turns >= 4
    assert result.found is not None and result.found.skipped == {8: "the build of c8 failed"} and 9 in result.found.commits
    assert notes[0].startswith("a.Sorter.sort()V (method): +") and notes[-1].endswith("one of 2")


def test_nothing_is_searched_if_no_figure_differs() -> None:
    made = Made({})
    result = bisect(NAMES[:3], lambda earlier, later, turns: made.measure(0, 1, turns), METHOD, Limits(turns=4, most_turns=8))
    assert (result.change, result.found, result.methods, result.turns) == (None, None, (), 8)
