"""Components that are on or off: camera, flashlight, audio, video."""

from __future__ import annotations

from dataclasses import dataclass

from navitas.power.components.coverage import Coverage, ProfileKeys
from navitas.power.power_profile import PowerProfile


@dataclass(frozen=True, slots=True)
class OnOffPower:
    """A component that draws `current_ma` while it is on."""

    current_ma: float
    coverage: Coverage


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
