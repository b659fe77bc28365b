"""The base class of all commands: common options, grouped help, settings files, old names of options."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from navitas.cli.common_options import COMMON, common_options
from navitas.cli.messages import detail, note, warning
from navitas.cli.option import Option
from navitas.cli.standard_input_file import without_copy
from navitas.errors import NavitasError, UsageError

_OTHER_OPTIONS = "Options"
_SOURCE_NAMES = {ParameterSource.COMMANDLINE: "command line", ParameterSource.ENVIRONMENT: "environment"}


class NavitasCommand(click.Command):
    """A command of Navitas. `--help` shows `example`. `project` is the name of the argument with the project's folder."""

    def __init__(self, *args: Any, example: str = "", project: str | None = None, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.example = example
        self.project = project
        self.params += common_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with defaults from the project's settings file. Raises `UsageError` for an invalid setting."""
        if not ctx.resilient_parsing:
            given, _, order = self.make_parser(ctx).parse_args(args=list(args))
            wants_help = self.get_help_option(ctx)
            if wants_help is None or not given.get(wants_help.name):
                _note_old_names(order)
                self._apply_settings(ctx, given)
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            self._warn_about_variables(ctx)
        return rest

    def _apply_settings(self, ctx: click.Context, given: Mapping[str, Any]) -> None:
        from navitas.cli.settings_file import defaults, find_settings  # noqa: PLC0415  # Keeps `navitas --help` fast.

        named = given.get(self.project) if self.project else None
        settings = find_settings(named if isinstance(named, str) else ".")
        if settings is not None:
            ctx.default_map = defaults(settings, ctx)
            ctx.meta[_META] = settings

    def _warn_about_variables(self, ctx: click.Context) -> None:
        known = {param.variable(ctx) for param in self.params if isinstance(param, Option)}
        prefix = f"{ctx.auto_envvar_prefix}_"
        for name in sorted(os.environ):
            if ctx.auto_envvar_prefix and name.startswith(prefix) and name not in known:
                from navitas.cli.settings_file import nearest  # noqa: PLC0415

                hint = nearest(name, [one for one in known if one])
                warning(f"environment variable {name!a} sets no option of {ctx.command_path}{hint}")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. With `--verbose`, first print the origins of its options' values."""
        self._print_origins(ctx)
        from navitas.cli.paths import check_folders  # noqa: PLC0415  # Keeps `navitas --help` fast.

        check_folders(ctx)
        try:
            return super().invoke(ctx)
        except NavitasError as error:
            error.message = without_copy(error.message, ctx)
            if isinstance(error, UsageError) and (origins := self._origins_of(error.message, ctx)):
                error.remedy = f"{error.remedy} ({origins})".strip()
            raise

    def _origins_of(self, message: str, ctx: click.Context) -> str:
        """Return the origins of the options in a message that are not from the command line. Empty if there are none."""
        settings = ctx.meta.get(_META)
        origins = []
        for param in self.params:
            names = [*param.opts, *param.secondary_opts] if isinstance(param, Option) else []
            named = next((name for name in names if re.search(rf"(?<!\S){re.escape(name)}(?![\w-])", message)), None)
            if named is None or not isinstance(param, Option):
                continue
            source = param.source(ctx)
            if source == ParameterSource.ENVIRONMENT:
                origins.append(f"{param.variable(ctx)} sets {named}")
            elif source == ParameterSource.DEFAULT_MAP and settings is not None:
                origins.append(f"{settings.origin(param, ctx)} sets {named}")
        return ", ".join(origins)

    def _print_origins(self, ctx: click.Context) -> None:
        settings = ctx.meta.get(_META)
        if settings is not None:
            detail(f"settings: {settings.path}")
        for param in self.params:
            if not isinstance(param, Option) or not param.name:
                continue
            where = settings.origin(param, ctx) if settings is not None else None
            source = param.source(ctx)
            if source in _SOURCE_NAMES:
                name = _SOURCE_NAMES[source]
                if source == ParameterSource.ENVIRONMENT:
                    name += f" ({param.variable(ctx)})"
                detail(f"--{param.long_name}: from the {name}" + (f", not from {where}" if where else ""))
            elif source == ParameterSource.DEFAULT_MAP and where:
                detail(f"--{param.long_name}: from {where}")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the options in groups. Groups are in the order of their first options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                title = param.section if isinstance(param, Option) else COMMON
                groups.setdefault(title or _OTHER_OPTIONS, []).append(record)
        groups[COMMON] = groups.pop(COMMON)  # The common options are last.
        for title, records in groups.items():
            with formatter.section(title):
                formatter.write_dl(records)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the example."""
        if self.example:
            with formatter.section("Example"):
                formatter.indent()
                for line in self.example.splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")
                formatter.dedent()
        super().format_epilog(ctx, formatter)


class NavitasGroup(click.Group):
    """A group of commands, with the common options."""

    command_class = NavitasCommand

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params += common_options()


_META = f"{__name__}.settings"


def warn_about_settings(*names: str) -> None:
    """Warn about each of these options that the settings file sets. They decide what a check accepts."""
    ctx = click.get_current_context()
    settings = ctx.meta.get(_META)
    for param in ctx.command.params:
        if settings is None or not isinstance(param, Option) or param.long_name not in names:
            continue
        if param.source(ctx) == ParameterSource.DEFAULT_MAP:
            where, value = settings.origin(param, ctx), ctx.params[str(param.name)]
            warning(f"{where} sets --{param.long_name} of this check to {value}", "The command line wins over this file.")


def _note_old_names(order: Sequence[click.Parameter]) -> None:
    for param in order:
        if isinstance(param, Option) and param.old_name is not None:
            note(f"note: {param.old_name} is now {param.renamed[param.old_name]}; a later version removes the old name")
