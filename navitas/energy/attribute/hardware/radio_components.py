"""Wi-Fi and the mobile modem, by the app's network traffic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from navitas.energy.attribute.component import ComponentCurves, ComponentInputs
from navitas.energy.attribute.curves import Curve, added, constant_power, during, flow_of, merged, outside
from navitas.energy.attribute.hardware.levels import HardwareComponent
from navitas.energy.attribute.hardware.on_off import Sessions, Used, component_curves, sessions_of, used_by_time
from navitas.energy.attribute.hardware.radio_link import AirSpans, RadioCosts, RadioLink, air_spans, modem_link, wifi_link
from navitas.energy.attribute.hardware.started_devices import no_current
from navitas.energy.attribute.hardware.traffic import APP, CALL, OTHERS, Traffic, charges_of_bytes, traffic_of
from navitas.energy.attribute.scaling import rail_curve
from navitas.power.components.component_power import ComponentPower
from navitas.recording.parse.arrays import F64, I64, Bool
from navitas.recording.parse.device_states import NO_UID
from navitas.recording.parse.hook_calls import NETWORK, HookKind
from navitas.recording.parse.io_counters import RECEIVED_BYTES, SENT_BYTES, increments
from navitas.recording.parse.reasons import Reason
from navitas.recording.parse.tables import RunTables

_SCAN_NS = 4_000_000_000
"""A scan for networks ends by itself. Its length is assumed if no state shows it."""
_MEDIA = ("network", "wifi", "mobile")
ASSUMED_LINK = Reason("assumed_link", "the radio's controller reported no times: its speed and its tail are assumed")
ASSUMED_ON = Reason("assumed_on", "when the radio was on was not recorded: it counts as on during the whole run")


@dataclass(frozen=True, slots=True)
class Radio(HardwareComponent):
    """A radio. Transfers go over the mobile network where its interfaces carried more, else over Wi-Fi."""

    name: Literal["wifi", "modem"]
    state: str
    link: Callable[[ComponentPower], RadioLink]

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        parts = [self._transfers(run, inputs)] if run.end_ns > run.start_ns else []
        if self.name == "wifi":
            parts.append(self._scans(run, inputs))
        link = self.link(inputs.model.components)
        has_current = link.rx_ma > 0 or link.tx_ma > 0
        return component_curves(parts, [] if has_current or not any(parts) else [no_current(self.name)])

    def traffic(self, run: RunTables, inputs: ComponentInputs) -> Traffic | None:
        """The traffic of a run over this radio; None if nothing is known of it."""
        traffic = traffic_of(run, inputs, NETWORK, _MEDIA, counters_are_total=False)
        return None if traffic is None else traffic.chosen(_is_mobile(run, traffic.end_ns) == (self.name == "modem"))

    def _transfers(self, run: RunTables, inputs: ComponentInputs) -> Used | None:
        own = self.traffic(run, inputs)
        states = run.devices.states
        has_state = states is not None and states.has(self.state)
        if not has_state and (own is None or not len(own)):
            return None
        if own is None:
            own = replace(_NO_TRAFFIC, level="states")
        run_ns = run.start_ns, run.end_ns
        on_ns: tuple[I64, I64] = np.array([run.start_ns]), np.array([run.end_ns])
        if states is not None and has_state:
            on_ns = states.on(self.state, run_ns)
        else:
            own = replace(own, reasons=(*own.reasons, ASSUMED_ON))
        spans = air_spans(own, run_ns)
        link = self.link(inputs.model.components)
        times = next((each for each in run.devices.radio_times if each.radio == self.name), None)
        link = link.at_least_as_fast(own, spans) if times is None else link.measured(times, own, spans)
        modeled = link.costs(inputs.model.voltage_v)
        rail = rail_curve(run, self) if inputs.settings.use_rails else None
        fitted = None if rail is None else fitted_costs(own, spans, rail, run_ns)
        if fitted is None and times is None and len(own):
            own = replace(own, reasons=(*own.reasons, ASSUMED_LINK))
        estimate = radio_energy(own, spans, modeled, on_ns, run_ns)
        return estimate if fitted is None else replace(radio_energy(own, spans, fitted, on_ns, run_ns), unscaled=estimate.flow)

    def _scans(self, run: RunTables, inputs: ComponentInputs) -> Used | None:
        sessions = _while_on(run, sessions_of(run, inputs, [HookKind.WIFI_SCAN], "wifi scan", longest_ns=_SCAN_NS), "wifi_scan")
        watts = inputs.model.components.wifi.scan_ma * inputs.model.voltage_v / 1e3
        return used_by_time(run, sessions, "wifi_scan", constant_power(watts, (run.start_ns, run.end_ns)))


_NONE, _NO_BYTES = np.empty(0, np.int64), np.empty(0)
_NO_TRAFFIC = Traffic(_NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NO_BYTES, _NO_BYTES, "states", ())
WIFI = Radio("wifi", "wifi", wifi_link)
MODEM = Radio("modem", "mobile_radio", modem_link)


def _while_on(run: RunTables, sessions: Sessions, state: str) -> Sessions:
    """Sessions that end with the state of the device or of the app, if it was on in them."""
    states = run.devices.states
    if states is None:
        return sessions
    begin, end, value, uid = states.intervals(state)
    rows = (value > 0) & ((uid == NO_UID) | (uid == states.app_uid))
    reach = np.append(np.iinfo(np.int64).min, np.maximum.accumulate(end[rows]))
    last_ns = reach[np.searchsorted(begin[rows], sessions.end_ns, side="left")]
    ends = np.where(last_ns > sessions.begin_ns, np.minimum(sessions.end_ns, last_ns), sessions.end_ns)
    return replace(sessions, end_ns=ends)


def _is_mobile(run: RunTables, t_ns: I64) -> Bool:
    """Whether traffic at these times went over the mobile network: by the interfaces' counters, else by the radios' states."""
    counters = [each for each in run.devices.io_counters if len(each.t_ns)]
    media = {medium: [each for each in counters if each.medium == medium] for medium in ("wifi", "mobile")}
    if media["mobile"]:
        grown, in_run = np.zeros((2, len(t_ns))), np.zeros(2)
        for number, medium in enumerate(("wifi", "mobile")):
            for each in media[medium]:
                found = increments(each)
                if len(found.growth):
                    moved = found.growth[:, RECEIVED_BYTES] + found.growth[:, SENT_BYTES]
                    interval = np.searchsorted(found.edges_ns, t_ns, side="left") - 1
                    inside = (interval >= 0) & (interval < len(moved))
                    grown[number, inside] += moved[interval[inside]]
                    in_run[number] += moved.sum()
        quiet = (grown == 0).all(axis=0)
        return np.asarray(np.where(quiet, in_run[1] > in_run[0], grown[1] > grown[0]))
    states = run.devices.states
    if states is None or not states.has("mobile_radio"):
        return np.zeros(len(t_ns), bool)
    begin, end, value, _ = states.intervals("wifi")
    on = value > 0
    at = np.searchsorted(begin[on], t_ns, side="right") - 1
    reach = np.maximum.accumulate(end[on]) if on.any() else end
    return ~((at >= 0) & (t_ns <= reach[at])) if on.any() else np.ones(len(t_ns), bool)


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
