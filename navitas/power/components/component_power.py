"""The currents of all components but the CPU, from one profile, and from a fitted model where the profile has none."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.components.modem_power import ModemPower
from navitas.power.components.screen_power import ScreenPower
from navitas.power.power_profile import PowerProfile

if TYPE_CHECKING:
    from navitas.power.fitted_model import FittedModel


WITHOUT_ENTRIES = ("storage", "gpu")
"""Components that no power profile names. They read the fitted model themselves."""
_ENTRIES = {
    "screen": {"on": "screen.on", "brightness": "screen.full"},
    "gnss": {"on": "gps.on"},
    "camera": {"on": "camera.avg"},
    "flashlight": {"on": "camera.flashlight"},
    "audio": {"on": "audio"},
    "video": {"on": "video"},
}
"""Entries by the last word of the parameter whose coefficient (W) gives their current."""


@dataclass(frozen=True, slots=True)
class ControllerPower:
    """Currents of a controller, of transmitting also by level. `voltage_mv` is that of the energy which it reports itself."""

    idle_ma: float
    rx_ma: float
    tx_ma: float
    tx_level_ma: tuple[float, ...] = ()
    voltage_mv: float = 0.0


@dataclass(frozen=True, slots=True)
class BluetoothPower:
    """Currents of Bluetooth: `controller` from `bluetooth.controller.*`, the others from old profiles."""

    controller: ControllerPower
    on_ma: float
    active_ma: float
    at_command_ma: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> BluetoothPower:
        """Read `bluetooth.*`. Old profiles have `bluetooth.on`, `.active` and `.at` instead of a controller."""
        keys = ProfileKeys("bluetooth", profile)
        is_old = not any(keys.has(f"bluetooth.controller.{state}") for state in ("idle", "rx", "tx")) and any(
            keys.has(f"bluetooth.{state}") for state in ("on", "active")
        )
        idle, rx, tx = (keys.value(f"bluetooth.controller.{state}", optional=is_old) for state in ("idle", "rx", "tx"))
        voltage_mv = keys.value("bluetooth.controller.voltage", optional=True)
        on, active = (keys.value(f"bluetooth.{state}", optional=not is_old) for state in ("on", "active"))
        at_command = keys.value("bluetooth.at", optional=True)
        return cls(ControllerPower(idle, rx, tx, (), voltage_mv), on, active, at_command, keys.coverage())


@dataclass(frozen=True, slots=True)
class WifiPower:
    """Currents of Wi-Fi: `controller` from `wifi.controller.*`; the others are added while it is on, transfers, or scans."""

    controller: ControllerPower
    on_ma: float
    active_ma: float
    scan_ma: float
    batched_scan_ma: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> WifiPower:
        """Read `wifi.*`. A profile without a controller needs `wifi.on`, `wifi.active` and `wifi.scan`."""
        keys = ProfileKeys("wifi", profile)
        has_controller = any(keys.has(f"wifi.controller.{state}") for state in ("idle", "rx", "tx"))
        has_times = any(keys.has(f"wifi.{state}") for state in ("on", "active", "scan"))
        idle, rx, tx = (
            keys.value(f"wifi.controller.{state}", optional=has_times and not has_controller) for state in ("idle", "rx", "tx")
        )
        levels = keys.values("wifi.controller.tx_levels", optional=True)
        controller = ControllerPower(idle, rx, tx, levels, keys.value("wifi.controller.voltage", optional=True))
        on, active, scan = (keys.value(f"wifi.{state}", optional=has_controller) for state in ("on", "active", "scan"))
        return cls(controller, on, active, scan, keys.value("wifi.batchedscan", optional=True), keys.coverage())


@dataclass(frozen=True, slots=True)
class OnOffPower:
    """A component that draws `current_ma` while it is on: camera, flashlight, audio, video."""

    current_ma: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile, component: str, key: str, *older: str) -> OnOffPower:
        """Read the entry `key`, or the one that older profiles have instead."""
        keys = ProfileKeys(component, profile)
        return cls(keys.value(key, *older), keys.coverage())


@dataclass(frozen=True, slots=True)
class MemoryPower:
    """Currents of memory: `bandwidth_ma` from `memory.bandwidths`, one for each bucket."""

    bandwidth_ma: tuple[float, ...]
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> MemoryPower:
        """Read `memory.bandwidths`."""
        keys = ProfileKeys("memory", profile)
        return cls(keys.values("memory.bandwidths"), keys.coverage())


@dataclass(frozen=True, slots=True)
class IdlePower:
    """The current of an idle device: always `suspend_ma`, plus `idle_ma` while it is awake."""

    suspend_ma: float
    idle_ma: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> IdlePower:
        """Read `cpu.suspend` and `cpu.idle`.

        In the oldest profiles, `cpu.idle` is the current of the suspended device, and `cpu.awake` the addition while awake.
        """
        keys = ProfileKeys("idle", profile)
        is_old = keys.has("cpu.awake") and "cpu.suspend" not in profile.items
        suspend, idle = ("cpu.idle", "cpu.awake") if is_old else ("cpu.suspend", "cpu.idle")
        return cls(keys.value(suspend), keys.value(idle), keys.coverage())


@dataclass(frozen=True, slots=True)
class GnssPower:
    """Currents of GNSS: `on_ma` from `gps.on`, and `quality_ma` from `gps.signalqualitybased`, poor signal first."""

    on_ma: float
    quality_ma: tuple[float, ...]
    voltage_mv: float
    coverage: Coverage

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> GnssPower:
        """Read `gps.*`. The profile needs `gps.on` or `gps.signalqualitybased`."""
        keys = ProfileKeys("gnss", profile)
        quality = keys.values("gps.signalqualitybased", optional=True)
        on = keys.value("gps.on", optional=any(quality))
        known = quality if any(quality) else ()  # AOSP ignores zeros: GnssPowerStatsProcessor.mUseSignalLevelEstimators
        return cls(on, known, keys.value("gps.voltage", optional=True), keys.coverage())

    @property
    def unknown_quality_ma(self) -> float:
        """The current at unknown signal quality: `gps.on` if the profile has it, otherwise the mean over the qualities.

        AOSP's processor uses 0 without `gps.on`.
        """
        return self.on_ma if self.on_ma or not self.quality_ma else float(np.mean(self.quality_ma))


@dataclass(frozen=True, slots=True)
class ComponentPower:
    """The currents of each component. Without figures in the profile, a component draws 0 mA, and its `coverage` names them."""

    screen: ScreenPower
    wifi: WifiPower
    modem: ModemPower
    bluetooth: BluetoothPower
    gnss: GnssPower
    camera: OnOffPower
    flashlight: OnOffPower
    audio: OnOffPower
    video: OnOffPower
    memory: MemoryPower
    idle: IdlePower

    @classmethod
    def from_profile(cls, profile: PowerProfile) -> ComponentPower:
        """Read all components. Never raises: `coverage` lists missing entries."""
        return cls(
            ScreenPower.from_profile(profile),
            WifiPower.from_profile(profile),
            ModemPower.from_profile(profile),
            BluetoothPower.from_profile(profile),
            GnssPower.from_profile(profile),
            # AOSP: CameraPowerCalculator, FlashlightPowerCalculator, AudioPowerCalculator, VideoPowerCalculator
            OnOffPower.from_profile(profile, "camera", "camera.avg"),
            OnOffPower.from_profile(profile, "flashlight", "camera.flashlight"),
            OnOffPower.from_profile(profile, "audio", "audio", "dsp.audio"),
            OnOffPower.from_profile(profile, "video", "video", "dsp.video"),
            MemoryPower.from_profile(profile),
            IdlePower.from_profile(profile),
        )

    @classmethod
    def empty(cls) -> ComponentPower:
        """Return the currents of a profile without entries."""
        return cls.from_profile(PowerProfile("none", {}, {}))

    @property
    def figures(self) -> object:
        """All currents, without entry names. Equal for profiles that describe the same phone with different entries."""
        return _figures(self)

    @property
    def coverage(self) -> tuple[Coverage, ...]:
        """The entries that each component uses and lacks."""
        return tuple(getattr(self, field.name).coverage for field in fields(self))

    def unread(self, profile: PowerProfile) -> list[str]:
        """Return the profile's entries that no component reads, except CPU entries, `battery.capacity` and AOSP's `none`."""
        read = {"battery.capacity", "none", *(key for one in self.coverage for key in one.used)}
        entries = dict.fromkeys((*profile.items, *profile.arrays))
        return [key for key in entries if not key.startswith("cpu.") and key not in read]


def _figures(value: object) -> object:
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, tuple):
        return [_figures(one) for one in value]
    if is_dataclass(value):
        members = (getattr(value, field.name) for field in fields(value))
        return [_figures(member) for member in members if not isinstance(member, Coverage)]
    return value


def filled_profile(profile: PowerProfile, fitted: FittedModel, voltage_v: float) -> tuple[PowerProfile, tuple[str, ...]]:
    """Return the profile with the fitted currents of components that it has no figures of, and the names of filled components.

    The entries of a component with figures are never replaced.
    """
    covered = {one.component for one in ComponentPower.from_profile(profile).coverage if one.is_covered}
    items, arrays, filled = dict(profile.items), dict(profile.arrays), []
    for component, entries in _ENTRIES.items():
        values = fitted.values(component)
        known = {entry: values[word] for word, entry in entries.items() if word in values}
        if known and component not in covered:
            filled.append(component)
            for entry, watts in known.items():
                arrays.pop(entry, None)
                items[entry] = watts / voltage_v * 1e3
    filled += [component for component in WITHOUT_ENTRIES if fitted.values(component)]
    return replace(profile, items=items, arrays=arrays), tuple(filled)
