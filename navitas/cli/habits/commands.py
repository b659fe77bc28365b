"""The base classes of commands and groups: common options, grouped help, settings files, imports on use."""

from __future__ import annotations

import importlib
import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from navitas.base.errors import NavitasError, UsageError
from navitas.cli.habits.messages import Verbosity, detail, prefer, preferences, warning
from navitas.cli.habits.option import Option

if TYPE_CHECKING:
    from navitas.cli.habits.settings_file import Settings

_COMMON, _OTHER_OPTIONS = "General", "Options"
_META = f"{__name__}.settings"
_RANKS = f"{__name__}.ranks"
_STRENGTH = {ParameterSource.COMMANDLINE: 3, ParameterSource.ENVIRONMENT: 2, ParameterSource.DEFAULT_MAP: 1}
_LONGEST_HELP = 1000
_SOURCE_NAMES = {ParameterSource.COMMANDLINE: "command line", ParameterSource.ENVIRONMENT: "environment"}


class NavitasCommand(click.Command):
    """A command of Navitas.

    `--help` shows `example`. `project` is the name of the argument with the project's folder, or with a single path that can be
    one. `table` is that of the settings file, by default the command's name.
    """

    def __init__(
        self, *args: Any, example: str = "", project: str | None = None, table: str | None = None, **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.example = example
        self.project = project
        self.table = table
        self.params += common_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments, with defaults from the project's settings file. Raises `UsageError` for an invalid setting."""
        if not ctx.resilient_parsing:
            given, *_ = self.make_parser(ctx).parse_args(args=list(args))
            wants_help = self.get_help_option(ctx)
            if wants_help is None or not given.get(wants_help.name):
                self._apply_settings(ctx, given)
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            self._warn_about_variables(ctx)
        return rest

    def _apply_settings(self, ctx: click.Context, given: Mapping[str, Any]) -> None:
        from navitas.cli.habits.settings_file import defaults, find_settings  # noqa: PLC0415  # Keeps `navitas --help` fast.

        named = given.get(self.project) if self.project else None
        if isinstance(named, list | tuple):
            from navitas.capture.build.gradle import is_project  # noqa: PLC0415

            named = next((path for path in named if len(named) == 1 and is_project(Path(path))), None)
        settings = find_settings(named if isinstance(named, str) else ".")
        if settings is not None:
            ctx.default_map = defaults(settings, ctx)
            ctx.meta[_META] = settings

    def _warn_about_variables(self, ctx: click.Context) -> None:
        known = {param.variable(ctx) for param in self.params if isinstance(param, Option)}
        prefix = f"{ctx.auto_envvar_prefix}_"
        for name in sorted(os.environ):
            if ctx.auto_envvar_prefix and name.startswith(prefix) and name not in known:
                from navitas.base.near_names import nearest  # noqa: PLC0415

                hint = nearest(name, [one for one in known if one])
                warning(f"environment variable {name!a} sets no option of {ctx.command_path}{hint}")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command. With `--verbose`, first print the origins of its options' values."""
        self._print_origins(ctx)
        from navitas.cli.habits.paths import check_folders, without_copy  # noqa: PLC0415  # Keeps `navitas --help` fast.

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
            source = ctx.get_parameter_source(param.name or "")
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
            source = ctx.get_parameter_source(param.name or "")
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
                title = param.section if isinstance(param, Option) else _COMMON
                groups.setdefault(title or _OTHER_OPTIONS, []).append(record)
        groups[_COMMON] = groups.pop(_COMMON)  # The common options are last.
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


class ReaderGoneError(Exception):
    """The reader of standard output closed the pipe."""


class NavitasGroup(click.Group):
    """A group of commands, with the common options."""

    command_class = NavitasCommand

    def __init__(self, *args: Any, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.params += common_options()

    def help_of(self, ctx: click.Context) -> dict[str, str]:
        """Return the one-line help of each command, which click would cut at the width of the terminal."""
        commands = {name: self.get_command(ctx, name) for name in self.list_commands(ctx)}
        return {name: command.get_short_help_str(_LONGEST_HELP) for name, command in commands.items() if command is not None}

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([*self.help_of(ctx).items()])


class LazyGroup(NavitasGroup):
    """A group that imports each command on use.

    `modules` maps the name of a command to its module and one-line help. The help is repeated there so that `--help` doesn't
    import the module. The command is `command` of the module, or what is named after a colon: `navitas.cli.x:name`.
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
        module, _, name = self.modules[cmd_name][0].partition(":")
        command: click.Command = getattr(importlib.import_module(module), name or "command")
        return command

    def help_of(self, ctx: click.Context) -> dict[str, str]:
        return {name: text for name, (_, text) in self.modules.items()}

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete the name of a command without importing its module."""
        names = [CompletionItem(name, help=text) for name, text in self.help_of(ctx).items() if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)


def settings_of(ctx: click.Context) -> Settings | None:
    """Return the settings file of a command."""
    settings: Settings | None = ctx.meta.get(_META)
    return settings


def warn_about_settings(*names: str) -> None:
    """Warn about each of these options that the settings file sets. They decide what a check accepts."""
    ctx = click.get_current_context()
    settings = ctx.meta.get(_META)
    for param in ctx.command.params:
        if settings is None or not isinstance(param, Option) or param.long_name not in names:
            continue
        if ctx.get_parameter_source(param.name or "") == ParameterSource.DEFAULT_MAP:
            where, value = settings.origin(param, ctx), ctx.params[str(param.name)]
            warning(f"{where} sets --{param.long_name} of this check to {value}", "The command line wins over this file.")


def common_options() -> list[Option]:
    """Create the common options of a command. They set preferences and are not passed to the command."""
    shared: dict[str, Any] = {"is_eager": True, "expose_value": False, "section": _COMMON}
    colors = click.Choice(["auto", "always", "never"])
    return [
        Option(["-q", "--quiet"], is_flag=True, callback=_verbosity, help="Only results, warnings and errors.", **shared),
        Option(["-v", "--verbose"], is_flag=True, callback=_verbosity, help="Show origins of values, and times.", **shared),
        Option(["--color"], type=colors, callback=_color, help="Colored text. [auto: on a terminal]", **shared),
    ]


def _verbosity(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    wanted = Verbosity.QUIET if param.name == "quiet" else Verbosity.VERBOSE
    if value and _outranks(ctx, param, "verbosity", preferences().verbosity not in (Verbosity.NORMAL, wanted)):
        prefer(replace(preferences(), verbosity=wanted))


def _color(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value is not None and _outranks(ctx, param, "color", conflict=False):
        prefer(replace(preferences(), color=value))


def _outranks(ctx: click.Context, param: click.Parameter, what: str, conflict: bool) -> bool:
    """Whether this source of a value outranks the previous one. Command line > environment > settings file."""
    ranks: dict[str, int] = ctx.meta.setdefault(_RANKS, {})
    source = ctx.get_parameter_source(param.name or "")
    rank = _STRENGTH.get(source, 0) if source is not None else 0
    if conflict and rank == ranks.get(what, 0):
        raise UsageError("--quiet and --verbose exclude each other", "leave one out")
    if rank < ranks.get(what, 0):
        return False
    ranks[what] = rank
    return True
