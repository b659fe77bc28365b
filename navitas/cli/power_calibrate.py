"""`navitas power calibrate`: fit a profile's CPU figures to measured power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from navitas.analyze.fitting.power_meter import read_power_meter
from navitas.analyze.load import Loaded, load_tables
from navitas.calibrate.calibration import Calibration, calibrate
from navitas.calibrate.component_steps import ComponentCurrents
from navitas.calibrate.coupled_fit import Surface, surfaces
from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.curve_points import curves_of, points_of, uncoupled
from navitas.calibrate.document import report
from navitas.calibrate.operating_points import PointSource
from navitas.calibrate.other_phone import start_for
from navitas.calibrate.points_csv import read_points
from navitas.calibrate.recorded_intervals import IntervalRequest, intervals_of, policies_of
from navitas.calibrate.wattson_curves import FILES, WattsonCurves, read_curves, write_curves
from navitas.cli.commands import NavitasCommand
from navitas.cli.files import check_regular_or_new, write_to
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, shell_word, warning
from navitas.cli.option import option
from navitas.cli.options import Finite
from navitas.cli.paths import FOLDER, NAME_OR_FILE, READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.power_calibrate_device import measure, read_given
from navitas.cli.power_calibrate_tables import calibration_table, coupled_table, currents_table
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.collect.power import DEFAULT_VOLTAGE_V
from navitas.errors import UsageError
from navitas.power.cpu import needs_frequencies, power_model
from navitas.power.edited_profile import with_cpu
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile
from navitas.untrusted_text import printable


@click.command(
    "calibrate",
    cls=NavitasCommand,
    example="navitas power calibrate phone.xml --points freqbench.csv -o calibrated.xml\n"
    "navitas power calibrate --device SERIAL -o calibrated.xml",
)
@click.argument("profile", required=False, type=NAME_OR_FILE, metavar="[NAME|FILE]")
@option(
    "--device",
    "serial",
    type=TEXT,
    metavar="SERIAL",
    help="Measure this device ('virtual' too) with special test runs. Its own profile is the default.",
)
@option(
    "--step",
    "step_s",
    type=Finite(min=0.2, max=600),
    default=2.0,
    show_default=True,
    metavar="S",
    help="The length of each step on a device.",
)
@option(
    "--points",
    type=READ_ANY_NAME,
    multiple=True,
    metavar="PATH",
    help="CSV file of measured operating points, or a folder of Wattson's curves; repeatable.",
)
@option(
    "--against",
    type=READ_ANY_NAME,
    multiple=True,
    metavar="PATH",
    help="As --points, but not fitted: shows the errors only.",
)
@option(
    "--recording",
    type=READ_ANY_NAME,
    multiple=True,
    metavar="RECORDING",
    help="Fit to the CPU's rails of a recording, or to --meter; repeatable.",
)
@option("--meter", type=READ_FILE_ANY_NAME, metavar="FILE", help="CSV file of a power meter, for --recording.")
@option(
    "--interval",
    "interval_s",
    type=Finite(min=0.05, max=3600),
    default=1.0,
    show_default=True,
    metavar="S",
    help="The length of a recording's intervals.",
)
@option(
    "--cores",
    type=TEXT,
    metavar="N,N…",
    help="The cores of each cluster, if the profile is another phone's. Speeds are then those of the points.",
)
@option(
    "--voltage",
    "voltage_v",
    type=Finite(min=1, max=30),
    default=DEFAULT_VOLTAGE_V,
    show_default=True,
    metavar="V",
    help="The voltage of the profile's currents.",
)
@option("-o", "--output", required=True, type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="File of the profile.")
@option("--curves-output", type=FOLDER, metavar="FOLDER", section="Output", help="Also write Wattson's curves into this folder.")
@json_option
def command(
    *,
    profile: str | None,
    serial: str | None,
    step_s: float,
    points: tuple[Path, ...],
    against: tuple[Path, ...],
    recording: tuple[Path, ...],
    meter: Path | None,
    interval_s: float,
    cores: str | None,
    voltage_v: float,
    output: Path,
    curves_output: Path | None,
    json_file: Path | None,
) -> None:
    """Fit the CPU's figures of a profile to measured power.

    Shows the error before and after, and at points that were left out of the fit.
    """
    is_text = check_json(json_file)
    check_regular_or_new(output)
    given = None if profile is None else read_given(profile)
    readings = None if meter is None else read_power_meter(meter)
    _check_measured(serial, points, recording, meter)
    _check_start(profile, serial, recording, cores)
    phone = None if serial is None else measure(serial, given, step_s)
    start = phone.start if phone is not None else given
    assert start is not None  # `_check_start`
    xml, start_profile = start.xml, start.profile
    notes: list[str] = []
    if readings is not None and readings.skipped:
        notes.append(f"{readings.name}: {readings.skipped:,} lines are not readings and were skipped")
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the measurements")
        sources, curves = _sources(points)
        compared, others = _sources(against)
        loaded = [load_tables(path) for path in recording]
        model = phone.model if phone is not None else _start(start_profile, voltage_v, sources, loaded)
        if cores is not None:
            model = replace(model, cpu=start_for(model.cpu, _counts(cores), [*sources, *compared]))
        progress.stage("fitting")
        coefficients = CpuCoefficients.of(model.cpu, voltage_v)
        request = IntervalRequest(model, interval_s, readings, notes)
        recorded = [intervals_of(one, coefficients, request) for one in loaded]
        if phone is not None:
            recorded.append(phone.intervals(coefficients))
        components = [] if phone is None else phone.components(voltage_v)
        found = calibrate(coefficients, [*map(uncoupled, sources)], [*map(uncoupled, compared)], recorded)
        coupled = surfaces([point for source in sources for point in source.points])
    names = [*(each.name for each in sources), *(each.name for each in recorded)]
    note = f"CPU calibrated by Navitas with {', '.join(names)}"
    items = {entry: milliamps for each in components for entry, milliamps in each.entries.items()}
    calibrated = with_cpu(xml, start_profile, found.cpu, note=printable(note, 1000), items=items)
    write_to(output, lambda out: out.write(calibrated), binary=True)
    if curves_output is not None:
        curves_output.mkdir(exist_ok=True)
        device = next((each.device for each in (*curves, *others)), start_profile.name)
        write_curves(curves_output, curves_of(device, found.cpu, voltage_v, coupled, curves))
    content = report(found, model.cpu, voltage_v, coupled)
    write_json(json_file, output=str(output), **content, components=[asdict(each) for each in components])
    for text in (*notes, *found.warnings):
        warning(printable(text, 1000))
    if is_text:
        _print(found, coupled, components)
        next_step(f"navitas power validate {shell_word(output)}")


def _check_measured(serial: str | None, points: Sequence[Path], recordings: Sequence[Path], meter: Path | None) -> None:
    if serial is not None and (points or recordings):
        raise UsageError("--device excludes --points and --recording", "Calibrate with one of them, then compare with --against.")
    if serial is None and not points and not recordings:
        raise UsageError("there is nothing to fit to", "Give --points PATH, --recording RECORDING or --device SERIAL.")
    if meter is not None and not recordings:
        raise UsageError("--meter needs a recording of the same time", "Give --recording RECORDING.")


def _check_start(profile: str | None, serial: str | None, recordings: Sequence[Path], cores: str | None) -> None:
    if serial is None and profile is None:
        raise UsageError("there is no profile to calibrate", "Name one (navitas power show), or give --device SERIAL.")
    if cores is not None and (recordings or serial is not None):
        raise UsageError("--cores is for --points only, since recordings and devices name their clusters", "Leave it out.")


def _counts(cores: str) -> list[int]:
    parts = cores.split(",")
    if not all(part.strip().isdecimal() and len(part) <= 4 and int(part) > 0 for part in parts):
        raise UsageError(f"--cores: {printable(cores, 100)!r} are not the cores of clusters", "Give numbers, such as 4,3,1.")
    return [int(part) for part in parts]


def _sources(paths: Sequence[Path]) -> tuple[list[PointSource], list[WattsonCurves]]:
    """The points of CSV files, and of folders of Wattson's curves, with these curves."""
    sources, curves = [], []
    for path in paths:
        if path.is_dir():
            curves.append(read_curves(path))
            sources.append(points_of(curves[-1], path.name))
        elif path.name in FILES:
            raise UsageError(f"{path} is a file of Wattson's curves", f"Give their folder: --points {shell_word(path.parent)}")
        else:
            sources.append(read_points(path))
    return sources, curves


def _start(profile: PowerProfile, voltage_v: float, sources: Sequence[PointSource], loaded: Sequence[Loaded]) -> PowerModel:
    """The model to start from, with the clusters and frequencies of recordings, or else of the points."""
    if loaded:
        policies, frequencies = policies_of(loaded)
        return power_model(profile, voltage_v, policies or None, frequencies)
    if not needs_frequencies(profile):
        return power_model(profile, voltage_v)
    speeds: dict[int, set[int]] = {}
    for point in (point for source in sources for point in source.points):
        speeds.setdefault(point.cpu, set()).add(point.freq_khz)
    firsts = sorted(speeds)
    policies = [(one, list(range(one, two))) for one, two in zip(firsts, [*firsts[1:], firsts[-1] + 1], strict=True)]
    return power_model(profile, voltage_v, policies, {policy: sorted(found) for policy, found in speeds.items()})


def _print(found: Calibration, coupled: Sequence[Surface], components: Sequence[ComponentCurrents]) -> None:
    console = output_console()
    console.print(calibration_table(found))
    if coupled:
        console.print(coupled_table(coupled))
    if components:
        console.print(currents_table(components))
