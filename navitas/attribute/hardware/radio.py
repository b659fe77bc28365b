"""Energy of a radio: transfers, the tail after each, and the rest of the time."""

from __future__ import annotations

import numpy as np

from navitas.attribute.curves import Curve, added
from navitas.attribute.hardware.air_time import AirSpans
from navitas.attribute.hardware.flows import constant_power, during, flow_of, merged, outside
from navitas.attribute.hardware.on_off import Used
from navitas.attribute.hardware.radio_link import RadioCosts
from navitas.attribute.hardware.traffic import APP, CALL, OTHERS, Traffic, charges_of_bytes
from navitas.parse.arrays import F64, I64


def bytes_j(traffic: Traffic, costs: RadioCosts) -> F64:
    """The energy of each transfer's bytes."""
    return traffic.received * costs.received_j + traffic.sent * costs.sent_j


def awake_j(spans: AirSpans, costs: RadioCosts) -> F64:
    """The energy of the time that the radio is awake for each transfer, with the tail."""
    return np.asarray((spans.own_ns + np.minimum(spans.pause_ns, costs.tail_ns)) * (costs.awake_w / 1e9), np.float64)


def radio_energy(traffic: Traffic, spans: AirSpans, costs: RadioCosts, on_ns: tuple[I64, I64], run_ns: tuple[int, int]) -> Used:
    """The energy of all transfers with their tails, and what the radio spends asleep in the time `on_ns`, as base.

    The tail after a transfer belongs to the same owner, until the next transfer begins.
    """
    moving_j, waiting_j = bytes_j(traffic, costs), awake_j(spans, costs)
    tail_end = spans.end_ns + np.minimum(spans.pause_ns, costs.tail_ns)
    asleep = during(*on_ns, constant_power(costs.asleep_w, run_ns))
    base = outside(*merged(spans.begin_ns, tail_end), asleep)

    def flow(who: int) -> Curve:
        rows = traffic.owner == who
        return added(
            [
                flow_of(spans.begin_ns[rows], spans.end_ns[rows], moving_j[rows], run_ns),
                flow_of((spans.end_ns - spans.own_ns)[rows], tail_end[rows], waiting_j[rows], run_ns),
            ]
        )

    by_calls, by_app, by_others = (flow(who) for who in (CALL, APP, OTHERS))
    return Used(
        traffic.level,
        traffic.reasons,
        charges_of_bytes(traffic, (moving_j + waiting_j)),
        base=base,
        unattributed=by_app,
        other_processes=by_others,
        flow=added([base, by_calls, by_app, by_others]),
    )
