"""Samples at different power show how the cost of probes depends on the core."""

from __future__ import annotations

import numpy as np
import pytest

from navitas.energy.attribute.amounts import SAME_TIME, local_cost
from navitas.recording.parse.arrays import F64
from navitas.recording.parse.sampled_cost import ProbeSamples

WATTS = np.tile([0.1, 0.1, 0.4, 0.4], 100)


def samples(cost_ns: F64) -> ProbeSamples:
    count = len(cost_ns)
    calls = np.tile([16, 64], count // 2)
    return ProbeSamples(
        np.arange(count) * 1_000_000, calls, np.rint(500 + calls * cost_ns).astype(np.int64), np.ones(count, np.int64)
    )


@pytest.mark.parametrize("exponent", [0.5, 1.0])
def test_a_slow_core_takes_longer_at_less_power(exponent: float) -> None:
    cost_ns = 1000 * WATTS**-exponent
    found = samples(cost_ns)
    cost = local_cost(found, WATTS)
    mean_ns = found.per_call(slice(None))
    assert cost.exponent == pytest.approx(exponent, abs=0.01) and mean_ns is not None
    assert mean_ns * cost.charged(WATTS) == pytest.approx(cost_ns * WATTS, rel=0.05)
    assert np.isnan(cost.charged(np.array([np.nan]))) and cost.charged(np.zeros(1)).tolist() == [0.0]


@pytest.mark.parametrize(
    ("cost_ns", "watts"),
    [
        (np.full(400, 1000.0), WATTS),
        (1000 * WATTS, WATTS),
        (1000 / WATTS, np.where(WATTS > 0.2, 0.12, 0.1)),
        (1000 / WATTS, np.full(400, 0.1)),
        (1000 / WATTS, np.zeros(400)),
        (1000 / WATTS[:80], WATTS[:80]),
    ],
    ids=["same time", "longer at more power", "similar power", "same power", "unknown power", "few samples"],
)
def test_else_probes_take_the_same_time_everywhere(cost_ns: F64, watts: F64) -> None:
    cost = local_cost(samples(cost_ns), watts)
    assert cost is SAME_TIME and cost.charged(WATTS) is WATTS
