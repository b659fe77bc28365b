"""Old names of options: refused, with the new name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from navitas.cli.option import option

F = TypeVar("F", bound=Callable[..., Any])


def renamed(old: str, new: str) -> Callable[[F], F]:
    """Refuse the option `old` of a command, with or without a value. Raises `click.UsageError`, which names `new`."""

    def refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            raise click.UsageError(f"{old} is now {new}", ctx)

    return option(
        old,
        f"old_{old.lstrip('-').replace('-', '_')}",
        is_flag=False,
        flag_value="",
        is_eager=True,
        expose_value=False,
        hidden=True,
        callback=refuse,
        from_project=False,
    )
