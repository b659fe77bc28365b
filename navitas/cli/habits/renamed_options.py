"""Old names of options, commands and variables: refused, with the new name. Nothing that was released has them."""

from __future__ import annotations

import os
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
_RENAMED_VARIABLES = {"NAVITAS_MODEL_COMPONENTS_FIT_": "NAVITAS_POWER_FIT_", "NAVITAS_MODEL_": "NAVITAS_OPERATIONS_"}
"""Beginnings of the variables of old commands, the longest first."""


class RenamedOption(Option):
    """An option that only says what its new name is: on the command line, in a variable, or in a settings file."""

    def __init__(self, *args: Any, new: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.new = new


def check_variables(prefix: str) -> None:
    """Raise `click.UsageError` if the old name of a variable that begins with `prefix` is set."""
    for name in os.environ:
        old = next((old for old in _RENAMED_VARIABLES if name.startswith(old)), None)
        new = name if old is None else _RENAMED_VARIABLES[old] + name.removeprefix(old)
        if old is not None and new.startswith(prefix):
            raise click.UsageError(f"environment variable {name} is now {new}")


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
