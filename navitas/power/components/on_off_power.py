"""Components that are on or off: camera, flashlight, audio, video."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from navitas.power.components.allocation import Allocation, proportional
from navitas.power.components.charge import F64, I64, Column, charge_c
from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True)
class OnOffPower:
    """A component that draws `current_ma` while it is on."""

    current_ma: float
    coverage: Coverage

    def charge_c(self, on_ns: Column) -> F64:
        """Return the charge of on-time. Simultaneous users are each charged in full.

        Source: AOSP 12 – 15, CameraPowerCalculator and others.
        """
        return charge_c(self.current_ma, on_ns)

    def allocate(self, device_on_ns: Column, on_ns: Column, interval: I64, rail_c: Column | None = None) -> Allocation:
        """Allocate the charge of `device_on_ns`, the time in which any user has it on, by users' on-time.

        With a rail, its charge replaces the estimate. Source: AOSP BinaryStatePowerStatsProcessor. The charge
        does not depend on the number of users. For comparison with Android; reports use attribute/hardware.
        """
        device_c = self.charge_c(device_on_ns) if rail_c is None else np.asarray(rail_c, np.float64)
        return Allocation(device_c, proportional(device_c, on_ns, interval), interval)


def camera(profile: PowerProfile) -> OnOffPower:
    """Read `camera.avg`: the camera subsystem in a typical app (AOSP: CameraPowerCalculator, CameraPowerStatsProcessor)."""
    return _on_off("camera", profile, "camera.avg")


def flashlight(profile: PowerProfile) -> OnOffPower:
    """Read `camera.flashlight` (AOSP: FlashlightPowerCalculator)."""
    return _on_off("flashlight", profile, "camera.flashlight")


def audio(profile: PowerProfile) -> OnOffPower:
    """Read `audio`, in older profiles `dsp.audio` (AOSP: AudioPowerCalculator)."""
    return _on_off("audio", profile, "audio", "dsp.audio")


def video(profile: PowerProfile) -> OnOffPower:
    """Read `video`, in older profiles `dsp.video` (AOSP: VideoPowerCalculator)."""
    return _on_off("video", profile, "video", "dsp.video")


def _on_off(component: str, profile: PowerProfile, key: str, *older: str) -> OnOffPower:
    keys = ProfileKeys(component, profile)
    return OnOffPower(keys.value(key, *older), keys.coverage())
