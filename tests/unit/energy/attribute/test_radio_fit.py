"""The costs of a radio that the readings of its rail give, against costs that are known."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from navitas.energy.attribute.curves import Curve, during, flow_of, merged
from navitas.energy.attribute.hardware.radio_components import bytes_j, fitted_costs, radio_energy
from navitas.energy.attribute.hardware.radio_link import RadioCosts, air_spans
from navitas.energy.attribute.hardware.traffic import CALL, Traffic

MS = 1_000_000
RUN = (0, 20_000 * MS)
TRUE = RadioCosts(received_j=20e-9, sent_j=120e-9, awake_w=0.25, asleep_w=0.01, tail_ns=200 * MS)


def traffic_of(seed: int, count: int = 60) -> Traffic:
    """Random transfers of 10 to 400 ms, to and from the phone."""
    random = np.random.default_rng(seed)
    begin = np.sort(random.integers(0, 19_000, count)) * MS
    end = begin + random.integers(10, 400, count) * MS
    moved = random.integers(50_000, 4_000_000, count).astype(float)
    is_sent = random.random(count) < 0.5
    none = np.zeros(count, np.int64)
    return Traffic(np.full(count, CALL), none, none, begin, begin, end, moved * ~is_sent, moved * is_sent, "hooks", ())


def rail_of(traffic: Traffic, costs: RadioCosts, *, noise_j: float = 0.0, step_ms: int = 50) -> Curve:
    """The readings of a rail every 50 ms. While the radio is awake, it needs `awake_w` alone."""
    edges = np.arange(RUN[0], RUN[1] + 1, step_ms * MS)
    spans, clock = air_spans(traffic, RUN), Curve(edges, (edges - RUN[0]) / 1e9)
    moving = flow_of(spans.begin_ns, spans.end_ns, bytes_j(traffic, costs), RUN)
    awake_s = during(*merged(spans.begin_ns, spans.end_ns + np.minimum(spans.pause_ns, costs.tail_ns)), clock)
    joules = moving.at(edges) + awake_s.at(edges) * (costs.awake_w - costs.asleep_w) + clock.value * costs.asleep_w
    flow = Curve(edges, joules)
    noise = np.random.default_rng(1).normal(0.0, noise_j, len(edges) - 1) if noise_j else np.zeros(len(edges) - 1)
    return Curve(edges, np.concatenate([[0.0], np.cumsum(np.maximum(np.diff(flow.at(edges)) + noise, 0.0))]))


@pytest.mark.parametrize("seed", range(5))
def test_costs_are_those_of_the_rail(seed: int) -> None:
    traffic = traffic_of(seed)
    found = fitted_costs(traffic, air_spans(traffic, RUN), rail_of(traffic, TRUE, noise_j=1e-4), RUN)
    assert found is not None
    assert found.received_j == pytest.approx(TRUE.received_j, rel=0.1)
    assert found.sent_j == pytest.approx(TRUE.sent_j, rel=0.1)
    assert found.awake_w == pytest.approx(TRUE.awake_w, rel=0.1)
    assert found.asleep_w == pytest.approx(TRUE.asleep_w, rel=0.5)
    assert found.tail_ns == TRUE.tail_ns


@given(
    st.integers(0, 1000), st.floats(0, 1e-6), st.floats(0, 1e-6), st.floats(0, 2), st.floats(0, 1), st.sampled_from([0, 90, 2000])
)
@settings(max_examples=30)
def test_no_cost_is_negative_and_their_sum_explains_the_rail(  # noqa: PLR0917
    seed: int, received_j: float, sent_j: float, awake_w: float, asleep_w: float, tail_ms: int
) -> None:
    traffic = traffic_of(seed, 20)
    spans = air_spans(traffic, RUN)
    true = RadioCosts(received_j, sent_j, max(awake_w, asleep_w), asleep_w, tail_ms * MS)
    rail = rail_of(traffic, true)
    found = fitted_costs(traffic, spans, rail, RUN)
    assert found is not None
    assert min(found.received_j, found.sent_j, found.asleep_w) >= 0 and found.awake_w >= found.asleep_w
    estimate = radio_energy(traffic, spans, found, (np.array([RUN[0]]), np.array([RUN[1]])), RUN).flow
    assert estimate.between(*RUN) == pytest.approx(rail.value[-1], rel=0.05, abs=1e-9)


def test_few_readings_or_no_traffic_give_no_costs() -> None:
    traffic = traffic_of(1)
    spans = air_spans(traffic, RUN)
    few = Curve(np.arange(10) * 1000 * MS, np.arange(10.0))
    assert fitted_costs(traffic, spans, few, RUN) is None
    nothing = traffic.chosen(np.zeros(len(traffic), bool))
    assert fitted_costs(nothing, air_spans(nothing, RUN), rail_of(traffic, TRUE), RUN) is None
    later = Curve(np.arange(100) * MS + 50_000 * MS, np.arange(100.0))
    assert fitted_costs(traffic, spans, later, RUN) is None
