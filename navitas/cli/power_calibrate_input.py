"""The inputs and outputs of `navitas power calibrate`: checked and read before anything is measured."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from navitas.analyze.load import Loaded
from navitas.calibrate.operating_points import PointSource
from navitas.calibrate.points_csv import read_points
from navitas.calibrate.wattson_curves import FILES, read_curves
from navitas.cli.files import STDOUT, check_regular_or_new
from navitas.cli.messages import shell_word
from navitas.errors import UsageError
from navitas.recording.writer import DEFAULT_VOLTAGE_V
from navitas.untrusted_text import printable

_LEAST_STEP_S = 1.0
_MOST_APART = 1.05


def check_outputs(output: Path, json_file: Path | None) -> None:
    """Raise `UsageError` if an output cannot be written, so that no measurement is lost."""
    check_regular_or_new(output)
    for folder in [path.resolve().parent for path in (output, json_file) if path not in (None, STDOUT)]:
        if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
            raise UsageError(f"{folder}: no permission to write", "Choose a folder where you have write permission.")


def check_measured(serial: str | None, points: Sequence[Path], recordings: Sequence[Path], meter: Path | None) -> None:
    """Raise `UsageError` if there is nothing to fit to, or if the sources exclude each other."""
    if serial is not None and (points or recordings):
        raise UsageError("--device excludes --points and --recording", "Calibrate with one of them, then compare with --against.")
    if serial is None and not points and not recordings:
        raise UsageError("there is nothing to fit to", "Give --points PATH, --recording RECORDING or --device SERIAL.")
    if meter is not None and not recordings:
        raise UsageError("--meter needs a recording of the same time", "Give --recording RECORDING.")


def check_lengths(serial: str | None, recordings: Sequence[Path], step_s: float | None, interval_s: float | None) -> list[str]:
    """Raise `UsageError` if lengths have no effect. Return a warning if steps are short."""
    if step_s is not None and serial is None:
        raise UsageError("--step has no effect without --device", "Leave it out.")
    if interval_s is not None and not recordings:
        raise UsageError("--interval has no effect without --recording", "Leave it out.")
    if step_s is not None and step_s < _LEAST_STEP_S:
        return [f"steps of {step_s:g} s are short: counters and rails are read too seldom for them; use --step 2"]
    return []


def check_start(profile: str | None, serial: str | None, recordings: Sequence[Path], cores: str | None) -> None:
    """Raise `UsageError` if there is no profile to start from, or if --cores has no effect."""
    if serial is None and profile is None:
        raise UsageError("there is no profile to calibrate", "Name one (navitas power show), or give --device SERIAL.")
    if cores is not None and (recordings or serial is not None):
        raise UsageError("--cores is for --points only, since recordings and devices name their clusters", "Leave it out.")


def core_counts(cores: str) -> list[int]:
    """Read the value of --cores. Raises `UsageError`."""
    parts = cores.split(",")
    if not all(part.strip().isdecimal() and len(part) <= 4 and int(part) > 0 for part in parts):
        raise UsageError(f"--cores: {printable(cores, 100)!r} are not the cores of clusters", "Give numbers, such as 4,3,1.")
    return [int(part) for part in parts]


def read_sources(paths: Sequence[Path], names: Sequence[str]) -> list[PointSource]:
    """Read the points of CSV files, and of folders of Wattson's curves. Raises `UsageError`."""
    sources = []
    for path, name in zip(paths, names, strict=True):
        if path.is_dir():
            sources.append(read_curves(path, name))
        elif path.name in FILES:
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
