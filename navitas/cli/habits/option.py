"""Command-line options with groups in `--help`, and environment variables. Old names are refused, with the new name."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from inspect import Parameter, signature
from typing import Any, TypeVar

import click
from click.core import ParameterSource

F = TypeVar("F", bound=Callable[..., Any])
RENAMED_COMMANDS = {
    "model": "navitas operations (census, cases, fit, apply, count, rank, classes, blocks, predict, advise), "
    "and navitas power fit for model components fit"
}
"""Old commands of `navitas`, and what they are now."""
_OLD_VARIABLES = {"NAVITAS_POWER_": "NAVITAS_MODEL_COMPONENTS_", "NAVITAS_OPERATIONS_": "NAVITAS_MODEL_"}
"""Beginnings of variables, and what they were for the old commands."""


class Option(click.Option):
    """An option of a command.

    - `section`: its group in `--help`.
    - `from_project`: whether a project's settings file can set it (docs/cli.md#settings-files).

    Its help ends with the default in brackets, which is added unless the help has one.
    """

    def __init__(
        self, param_decls: Sequence[str] | None = None, *, section: str = "", from_project: bool = True, **attributes: Any
    ) -> None:
        is_said = str(attributes.get("help")).endswith("]") or attributes.get("default") in (None, "")
        super().__init__(param_decls, **{"show_default": not is_said, **attributes})
        self.section = section
        self.from_project = from_project

    @property
    def long_name(self) -> str:
        """The name in settings files, without leading dashes: `sample-interval`."""
        return max(self.opts, key=len).lstrip("-")

    def variable(self, ctx: click.Context) -> str | None:
        """Return the environment variable that sets the option, such as NAVITAS_FLEET_HOGS_TOP."""
        if ctx.auto_envvar_prefix is None or not self.allow_from_autoenv:
            return None
        return f"{ctx.auto_envvar_prefix}_{self.long_name.replace('-', '_').upper()}"

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the option's variable. Click would name the variable after the parameter in the code.

        Raises `click.UsageError` if the variable has a value under its old name.
        """
        variable = self.variable(ctx) or ""
        for beginning, old_beginning in _OLD_VARIABLES.items():
            old = old_beginning + variable.removeprefix(beginning)
            if variable.startswith(beginning) and os.environ.get(old) and not ctx.resilient_parsing:
                raise click.UsageError(f"environment variable {old} is now {variable}")
        return os.environ.get(variable) or None

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of the option for errors. If a variable set it, this is the variable's name."""
        if ctx is not None and ctx.get_parameter_source(self.name or "") == ParameterSource.ENVIRONMENT:
            return f"{self.variable(ctx)} (--{self.long_name})"
        return super().get_error_hint(ctx) if ctx is not None else f"--{self.long_name}"


def option(*param_decls: str, cls: type[Option] = Option, **attributes: Any) -> Callable[[F], F]:
    """Add an `Option` to a command."""
    return click.option(*param_decls, cls=cls, **attributes)


def choice_option(name: str, values: Sequence[str], text: str, **attributes: Any) -> Callable[[F], F]:
    """Add an option with the first of `values` as its default, which its help shows. `text` is the help."""
    return option(name, type=click.Choice(values), default=values[0], help=text, **attributes)


def given_options(ctx: click.Context, names: Iterable[str]) -> list[str]:
    """Return which of these options are on the command line, as `--name`. Those of settings files do not count."""
    given = [name for name in names if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    return [max(param.opts, key=len) for param in ctx.command.params if param.name in given]


def gathered(keyword: str, make: Callable[..., object], *options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Add options. The command gets those that are parameters of `make` as one argument, `keyword`: what `make` returns for them.

    An option that is not given has the default of `make`.
    """
    parameters = signature(make).parameters

    def decorate(function: F) -> F:
        @wraps(function)
        def command(*arguments: Any, **values: Any) -> Any:
            given = {name: values.pop(name) for name in parameters if name in values}
            required = {name for name, parameter in parameters.items() if parameter.default is Parameter.empty}
            chosen = {name: value for name, value in given.items() if value is not None or name in required}
            return function(*arguments, **{keyword: make(**chosen)}, **values)

        made: F = section("", *options)(command)  # type: ignore[assignment]
        return made

    return decorate


def section(title: str, *options: Callable[[Any], Any]) -> Callable[[F], F]:
    """Add options as a group of `--help`, in the given order. Options that already have a group keep it."""

    def decorate(function: F) -> F:
        for add in reversed(options):
            function = add(function)
        for param in getattr(function, "__click_params__", ()):
            if isinstance(param, Option) and not param.section:
                param.section = title
        return function

    return decorate


class RenamedOption(Option):
    """An option that only says what its new name is: on the command line, in a variable, or in a settings file."""

    def __init__(self, *args: Any, new: str, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.new = new


def renamed(old: str, new: str) -> Callable[[F], F]:
    """Refuse the option `old` of a command, with or without a value. Raises `click.UsageError`, which names `new`."""

    def refuse(ctx: click.Context, param: click.Parameter, value: str | None) -> None:
        if value is not None:
            is_variable = isinstance(param, Option) and ctx.get_parameter_source(param.name or "") == ParameterSource.ENVIRONMENT
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
