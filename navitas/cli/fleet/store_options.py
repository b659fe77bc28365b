"""Options that name clients or set the buckets of a fleet, without the imports that results need."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

from navitas.cli.habits.option import option
from navitas.cli.habits.paths import TEXT
from navitas.fleet.store_settings import MOST_BUCKETS

F = TypeVar("F", bound=Callable[..., Any])


def client_option(text: str, **attributes: Any) -> Callable[[F], F]:
    """Add `--client`. A settings file cannot set whose data a command takes, shows or erases."""
    return option("--client", type=TEXT, from_project=False, metavar="NAME", help=text, **attributes)


def buckets_option(default: str) -> Callable[[F], F]:
    """Add `--buckets`, whose `default` is in the help."""
    text = f"Number of buckets of a new STORE. [{default}]"
    return option("--buckets", type=click.IntRange(1, MOST_BUCKETS), metavar="N", help=text)
