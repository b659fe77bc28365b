"""Versions of running times, compared with a plain loop."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.fleet.diagnoses.strata import with_versions
from navitas.fleet.regression.memberships import AppLists
from navitas.fleet.regression.pairs import RunLists

APP_OF = np.array([0, 0, 0, 1, 1])
HAS_VERSION = np.array([True, True, False, True, False])
lists = st.lists(st.integers(0, 4), max_size=4, unique=True)


def expected(rows: list[tuple[int, list[int], list[int]]], row: int, number: int) -> int:
    if HAS_VERSION[number]:
        return number
    own = [at for at, (client, *_) in enumerate(rows) if client == rows[row][0]]
    for at in [*(at for at in reversed(own) if at <= row), *(at for at in own if at > row)]:
        seen = [one for one in rows[at][1] if HAS_VERSION[one] and APP_OF[one] == APP_OF[number]]
        if seen:
            return seen[-1] if at <= row else seen[0]
    return number


@given(st.lists(st.tuples(st.integers(0, 2), lists, lists), max_size=12))
def test_the_version_is_the_last_one_before_or_else_the_first_one_after(rows: list[tuple[int, list[int], list[int]]]) -> None:
    rows = sorted(rows, key=lambda row: row[0])
    known = np.ones(len(rows), bool)
    apps, running = (
        AppLists(
            np.cumsum([0, *(len(row[place]) for row in rows)]), np.array([one for row in rows for one in row[place]], np.int32)
        )
        for place in (1, 2)
    )
    client = np.array([row[0] for row in rows], np.int64)
    found = with_versions(RunLists(apps, running, known, None, known), client, APP_OF, HAS_VERSION)
    assert found.running is not None and found.foreground is None
    for place, made in ((1, found.apps), (2, found.running)):
        assert made.app.tolist() == [expected(rows, at, one) for at, row in enumerate(rows) for one in row[place]]
