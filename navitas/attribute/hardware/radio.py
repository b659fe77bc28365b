"""Energy of a radio: transfers, the tail after each, and the idle rest."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.attribute.charges import Charges
from navitas.attribute.curves import Curve, added
from navitas.attribute.hardware.flows import constant_power, during, flow_of, outside
from navitas.attribute.hardware.on_off import Used
from navitas.attribute.hardware.traffic import APP, CALL, OTHERS, Traffic
from navitas.parse.arrays import I64
from navitas.parse.radio_times import RadioTimes
from navitas.power.components.component_power import ComponentPower
from navitas.power.components.state_times import merged

_COARSE_NS = 10_000_000


@dataclass(frozen=True, slots=True)
class RadioLink:
    """How a radio spends power: currents in mA, speeds in bit/s, and how long it stays awake after a transfer."""

    rx_ma: float
    tx_ma: float
    tail_ma: float
    idle_ma: float
    tail_ns: int
    rx_bit_s: float
    tx_bit_s: float

    def measured(self, times: RadioTimes, traffic: Traffic, run_ns: tuple[int, int]) -> RadioLink:
        """This link with the speeds and the tail that explain the controller's times by the run's traffic.

        Times below 10 ms are too coarse: the assumed figures stay.
        """
        link = self
        if times.received_ns >= _COARSE_NS and traffic.received.any():
            link = replace(link, rx_bit_s=float(traffic.received.sum()) * 8e9 / times.received_ns)
        if times.sent_ns >= _COARSE_NS and traffic.sent.any():
            link = replace(link, tx_bit_s=float(traffic.sent.sum()) * 8e9 / times.sent_ns)
        begin, end = _on_air(traffic, link, run_ns)
        if times.idle_ns >= _COARSE_NS and len(end):
            link = replace(link, tail_ns=_fitting_tail(_pauses(begin, end, run_ns[1]), times.idle_ns))
        return link


def wifi_link(power: ComponentPower) -> RadioLink:
    """Wi-Fi. Currents are the profile's. A controller that waits for more is idle (AOSP: WifiPowerStatsProcessor).

    Between tails it sleeps: `wifi.on` if the profile names it, else nothing. The tail of 238 ms is measured (Huang et al.,
    MobiSys 2012, table 3). 20 Mbit/s is assumed.
    """
    wifi = power.wifi
    controller = wifi.controller
    rx, tx = controller.rx_ma or wifi.active_ma, controller.tx_ma or wifi.active_ma
    return RadioLink(rx, tx, controller.idle_ma or wifi.on_ma, wifi.on_ma, 238_000_000, 20e6, 20e6)


def modem_link(power: ComponentPower) -> RadioLink:
    """The mobile modem. In the tail, the radio is active (AOSP: MobileRadioPowerCalculator counts it as active time).

    The tail of 11.6 s and the speeds are those of LTE (Huang et al., MobiSys 2012, section 4).
    """
    modem = power.modem
    rx, tx = float(modem.receive_ma[0, 0]) or modem.active_ma, float(modem.transmit_ma[0, 0].mean()) or modem.active_ma
    signal = modem.signal_ma
    idle = modem.sleep_ma or (signal[len(signal) // 2] if signal else modem.idle_ma)
    return RadioLink(rx, tx, modem.active_ma, min(idle, modem.active_ma), 11_576_000_000, 12.74e6, 5.64e6)


def radio_energy(traffic: Traffic, link: RadioLink, voltage_v: float, on_ns: tuple[I64, I64], run_ns: tuple[int, int]) -> Used:
    """The energy of all transfers with their tails, and the idle rest of the time `on_ns` as base.

    A transfer takes its bytes at the link's speed, up to the end of its call. The tail after it belongs to the same owner, until
    the next transfer begins. The radio's idle current counts outside of transfers and tails only.
    """
    received_ns, sent_ns = traffic.received * 8e9 / link.rx_bit_s, traffic.sent * 8e9 / link.tx_bit_s
    begin, end = _on_air(traffic, link, run_ns)
    tail_ns = np.minimum(_pauses(begin, end, run_ns[1]), link.tail_ns)
    transfer_j = (received_ns * link.rx_ma + sent_ns * link.tx_ma) * voltage_v * 1e-12
    tail_j = tail_ns * link.tail_ma * voltage_v * 1e-12
    idle = during(*on_ns, constant_power(link.idle_ma * voltage_v / 1e3, run_ns))
    base = outside(*merged(begin, end + tail_ns), idle)

    def flow(who: int) -> Curve:
        rows = traffic.owner == who
        transfers = flow_of(begin[rows], end[rows], transfer_j[rows], run_ns)
        return added([transfers, flow_of(end[rows], (end + tail_ns)[rows], tail_j[rows], run_ns)])

    by_calls, by_app, by_others = (flow(who) for who in (CALL, APP, OTHERS))
    own = traffic.owner == CALL
    energy_j = (transfer_j + tail_j)[own]
    return Used(
        traffic.level,
        traffic.reasons,
        Charges(traffic.thread[own], traffic.t_ns[own], traffic.path[own], energy_j, energy_j),
        base=base,
        unattributed=by_app,
        other_processes=by_others,
        flow=added([base, by_calls, by_app, by_others]),
    )


def _on_air(traffic: Traffic, link: RadioLink, run_ns: tuple[int, int]) -> tuple[I64, I64]:
    """When each transfer begins and ends: it takes its bytes at the link's speed, up to the end of its call."""
    length_ns = np.ceil(traffic.received * 8e9 / link.rx_bit_s + traffic.sent * 8e9 / link.tx_bit_s)
    end = np.minimum(traffic.end_ns, run_ns[1])
    begin = end - np.minimum(length_ns, run_ns[1] - run_ns[0]).astype(np.int64)
    return np.maximum(begin, run_ns[0]), end


def _pauses(begin_ns: I64, end_ns: I64, run_end_ns: int) -> I64:
    """The time from the end of each transfer until the next one begins, or until the run ends."""
    order = np.argsort(end_ns, kind="stable")
    later = np.append(begin_ns[order][1:], run_end_ns)
    following = np.minimum.accumulate(later[::-1])[::-1]
    pause = np.empty(len(order), np.int64)
    pause[order] = np.maximum(following - end_ns[order], 0)
    return pause


def _fitting_tail(pause_ns: I64, total_ns: int) -> int:
    """The longest tail, so that all tails together last `total_ns`: the solution of sum(min(pause, tail)) = total."""
    pause = np.sort(pause_ns)
    before = np.concatenate([[0], np.cumsum(pause)[:-1]])
    more = np.arange(len(pause), 0, -1)
    place = int(np.searchsorted(before + pause * more, total_ns))
    if place == len(pause):
        return int(pause[-1])
    return int((total_ns - before[place]) // more[place])
