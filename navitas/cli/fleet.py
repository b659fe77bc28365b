"""`navitas fleet`: hogs and bugs from many phones' battery samples."""

from __future__ import annotations

from importlib.util import find_spec

import click

from navitas.cli.lazy import LazyGroup
from navitas.errors import UsageError

COMMANDS = {
    "ingest": ("navitas.cli.fleet_ingest", "Put files of samples into a fleet's folder."),
    "sample": ("navitas.cli.fleet_sample", "Take a sample of a phone: its battery, and what runs."),
    "rates": ("navitas.cli.fleet_rates", "Show or export how fast batteries drained between samples."),
    "hogs": ("navitas.cli.fleet_hogs", "Name the apps that drain the battery wherever they run."),
    "bugs": ("navitas.cli.fleet_bugs", "Name apps that drain far more on a client than on others."),
    "jscore": ("navitas.cli.fleet_jscore", "Score clients by how their batteries last in use."),
    "diagnose": ("navitas.cli.fleet_diagnose", "Show on what an app's drain depends, and what helps."),
    "report": ("navitas.cli.fleet_report", "Write one HTML page of all results of a fleet."),
    "simulate": ("navitas.cli.fleet_simulate", "Make a fleet with known truth, to try and check what is said of fleets."),
}
_EXTRA = ("duckdb", "pyarrow", "scipy")


class _FleetGroup(LazyGroup):
    modules = COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """UsageError where the packages are not installed that a fleet needs; some are imported when they are used."""
        for package in _EXTRA if cmd_name in self.modules else ():
            if find_spec(package) is None:
                raise UsageError(f"fleets need the package {package}", "pip install 'navitas[fleet]'")
        return super().get_command(ctx, cmd_name)


@click.command("fleet", cls=_FleetGroup)
def command() -> None:
    """Energy hogs and bugs from many phones' battery samples, and what to do about them."""
