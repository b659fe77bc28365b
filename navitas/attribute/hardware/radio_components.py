"""Wi-Fi and the mobile modem, by the app's network traffic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from navitas.attribute.component import ComponentCurves, ComponentInputs, EvidenceLevel, RailUse
from navitas.attribute.hardware.air_time import air_spans
from navitas.attribute.hardware.flows import constant_power
from navitas.attribute.hardware.levels import LEVELS
from navitas.attribute.hardware.on_off import Used, component_curves, used_by_time
from navitas.attribute.hardware.radio import radio_energy
from navitas.attribute.hardware.radio_fit import fitted_costs
from navitas.attribute.hardware.radio_link import RadioLink, modem_link, wifi_link
from navitas.attribute.hardware.sessions import Sessions, sessions_of
from navitas.attribute.hardware.started_devices import no_current
from navitas.attribute.hardware.traffic import Traffic, traffic_of
from navitas.attribute.pixel_rails import total_of
from navitas.attribute.scaling import rail_curve
from navitas.parse.arrays import I64, Bool
from navitas.parse.device_states import NO_UID
from navitas.parse.hook_calls import NETWORK, HookKind
from navitas.parse.io_counters import RECEIVED_BYTES, SENT_BYTES, increments
from navitas.parse.reasons import Reason
from navitas.parse.tables import RunTables
from navitas.power.components.component_power import ComponentPower

_NAMES = [level.name for level in LEVELS]
_SCAN_NS = 4_000_000_000
"""A scan for networks ends by itself. Its length is assumed if no state shows it."""
_MEDIA = ("network", "wifi", "mobile")
ASSUMED_LINK = Reason("assumed_link", "the radio's controller reported no times: its speed and its tail are assumed")
ASSUMED_ON = Reason("assumed_on", "when the radio was on was not recorded: it counts as on during the whole run")


@dataclass(frozen=True, slots=True)
class Radio:
    """A radio. Transfers go over the mobile network where its interfaces carried more, else over Wi-Fi."""

    name: Literal["wifi", "modem"]
    state: str
    link: Callable[[ComponentPower], RadioLink]
    levels: tuple[EvidenceLevel, ...] = LEVELS

    def rail_use(self, rail: str) -> RailUse | None:
        """As `Component.rail_use`."""
        return total_of(self.name, rail)

    def curves(self, run: RunTables, inputs: ComponentInputs) -> ComponentCurves | None:
        """As `Component.curves`."""
        parts = [self._transfers(run, inputs)] if run.end_ns > run.start_ns else []
        if self.name == "wifi":
            parts.append(self._scans(run, inputs))
        link = self.link(inputs.model.components)
        has_current = link.rx_ma > 0 or link.tx_ma > 0
        return component_curves(parts, _NAMES, [] if has_current or not any(parts) else [no_current(self.name)])

    def traffic(self, run: RunTables, inputs: ComponentInputs) -> Traffic | None:
        """The traffic of a run over this radio; None if nothing is known of it."""
        traffic = traffic_of(run, inputs, NETWORK, _MEDIA, counters_are_total=False)
        return None if traffic is None else traffic.chosen(_is_mobile(run, traffic.end_ns) == (self.name == "modem"))

    def _transfers(self, run: RunTables, inputs: ComponentInputs) -> Used | None:
        own = self.traffic(run, inputs)
        states = run.device_states
        has_state = states is not None and states.has(self.state)
        if not has_state and (own is None or not len(own)):
            return None
        if own is None:
            own = replace(_NO_TRAFFIC, level="states")
        run_ns = run.start_ns, run.end_ns
        on_ns: tuple[I64, I64] = np.array([run.start_ns]), np.array([run.end_ns])
        if states is not None and has_state:
            begin, end, value, _ = states.intervals(self.state)
            on_ns = np.clip(begin[value > 0], *run_ns), np.clip(end[value > 0], *run_ns)
        else:
            own = replace(own, reasons=(*own.reasons, ASSUMED_ON))
        spans = air_spans(own, run_ns)
        link = self.link(inputs.model.components)
        times = next((each for each in run.radio_times if each.radio == self.name), None)
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
    states = run.device_states
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
    counters = [each for each in run.io_counters if len(each.t_ns)]
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
    states = run.device_states
    if states is None or not states.has("mobile_radio"):
        return np.zeros(len(t_ns), bool)
    begin, end, value, _ = states.intervals("wifi")
    on = value > 0
    at = np.searchsorted(begin[on], t_ns, side="right") - 1
    reach = np.maximum.accumulate(end[on]) if on.any() else end
    return ~((at >= 0) & (t_ns <= reach[at])) if on.any() else np.ones(len(t_ns), bool)
