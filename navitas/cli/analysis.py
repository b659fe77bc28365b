"""From a recording on disk to the analysed result: the offline half of every report."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from navitas.attribute.analyze import analyze
from navitas.attribute.result import Analysis
from navitas.attribute.rows import stem
from navitas.errors import PowerProfileError, RecordingError
from navitas.parse.run import ParsedRecording, parse_recording
from navitas.power.cpu import power_model
from navitas.power.model import PowerModel
from navitas.power.profile import read_power_profile
from navitas.recording.manifest import Manifest
from navitas.recording.store import open_recording
from navitas.report.terminal import unknown_thread


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
    profile_path = recording.file(manifest.power_profile.file)
    profile = read_power_profile(profile_path, name=manifest.power_profile.source)
    policies = [(policy.id, policy.cpus) for policy in manifest.device.policies]
    parsed = parse_recording(recording)
    speeds = {table.policy: table.freq_khz.tolist() for run in parsed.runs for table in run.time_in_state}
    try:
        model = power_model(profile, manifest.power_profile.voltage_v, policies or None, speeds)
    except PowerProfileError as error:
        raise PowerProfileError(f"{profile_path}: {error.message}", error.remedy) from error
    return Loaded(parsed, manifest, model)


def analyze_recording(
    path: Path,
    method: Literal["default", "paper1"] = "default",
    *,
    tree: str | None = None,
    stage: Callable[[str], None] = lambda text: None,
) -> Analysis:
    """Open, parse and analyse a recording; needs no device, Gradle or Java. `stage` is told what is being done.

    UsageError, before the long part of the work, when `tree` names no thread that has calls.
    """
    stage("reading the recording")
    loaded = load_recording(path)
    if tree is not None:
        _check_thread(loaded.parsed, tree)
    stage("attributing energy to calls")
    try:
        return analyze(loaded.parsed, loaded.manifest, loaded.model, method=method)
    except RecordingError as error:  # analysis knows no files
        raise RecordingError(f"{path}: {error.message}", error.remedy) from error


def _check_thread(parsed: ParsedRecording, wanted: str) -> None:
    threads = [thread for run in parsed.runs for thread in run.threads if len(thread.calls) or len(thread.folded.node)]
    names = {thread.name for thread in threads}
    if wanted not in names.union(map(stem, names), (str(thread.serial) for thread in threads)):
        raise unknown_thread(wanted, names)
