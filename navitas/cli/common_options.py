"""`--quiet`, `--verbose` and `--color`: options of the program and of every command."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from navitas.cli.messages import Verbosity, prefer_color, prefer_verbosity, preferences
from navitas.cli.option import Option
from navitas.errors import UsageError

COMMON = "General"
_RANKS = f"{__name__}.ranks"
_STRENGTH = {ParameterSource.COMMANDLINE: 3, ParameterSource.ENVIRONMENT: 2, ParameterSource.DEFAULT_MAP: 1}


def common_options() -> list[Option]:
    """Create the common options of a command. They set preferences and are not passed to the command."""
    return [
        Option(["-q", "--quiet"], is_flag=True, callback=_verbosity, help="Only results, warnings and errors.", **_COMMON),
        Option(["-v", "--verbose"], is_flag=True, callback=_verbosity, help="Show origins of values, and times.", **_COMMON),
        Option(
            ["--color"],
            type=click.Choice(["auto", "always", "never"]),
            callback=_color,
            help="Colored text. [auto: on a terminal]",
            **_COMMON,
        ),
    ]


_COMMON: dict[str, Any] = {"is_eager": True, "expose_value": False, "section": COMMON}


def _verbosity(ctx: click.Context, param: click.Parameter, value: bool) -> None:
    wanted = Verbosity.QUIET if param.name == "quiet" else Verbosity.VERBOSE
    if value and _outranks(ctx, param, "verbosity", preferences().verbosity not in (Verbosity.NORMAL, wanted)):
        prefer_verbosity(wanted)


def _color(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    if value is not None and _outranks(ctx, param, "color", conflict=False):
        prefer_color(value)


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
