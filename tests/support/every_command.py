"""Find all commands by introspection."""

from __future__ import annotations

from collections.abc import Iterator

import click

from navitas.cli.main import cli


def leaves(command: click.Command = cli, name: str = "") -> Iterator[tuple[str, click.Command]]:
    """Yield every command that is no group, by its words, such as `fleet hogs`."""
    if not isinstance(command, click.Group):
        yield name, command
        return
    context = click.Context(command)
    for word in command.list_commands(context):
        found = command.get_command(context, word)
        assert found is not None
        yield from leaves(found, f"{name} {word}".strip())


COMMANDS = dict(leaves())
