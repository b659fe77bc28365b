"""Command groups that import a command's module only when that command runs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

from navitas.cli.commands import NavitasGroup


class ReaderGoneError(Exception):
    """The reader of our output has gone."""


class LazyGroup(NavitasGroup):
    """A group whose commands live in modules of their own (as `command`), imported on use.

    `modules`: command → (module, one-line help); the help is here too, so that `--help` imports nothing heavy.
    """

    modules: Mapping[str, tuple[str, str]] = {}

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. Raises `ReaderGoneError`: click itself would exit with 1, the code of a failed check."""
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
        """Complete a command's name, without importing the commands."""
        found = [CompletionItem(name, help=text) for name, (_, text) in self.modules.items() if name.startswith(incomplete)]
        return found + click.Command.shell_complete(self, ctx, incomplete)
