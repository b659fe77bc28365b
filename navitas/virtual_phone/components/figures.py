"""The power of each component's states, from the power profile, and a phone's own deviations from it, from its seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

Items = Mapping[str, float]
Arrays = Mapping[str, Sequence[float]]


@dataclass(frozen=True, slots=True)
class StatePower:
    """Power in mW of each state, as the power profile defines it (source.android.com, "Power values")."""

    screen_on_mw: float
    screen_full_mw: float
    wifi_idle_mw: float
    wifi_rx_mw: float
    wifi_tx_mw: float
    wifi_scan_mw: float
    mobile_sleep_mw: float
    mobile_rx_mw: float
    mobile_tx_mw: float
    bluetooth_idle_mw: float
    bluetooth_rx_mw: float
    gnss_mw: float
    camera_mw: float
    flashlight_mw: float
    audio_mw: float
    video_mw: float
    reporting_radios: frozenset[str] = frozenset()
    """The radios with a controller that reports its times."""


def component_power(items: Items, arrays: Arrays, voltage_v: float) -> StatePower:
    """Read the figures of all generations of profiles. What a profile does not name uses no power."""

    def ma(*names: str) -> float:
        """Return the first figure that exists. The strongest signal is the last value of GNSS and the first of a transmitter."""
        for name in names:
            if name in items:
                return items[name]
            if arrays.get(name):
                return arrays[name][-1 if name.startswith("gps") else 0]
        return 0.0

    def volts(prefix: str) -> float:
        return items.get(f"{prefix}.voltage", voltage_v * 1000) / 1000

    wifi_v, mobile_v, bluetooth_v, gnss_v = (
        volts(name) for name in ("wifi.controller", "modem.controller", "bluetooth.controller", "gps")
    )
    wifi_rx_ma = ma("wifi.controller.rx", "wifi.active")
    bluetooth_ma = ma("bluetooth.controller.rx", "bluetooth.active")
    mobile_rx_ma = ma("modem.controller.rx", "radio.active")
    return StatePower(
        screen_on_mw=ma("screen.on", "screen.on.display0") * voltage_v,
        screen_full_mw=ma("screen.full", "screen.full.display0") * voltage_v,
        wifi_idle_mw=ma("wifi.controller.idle", "wifi.on") * wifi_v,
        wifi_rx_mw=wifi_rx_ma * wifi_v,
        wifi_tx_mw=ma("wifi.controller.tx", "wifi.active") * wifi_v,
        wifi_scan_mw=(ma("wifi.scan") or wifi_rx_ma) * wifi_v,
        mobile_sleep_mw=ma("modem.controller.sleep", "radio.on") * mobile_v,
        mobile_rx_mw=mobile_rx_ma * mobile_v,
        mobile_tx_mw=(ma("modem.controller.tx") or mobile_rx_ma) * mobile_v,
        bluetooth_idle_mw=ma("bluetooth.controller.idle", "bluetooth.on") * bluetooth_v,
        bluetooth_rx_mw=bluetooth_ma * bluetooth_v,
        gnss_mw=ma("gps.signalqualitybased", "gps.on") * gnss_v,
        camera_mw=ma("camera.avg") * voltage_v,
        flashlight_mw=ma("camera.flashlight") * voltage_v,
        audio_mw=ma("audio", "dsp.audio") * voltage_v,
        video_mw=ma("video", "dsp.video") * voltage_v,
        reporting_radios=frozenset(name for name in ("wifi", "modem") if f"{name}.controller.rx" in items),
    )


@dataclass(frozen=True, slots=True)
class Temperament:
    """What distinguishes one phone from its profile, and no file states. Sources: docs/dev/virtual-phone.md."""

    wifi_tail_s: float
    wifi_sleep_ratio: float
    wifi_bits_per_s: float
    wifi_scan_s: float
    mobile_tail_s: float
    mobile_tail_ratio: float
    mobile_bits_per_s: float
    gnss_search_s: float
    gnss_search_ratio: float
    camera_ramp_s: float
    audio_standby_s: float
    screen_ramp_s: float
    ufs_read_nj_per_byte: float
    ufs_write_nj_per_byte: float
    ufs_active_mw: float
    ufs_tail_s: float
    gpu_leak_mw: float
    gains: Mapping[str, float]
    """The ratio of each rail's reading to its true energy."""


def temperament(seed: int, rails: Sequence[str]) -> Temperament:
    """Draw a phone's deviations. The same seed gives the same phone."""

    def draw(name: str, low: float, high: float) -> float:
        return Random(f"{seed}:{name}").uniform(low, high)

    return Temperament(
        wifi_tail_s=draw("wifi tail", 0.15, 0.35),
        wifi_sleep_ratio=draw("wifi sleep", 0.03, 0.08),
        wifi_bits_per_s=draw("wifi rate", 1.0e8, 3.0e8),
        wifi_scan_s=draw("wifi scan", 1.5, 3.5),
        mobile_tail_s=draw("mobile tail", 8.0, 12.0),
        mobile_tail_ratio=draw("mobile tail power", 0.45, 0.65),
        mobile_bits_per_s=draw("mobile rate", 2.0e7, 8.0e7),
        gnss_search_s=draw("gnss search", 2.0, 6.0),
        gnss_search_ratio=draw("gnss search power", 1.2, 1.6),
        camera_ramp_s=draw("camera ramp", 0.25, 0.6),
        audio_standby_s=3.0,
        screen_ramp_s=draw("screen ramp", 0.15, 0.4),
        ufs_read_nj_per_byte=draw("ufs read", 0.8, 1.6),
        ufs_write_nj_per_byte=draw("ufs write", 1.8, 3.5),
        ufs_active_mw=draw("ufs active", 10.0, 20.0),
        ufs_tail_s=draw("ufs tail", 0.02, 0.1),
        gpu_leak_mw=draw("gpu leak", 1.0, 3.0),
        gains={rail: Random(f"{seed}:gain {rail}").gauss(1.0, 0.005) for rail in rails},
    )
