"""Command-line options with groups in `--help`, environment variables and old names."""

from __future__ import annotations

import copy
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeVar

import click
from click.core import ParameterSource

F = TypeVar("F", bound=Callable[..., Any])


class Option(click.Option):
    """An option of a command.

    - `section`: its group in `--help`.
    - `renamed`: maps old names to new names. Old names work, print a note, and are not in `--help`.
    - `from_project`: whether a project's settings file can set it (docs/cli.md#settings-files).
    """

    def __init__(
        self,
        param_decls: Sequence[str] | None = None,
        *,
        section: str = "",
        renamed: Mapping[str, str] | None = None,
        from_project: bool = True,
        **attributes: Any,
    ) -> None:
        super().__init__(param_decls, **attributes)
        self.section = section
        self.renamed = dict(renamed or {})
        self.from_project = from_project
        self.old_name: str | None = None
        """The old name that the user typed. Set on copies in the parser's list of given options."""

    @property
    def long_name(self) -> str:
        """The name in settings files, without leading dashes: `sample-interval`."""
        return max(self.opts, key=len).lstrip("-")

    def add_to_parser(self, parser: Any, ctx: click.Context) -> None:
        """Also add the old names, as copies of this option. The parser lists the copies that the user gave."""
        super().add_to_parser(parser, ctx)
        for old, new in self.renamed.items():
            stand_in = copy.copy(self)
            stand_in.old_name = old
            if new in self.secondary_opts:
                parser.add_option(obj=stand_in, opts=[old], dest=self.name, action="store_const", const=False)
                continue
            stand_in.opts, stand_in.secondary_opts = [old], []
            click.Option.add_to_parser(stand_in, parser, ctx)

    def variable(self, ctx: click.Context) -> str | None:
        """Return the environment variable that sets the option, such as NAVITAS_FLEET_HOGS_TOP."""
        if ctx.auto_envvar_prefix is None or not self.allow_from_autoenv:
            return None
        return f"{ctx.auto_envvar_prefix}_{self.long_name.replace('-', '_').upper()}"

    def resolve_envvar_value(self, ctx: click.Context) -> str | None:
        """Return the value of the option's variable. Click would name the variable after the parameter in the code."""
        variable = self.variable(ctx)
        return (os.environ.get(variable) or None) if variable is not None else None

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of the option for errors. If a variable set it, this is the variable's name."""
        if ctx is not None and ctx.get_parameter_source(self.name or "") == click.core.ParameterSource.ENVIRONMENT:
            return f"{self.variable(ctx)} (--{self.long_name})"
        return super().get_error_hint(ctx) if ctx is not None else f"--{self.long_name}"

    def source(self, ctx: click.Context) -> click.core.ParameterSource | None:
        """Return the source of the option's value."""
        return ctx.get_parameter_source(self.name or "")


def option(*param_decls: str, cls: type[Option] = Option, **attributes: Any) -> Callable[[F], F]:
    """Add an `Option` to a command."""
    return click.option(*param_decls, cls=cls, **attributes)


def given_options(ctx: click.Context, names: Iterable[str]) -> list[str]:
    """Return which of these options are on the command line, as `--name`. Those of settings files do not count."""
    given = [name for name in names if ctx.get_parameter_source(name) == ParameterSource.COMMANDLINE]
    return [max(param.opts, key=len) for param in ctx.command.params if param.name in given]


def section(title: str, *options: Callable[[F], F]) -> Callable[[F], F]:
    """Add options as a group of `--help`, in the given order. Options that already have a group keep it."""

    def decorate(function: F) -> F:
        for add in reversed(options):
            function = add(function)
        for param in getattr(function, "__click_params__", ()):
            if isinstance(param, Option) and not param.section:
                param.section = title
        return function

    return decorate
