"""Counters that begin again at 0 count from the reading before."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.recording.parse.time_in_state import begun, continued, fallen, torn

STEP = 20


@given(st.lists(st.tuples(st.integers(0, STEP // 2), st.integers(0, STEP // 2), st.booleans()), min_size=2, max_size=30))
def test_growth_is_what_was_counted(steps: list[tuple[int, int, bool]]) -> None:
    """Two columns grow in each interval. A restart sets both to 0 directly after a reading; it is seen if one falls."""
    rows, seen = [[500_000, 700_000]], [False]
    for a, b, restarts in steps:
        before = rows[-1]
        is_seen = restarts and (a < before[0] or b < before[1])
        rows.append([a, b] if is_seen else [before[0] + a, before[1] + b])
        seen.append(is_seen)
    counted = np.array(rows)
    is_begun = begun(counted, np.full(len(rows), STEP))
    assert is_begun.tolist() == seen
    grown = continued(counted, is_begun, fallen(counted) & ~is_begun)
    assert np.diff(grown, axis=0).tolist() == [[a, b] for a, b, _ in steps]


def test_a_fall_to_more_than_time_allows_counts_as_nothing() -> None:
    counted = np.array([[1000], [1010], [700], [705]])
    is_begun = begun(counted, np.full(4, STEP))
    assert not is_begun.any()
    assert continued(counted, is_begun, fallen(counted))[:, 0].tolist() == [1000, 1010, 1010, 1015]


def test_a_single_row_out_of_order_is_torn() -> None:
    assert torn(np.array([[10], [9], [11], [12], [90], [13]])).tolist() == [False, True, False, False, True, False]
    assert torn(np.array([[10]])).tolist() == [False]
