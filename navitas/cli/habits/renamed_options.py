"""Old names of options and commands: refused, with the new name. Nothing that was released has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from navitas.cli.habits.option import Option, option

F = TypeVar("F", bound=Callable[..., Any])

RENAMED_COMMANDS = {
    "model": "navitas operations (census, cases, fit, apply, count, rank, classes, blocks, predict, advise), "
    "and navitas power fit for model components fit"
}
"""Old commands of `navitas`, and what they are now."""


class RenamedOption(Option):
    """An option that only says what its new name is: on the command line, in a variable, or in a settings file."""

    def __init__(self, *args: Any, new: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.new = new


def renamed(old: str, new: str) -> Callable[[F], F]:
    """Refuse the option `old` of a command, with or without a value. Raises `click.UsageError`, which names `new`."""

    def refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            is_variable = isinstance(param, Option) and param.source(ctx) == ParameterSource.ENVIRONMENT
            where = f"{param.variable(ctx)}: " if is_variable and isinstance(param, Option) else ""
            raise click.UsageError(f"{where}{old} is now {new}", ctx)

    return option(
        old,
        f"old_{old.lstrip('-').replace('-', '_')}",
        cls=RenamedOption,
        new=new,
        is_flag=False,
        flag_value="",
        is_eager=True,
        expose_value=False,
        from_project=False,
        hidden=True,
        callback=refuse,
    )
