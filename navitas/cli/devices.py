"""`navitas devices`: what can be profiled on."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import click
from rich.table import Table
from rich.text import Text

from navitas.cli.commands import NavitasCommand
from navitas.cli.json_output import check_json, json_option, write_json
from navitas.cli.messages import next_step, warning
from navitas.cli.options import VIRTUAL
from navitas.cli.standard_output import output_console
from navitas.device.adb_server import ListedDevice, list_devices
from navitas.device.adb_transport import remedy_for
from navitas.untrusted_text import printable, printable_line

_VIRTUAL = ListedDevice(VIRTUAL, "started on demand", "virtual phone")


@click.command("devices", cls=NavitasCommand, example="navitas devices --json -")
@json_option
def command(json_file: Path | None) -> None:
    """List the devices that can be profiled on.

    The virtual phone is always there. It starts when a command needs it.
    """
    is_text = check_json(json_file)
    devices = [_VIRTUAL, *list_devices()]
    write_json(json_file, devices=[asdict(device) for device in devices])
    if not is_text:
        return
    _print(devices)
    for device in devices[1:]:
        if device.state != "device":
            warning(printable_line(f"{device.serial} is {device.state}: {remedy_for(device.state)}", 1000))
    usable = next((device.serial for device in devices[1:] if device.state == "device"), VIRTUAL)
    next_step(f"navitas doctor --device {printable(usable)}")


def _print(devices: list[ListedDevice]) -> None:
    table = Table(box=None, pad_edge=False, header_style="dim")
    for name in ("Serial", "Model", "State", "Transport"):
        table.add_column(name, overflow="fold", min_width=6)
    for device in devices:
        fields = (device.serial, device.model or "-", device.state, device.transport or "-")
        table.add_row(*(Text(printable(text)) for text in fields))
    output_console().print(table)
