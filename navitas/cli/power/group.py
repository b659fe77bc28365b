"""`navitas power`: show, extract and validate power profiles, and the group of the commands that fit power."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click

from navitas.base.errors import ExitCode, PowerProfileError, UsageError
from navitas.base.json_text import fields
from navitas.base.units import unbroken
from navitas.base.untrusted_text import printable, printable_line, printable_lines
from navitas.capture.collect import power
from navitas.capture.collect.readings import topology
from navitas.cli.habits.commands import NavitasCommand, NavitasGroup
from navitas.cli.habits.files import STDOUT, json_option, write_json, write_to
from navitas.cli.habits.messages import next_step, note, shell_word, warning
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import NAME_OR_FILE, READ_FILE_ANY_NAME, TEXT, WRITE_REGULAR
from navitas.cli.habits.shared_options import connected_option
from navitas.cli.habits.standard_output import output_console
from navitas.cli.power.calibrate import command as calibrate_command
from navitas.cli.power.curves import validate_curves
from navitas.cli.power.fit import command as fit_command
from navitas.cli.workflows.devices import device_of
from navitas.power import catalog
from navitas.power.components.component_power import ComponentPower
from navitas.power.cpu import needs_frequencies, placeholder_frequencies, power_model
from navitas.power.model import ClusterPower, PowerModel
from navitas.power.power_profile import PowerProfile, read_power_profile
from navitas.recording.writer import DEFAULT_VOLTAGE_V
from navitas.report.terminal.fitted_table import Column, FittedTable
from navitas.report.terminal.paragraph import Paragraph, with_unbroken_figures

_ALL = 1_000_000


@click.group("power", cls=NavitasGroup)
def command() -> None:
    """Power profiles: show, extract, validate and calibrate them, and fit what they lack."""


command.add_command(calibrate_command)
command.add_command(fit_command)


@command.command("show", cls=NavitasCommand, example="navitas power show --device SERIAL")
@click.argument("name", required=False, type=NAME_OR_FILE, metavar="[NAME|FILE]")
@option("--device", "serial", type=TEXT, metavar="SERIAL", help="A device of `navitas devices`.")
@json_option
def show(*, name: str | None, serial: str | None, json_file: Path | None) -> None:
    """Show the CPU figures of a profile: of a packaged one, of a file, or of a device and where that comes from.

    Without arguments, list the names of packaged profiles.
    """
    if name is not None and serial is not None:
        raise UsageError("a profile's name and --device exclude each other", "use one of them")
    if serial is None and name is None:
        if write_json(json_file, profiles=catalog.names()):
            click.echo("\n".join(catalog.names()))
            next_step("navitas power show NAME")
        return
    if serial is not None:
        with device_of(serial) as device:
            policies = topology.read_policies(device)
            found = power.profile_of_phone(device, policies)
            profile = read_power_profile(found.xml, name=found.source)
            model = found.model or power.model_on(device, profile, policies)
    else:
        profile = catalog.load(str(name))
        model = power_model(profile, DEFAULT_VOLTAGE_V)
    if write_json(json_file, **_as_json(profile, model)):
        _print(profile, model)


@command.command("extract", cls=NavitasCommand, example="navitas power extract -o profile.xml")
@connected_option
@option("-o", "--output", required=True, type=WRITE_REGULAR, metavar="FILE", help="File of the profile.")
@json_option
def extract(*, serial: str | None, output: Path, json_file: Path | None) -> None:
    """Write the profile of a phone to a file.

    Reads the phone again, not the cache.
    """
    with device_of(serial) as device:
        found = power.profile_of_phone(device, topology.read_policies(device), refresh=True)
    write_to(output, lambda out: out.write(found.xml), binary=True)
    write_json(json_file, output=str(output), source=found.source)
    note(printable_line(f"{output}: {found.source}", 1000))
    next_step(f"navitas power validate {shell_word(output)}")


@command.command("validate", cls=NavitasCommand, example="navitas power validate profile.xml --json -")
@click.argument("file", type=READ_FILE_ANY_NAME, metavar="FILE|FOLDER")
@json_option
def validate(*, file: Path, json_file: Path | None) -> int:
    """List all defects of a profile, or of a folder of Wattson's curves, with their lines.

    The exit code is 1 if the profile is unusable, or if curves have a defect.
    """
    if file.is_dir():
        return validate_curves(file, json_file)
    say: Callable[[str], None] = click.echo if json_file != STDOUT else lambda text: None
    try:
        profile = read_power_profile(file, max_warnings=_ALL)
    except PowerProfileError as error:
        write_json(json_file, usable=False, reason=error.message, defects=[], not_used=[], components=[])
        say(f"unusable: {printable_lines(error.message)}")
        return ExitCode.CHECK_FAILED
    frequencies = placeholder_frequencies(profile)
    warnings, unusable = profile.warnings, ""
    try:
        cpus = [(policy, [policy]) for policy in frequencies]  # Only the phone knows its cores and frequencies.
        warnings = power_model(profile, DEFAULT_VOLTAGE_V, cpus or None, frequencies).warnings
    except PowerProfileError as error:
        unusable = error.message
    components = ComponentPower.from_profile(profile)
    defects, others = [_with_line(profile, text) for text in warnings], components.unread(profile)
    write_json(
        json_file,
        usable=not unusable,
        reason=unusable or None,
        defects=defects,
        not_used=others,
        components=_components_as_json(components),
    )
    for text in defects:
        say(printable(text, 1000))
    say(_covered(components))
    for coverage in components.coverage:
        if coverage.note:
            say(printable(f"note: {coverage.component}: {coverage.note}", 1000))
    if others:
        say(printable(f"note: no component uses {', '.join(others)}", 2000))
    if unusable:
        say(f"unusable: {printable_lines(unusable)}")
        return ExitCode.CHECK_FAILED
    where = " on a phone that reports its frequencies" if needs_frequencies(profile) else ""
    found = {0: "no defect", 1: "1 defect"}.get(len(warnings), f"{len(warnings)} defects")
    say(f"usable{where}, {found}")
    return ExitCode.OK


def _as_json(profile: PowerProfile, model: PowerModel) -> dict[str, object]:
    return {
        "name": profile.name,
        **fields(model, "battery_mah", "voltage_v"),
        **fields(model.cpu, "suspend_ma", "idle_ma", "active_ma"),
        "clusters": [cluster.as_json() for cluster in model.cpu.clusters],
        "warnings": [_with_line(profile, text) for text in model.warnings],
        "components": _components_as_json(model.components),
    }


def _components_as_json(components: ComponentPower) -> list[dict[str, object]]:
    return [{**asdict(coverage), "covered": coverage.is_covered} for coverage in components.coverage]


def _covered(components: ComponentPower) -> str:
    """Return the components that the profile has figures for, in addition to the CPU."""
    names = {
        is_covered: ", ".join(one.component for one in components.coverage if one.is_covered == is_covered)
        for is_covered in (True, False)
    }
    return f"components: {names[True] or 'none'}; without figures: {names[False] or 'none'}"


def _with_line(profile: PowerProfile, text: str) -> str:
    """The defect, with the line of the entry that its text starts with, unless the text has a line."""
    line = profile.lines.get(text.partition(" ")[0].rstrip(":"))
    return text if line is None or "line" in text else f"line {line}: {text}"


def _print(profile: PowerProfile, model: PowerModel) -> None:
    console = output_console()
    cpu = model.cpu
    battery = f"{model.battery_mah:g} mAh" if model.battery_mah is not None else "unknown"
    console.print(Paragraph(f"{printable(profile.name, 200)}: battery {unbroken(battery)}"))
    cpu_text = f"CPU: suspended {cpu.suspend_ma:g} mA, idle +{cpu.idle_ma:g} mA, any core running +{cpu.active_ma:g} mA"
    console.print(Paragraph(with_unbroken_figures(cpu_text)))
    for number, cluster in enumerate(cpu.clusters):
        console.print(cluster_table(number, cluster))
    console.print(Paragraph(_covered(model.components)))
    for text in model.warnings:
        warning(printable(_with_line(profile, text), 1000))


def cluster_table(number: int, cluster: ClusterPower) -> FittedTable:
    """Currents of a cluster by frequency."""
    count = f"{len(cluster.cpus)} core{'' if len(cluster.cpus) == 1 else 's'}"
    title = f"cluster {number}: {count}, {unbroken(f'+{cluster.cluster_ma:g} mA')} while any of them runs"
    table = FittedTable(title, [Column("Frequency"), Column("Current per core")])
    for khz, milliamperes in zip(cluster.freq_khz.tolist(), cluster.core_ma.tolist(), strict=True):
        table.add(f"{khz / 1000:g} MHz", f"{milliamperes:g} mA")
    return table
