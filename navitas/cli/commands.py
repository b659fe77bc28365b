"""The kind of command that all commands are: common options, grouped help, settings files, old names of options."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import click
from click.core import ParameterSource

from navitas.cli.common_options import COMMON, common_options
from navitas.cli.messages import detail, note, warning
from navitas.cli.option import Option

_OTHERS = "Options"
_WORDS = {ParameterSource.COMMANDLINE: "command line", ParameterSource.ENVIRONMENT: "environment"}


class NavitasCommand(click.Command):
    """A command of Navitas. `example` is shown in `--help`; `project` is the argument that names a project's folder."""

    def __init__(self, *args: Any, example: str = "", project: str | None = None, **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.example = example
        self.project = project
        self.params += common_options()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Also take values from the project's settings file. UsageError where that has what cannot be set."""
        if not ctx.resilient_parsing:
            given, _, order = self.make_parser(ctx).parse_args(args=list(args))
            wants_help = self.get_help_option(ctx)
            if wants_help is None or not given.get(wants_help.name):
                _notices(order)
                self._take_settings(ctx, given)
        rest = super().parse_args(ctx, args)
        if not ctx.resilient_parsing:
            self._unknown_variables(ctx)
        return rest

    def _take_settings(self, ctx: click.Context, given: Mapping[str, Any]) -> None:
        from navitas.cli.settings_file import defaults, find_settings  # noqa: PLC0415  # `navitas --help` needs none of it

        named = given.get(self.project) if self.project else None
        settings = find_settings(named if isinstance(named, str) else ".")
        if settings is not None:
            ctx.default_map = defaults(settings, ctx)
            ctx.meta[_META] = settings

    def _unknown_variables(self, ctx: click.Context) -> None:
        known = {param.variable(ctx) for param in self.params if isinstance(param, Option)}
        prefix = f"{ctx.auto_envvar_prefix}_"
        for name in sorted(os.environ):
            if ctx.auto_envvar_prefix and name.startswith(prefix) and name not in known:
                from navitas.cli.settings_file import nearest  # noqa: PLC0415

                like = nearest(name, [one for one in known if one])
                warning(f"environment variable {name!a} sets no option of {ctx.command_path}{like}")

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; `--verbose` says first where the values of its options come from."""
        self._say_origins(ctx)
        from navitas.cli.paths import check_folders  # noqa: PLC0415  # `navitas --help` needs none of it

        check_folders(ctx)
        return super().invoke(ctx)

    def _say_origins(self, ctx: click.Context) -> None:
        settings = ctx.meta.get(_META)
        if settings is not None:
            detail(f"settings: {settings.path}")
        for param in self.params:
            if not isinstance(param, Option) or not param.name:
                continue
            where = settings.origin(param, ctx) if settings is not None else None
            source = param.source(ctx)
            if source in _WORDS:
                word = _WORDS[source] if source == ParameterSource.COMMANDLINE else f"{_WORDS[source]} ({param.variable(ctx)})"
                detail(f"--{param.long_name}: from the {word}" + (f", not from {where}" if where else ""))
            elif source == ParameterSource.DEFAULT_MAP and where:
                detail(f"--{param.long_name}: from {where}")

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Print the options by group, in the order of the groups' first options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for param in self.get_params(ctx):
            record = param.get_help_record(ctx) if isinstance(param, click.Option) else None
            if record is not None:
                title = param.section if isinstance(param, Option) else COMMON
                groups.setdefault(title or _OTHERS, []).append(record)
        groups[COMMON] = groups.pop(COMMON)  # last
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


def _notices(order: Sequence[click.Parameter]) -> None:
    for param in order:
        if isinstance(param, Option) and param.old_name is not None:
            note(f"note: {param.old_name} is now {param.renamed[param.old_name]}; the old name will go")
