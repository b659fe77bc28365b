"""`navitas doctor`: what can be measured on a device, and what stands in the way."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from navitas.cli.commands import NavitasCommand
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step
from navitas.cli.option import option
from navitas.cli.options import VIRTUAL
from navitas.cli.paths import TEXT
from navitas.cli.phones import device_of
from navitas.cli.standard_output import output_console
from navitas.collect.doctor import Check, Examination, examine
from navitas.collect.state.guard import restore_left
from navitas.collect.state.journal import Journal
from navitas.collect.trace.run_trace import remove_traces
from navitas.device.adb_server import adb_path, adb_versions, user_client
from navitas.device.base import Device
from navitas.errors import DeviceError, ExitCode
from navitas.untrusted_text import printable

_STYLES = {"ok": "green", "note": "yellow", "problem": "bold red"}


@click.command("doctor", cls=NavitasCommand, example="navitas doctor org.example.app --device SERIAL")
@click.argument("package", required=False, type=TEXT)
@option("--device", "serial", type=TEXT, metavar="SERIAL", help="'virtual', or a device of `navitas devices`. [the only one]")
@option(
    "--restore",
    is_flag=True,
    from_project=False,
    help="Restore settings that a measurement has left changed on the device, and end its traces.",
)
@json_option
def command(*, package: str | None, serial: str | None, restore: bool, json_file: Path | None) -> int:
    """See what can be measured on a device, and with the name of an installed debuggable PACKAGE, what inside that app.

    Nothing is changed on the device, but with --restore.
    """
    is_text = check_json(json_file)
    checks: list[Check] = []
    found: Examination | None = None
    try:
        if serial != VIRTUAL:
            checks.append(_adb())
        with device_of(serial) as device:
            if restore:
                _restore(device, checks)
            found = examine(device, package)
            checks += found.checks
    except DeviceError as error:
        checks.append(Check("device" if serial != VIRTUAL else "virtual phone", "problem", error.message, error.remedy))
    _write_json(json_file, checks, found)
    has_problem = any(check.status == "problem" for check in checks)
    if is_text:
        _print_table(checks, found)
        if not has_problem and package is None:
            next_step(f"navitas profile PROJECT --device {printable(serial or (found.serial if found else VIRTUAL))}")
    return ExitCode.TROUBLE if has_problem else ExitCode.OK


def _adb() -> Check:
    program, server = adb_versions(user_client())
    return Check("adb", "ok", f"{adb_path()}, version {program or 'unknown'}, server {server}")


def _restore(device: Device, checks: list[Check]) -> None:
    journal = Journal(device.info)
    warnings: list[tuple[str, str]] = []
    try:
        with journal.held():
            names = restore_left(device, journal, lambda _code, message, remedy: warnings.append((message, remedy)))
            remove_traces(device)
    except OSError as error:
        checks.append(Check("restored", "problem", f"{journal.path}: {error.strerror}", "make that folder readable and writable"))
        return
    checks.append(Check("restored", "ok", ", ".join(names) or "there was nothing to restore"))
    checks.extend(Check("restored", "problem", message, remedy) for message, remedy in warnings)


def _print_table(checks: list[Check], found: Examination | None) -> None:
    table = Table(box=None, pad_edge=False)
    for name in ("", "check", "found"):
        table.add_column(name, overflow="fold")
    for check in checks:
        text = (
            Text(printable(check.found, 2000))
            if "\n" not in check.found
            else Text("\n".join(printable(line, 2000) for line in check.found.splitlines()))
        )
        if check.remedy:
            text.append(f"\n{printable(check.remedy, 2000)}", style="dim")
        table.add_row(Text(check.status, style=_STYLES[check.status]), check.name, text)
    console = output_console()
    console.print(table)
    if found is not None:
        untraced = f" ({found.evidence_untraced} with --trace none)" if found.evidence != found.evidence_untraced else ""
        console.print(f"\nexpected evidence level: {found.evidence}{untraced}", highlight=False)


def _write_json(path: Path | None, checks: list[Check], found: Examination | None) -> None:
    write_json(
        path,
        serial=found.serial if found else None,
        model=found.model if found else None,
        evidence=found.evidence if found else None,
        evidence_untraced=found.evidence_untraced if found else None,
        checks=[asdict(check) for check in checks],
    )
