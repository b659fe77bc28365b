"""The mobile modem: by its activity report, or by the time that the radio is active. Phone calls are separate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.allocation import Allocation, proportional, sum_by_interval
from navitas.power.components.charge import F64, I64, Column, charge_c, ratio, reported_charge_c, weighted_charge_c
from navitas.power.components.controller_power import RadioUse
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.components.modem_currents import active_currents
from navitas.power.power_profile import PowerProfile

SIGNAL_LEVELS = 5
_LOWEST_IDLE_MA = 1.0
_NO_TIME = np.zeros(0)


@dataclass(frozen=True, slots=True, eq=False)
class ModemActivity:
    """A modem's activity report, a row for each interval, technology and frequency.

    `tx_ns` has a column for each transmit level.
    """

    interval: I64
    technology: I64
    nr_frequency: I64
    rx_ns: Column
    tx_ns: Column


@dataclass(frozen=True, slots=True, eq=False)
class ModemCharge:
    """A modem's charge in each interval: receiving, transmitting, and the rest, which is not allocated."""

    receive_c: F64
    transmit_c: F64
    resting_c: F64

    @property
    def device_c(self) -> F64:
        """The total charge in each interval."""
        return self.receive_c + self.transmit_c + self.resting_c


@dataclass(frozen=True, slots=True, eq=False)
class ModemPower:
    """Currents of a modem. For `receive_ma` and `transmit_ma`, see `active_currents`.

    Without an activity report, `active_ma` is the current of the active radio, and `signal_ma` that of the idle radio by signal
    level.
    """

    sleep_ma: float
    idle_ma: float
    receive_ma: F64
    transmit_ma: F64
    active_ma: float
    scanning_ma: float
    signal_ma: tuple[float, ...]
    voltage_mv: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> ModemPower:
        """Read the `<modem>` element, `modem.controller.*` and `radio.*` (AOSP: MobileRadioPowerCalculator's constructor).

        Without `radio.active`, the active radio draws the mean of receiving and the five transmit levels. Without `radio.on`, the
        idle radio draws `idle`·25/180 at signal level 0, and `idle`/256 but at least 1 mA at all others, or 0 if `idle` is 0.
        """
        keys = ProfileKeys("modem", profile)
        is_timed = keys.has("radio.active") and not any(
            keys.has(key)
            for key in ("modem.idle", "modem.controller.idle", "modem.controller.rx", "modem.active.DEFAULT.receive")
        )
        sleep, idle = (next(iter(keys.values(f"modem.{state}", optional=True)), None) for state in ("sleep", "idle"))
        if sleep is None:
            sleep = keys.value("modem.controller.sleep", optional=is_timed)
        if idle is None:
            idle = keys.value("modem.controller.idle", optional=is_timed)
        receive_ma, transmit_ma = active_currents(keys, is_optional=is_timed)
        mean_ma = float((receive_ma[0, 0] + transmit_ma[0, 0].sum()) / (1 + transmit_ma.shape[2]))
        imputed_ma = (idle * 25 / 180, *[max(_LOWEST_IDLE_MA, idle / 256)] * (SIGNAL_LEVELS - 1)) if idle else ()
        return cls(
            sleep,
            idle,
            receive_ma,
            transmit_ma,
            next(iter(keys.values("radio.active", optional=True)), mean_ma),
            keys.value("radio.scanning", optional=True),
            keys.values("radio.on", optional=not is_timed) or imputed_ma,
            keys.value("modem.controller.voltage", optional=True),
            keys.coverage(),
        )

    def report_c(self, activity: ModemActivity, sleep_ns: Column, idle_ns: Column, scanning_ns: Column = _NO_TIME) -> ModemCharge:
        """Return the charge of each interval by the activity report.

        Source: AOSP, MobileRadioPowerCalculator, MobileRadioPowerStatsProcessor.

        `scanning_ns`: the time of searching for a network, which only Android 16 includes. It can be empty.
        """
        intervals = len(np.asarray(sleep_ns))
        receive_c = charge_c(self.receive_ma[activity.technology, activity.nr_frequency], activity.rx_ns)
        transmit_c = charge_c(self.transmit_ma[activity.technology, activity.nr_frequency], activity.tx_ns).sum(axis=1)
        return ModemCharge(
            sum_by_interval(receive_c, activity.interval, intervals),
            sum_by_interval(transmit_c, activity.interval, intervals),
            charge_c(self.sleep_ma, sleep_ns) + charge_c(self.idle_ma, idle_ns) + self._scanning_c(scanning_ns),
        )

    def active_time_c(self, active_ns: Column) -> F64:
        """Return the charge of the active radio without a report. Also applies to phone calls.

        Source: AOSP, MobileRadioPowerCalculator, PhonePowerCalculator.
        """
        return charge_c(self.active_ma, active_ns)

    def inactive_c(self, scanning_ns: Column, signal_ns: Column) -> F64:
        """Return the charge of the inactive radio without a report: scanning, and idle time by signal level (a column each)."""
        return self._scanning_c(scanning_ns) + weighted_charge_c(self.signal_ma, signal_ns)

    def reported_c(self, energy_j: Column) -> F64:
        """Return the charge of the energy that the modem reports, by `modem.controller.voltage`."""
        return reported_charge_c(energy_j, self.voltage_mv)

    def _scanning_c(self, scanning_ns: Column) -> F64 | float:
        return charge_c(self.scanning_ma, scanning_ns) if len(scanning_ns) else 0.0


def allocate_by_direction(charge: ModemCharge, use: RadioUse, acknowledged: Column | None = None) -> Allocation:
    """Allocate receiving by received packets, and transmitting by sent packets.

    Source: AOSP 15 QPR and 16, MobileRadioPowerStatsProcessor. For comparison with Android; reports use
    attribute/hardware. `acknowledged`: in each interval, the number of packets that the device sends per received packet
    (AOSP 13 – 15, MobileRadioPowerCalculator with a rail: transmit time ÷ active time, see `transmit_share`).
    """
    sent = np.asarray(use.tx, np.float64)
    if acknowledged is not None:
        sent = sent + use.rx * np.asarray(acknowledged, np.float64)[use.interval]
    user_c = proportional(charge.receive_c, use.rx, use.interval) + proportional(charge.transmit_c, sent, use.interval)
    return Allocation(charge.device_c, user_c, use.interval)


def allocate_by_packets(charge: ModemCharge, use: RadioUse) -> Allocation:
    """Allocate receiving and transmitting together, by packets of both directions (AOSP 12 – 15, MobileRadioPowerCalculator)."""
    packets = np.asarray(use.rx, np.float64) + use.tx
    user_c = proportional(charge.receive_c + charge.transmit_c, packets, use.interval)
    return Allocation(charge.device_c, user_c, use.interval)


def allocate_by_active_time(active_c: Column, inactive_c: Column, active_ns: Column, interval: I64) -> Allocation:
    """Allocate the active radio by users' active time, without a report. The rest stays unallocated.

    Source: AOSP, MobileRadioPowerCalculator.
    """
    device_c = np.asarray(active_c, np.float64) + inactive_c
    return Allocation(device_c, proportional(active_c, active_ns, interval), interval)


def transmit_share(activity: ModemActivity, intervals: int) -> F64:
    """Return transmit time ÷ (transmit + receive time) of each interval (AOSP: MobileRadioPowerCalculator)."""
    sent_ns = sum_by_interval(np.asarray(activity.tx_ns, np.float64).sum(axis=1), activity.interval, intervals)
    return ratio(sent_ns, sent_ns + sum_by_interval(activity.rx_ns, activity.interval, intervals))


def split_off_calls(rail_c: Column, call_ns: Column, active_ns: Column) -> tuple[F64, F64]:
    """Split a rail's charge into phone calls and mobile data, by call time ÷ active time, at most 1.

    Returns both charges. Source: AOSP 12 – 15, PhonePowerCalculator.
    """
    measured = np.asarray(rail_c, np.float64)
    calls_c = measured * np.minimum(ratio(call_ns, active_ns), 1.0)
    return calls_c, measured - calls_c
