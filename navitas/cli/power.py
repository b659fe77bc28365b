"""`navitas power`: power profiles shown, taken from a phone, checked."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.table import Table

from navitas.cli.files import check_regular_or_new, write_to
from navitas.cli.paths import NAME_OR_FILE, READ_ANY_NAME, TEXT, WRITE_ANY_NAME
from navitas.cli.phones import device_of
from navitas.collect import power, topology
from navitas.errors import ExitCode, PowerProfileError, UsageError
from navitas.power import catalog
from navitas.power.cpu import needs_frequencies, power_model, stand_in_frequencies
from navitas.power.cpu_keys import other_components
from navitas.power.model import PowerModel
from navitas.power.power_profile import PowerProfile, read_power_profile
from navitas.untrusted_text import printable, printable_line, printable_lines

_ALL = 1_000_000


@click.group("power")
def command() -> None:
    """Power profiles: those that Navitas has, files, and the one that a phone holds."""


@command.command("show")
@click.argument("name", required=False, type=NAME_OR_FILE, metavar="NAME|FILE")
@click.option(
    "--device", "serial", type=TEXT, metavar="SERIAL", help="The profile of this phone ('virtual' too), and where it comes from."
)
def show(*, name: str | None, serial: str | None) -> None:
    """Show a profile's CPU figures; without arguments the names of the profiles that Navitas has."""
    if name is not None and serial is not None:
        raise UsageError("a profile is either named or a phone's", "leave out the name, or --device")
    if serial is not None:
        with device_of(serial) as device:
            policies = topology.read_policies(device)
            found = power.of_phone(device, policies)
            profile = read_power_profile(found.xml, name=found.source)
            _print(profile, power.model_on(device, profile, policies))
    elif name is not None:
        profile = catalog.load(name)
        _print(profile, power_model(profile, power.DEFAULT_VOLTAGE_V))
    else:
        click.echo("\n".join(catalog.names()))


@command.command("extract")
@click.option(
    "--device", "serial", type=TEXT, metavar="SERIAL", help="'virtual', or a device of `navitas devices`. [the only one]"
)
@click.option("-o", "--output", required=True, type=WRITE_ANY_NAME, metavar="FILE", help="File to write.")
def extract(*, serial: str | None, output: Path) -> None:
    """Write a phone's own profile to a file. The cache is not used."""
    check_regular_or_new(output)
    with device_of(serial) as device:
        found = power.of_phone(device, topology.read_policies(device), anew=True)
    write_to(output, lambda out: out.write(found.xml), binary=True)
    click.echo(printable_line(f"{output}: {found.source}", 1000), err=True)


@command.command("validate")
@click.argument("file", type=READ_ANY_NAME)
def validate(*, file: Path) -> int:
    """Name every defect of a profile, with its line. The exit code is 1 when it cannot be used."""
    try:
        profile = read_power_profile(file, max_warnings=_ALL)
    except PowerProfileError as error:
        click.echo(f"unusable: {printable_lines(error.message)}")
        return ExitCode.CHECK_FAILED
    frequencies = stand_in_frequencies(profile)
    warnings, unusable = profile.warnings, ""
    try:
        cpus = [(policy, [policy]) for policy in frequencies]  # how many there are only the phone says, as it says their speeds
        warnings = power_model(profile, power.DEFAULT_VOLTAGE_V, cpus or None, frequencies).warnings
    except PowerProfileError as error:
        unusable = error.message
    for text in warnings:
        click.echo(printable(_with_line(profile, text), 1000))
    if others := other_components(profile):
        click.echo(printable(f"note: not of the CPU, so not used: {', '.join(others)}", 2000))
    if unusable:
        click.echo(f"unusable: {printable_lines(unusable)}")
        return ExitCode.CHECK_FAILED
    where = " on a phone that reports its frequencies" if needs_frequencies(profile) else ""
    found = {0: "no defect", 1: "1 defect"}.get(len(warnings), f"{len(warnings)} defects")
    click.echo(f"usable{where}, {found}")
    return ExitCode.OK


def _with_line(profile: PowerProfile, text: str) -> str:
    """The defect with the line of the entry that it begins with, where it does not say it."""
    line = profile.lines.get(text.partition(" ")[0].rstrip(":"))
    return text if line is None or "line" in text else f"line {line}: {text}"


def _print(profile: PowerProfile, model: PowerModel) -> None:
    console = Console(highlight=False)
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
    for text in model.warnings:
        click.secho(f"warning: {printable(_with_line(profile, text), 1000)}", err=True, fg="yellow")
