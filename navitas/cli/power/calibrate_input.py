"""What `navitas power calibrate` reads, checks and measures."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from navitas.base.errors import DeviceError, UsageError
from navitas.base.untrusted_text import printable
from navitas.capture.collect import power
from navitas.capture.collect.readings import topology
from navitas.capture.collect.runs.special_runs import meter_of, rails_text, special_runs
from navitas.cli.habits.files import STDOUT
from navitas.cli.habits.messages import shell_word, warning
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.workflows.devices import device_of
from navitas.energy.analyze.load import Loaded
from navitas.energy.attribute.component import RailUse
from navitas.energy.attribute.component_registry import COMPONENTS
from navitas.insight.calibrate.calibration import Caution
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.fit_rows import IntervalSource
from navitas.insight.calibrate.operating_points import PointSource
from navitas.insight.calibrate.points_csv import read_points
from navitas.insight.calibrate.special_steps import (
    ComponentCurrents,
    StepUse,
    cpu_intervals,
    radio_currents,
    rail_names,
    read_steps,
    screen_currents,
)
from navitas.insight.calibrate.wattson_curves import read_curves
from navitas.insight.calibrate.wattson_files import CPU_FILES
from navitas.power import catalog
from navitas.power.measured_step import Meter
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile, read_power_profile, read_profile_bytes
from navitas.recording.writer import DEFAULT_VOLTAGE_V

_LEAST_STEP_S = 1.0
_MOST_APART = 1.05
_RADIOS = {"wifi": "wifi.on", "bluetooth": "bluetooth.on"}


def check_outputs(output: Path | None, json_file: Path | None) -> None:
    """Raise `UsageError` if an output cannot be written, so that no measurement is lost."""
    for folder in [path.resolve().parent for path in (output, json_file) if path not in (None, STDOUT)]:
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            raise UsageError(f"{folder}: no permission to write", "Choose a folder where you have write permission.")


@dataclass(frozen=True, slots=True)
class CalibrationSources:
    """What a profile is fitted to, and where the fit starts, as a command line names them."""

    profile: str | None
    serial: str | None
    points: tuple[Path, ...]
    unfitted: tuple[Path, ...]
    recording: tuple[Path, ...]
    meter: Path | None
    step_s: float | None
    interval_s: float | None
    cores: str | None
    curves_format: str | None = None

    def check(self) -> list[str]:
        """Raise `UsageError` if something is missing, excludes each other, or has no effect. Returns a warning of short steps."""
        fitted, by_device = self.points or self.recording, self.serial is not None
        compare = "Calibrate with one of them, then compare with --check-points."
        others = fitted or self.unfitted or by_device or self.meter or self.interval_s is not None or self.step_s is not None
        if self.curves_format is not None:
            if others:
                raise UsageError("--format wattson fits to nothing else", "Give the folder, and at most --cores and --voltage.")
            if self.profile is None or not Path(self.profile).is_dir():
                raise UsageError("--format wattson needs a folder of curves", "Name the folder of cpu_1d.csv or cpu_2d.csv.")
            return []
        for wrong, message, remedy in (
            (by_device and fitted, "--device excludes --points and --recording", compare),
            (
                not by_device and not fitted,
                "there is nothing to fit to",
                "Give --points PATH, --recording RECORDING or --device SERIAL.",
            ),
            (self.meter and not self.recording, "--meter needs a recording of the same time", "Give --recording RECORDING."),
            (
                not by_device and self.profile is None,
                "there is no profile to calibrate",
                "Name one (navitas power show), or give --device SERIAL.",
            ),
            (
                self.cores is not None and (self.recording or by_device),
                "--cores is for --points only, since recordings and devices name their clusters",
                "Leave it out.",
            ),
            (self.step_s is not None and not by_device, "--step has no effect without --device", "Leave it out."),
            (self.interval_s is not None and not self.recording, "--interval has no effect without --recording", "Leave it out."),
        ):
            if wrong:
                raise UsageError(message, remedy)
        if self.step_s is not None and self.step_s < _LEAST_STEP_S:
            return [f"steps of {self.step_s:g} s are short: counters and rails are read too seldom for them; use --step 2"]
        return []


def core_counts(cores: str) -> list[int]:
    """Read the value of --cores. Raises `UsageError`."""
    parts = cores.split(",")
    if not all(part.strip().isdecimal() and len(part) <= 4 and int(part) > 0 for part in parts):
        raise UsageError(f"--cores: {printable(cores, 100)!r} are not the cores of clusters", "Give numbers, such as 4,3,1.")
    return [int(part) for part in parts]


def read_sources(paths: Sequence[Path], names: Sequence[str], notes: list[Caution]) -> list[PointSource]:
    """Read the points of CSV files, and of folders of Wattson's curves, whose notes `notes` gets. Raises `UsageError`."""
    sources = []
    for path, name in zip(paths, names, strict=True):
        if path.is_dir():
            curves = read_curves(path, name)
            notes += [Caution("curves", text) for text in curves.notes]
            sources.append(curves.source())
        elif path.name in CPU_FILES:
            raise UsageError(f"{path} is a file of Wattson's curves", f"Give their folder: --points {shell_word(path.parent)}")
        else:
            sources.append(replace(read_points(path), name=name))
    return sources


def distinct_names(paths: Sequence[Path]) -> list[str]:
    """Return the last part of each path, or as many parts as distinguish it from other paths with this name."""
    parts = [(Path.cwd() / path).parts for path in paths]
    names = []
    for own in parts:
        others = [each for each in parts if each != own]
        count = next((count for count in range(1, len(own)) if all(each[-count:] != own[-count:] for each in others)), len(own))
        names.append(str(Path(*own[-count:])))
    return names


def voltage_of(given: float | None, loaded: Sequence[Loaded]) -> float:
    """Return the voltage of the profile's currents: the given one, or that of the recordings. Without both, it is 3.85 V.

    Raises `UsageError` if recordings with different voltages give none.
    """
    if given is not None:
        return given
    found = {one.manifest.power_profile.voltage_v: one.path for one in loaded}
    if len(found) > 1 and max(found) > min(found) * _MOST_APART:
        low, high = min(found), max(found)
        raise UsageError(
            f"{found[low]} was recorded at {low:g} V, and {found[high]} at {high:g} V", "Give the profile's voltage: --voltage V."
        )
    return sum(found) / len(found) if found else DEFAULT_VOLTAGE_V


@dataclass(frozen=True, slots=True)
class StartProfile:
    """A profile and the XML that it was read from."""

    xml: bytes
    profile: PowerProfile


def read_given(name: str) -> StartProfile:
    """Read a profile by name or path. Raises `PowerProfileError`, and `UsageError` if it is a folder."""
    if Path(name).is_dir():
        raise UsageError(
            f"{printable(name, 500)} is a folder, not a power profile", "For Wattson's curves, add --format wattson."
        )
    path = catalog.find(name)
    xml = read_profile_bytes(path)
    return StartProfile(xml, read_power_profile(xml, name=path.stem))


@dataclass(frozen=True, slots=True)
class MeasuredPhone:
    """A phone's steps, what measured them, and its profile: the given one, or its own. `voltage_v` is that of the currents."""

    name: str
    start: StartProfile
    model: PowerModel
    voltage_v: float
    meter: Meter
    uses: Sequence[StepUse]

    def intervals(self, coefficients: CpuCoefficients) -> IntervalSource:
        """The steps of the CPU, with the power of its rails without their base, or of the whole phone."""
        rails = [rail for rail in self.uses[0].power_mw if rail == "gauge" or _is_active("cpu", rail)]
        if not rails:
            raise _not_measured(self.name)
        return cpu_intervals(self.uses, coefficients, rails, self.name)

    def components(self, voltage_v: float) -> list[ComponentCurrents]:
        """The currents of the screen and of radios, as far as something measures them."""
        found = []
        if self._measures("screen"):
            found.append(screen_currents(self.uses, partial(_is_active, "screen"), voltage_v))
        for name, entry in _RADIOS.items():
            if self._measures(name):
                found.append(radio_currents(self.uses, name, entry, partial(_is_active, name), voltage_v))
        return [each for each in found if each is not None]

    def _measures(self, component: str) -> bool:
        return self.meter == "gauge" or any(_is_active(component, rail) for rail in self.uses[0].power_mw)


def measure(
    serial: str, given: StartProfile | None, step_s: float, voltage_v: float | None, check: Callable[[PowerModel], None]
) -> MeasuredPhone:
    """Run the special test runs on a device. Without a given profile, the phone's own is the start.

    The default voltage is the battery's. `check` gets the start before the runs, and can raise `UsageError`.
    Raises `DeviceError` if nothing measures the phone, and `PowerProfileError` if the profile is another phone's.
    """
    with device_of(serial) as device, ConsoleProgress() as progress:
        policies = topology.read_policies(device)
        if given is None:
            found = power.profile_of_phone(device, policies)
            given = StartProfile(found.xml, read_power_profile(found.xml, name=found.source))
        model = power.model_on(device, given.profile, policies)
        volts, _ = power.voltage_of(device, voltage_v)
        check(model)
        meter = meter_of(device)
        if meter != "gauge" and not any(_is_active("cpu", rail) for rail in rail_names(meter, rails_text(device, meter))):
            raise _not_measured(device.info.model)

        def warn(_code: str, text: str, remedy: str) -> None:
            warning(printable(f"{text} ({remedy})" if remedy else text, 1000))

        steps = special_runs(device, policies, meter, warn, step_s=step_s, stage=progress.stage)
        return MeasuredPhone(device.info.model, given, model, volts, meter, read_steps(steps, meter))


def _not_measured(name: str) -> DeviceError:
    return DeviceError(f"{name}: none of its rails measures the CPU", "Use a power meter: --recording and --meter.")


def _is_active(component: str, rail: str) -> bool:
    found = next(each for each in COMPONENTS if each.name == component)
    return found.rail_use(rail) in (RailUse.ACTIVE, RailUse.TOTAL)
