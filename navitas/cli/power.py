"""`navitas power`: power profiles shown, taken from a phone, checked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table

from navitas.cli.commands import NavitasCommand, NavitasGroup
from navitas.cli.files import check_regular_or_new, write_to
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, note, warning
from navitas.cli.option import option
from navitas.cli.paths import NAME_OR_FILE, READ_FILE_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.phones import device_of
from navitas.cli.standard_output import output_console
from navitas.collect import power, topology
from navitas.errors import ExitCode, PowerProfileError, UsageError
from navitas.power import catalog
from navitas.power.components.component_power import ComponentPower
from navitas.power.cpu import needs_frequencies, placeholder_frequencies, power_model
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile, read_power_profile
from navitas.untrusted_text import printable, printable_line, printable_lines

_ALL = 1_000_000


@click.group("power", cls=NavitasGroup)
def command() -> None:
    """Power profiles: those that Navitas has, files, and the one that a phone holds."""


@command.command("show", cls=NavitasCommand, example="navitas power show --device SERIAL")
@click.argument("name", required=False, type=NAME_OR_FILE, metavar="NAME|FILE")
@option(
    "--device", "serial", type=TEXT, metavar="SERIAL", help="The profile of this phone ('virtual' too), and where it comes from."
)
@json_option
def show(*, name: str | None, serial: str | None, json_file: Path | None) -> None:
    """Show a profile's CPU figures; without arguments the names of the profiles that Navitas has."""
    if name is not None and serial is not None:
        raise UsageError("a profile is either named or a phone's", "leave out the name, or --device")
    is_text = check_json(json_file)
    if serial is None and name is None:
        write_json(json_file, profiles=catalog.names())
        if is_text:
            click.echo("\n".join(catalog.names()))
            next_step("navitas power show NAME")
        return
    if serial is not None:
        with device_of(serial) as device:
            policies = topology.read_policies(device)
            found = power.of_phone(device, policies)
            profile = read_power_profile(found.xml, name=found.source)
            model = power.model_on(device, profile, policies)
    else:
        profile = catalog.load(str(name))
        model = power_model(profile, power.DEFAULT_VOLTAGE_V)
    write_json(json_file, **_as_json(profile, model))
    if is_text:
        _print(profile, model)


@command.command("extract", cls=NavitasCommand, example="navitas power extract -o profile.xml")
@option("--device", "serial", type=TEXT, metavar="SERIAL", help="'virtual', or a device of `navitas devices`. [the only one]")
@option("-o", "--output", required=True, type=WRITE_ANY_NAME, metavar="FILE", help="File to write.")
@json_option
def extract(*, serial: str | None, output: Path, json_file: Path | None) -> None:
    """Write a phone's own profile to a file. The cache is not used."""
    check_json(json_file)
    check_regular_or_new(output)
    with device_of(serial) as device:
        found = power.of_phone(device, topology.read_policies(device), refresh=True)
    write_to(output, lambda out: out.write(found.xml), binary=True)
    write_json(json_file, output=str(output), source=found.source)
    note(printable_line(f"{output}: {found.source}", 1000))
    next_step(f"navitas power validate {printable_line(str(output), 1000)}")


@command.command("validate", cls=NavitasCommand, example="navitas power validate profile.xml --json -")
@click.argument("file", type=READ_FILE_ANY_NAME)
@json_option
def validate(*, file: Path, json_file: Path | None) -> int:
    """Name every defect of a profile, with its line. The exit code is 1 when it cannot be used."""
    is_text = check_json(json_file)
    say: Callable[[str], None] = click.echo if is_text else lambda text: None
    try:
        profile = read_power_profile(file, max_warnings=_ALL)
    except PowerProfileError as error:
        write_json(json_file, usable=False, reason=error.message, defects=[], not_used=[], components=[])
        say(f"unusable: {printable_lines(error.message)}")
        return ExitCode.CHECK_FAILED
    frequencies = placeholder_frequencies(profile)
    warnings, unusable = profile.warnings, ""
    try:
        cpus = [(policy, [policy]) for policy in frequencies]  # how many there are only the phone says, as it says their speeds
        warnings = power_model(profile, power.DEFAULT_VOLTAGE_V, cpus or None, frequencies).warnings
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
    cpu = model.cpu
    clusters = [
        {
            "cores": len(cluster.cpus),
            "cluster_ma": cluster.cluster_ma,
            "freq_khz": cluster.freq_khz.tolist(),
            "core_ma": cluster.core_ma.tolist(),
        }
        for cluster in cpu.clusters
    ]
    return {
        "name": profile.name,
        "battery_mah": model.battery_mah,
        "voltage_v": model.voltage_v,
        "suspend_ma": cpu.suspend_ma,
        "idle_ma": cpu.idle_ma,
        "active_ma": cpu.active_ma,
        "clusters": clusters,
        "warnings": [_with_line(profile, text) for text in model.warnings],
        "components": _components_as_json(model.components),
    }


def _components_as_json(components: ComponentPower) -> list[dict[str, object]]:
    return [{**asdict(coverage), "covered": coverage.is_covered} for coverage in components.coverage]


def _covered(components: ComponentPower) -> str:
    """Which components the profile has figures of, besides the CPU."""
    names = {
        is_covered: ", ".join(one.component for one in components.coverage if one.is_covered == is_covered)
        for is_covered in (True, False)
    }
    return f"components: {names[True] or 'none'}; without figures: {names[False] or 'none'}"


def _with_line(profile: PowerProfile, text: str) -> str:
    """The defect with the line of the entry that it begins with, where it does not say it."""
    line = profile.lines.get(text.partition(" ")[0].rstrip(":"))
    return text if line is None or "line" in text else f"line {line}: {text}"


def _print(profile: PowerProfile, model: PowerModel) -> None:
    console = output_console()
    cpu = model.cpu
    battery = f"{model.battery_mah:g} mAh" if model.battery_mah is not None else "unknown"
    console.print(f"{printable(profile.name, 200)}: battery {battery}", markup=False)
    console.print(f"CPU: suspended {cpu.suspend_ma:g} mA, idle +{cpu.idle_ma:g} mA, any core running +{cpu.active_ma:g} mA")
    for number, cluster in enumerate(cpu.clusters):
        console.print(f"cluster {number}: {len(cluster.cpus)} cores, +{cluster.cluster_ma:g} mA while one runs")
        table = Table(box=None)
        for name in ("MHz", "mA a core"):
            table.add_column(name, justify="right")
        for khz, milliamperes in zip(cluster.freq_khz.tolist(), cluster.core_ma.tolist(), strict=True):
            table.add_row(f"{khz / 1000:g}", f"{milliamperes:g}")
        console.print(table)
    console.print(_covered(model.components), markup=False)
    for text in model.warnings:
        warning(printable(_with_line(profile, text), 1000))
