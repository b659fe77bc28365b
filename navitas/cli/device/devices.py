"""`navitas devices`: list the devices to profile on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import click

from navitas.base.untrusted_text import printable, printable_line
from navitas.capture.device.adb_server import ListedDevice, list_devices, quoted
from navitas.capture.device.adb_transport import remedy_for
from navitas.capture.device.base import VIRTUAL
from navitas.cli.habits.commands import NavitasCommand
from navitas.cli.habits.files import json_option, write_json
from navitas.cli.habits.messages import next_step, shell_word, warning
from navitas.cli.habits.standard_output import output_console
from navitas.report.terminal.fitted_table import Column, FittedTable

_VIRTUAL = ListedDevice(VIRTUAL, "started on demand", "virtual phone")


@click.command("devices", cls=NavitasCommand, example="navitas devices --json -")
@json_option
def command(json_file: Path | None) -> None:
    """List the devices to profile on.

    The virtual phone is always available. It starts when a command needs it.
    """
    devices = [_VIRTUAL, *list_devices()]
    if not write_json(json_file, devices=[asdict(device) for device in devices]):
        return
    output_console().print(devices_table(devices))
    for device in devices[1:]:
        if device.state != "device":
            warning(printable_line(f"{quoted(device.serial)} is {device.state}: {remedy_for(device.state)}", 1000))
    usable = next((device.serial for device in devices[1:] if device.state == "device"), VIRTUAL)
    next_step(f"navitas doctor --device {shell_word(usable)}")


def devices_table(devices: Sequence[ListedDevice]) -> FittedTable:
    """Devices by serial, which other commands take."""
    columns = [
        Column("Serial", text=True),
        Column("Model", drop=1, text=True),
        Column("State", wrap=True),
        Column("Transport", drop=2, text=True),
    ]
    table = FittedTable("", columns, key_share=1.0)
    for device in devices:
        fields = (quoted(device.serial), device.model or "-", device.state, device.transport or "-")
        table.add(*(printable(text) for text in fields))
    return table
