"""The totals of a run's calls, which are large, belong to who takes them."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import numpy as np
import pytest
from attribution_maker import PLAIN, manifest, nested, parsed, run, thread

from navitas.energy.attribute.measured_runs import MeasuredRuns

BUSY = ((0.0, 0.0), (1000.0, 1000.0))


@pytest.fixture(autouse=True)
def no_collections() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_totals_are_not_kept_and_can_be_taken_again() -> None:
    made = run([thread(1, nested((0, 100, 0), (10, 30, 1)), BUSY)])
    (measured,) = MeasuredRuns(parsed(made), manifest(), PLAIN).runs(None)[1]
    first = measured.calls.take_totals(measured.curves)
    again = measured.calls.take_totals(measured.curves)
    for one, other in zip(first, again, strict=True):
        assert np.array_equal(one.counts, other.counts) and np.array_equal(one.amounts, other.amounts)
    assert first[0].counts.sum() == 2
    taken = weakref.ref(first[0].counts)
    del first, one
    assert taken() is None, "they are in no cycle: the command line rarely collects garbage"
