"""`navitas history`: energy over the sessions of a project."""

from __future__ import annotations

import click

from navitas.cli.habits.commands import LazyGroup

COMMANDS = {
    "show": ("navitas.cli.history.show", "Show trends and change points. [the default]"),
    "add": ("navitas.cli.history.file:add", "Add recordings or JSON reports."),
}


class _HistoryGroup(LazyGroup):
    modules = COMMANDS

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments. Without a command, it is `show`."""
        first = next((one for one in args if not one.startswith("-")), None)
        if first not in COMMANDS and not set(args) & set(ctx.help_option_names):
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.command("history", cls=_HistoryGroup)
def command() -> None:
    """Keep sessions in a local SQLite file, and show where energy changed.

    Without a command, it is `show`: for its options, see navitas history show -h.
    """
