"""`navitas devices`: what can be profiled on."""

from __future__ import annotations

import click

from navitas.device.adb_server import list_devices


@click.command("devices")
def command() -> None:
    """List the devices that can be profiled on.

    The virtual phone is always there: it is started when a command needs it.
    """
    click.echo("virtual\tvirtual phone\tstarted on demand\t-")
    for found in list_devices():
        click.echo(f"{found.serial}\t{found.model or '-'}\t{found.state}\t{found.transport or '-'}")
