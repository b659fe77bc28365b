"""Options and outputs that several commands share."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class ReportOptions:
    """What is to be made of an analysed recording."""

    json: Path | None
    speedscope: Path | None
    collapsed: Path | None
    tree: str | None
    top: int
    method: Literal["default", "paper1"]


class Finite(click.FloatRange):
    """A number within bounds; `nan` and `inf`, which Python takes for numbers, are none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        number: float = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value!r} is no number.", param, ctx)
        return number


def probe_options(function: F) -> F:
    """Which classes and methods get probes."""
    return _all(
        function,
        click.option(
            "--include", multiple=True, metavar="PATTERN", help="Only classes like a.b.** get probes; may be given several times."
        ),
        click.option(
            "--exclude", multiple=True, metavar="PATTERN", help="Classes like a.b.** get no probes; may be given several times."
        ),
        click.option("--skip-trivial", is_flag=True, help="No probes in getters, setters and the like."),
    )


def report_options(function: F) -> F:
    """The options of every command that ends in a report; collected by `take_report_options`."""
    return _all(
        function,
        click.option(
            "--json",
            "json_file",
            type=click.Path(path_type=Path),
            metavar="FILE",
            help="Write the JSON report ('-': stdout).",
        ),
        click.option("--speedscope", type=click.Path(path_type=Path), metavar="FILE", help="Write a profile for speedscope.app."),
        click.option(
            "--collapsed", type=click.Path(path_type=Path), metavar="FILE", help="Write collapsed stacks for flame graphs."
        ),
        click.option("--tree", metavar="THREAD", help="Show the call tree of the thread with this name or serial."),
        click.option("--top", type=click.IntRange(min=1), default=20, show_default=True, help="Rows in the tables."),
        click.option(
            "--method",
            type=click.Choice(["default", "paper1"]),
            default="default",
            show_default=True,
            help="paper1: the Navitas paper's formula (1) beside the default.",
        ),
    )


def _all(function: F, *decorators: Callable[[F], F]) -> F:
    """Apply options so that help lists them in the order given."""
    for decorate in reversed(decorators):
        function = decorate(function)
    return function


def take_report_options(values: dict[str, Any]) -> ReportOptions:
    """Take the report's options out of a command's keyword arguments."""
    return ReportOptions(
        json=values.pop("json_file"),
        speedscope=values.pop("speedscope"),
        collapsed=values.pop("collapsed"),
        tree=values.pop("tree"),
        top=values.pop("top"),
        method=values.pop("method"),
    )
