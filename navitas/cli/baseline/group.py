"""`navitas baseline`: sessions of the version before, for `navitas check`."""

from __future__ import annotations

import click

from navitas.cli.habits.commands import LazyGroup

COMMANDS = {
    "add": ("navitas.cli.baseline.commands:add", "Add recordings or JSON reports."),
    "show": ("navitas.cli.baseline.commands:show", "List the sessions, and which belong together."),
    "prune": ("navitas.cli.baseline.commands:prune", "Remove old sessions."),
}


class _BaselineGroup(LazyGroup):
    modules = COMMANDS


@click.command("baseline", cls=_BaselineGroup)
def command() -> None:
    """Keep sessions of the version before, which `navitas check` compares with."""
