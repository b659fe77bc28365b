"""`navitas devices`: what can be profiled on."""

from __future__ import annotations

import click

from navitas.device.adb_server import list_devices
from navitas.untrusted_text import printable


@click.command("devices")
def command() -> None:
    """List the devices that can be profiled on.

    The virtual phone is always there: it is started when a command needs it.
    """
    click.echo("virtual\tvirtual phone\tstarted on demand\t-")
    for found in list_devices():
        fields = (found.serial, found.model or "-", found.state, found.transport or "-")
        click.echo("\t".join(printable(text) for text in fields))
