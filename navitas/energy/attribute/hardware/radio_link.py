"""When radios are awake, and how they spend power: by the power profile, and by what their controllers report."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from navitas.energy.attribute.curves import merged
from navitas.energy.attribute.hardware.traffic import Traffic
from navitas.power.components.component_power import ComponentPower
from navitas.recording.parse.arrays import I64
from navitas.recording.parse.device_states import RadioTimes

_SLOWEST_BIT_S = 1e6


@dataclass(frozen=True, slots=True)
class AirSpans:
    """One row for each transfer. Spans may overlap; `own_ns` and `pause_ns` share the time among them without overlaps.

    `own_ns`: its part of the time in which it and others are on the air, in proportion to their lengths. `pause_ns`: the time
    from its end until another transfer begins, or until the run ends.
    """

    begin_ns: I64
    end_ns: I64
    own_ns: I64
    pause_ns: I64

    @property
    def busy_ns(self) -> int:
        """The time of all transfers."""
        return int(self.own_ns.sum())

    def fitting_tail(self, total_ns: int) -> int:
        """The tail for which all tails together last `total_ns`: the solution of sum(min(pause, tail)) = total."""
        pause = np.sort(self.pause_ns)
        before = np.concatenate([[0], np.cumsum(pause)[:-1]])
        more = np.arange(len(pause), 0, -1)
        place = int(np.searchsorted(before + pause * more, total_ns))
        if place == len(pause):
            return int(pause[-1])
        return max(int((total_ns - before[place]) // more[place]), 0)


def air_spans(traffic: Traffic, run_ns: tuple[int, int]) -> AirSpans:
    """The spans of transfers: up to the end of their calls, and no longer than their bytes take at 1 Mbit/s.

    A call that waits for data is longer than the transfer.
    """
    low, high = run_ns
    longest_ns = np.minimum((traffic.received + traffic.sent) * 8e9 / _SLOWEST_BIT_S, high - low).astype(np.int64)
    end = np.clip(traffic.end_ns, low, high)
    begin = np.clip(np.maximum(traffic.begin_ns, end - longest_ns), low, end)
    blocks, ends = merged(begin, end)
    length = end - begin
    own_ns = length
    if len(blocks):
        block = np.maximum(np.searchsorted(blocks, begin, side="right") - 1, 0)  # spans without length are in no block
        own_ns = np.rint(length * ((ends - blocks) / np.bincount(block, length, len(blocks)))[block])
    order = np.lexsort((begin, end))
    # A transfer that begins before this one ends, and ends later, leaves no pause.
    following = np.minimum.accumulate(np.append(begin[order][1:], high)[::-1])[::-1]
    pause_ns = np.empty(len(order), np.int64)
    pause_ns[order] = np.maximum(following - end[order], 0)
    return AirSpans(begin, end, own_ns.astype(np.int64), pause_ns)


_COARSE_NS = 10_000_000


@dataclass(frozen=True, slots=True)
class RadioCosts:
    """What a radio spends: joules for each byte, watts while it is awake or asleep, and how long it stays awake (`tail_ns`)."""

    received_j: float
    sent_j: float
    awake_w: float
    asleep_w: float
    tail_ns: int


@dataclass(frozen=True, slots=True)
class RadioLink:
    """A radio's currents in mA while it receives, sends, is awake and asleep; its speeds in bit/s, and its tail."""

    rx_ma: float
    tx_ma: float
    awake_ma: float
    asleep_ma: float
    tail_ns: int
    rx_bit_s: float
    tx_bit_s: float

    def costs(self, voltage_v: float) -> RadioCosts:
        """The costs. While the radio receives or sends, its current replaces the one of being awake."""
        received_j = max(self.rx_ma - self.awake_ma, 0.0) * voltage_v * 8e-3 / self.rx_bit_s
        sent_j = max(self.tx_ma - self.awake_ma, 0.0) * voltage_v * 8e-3 / self.tx_bit_s
        return RadioCosts(received_j, sent_j, self.awake_ma * voltage_v / 1e3, self.asleep_ma * voltage_v / 1e3, self.tail_ns)

    def at_least_as_fast(self, traffic: Traffic, spans: AirSpans) -> RadioLink:
        """This link, sped up if it could not carry the traffic in the time that it took."""
        carried_ns = float(traffic.received.sum()) * 8e9 / self.rx_bit_s + float(traffic.sent.sum()) * 8e9 / self.tx_bit_s
        factor = carried_ns / spans.busy_ns if spans.busy_ns else 1.0
        return self if factor <= 1 else replace(self, rx_bit_s=self.rx_bit_s * factor, tx_bit_s=self.tx_bit_s * factor)

    def measured(self, times: RadioTimes, traffic: Traffic, spans: AirSpans) -> RadioLink:
        """This link with the speeds and the tail that explain the controller's times by the run's traffic.

        Times below 10 ms are too coarse: the assumed figures stay.
        """
        link = self
        if times.received_ns >= _COARSE_NS and traffic.received.any():
            link = replace(link, rx_bit_s=float(traffic.received.sum()) * 8e9 / times.received_ns)
        if times.sent_ns >= _COARSE_NS and traffic.sent.any():
            link = replace(link, tx_bit_s=float(traffic.sent.sum()) * 8e9 / times.sent_ns)
        awake_ns = times.idle_ns + times.received_ns + times.sent_ns
        if times.idle_ns >= _COARSE_NS and len(traffic):
            link = replace(link, tail_ns=spans.fitting_tail(awake_ns - spans.busy_ns))
        return link


def wifi_link(power: ComponentPower) -> RadioLink:
    """Wi-Fi. Currents are the profile's. A controller that waits for more is idle (AOSP: WifiPowerStatsProcessor).

    Between tails it sleeps: `wifi.on` if the profile names it, else nothing. The tail of 238 ms is measured (Huang et al.,
    MobiSys 2012, table 3). 43 Mbit/s are assumed: 60 % of one stream of 802.11n at 20 MHz.
    """
    wifi = power.wifi
    controller = wifi.controller
    rx, tx = controller.rx_ma or wifi.active_ma, controller.tx_ma or wifi.active_ma
    return RadioLink(rx, tx, controller.idle_ma or wifi.on_ma, wifi.on_ma, 238_000_000, 43e6, 43e6)


def modem_link(power: ComponentPower) -> RadioLink:
    """The mobile modem. In the tail, the radio is active (AOSP: MobileRadioPowerCalculator counts it as active time).

    The tail of 11.6 s and the speeds are those of LTE (Huang et al., MobiSys 2012, section 4).
    """
    modem = power.modem
    rx, tx = float(modem.receive_ma[0, 0]) or modem.active_ma, float(modem.transmit_ma[0, 0].mean()) or modem.active_ma
    signal = modem.signal_ma
    asleep = modem.sleep_ma or (signal[len(signal) // 2] if signal else modem.idle_ma)
    return RadioLink(rx, tx, modem.active_ma, min(asleep, modem.active_ma), 11_576_000_000, 12.74e6, 5.64e6)
