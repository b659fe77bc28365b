"""`navitas fleet`: energy hogs and bugs from battery samples of many phones."""

from __future__ import annotations

from importlib.util import find_spec

import click

from navitas.base.errors import UsageError
from navitas.base.extra_libraries import install_extra
from navitas.cli.habits.commands import LazyGroup

COMMANDS = {
    "ingest": ("navitas.cli.fleet.ingest", "Ingest files of samples into a fleet's folder."),
    "sample": ("navitas.cli.fleet.sample", "Sample a phone's battery and running apps."),
    "rates": ("navitas.cli.fleet.rates", "Show or export drain rates between samples."),
    "hogs": ("navitas.cli.fleet.hogs", "List apps that drain the battery on every phone."),
    "bugs": ("navitas.cli.fleet.hogs:bugs", "List apps that drain far more on some clients than on others."),
    "jscore": ("navitas.cli.fleet.jscore", "Score clients by battery life in use."),
    "diagnose": ("navitas.cli.fleet.diagnose", "Find conditions of a drain, and actions that help."),
    "check": ("navitas.cli.fleet.drain_changes:check", "Check that no version drains more than the one before."),
    "compare": ("navitas.cli.fleet.drain_changes:compare", "Compare the drains of apps in two periods."),
    "report": ("navitas.cli.fleet.report", "Write a fleet's results as one HTML page."),
    "erase": ("navitas.cli.fleet.erase", "Erase a client's samples."),
    "simulate": ("navitas.cli.fleet.simulate", "Simulate a fleet with known truth."),
}
_EXTRA = ("duckdb", "pyarrow", "scipy")


class _FleetGroup(LazyGroup):
    modules = COMMANDS

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Raise `UsageError` if a package that fleets need is not installed, even one that is imported later."""
        for package in _EXTRA if cmd_name in self.modules else ():
            if find_spec(package) is None:
                raise UsageError(f"fleet commands need the package {package}", install_extra("fleet"))
        return super().get_command(ctx, cmd_name)


@click.command("fleet", cls=_FleetGroup)
def command() -> None:
    """Find energy hogs and bugs in battery samples of many phones, and actions that help."""
    from navitas.fleet.schema import before_arrays  # noqa: PLC0415 (it needs a package of the extra)

    before_arrays()
