"""Energy of a radio: transfers, the tail after each, and the idle rest."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.attribute.charges import Charges
from navitas.attribute.curves import Curve, added
from navitas.attribute.hardware.flows import constant_power, during, flow_of, outside
from navitas.attribute.hardware.on_off import Used
from navitas.attribute.hardware.traffic import APP, CALL, OTHERS, Traffic
from navitas.parse.arrays import I64
from navitas.power.components.component_power import ComponentPower
from navitas.power.components.state_times import merged


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


def wifi_link(power: ComponentPower) -> RadioLink:
    """Wi-Fi. Currents are the profile's. A controller that waits for more is idle (AOSP: WifiPowerStatsProcessor).

    The tail of 238 ms is measured (Huang et al., MobiSys 2012, table 3). 20 Mbit/s is assumed.
    """
    wifi = power.wifi
    controller = wifi.controller
    rx, tx = controller.rx_ma or wifi.active_ma, controller.tx_ma or wifi.active_ma
    idle = controller.idle_ma or wifi.on_ma
    return RadioLink(rx, tx, idle, idle, 238_000_000, 20e6, 20e6)


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
    end = np.minimum(traffic.end_ns, run_ns[1])
    length_ns = np.minimum(np.ceil(received_ns + sent_ns), run_ns[1] - run_ns[0]).astype(np.int64)
    begin = np.maximum(end - length_ns, run_ns[0])
    tail_ns = _tails(begin, end, link.tail_ns, run_ns[1])
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


def _tails(begin_ns: I64, end_ns: I64, longest_ns: int, run_end_ns: int) -> I64:
    """How long the radio stays awake after each transfer: until the next one begins, at most `longest_ns`."""
    order = np.argsort(end_ns, kind="stable")
    later = np.append(begin_ns[order][1:], run_end_ns)
    following = np.minimum.accumulate(later[::-1])[::-1]
    tail = np.empty(len(order), np.int64)
    tail[order] = np.clip(following - end_ns[order], 0, longest_ns)
    return tail
