"""The currents of all components but the CPU, from one profile."""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass

import numpy as np

from navitas.power.components.bluetooth_power import BluetoothPower
from navitas.power.components.coverage import Coverage
from navitas.power.components.gnss_power import GnssPower
from navitas.power.components.idle_power import IdlePower
from navitas.power.components.memory_power import MemoryPower
from navitas.power.components.modem_power import ModemPower
from navitas.power.components.on_off_power import OnOffPower, audio, camera, flashlight, video
from navitas.power.components.screen_power import ScreenPower
from navitas.power.components.wifi_power import WifiPower
from navitas.power.power_profile import PowerProfile


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
            camera(profile),
            flashlight(profile),
            audio(profile),
            video(profile),
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
