"""`navitas doctor`: check what can be measured on a device."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

import click
from rich.text import Text

from navitas.base.errors import DeviceError, ExitCode
from navitas.base.json_text import fields
from navitas.base.untrusted_text import printable
from navitas.capture.collect.doctor import Check, Examination, examine
from navitas.capture.collect.state.left_state import restore_left_state
from navitas.capture.device.adb_server import NOT_UNDERSTOOD, adb_path, adb_versions, list_devices, user_client
from navitas.capture.device.adb_transport import remedy_for
from navitas.capture.device.base import VIRTUAL
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import next_step, shell_word
from navitas.cli.habits.option import option
from navitas.cli.habits.paths import TEXT
from navitas.cli.habits.shared_options import connected_option, user_option
from navitas.cli.habits.standard_output import output_console
from navitas.cli.workflows.devices import device_of
from navitas.report.terminal.fitted_table import Column, FittedTable

_LONGEST_LINE = 2000
_EXAMINED = ("serial", "model", "evidence", "evidence_untraced")
_STYLES = {"ok": "green", "note": "yellow", "problem": "bold red"}


@click.command("doctor", cls=NavitasCommand, example="navitas doctor org.example.app --device SERIAL")
@click.argument("package", required=False, type=TEXT)
@connected_option
@user_option
@option(
    "--restore",
    is_flag=True,
    from_project=False,
    help="Restore settings and apps that an interrupted measurement changed on the device, and remove its files and traces.",
)
@json_option
def command(*, package: str | None, serial: str | None, user: int | None, restore: bool, json_file: Path | None) -> int:
    """Check what can be measured on a device, and what an installed debuggable app, PACKAGE, can read there.

    Changes nothing on the device, except with --restore.
    """
    checks: list[Check] = []
    found: Examination | None = None
    try:
        if serial != VIRTUAL:
            checks += _adb()
        with device_of(serial, user=user) as device:
            if restore:
                restore_left_state(device, checks)
            found = examine(device, package)
            checks += found.checks
    except DeviceError as error:
        checks.append(Check("device" if serial != VIRTUAL else "virtual phone", "problem", error.message, error.remedy))
    known = dict.fromkeys(_EXAMINED) if found is None else fields(found, *_EXAMINED)
    is_text = write_json(json_file, **known, checks=[asdict(check) for check in checks])
    has_problem = any(check.status == "problem" for check in checks)
    if is_text:
        _print(checks, found)
        if not has_problem and package is None:
            next_step(f"navitas profile PROJECT --device {shell_word(serial or (found.serial if found else VIRTUAL))}")
    return ExitCode.TROUBLE if has_problem else ExitCode.OK


def _adb() -> Iterator[Check]:
    client = user_client()
    program, server = adb_versions(client)
    yield Check("adb", "ok", f"{adb_path()}, version {program or 'unknown'}, server {server}")
    for device in list_devices(client):
        if device.state == NOT_UNDERSTOOD:
            yield Check("adb", "note", f"it lists a device that is {NOT_UNDERSTOOD}: {device.serial}", remedy_for(device.state))


def checks_table(checks: Sequence[Check]) -> FittedTable:
    """Checks with their status, findings and remedies."""
    table = FittedTable("", [Column("Check", text=True), Column("Status", text=True), Column("Found", wrap=True)])
    for check in checks:
        found = Text("\n".join(printable(line, _LONGEST_LINE) for line in check.found.splitlines()))
        if check.remedy:
            found.append(f"\n{printable(check.remedy, _LONGEST_LINE)}", style="dim")
        table.add(printable(check.name), Text(check.status, style=_STYLES[check.status]), found)
    return table


def _print(checks: Sequence[Check], found: Examination | None) -> None:
    console = output_console()
    console.print(checks_table(checks))
    if found is not None:
        untraced = f" ({found.evidence_untraced} with --trace none)" if found.evidence != found.evidence_untraced else ""
        console.print(f"\nexpected evidence level: {found.evidence}{untraced}", highlight=False)
