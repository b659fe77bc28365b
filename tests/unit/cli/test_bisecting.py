"""A bisection blames the commit whose tests failed, and not for a failure of one that passed before."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import pytest
from support.made_sessions import made_session

from navitas.cli.bisecting import Measurements, find_commit
from navitas.compare.session import Session, Subject
from navitas.history.search import Limits
from navitas.history.steps import SessionPair


class Made:
    """Measures made-up commits, of which commit 9 of 16 adds 10 %. `failing`: measurements, and the commit that fails."""

    def __init__(self, failing: dict[int, int]) -> None:
        self.commits = [SimpleNamespace(short=f"c{index}", subject="made") for index in range(17)]
        self.built = {0: 1, 16: 1}
        self.sessions: dict[tuple[int, int], list[SessionPair]] = {}
        self.failing, self.count, self.random = failing, 0, np.random.default_rng(1)

    def measure(self, earlier: int, later: int, turns: int) -> SessionPair:
        self.count += 1
        self.built |= {earlier: 1, later: 1}
        pair = SessionPair(self._session(earlier, turns), self._session(later, turns))
        self.sessions.setdefault((earlier, later), []).append(pair)
        return pair

    def _session(self, commit: int, turns: int) -> Session:
        runs = np.exp(self.random.normal(0, 0.02, turns)) * (1.1 if commit >= 9 else 1.0)
        found = made_session(list(runs), self.count, rest_j=0.01)
        return replace(found, tests={}) if self.failing.get(self.count) == commit else found


@pytest.mark.parametrize("failing", [{}, {3: 0}, {3: 0, 4: 0}])
def test_a_failure_of_good_skips_no_commit(failing: dict[int, int]) -> None:
    made = Made(failing)
    made.measure(0, 16, 4)
    found = find_commit(cast(Measurements, cast(Any, made)), Subject("method", "a.Sorter.sort()V"), Limits(builds=9))
    assert (found.commits, found.skipped) == ((9,), {})


def test_a_commit_that_fails_at_first_is_skipped() -> None:
    made = Made({2: 8})
    made.measure(0, 16, 4)
    found = find_commit(cast(Measurements, cast(Any, made)), Subject("method", "a.Sorter.sort()V"), Limits(builds=9))
    assert list(found.skipped) == [8] and 9 in found.commits
