"""The options of `navitas report` that select views: `--view`, `--component`, `--resolution`, `--depth`, `--thread`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from navitas.cli.option import option, section
from navitas.cli.options import Finite
from navitas.cli.paths import TEXT
from navitas.errors import UsageError
from navitas.report.view_request import VIEWS, ViewRequest

F = TypeVar("F", bound=Callable[..., Any])

_DEPTH = 8
_NEEDS = {"resolution": ("timeline",), "depth": ("tree",), "thread": ("timeline", "tree"), "component": VIEWS}
"""The views that each option is about."""


def view_options(function: F) -> F:
    """Add the options of views. The command must call `pop_view_request`."""
    return section(
        "Views",
        option("--view", "view", type=click.Choice(VIEWS), multiple=True, help="Show this view instead; repeatable."),
        option("--component", type=TEXT, metavar="NAME", help="Show this component only, such as wifi."),
        option(
            "--resolution",
            type=Finite(min=0.001, max=1e9),
            metavar="MS",
            help="Length of a step of the timeline. [at most 40 steps]",
        ),
        option("--depth", type=click.IntRange(1, 500), metavar="N", help=f"Levels of the tree. [{_DEPTH}]"),
        option("--thread", type=TEXT, metavar="NAME", help="Show the threads of this name only."),
    )(function)


def pop_view_request(values: dict[str, Any]) -> ViewRequest | None:
    """Remove the options of views from a command's keyword arguments. None without views.

    Raises `UsageError` for an option whose view is not requested, and for `--tree`, which belongs to the usual report.
    """
    names = tuple(dict.fromkeys(values.pop("view")))
    given = {name: values.pop(name) for name in _NEEDS}
    for name, views in _NEEDS.items():
        if given[name] is not None and not set(views) & set(names):
            raise UsageError(f"--{name} is about a view that is not requested", f"add --view {' or --view '.join(views)}")
    if not names:
        return None
    if values.get("tree") is not None:
        raise UsageError(
            "--tree is part of the usual report, which --view replaces", "leave one out, or use --view tree --thread"
        )
    step_ms = given["resolution"]
    return ViewRequest(
        names,
        component=given["component"],
        step_ns=None if step_ms is None else max(round(step_ms * 1e6), 1),
        depth=given["depth"] or _DEPTH,
        thread=given["thread"],
    )
