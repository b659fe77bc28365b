"""Command groups that import the module of a command only when it runs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from navitas.cli.commands import NavitasGroup


class ReaderGoneError(Exception):
    """The reader of standard output closed the pipe."""


class LazyGroup(NavitasGroup):
    """A group that imports each command on use, as `command` of its module.

    `modules` maps the name of a command to its module and one-line help. The help is repeated there so that `--help` doesn't
    import the module.
    """

    modules: Mapping[str, tuple[str, str]] = {}

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises `ReaderGoneError`, since click would exit with 1, the code of a failed check."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as gone:
            raise ReaderGoneError from gone

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.modules)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in self.modules:
            return None
        command: click.Command = importlib.import_module(self.modules[cmd_name][0]).command
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, text) for name, (_, text) in self.modules.items()])

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing its module."""
        found = [CompletionItem(name, help=text) for name, (_, text) in self.modules.items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)
