"""From a recording on disk to the analysed result: the offline half of every report."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from navitas.attribute.analyze import analyze
from navitas.attribute.result import Analysis
from navitas.parse.run import ParsedRecording, parse_recording
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.profile import read_power_profile
from navitas.recording.manifest import Manifest
from navitas.recording.store import open_recording


@dataclass(frozen=True, slots=True)
class Loaded:
    """A recording's tables and the power model that belongs to it."""

    parsed: ParsedRecording
    manifest: Manifest
    model: PowerModel


def load_recording(path: Path) -> Loaded:
    """Open and parse a recording. Raises `RecordingError` or `PowerProfileError` for what cannot be read or does not belong."""
    recording = open_recording(path)
    manifest = recording.manifest
    profile = read_power_profile(recording.file(manifest.power_profile.file), name=manifest.power_profile.source)
    policies = [(policy.id, policy.cpus) for policy in manifest.device.policies]
    model = power_model(profile, manifest.power_profile.voltage_v, policies or None)
    return Loaded(parse_recording(recording), manifest, model)


def analyze_recording(path: Path, method: Literal["default", "paper1"] = "default") -> Analysis:
    """Open, parse and analyse a recording; needs no device, Gradle or Java."""
    loaded = load_recording(path)
    return analyze(loaded.parsed, loaded.manifest, loaded.model, method=method)
