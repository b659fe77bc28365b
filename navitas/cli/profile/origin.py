"""The command line as recordings name it."""

from __future__ import annotations

import click

from navitas.cli.profile.masking import mask_secrets


def command_line() -> list[str]:
    """Return the command as typed, without secrets. Empty outside the command line."""
    context = click.get_current_context(silent=True)
    arguments = context.find_root().obj if context is not None else None
    return ["navitas", *mask_secrets(arguments)] if isinstance(arguments, tuple) else []
