"""`navitas power calibrate`: fit a profile's CPU figures to measured power."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from navitas.analyze.fitting.power_meter import read_power_meter
from navitas.analyze.load import load_tables
from navitas.calibrate.calibration import Calibration, Caution, calibrate
from navitas.calibrate.component_steps import ComponentCurrents
from navitas.calibrate.cpu_coefficients import CpuCoefficients
from navitas.calibrate.known_socs import known_cores
from navitas.calibrate.operating_points import PointSource, another_phone, check_points
from navitas.calibrate.other_phone import start_for
from navitas.calibrate.recorded_intervals import IntervalRequest, intervals_of
from navitas.calibrate.regularised_fit import check_installed
from navitas.calibrate.start_model import start_model
from navitas.cli.commands import NavitasCommand
from navitas.cli.files import write_to
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, shell_word, warning
from navitas.cli.option import option
from navitas.cli.options import Finite
from navitas.cli.paths import NAME_OR_FILE, READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.power_calibrate_device import measure, read_given
from navitas.cli.power_calibrate_input import (
    check_lengths,
    check_measured,
    check_outputs,
    check_start,
    core_counts,
    distinct_names,
    read_sources,
    voltage_of,
)
from navitas.cli.power_calibrate_tables import calibration_table, currents_table
from navitas.cli.progress import ConsoleProgress
from navitas.cli.standard_output import output_console
from navitas.power.cpu import power_model
from navitas.power.edited_profile import with_cpu
from navitas.power.model import CpuPower, PowerModel
from navitas.power.power_profile import read_power_profile
from navitas.recording.writer import DEFAULT_VOLTAGE_V
from navitas.untrusted_text import printable

_STEP_S, _INTERVAL_S = 2.0, 1.0


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
    metavar="S",
    help=f"The length of each step on a device. [{_STEP_S:g}]",
)
@option(
    "--points",
    type=READ_FILE_ANY_NAME,
    multiple=True,
    metavar="PATH",
    help="CSV file of measured operating points, or a folder of Wattson's curves; repeatable.",
)
@option(
    "--against",
    type=READ_FILE_ANY_NAME,
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
    metavar="S",
    help=f"The length of a recording's intervals. [{_INTERVAL_S:g}]",
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
    metavar="V",
    help=f"The voltage of the profile's currents. [the phone's, {DEFAULT_VOLTAGE_V:g} for --points]",
)
@option("-o", "--output", required=True, type=WRITE_ANY_NAME, metavar="FILE", section="Output", help="File of the profile.")
@json_option
def command(
    *,
    profile: str | None,
    serial: str | None,
    step_s: float | None,
    points: tuple[Path, ...],
    against: tuple[Path, ...],
    recording: tuple[Path, ...],
    meter: Path | None,
    interval_s: float | None,
    cores: str | None,
    voltage_v: float | None,
    output: Path,
    json_file: Path | None,
) -> None:
    """Fit the CPU's figures of a profile to measured power.

    Shows the error before and after, and at points that were left out of the fit.
    """
    is_text = check_json(json_file)
    given = None if profile is None else read_given(profile)
    readings = None if meter is None else read_power_meter(meter)
    check_measured(serial, points, recording, meter)
    check_start(profile, serial, recording, cores)
    notes = check_lengths(serial, recording, step_s, interval_s)
    check_outputs(output, json_file)
    check_installed()
    if readings is not None and readings.skipped:
        notes.append(f"{readings.name}: {readings.skipped:,} lines are not readings and were skipped")
    paths = distinct_names([*points, *against, *recording])
    sources = read_sources(points, paths[: len(points)])
    compared = read_sources(against, paths[len(points) : len(points) + len(against)])

    def check(model: PowerModel) -> None:
        for each in compared:
            check_points(each, model.cpu)

    phone = None if serial is None else measure(serial, given, step_s or _STEP_S, voltage_v, check)
    start = phone.start if phone is not None else given
    assert start is not None  # `check_start`
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the measurements")
        loaded = [load_tables(path) for path in recording]
        voltage_v = phone.voltage_v if phone is not None else voltage_of(voltage_v, loaded)
        known: list[Caution] = []
        model = phone.model if phone is not None else start_model(start.profile, voltage_v, sources, loaded)
        if phone is None and not loaded:
            model = replace(model, cpu=_start_for(model.cpu, cores, [*sources, *compared], known))
        progress.stage("fitting")
        coefficients = CpuCoefficients.of(model.cpu, voltage_v)
        request = IntervalRequest(model, interval_s or _INTERVAL_S, readings, notes)
        recorded = [
            replace(intervals_of(one, coefficients, request), name=name)
            for one, name in zip(loaded, paths[len(points) + len(against) :], strict=True)
        ]
        if phone is not None:
            recorded.append(phone.intervals(coefficients))
        components = [] if phone is None else phone.components(voltage_v)
        found = calibrate(coefficients, sources, compared, recorded)
    names = [*(each.name for each in sources), *(each.name for each in recorded)]
    note = f"CPU calibrated by Navitas with {', '.join(names)}"
    items = {entry: milliamps for each in components for entry, milliamps in each.entries.items()}
    calibrated = with_cpu(start.xml, start.profile, found.cpu, note=printable(note, 1000), items=items)
    write_to(output, lambda out: out.write(calibrated), binary=True)
    of_input = (Caution("measurements", text) for text in notes)
    found = replace(found, warnings=(*of_input, *known, *found.warnings, *_implausible(output, calibrated, found.cpu)))
    others = [asdict(each) for each in components]
    write_json(json_file, output=str(output), **found.as_json(model.cpu, voltage_v), components=others)
    for each in found.warnings:
        warning(printable(each.message, 1000))
    if is_text:
        _print(found, components)
        # The currents hold at this voltage; a profiling takes the battery's by default.
        next_step(f"navitas profile PROJECT --power-profile {shell_word(output)} --voltage {voltage_v:.4g}")


def _start_for(cpu: CpuPower, cores: str | None, sources: Sequence[PointSource], notes: list[Caution]) -> CpuPower:
    """The start for points alone: the profile's, or that of the named clusters, or of a known SoC's if it is another phone's."""
    if cores is not None:
        return start_for(cpu, core_counts(cores), sources)
    if any(another_phone(source, cpu) for source in sources):
        names, counts = known_cores(sources)
        if names:
            shown = ",".join(map(str, counts))
            text = f"the points are not of the profile's phone, but like those of {', '.join(names)}, so --cores is {shown}"
            notes.append(Caution("known_soc", text))
            return start_for(cpu, counts, sources)
    return cpu


def _implausible(output: Path, profile: bytes, cpu: CpuPower) -> Iterator[Caution]:
    """What no phone has of the written profile, such as currents from power in a wrong unit, or of a cluster not measured."""
    speeds = {min(cluster.cpus): cluster.freq_khz.tolist() for cluster in cpu.clusters}
    policies = [(min(cluster.cpus), cluster.cpus) for cluster in cpu.clusters]
    for text in power_model(read_power_profile(profile, name=output.name), DEFAULT_VOLTAGE_V, policies, speeds).implausible:
        yield Caution("implausible_figure", text)


def _print(found: Calibration, components: Sequence[ComponentCurrents]) -> None:
    console = output_console()
    console.print(calibration_table(found))
    if components:
        console.print(currents_table(components))
