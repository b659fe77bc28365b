"""Loads a recording from disk and analyzes it. Needs no device, Gradle or Java."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Set
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np

from navitas.base.errors import PowerProfileError, RecordingError
from navitas.energy.analyze.notices import notices
from navitas.energy.analyze.profile import About, Profile, RecordedTables
from navitas.energy.analyze.records import Notice
from navitas.energy.analyze.selection import of_tests
from navitas.energy.attribute.analysis_settings import DEFAULT, AnalysisSettings, EvidenceChoice
from navitas.energy.attribute.build import build_ledger
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.power import cpu
from navitas.power.model import PowerModel
from navitas.power.power_profile import read_power_profile
from navitas.recording.manifest import Manifest
from navitas.recording.parse.findings import LOST, UPDATE, Findings
from navitas.recording.parse.parsed_recording import ParsedRecording, parse_recording
from navitas.recording.parse.tables import CpuTables
from navitas.recording.parse.trace.join import Process
from navitas.recording.store import Recording, open_recording


@dataclass(frozen=True, slots=True)
class Loaded:
    """A recording's tables and its power model, and the settings for their analysis."""

    path: Path
    parsed: ParsedRecording
    manifest: Manifest
    model: PowerModel
    settings: AnalysisSettings = DEFAULT


@dataclass(frozen=True, slots=True)
class TestSelection:
    """The tests (class and method) that a profile is about, and the patterns that chose them."""

    __test__ = False

    patterns: tuple[str, ...]
    tests: frozenset[tuple[str, str]]


def load(
    recording: str | PathLike[str],
    *,
    alternative: str | None = None,
    evidence: EvidenceChoice = "rails",
    power_model: str | PathLike[str] | None = None,
    call_steps: bool = False,
    recorded: bool = False,
) -> Profile:
    """Open, parse and analyze a recording.

    `alternative` names a second model (`paper1`), in addition to the default one. `evidence="model"` leaves power rails out.
    `power_model` is a file of `navitas power fit`: it gives the figures that the power profile lacks.
    `call_steps=True` computes when calls used their energy also for recordings with more than `FEW_EVENTS` call events: the page,
    and the formats `firefox` and `perfetto` show it, and verdicts name it. `recorded=True` keeps the tables of
    the runs, which only Perfetto traces show.

    Raises:
        RecordingError: The folder is not a recording, or a file can't be read.
        PowerProfileError: The power profile or the model file can't be read.
    """
    fitted = None
    if power_model is not None:
        from navitas.power.fitted_model import read_fitted_model  # noqa: PLC0415

        fitted = read_fitted_model(Path(power_model))
    return analyze(load_tables(Path(recording), AnalysisSettings(alternative, evidence, fitted, call_steps, recorded)))


def load_tables(path: Path, settings: AnalysisSettings = DEFAULT) -> Loaded:
    """Open and parse a recording. Raises the errors of `load`."""
    recording = open_recording(path)
    manifest = recording.manifest
    profile_path = recording.file(manifest.power_profile.file)
    try:
        profile = read_power_profile(profile_path, name=manifest.power_profile.source)
    except PowerProfileError as error:
        if isinstance(error.__cause__, OSError):  # The path isn't from the user, so the error names a remedy.
            raise PowerProfileError(error.message, "Copy the recording again, or record again with --power-profile.") from error
        raise
    parsed = parse_recording(recording)
    policies = [(policy.id, policy.cpus) for policy in manifest.device.policies]
    speeds = {table.policy: table.freq_khz.tolist() for run in parsed.runs for table in run.cpu.time_in_state}
    try:
        model = cpu.power_model(profile, manifest.power_profile.voltage_v, policies or None, speeds, settings.fitted)
    except PowerProfileError as error:
        raise PowerProfileError(f"{profile_path}: {error.message}", error.remedy) from error
    return Loaded(path, parsed, manifest, model, settings)


def analyze(loaded: Loaded, selection: TestSelection | None = None) -> Profile:
    """Compute the profile of a recording's tables, or of some tests. Errors name the recording's folder."""
    try:
        profile = profile_of(loaded.parsed, loaded.manifest, loaded.model, loaded.settings, selection)
    except RecordingError as error:  # The message doesn't name a file yet.
        raise RecordingError(f"{loaded.path}: {error.message}", error.remedy) from error
    if loaded.settings.recorded:
        profile.recorded = _recorded(loaded)
    return profile


def _recorded(loaded: Loaded) -> RecordedTables:
    runs, pids = loaded.parsed.runs, {run.id: run.pid for run in loaded.manifest.runs if run.pid is not None}
    traces = {run.run_id: (trace, run) for run in runs if (trace := run.cpu.trace) is not None}
    for number, (trace, run) in traces.items():
        of_threads = Process([thread.tid for thread in run.threads if thread.tid], pids.get(number)).pids(trace.tasks)
        if len(of_threads) == 1:
            pids[number] = of_threads[0]
    without_trace = {run.run_id: replace(run, cpu=CpuTables()) for run in runs}
    return RecordedTables(Recording(loaded.path, loaded.manifest), without_trace, frozenset(traces), pids)


def profile_of(
    parsed: ParsedRecording,
    manifest: Manifest,
    model: PowerModel,
    settings: AnalysisSettings = DEFAULT,
    selection: TestSelection | None = None,
) -> Profile:
    """Attribute the energy of every run, and collect the warnings. A selection leaves out all but its tests."""
    ledger = build_ledger(parsed, manifest, model, settings)
    if selection is not None:
        names = zip(ledger.tests.class_name, ledger.tests.method, strict=True)
        ledger = of_tests(ledger, np.array([name in selection.tests for name in names], bool))
        parsed = _of_runs(parsed, {None, *(run.id for run in ledger.runs)})
    findings = Findings()
    known = {component.name for component in COMPONENTS}
    unknown = Counter(name for name in manifest.components if name not in known)
    message = "the recording has data of components that this version of Navitas does not know ({names})"
    findings.add_losses_by_name("unknown_components", unknown, message, f"No figure includes their energy. {UPDATE}")
    parsed = replace(parsed, warnings=(*parsed.warnings, *findings.warnings), losses=(*parsed.losses, *findings.losses))
    about = About(
        project=manifest.project.name,
        device=manifest.device.model_dump(mode="json"),
        settings=dict(manifest.settings),
        power_profile={**manifest.power_profile.model_dump(mode="json"), "name": model.name},
        battery_mah=model.battery_mah,
        voltage_v=model.voltage_v,
        selected=() if selection is None else selection.patterns,
        created_utc=manifest.created_utc,
        provenance={
            "navitas_version": manifest.navitas_version,
            **manifest.provenance.model_dump(mode="json", exclude_none=True, exclude_defaults=True),
        },
    )
    profile = Profile(ledger, about, _recording_warnings(parsed, manifest, model), parsed.losses)
    profile.warnings += notices(profile)
    return profile


def _of_runs(parsed: ParsedRecording, runs: Set[int | None]) -> ParsedRecording:
    """Leave out the warnings and losses of all other runs. Those of the whole recording have the run None."""
    warnings = tuple(warning for warning in parsed.warnings if warning.run in runs)
    return replace(parsed, warnings=warnings, losses=tuple(loss for loss in parsed.losses if loss.run in runs))


def _recording_warnings(parsed: ParsedRecording, manifest: Manifest, model: PowerModel) -> Iterator[Notice]:
    """Yield the warnings about the recording, its parsing and its power profile."""
    if manifest.state == "partial":
        remedy = "The figures cover only what was recorded. For the rest, record again."
        yield Notice.with_code("partial_recording", "the recording is partial: it was interrupted or a device was lost", remedy)
    if manifest.runs and all(run.baseline for run in manifest.runs):
        remedy = "Record again. Totals need runs with probes."
        yield Notice.with_code("only_baselines", "only baseline runs were recorded, which totals exclude", remedy)
    for warning in parsed.warnings:
        yield Notice(warning.code, f"{_run_prefix(warning.run)}{warning.message}", warning.remedy, warning.run)
    for message in model.warnings:
        yield Notice.with_code("power_profile", message, "Give another profile with --power-profile.")
    warned = {(warning.code, warning.run) for warning in parsed.warnings}
    yield from _model_file_warnings(manifest, model)
    for loss in parsed.losses:
        if not warned & {(loss.what, loss.run), (loss.what, None)}:  # A warning without a run is about all runs.
            yield Notice("loss", f"{_run_prefix(loss.run)}{loss.count} × {loss.what} lost", LOST, loss.run)


def _model_file_warnings(manifest: Manifest, model: PowerModel) -> Iterator[Notice]:
    """Yield warnings about a model file that is of another device, or that gives no figure."""
    fitted = model.fitted
    if fitted is not None and fitted.device != manifest.device.model:
        message = (
            f"the model file is fitted to {fitted.device or 'an unnamed device'}, the recording is of {manifest.device.model}"
        )
        yield Notice.with_code("power_model", message, "Fit a model of this device: navitas power fit")
    if fitted is not None and not model.filled:
        names = fitted.listed_components()
        message = f"the model file gives no figure: the power profile has figures of all of its components ({names})"
        yield Notice.with_code("power_model", message, "Leave out --power-model.")


def _run_prefix(run: int | None) -> str:
    return "" if run is None else f"runs/{run}: "
