"""What a radio spends, from the readings of its power rail: least squares over the intervals between readings."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from navitas.attribute.curves import Curve, added
from navitas.attribute.hardware.air_time import AirSpans
from navitas.attribute.hardware.flows import during, flow_of, merged
from navitas.attribute.hardware.radio_link import RadioCosts
from navitas.attribute.hardware.traffic import Traffic
from navitas.parse.arrays import F64, I64

_FEWEST_INTERVALS = 20
_FEWEST_USED = 4
_TAILS_S = (0.0, 0.03, 0.05, 0.08, 0.12, 0.16, 0.2, 0.25, 0.3, 0.4, 0.6, 1.0, 1.5, 2.5, 4.0, 6.0, 9.0, 12.0, 16.0)


def fitted_costs(traffic: Traffic, spans: AirSpans, rail: Curve, run_ns: tuple[int, int]) -> RadioCosts | None:
    """The costs that explain the rail best: joules for each byte received and sent, watts awake and asleep, and the tail.

    For each of some tails, it solves rail = received_j · received + sent_j · sent + awake_w · awake time + asleep_w · time, with
    no cost below 0. None if there are too few readings, or too few of them with traffic.
    """
    edges = rail.t_ns
    inside = (spans.end_ns > edges[0]) & (spans.begin_ns < edges[-1])
    if len(edges) <= _FEWEST_INTERVALS or not inside.any():
        return None
    measured_j = np.diff(rail.value)
    received = _grown(edges, flow_of(spans.begin_ns, spans.end_ns, traffic.received, run_ns))
    sent = _grown(edges, flow_of(spans.begin_ns, spans.end_ns, traffic.sent, run_ns))
    used = int(np.count_nonzero(received + sent))
    if not used >= _FEWEST_USED:
        return None
    time_s = np.diff(edges) / 1e9
    clock = Curve(edges, (edges - edges[0]) / 1e9)
    best: tuple[float, RadioCosts] | None = None
    for tail_s in _TAILS_S:
        tail_ns = int(tail_s * 1e9)
        awake_s = _grown(edges, during(*merged(spans.begin_ns, spans.end_ns + np.minimum(spans.pause_ns, tail_ns)), clock))
        costs, error = _least_squares(np.stack([received, sent, awake_s, time_s], axis=1), measured_j)
        if best is None or error < best[0] * (1 - 1e-6):
            best = error, RadioCosts(float(costs[0]), float(costs[1]), float(costs[2] + costs[3]), float(costs[3]), tail_ns)
    return None if best is None else best[1]


def _grown(edges: I64, curve: Curve) -> F64:
    return np.diff(added([curve]).at(edges)) if curve.t_ns.size else np.zeros(len(edges) - 1)


def _least_squares(features: F64, wanted: F64) -> tuple[F64, float]:
    """The non-negative costs with the least squared error: the best of all subsets of features whose solution is positive."""
    scale = np.maximum(np.abs(features).max(axis=0), 1e-300)
    columns = range(features.shape[1])
    best, least = np.zeros(features.shape[1]), float(wanted @ wanted)
    for count in range(1, features.shape[1] + 1):
        for chosen in combinations(columns, count):
            matrix = features[:, chosen] / scale[list(chosen)]
            solution, *_ = np.linalg.lstsq(matrix, wanted, rcond=1e-9)
            error = float(np.square(matrix @ solution - wanted).sum())
            if (solution >= 0).all() and error < least:
                best, least = np.zeros(features.shape[1]), error
                best[list(chosen)] = solution / scale[list(chosen)]
    return best, least
