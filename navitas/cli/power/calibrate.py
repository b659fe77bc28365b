"""`navitas power calibrate`: fit a profile's CPU figures to measured power."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.units import percent
from navitas.base.untrusted_text import printable
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json, write_to
from navitas.cli.habits.messages import next_step, shell_word, warning
from navitas.cli.habits.option import gathered, option, renamed
from navitas.cli.habits.paths import NAME_OR_FILE, READ_ANY_NAME, READ_FILE_ANY_NAME, TEXT, WRITE_REGULAR
from navitas.cli.habits.progress import ConsoleProgress
from navitas.cli.habits.shared_options import VOLTS, Finite, interval_option, meter_option
from navitas.cli.habits.standard_output import output_console
from navitas.cli.power.calibrate_input import (
    CalibrationSources,
    check_outputs,
    core_counts,
    distinct_names,
    measure,
    read_given,
    read_sources,
    voltage_of,
)
from navitas.cli.power.curves import WATTSON, implausible_of, profile_of_curves
from navitas.energy.analyze.fitting.measured_energy import read_power_meter
from navitas.energy.analyze.load import load_tables
from navitas.insight.calibrate.calibration import Calibration, Caution, calibrate, check_installed
from navitas.insight.calibrate.cpu_coefficients import CpuCoefficients
from navitas.insight.calibrate.known_socs import known_cores
from navitas.insight.calibrate.operating_points import PointSource, another_phone, check_points
from navitas.insight.calibrate.recorded_intervals import intervals_of
from navitas.insight.calibrate.special_steps import ComponentCurrents
from navitas.insight.calibrate.start_model import start_for, start_model
from navitas.power.edited_profile import with_cpu
from navitas.power.model import CpuPower, PowerModel
from navitas.recording.writer import DEFAULT_VOLTAGE_V
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph

_STEP_S, _INTERVAL_S = 2.0, 1.0
_LONGEST = 300


@click.command(
    "calibrate",
    cls=NavitasCommand,
    example="navitas power calibrate phone.xml --points freqbench.csv -o calibrated.xml\n"
    "navitas power calibrate --device SERIAL -o calibrated.xml\n"
    "navitas power calibrate FOLDER --format wattson -o phone.xml",
)
@gathered(
    "measured",
    CalibrationSources,
    click.argument("profile", required=False, type=NAME_OR_FILE, metavar="[NAME|FILE|FOLDER]"),
    option("--device", "serial", type=TEXT, metavar="SERIAL", help="A device of `navitas devices`."),
    option(
        "--step", "step_s", type=Finite(min=0.2, max=600), metavar="S", help=f"The length of each step on a device. [{_STEP_S:g}]"
    ),
    option(
        "--points",
        type=READ_FILE_ANY_NAME,
        multiple=True,
        metavar="PATH",
        help="CSV file of measured operating points, or a folder of Wattson's curves; repeatable.",
    ),
    option(
        "--check-points",
        "unfitted",
        type=READ_FILE_ANY_NAME,
        multiple=True,
        metavar="PATH",
        help="As --points, but not fitted: shows the errors only.",
    ),
    renamed("--against", "--check-points"),
    option(
        "--recording",
        type=READ_ANY_NAME,
        multiple=True,
        metavar="RECORDING",
        help="Fit to the CPU's rails of a recording, or to --meter; repeatable.",
    ),
    meter_option,
    interval_option,
    option(
        "--cores",
        type=TEXT,
        metavar="N,N…",
        help="The cores of each cluster, if the profile is another phone's. Speeds are then those of the points.",
    ),
    option(
        "--format",
        "curves_format",
        type=click.Choice([WATTSON]),
        metavar="FORMAT",
        help="The argument is a folder of Wattson's curves: makes a profile of them.",
    ),
)
@option(
    "--voltage",
    "voltage_v",
    type=VOLTS,
    metavar="V",
    help=f"Supply voltage. [the phone's, {DEFAULT_VOLTAGE_V:g} for --points]",
)
@option("-o", "--output", type=WRITE_REGULAR, metavar="FILE", section="Output", help="File of the profile.")
@json_option
def command(*, measured: CalibrationSources, voltage_v: float | None, output: Path | None, json_file: Path | None) -> None:
    """Fit the CPU's figures of a profile to measured power.

    --device measures a device with special test runs; its own profile is the default. Shows the error before and after, and at
    points that were left out of the fit. --format wattson makes a profile of curves, without a fit.
    """
    if measured.curves_format == WATTSON:
        profile_of_curves(measured, voltage_v or DEFAULT_VOLTAGE_V, output, json_file)
        return
    points, unfitted, recording = measured.points, measured.unfitted, measured.recording
    given = None if measured.profile is None else read_given(measured.profile)
    readings = None if measured.meter is None else read_power_meter(measured.meter)
    notes = measured.check()
    check_outputs(output, json_file)
    check_installed()
    if readings is not None and readings.skipped:
        notes.append(f"{readings.name}: {readings.skipped:,} lines are not readings and were skipped")
    paths = distinct_names([*points, *unfitted, *recording])
    known: list[Caution] = []
    sources = read_sources(points, paths[: len(points)], known)
    compared = read_sources(unfitted, paths[len(points) : len(points) + len(unfitted)], known)
    if output is None:
        raise UsageError("there is no file for the profile", "Name one: -o FILE.")

    def check(model: PowerModel) -> None:
        for each in compared:
            check_points(each, model.cpu)

    phone = None if measured.serial is None else measure(measured.serial, given, measured.step_s or _STEP_S, voltage_v, check)
    start = phone.start if phone is not None else given
    assert start is not None  # `CalibrationSources.check`
    with ConsoleProgress(only_live=True) as progress:
        progress.stage("reading the measurements")
        loaded = [load_tables(path) for path in recording]
        voltage_v = phone.voltage_v if phone is not None else voltage_of(voltage_v, loaded)
        model = phone.model if phone is not None else start_model(start.profile, voltage_v, sources, loaded)
        if phone is None and not loaded:
            model = replace(model, cpu=_start_for(model.cpu, measured.cores, [*sources, *compared], known))
        progress.stage("fitting")
        coefficients = CpuCoefficients.of(model.cpu, voltage_v)
        least_s = measured.interval_s or _INTERVAL_S
        recorded = [
            replace(intervals_of(one, coefficients, model, interval_s=least_s, meter=readings, notes=notes), name=name)
            for one, name in zip(loaded, paths[len(points) + len(unfitted) :], strict=True)
        ]
        if phone is not None:
            recorded.append(phone.intervals(coefficients))
        components = [] if phone is None else phone.components(voltage_v)
        found = calibrate(coefficients, sources, compared, recorded)
    names = [*(each.name for each in sources), *(each.name for each in recorded)]
    note = f"CPU calibrated by Navitas with {', '.join(names)}"
    items = {entry: milliamps for each in components for entry, milliamps in each.entries.items()}
    calibrated = with_cpu(start.xml, start.profile, found.cpu, note=printable(note, 1000), items=items)
    of_input = (Caution("measurements", text) for text in notes)
    found = replace(found, warnings=(*of_input, *known, *found.warnings, *implausible_of(output, calibrated, found.cpu)))
    write_to(output, lambda out: out.write(calibrated), binary=True)
    others = [asdict(each) for each in components]
    is_text = write_json(json_file, output=str(output), **found.as_json(model.cpu, voltage_v), components=others)
    for each in found.warnings:
        warning(printable(each.message, 1000))
    if is_text:
        output_console().print(calibration_table(found), *([currents_table(components)] if components else []), sep="\n")
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


def calibration_table(found: Calibration) -> FittedTable:
    """Errors of each source by cluster: of the profile, at fitted points, and at points left out of the fit."""
    columns = [
        Column("Measured by", text=True),
        Column("Cluster", text=True),
        Column("Points", drop=2),
        Column("Before"),
        Column("Fitted points", drop=5),
        Column("Held out"),
        Column("90th percentile", drop=3),
        Column("Interpolated", drop=1),
        Column("90th percentile", drop=4),
    ]
    table = FittedTable("Median error of the power", columns)
    for each in found.errors:
        cluster = "all" if each.cluster is None else str(each.cluster)
        figures = each.before, each.fitted, each.held_out, each.held_out_p90, each.interpolated, each.interpolated_p90
        shares = map(percent, figures)
        table.add(printable(each.source, _LONGEST), cluster, f"{each.points:,}", *shares)
    for number, prior in enumerate(found.prior):
        if any(each.cluster == number and each.interpolated is not None for each in found.errors):
            curve = f"the profile's curve by {100 * prior:.0f} %" if prior else "straight lines"
            table.notes.append(Paragraph(f"Cluster {number}: currents between measured frequencies follow {curve}.", style="dim"))
    for one in found.disagreements:
        text = (
            f"{printable(one.second, _LONGEST)} differs from {printable(one.first, _LONGEST)} in cluster {one.cluster} by "
            f"{100 * one.lowest:+.0f} … {100 * one.highest:+.0f} % (median {100 * one.median:+.0f} %, {one.points} points)."
        )
        table.notes.append(Paragraph(text, style="dim"))
    return table


def currents_table(found: Sequence[ComponentCurrents]) -> FittedTable:
    """Currents of components other than the CPU, by special test runs."""
    columns = [Column("Entry", text=True), Column("Current"), Column("Steps", drop=2), Column("Held out", drop=1)]
    table = FittedTable("Other components", columns)
    for each in found:
        for entry, milliamps in each.entries.items():
            table.add(printable(entry, _LONGEST), f"{milliamps:.3g} mA", str(each.steps), percent(each.held_out))
    return table
