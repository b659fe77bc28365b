"""Intervals of time and the energy that flows in them."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from navitas.energy.attribute.curves import merged


@given(st.lists(st.tuples(st.integers(0, 1000), st.integers(0, 50)), max_size=10))
def test_merged_intervals_have_the_time_in_which_any_is_on(spans: list[tuple[int, int]]) -> None:
    begin = np.array([a for a, _ in spans], np.int64)
    starts, ends = merged(begin, begin + np.array([length for _, length in spans], np.int64))
    points = {t for a, length in spans for t in range(a, a + length)}
    assert (ends - starts).sum() == len(points)
    assert (starts[1:] > ends[:-1]).all()
