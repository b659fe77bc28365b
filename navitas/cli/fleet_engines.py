"""Which engine a fleet's commands run on, and a fleet that is brought up to date by it."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import click

from navitas.cli.bars import bar
from navitas.cli.messages import note
from navitas.cli.option import option
from navitas.cli.paths import STORE
from navitas.errors import UsageError
from navitas.fleet.engine.base import Engine
from navitas.fleet.engine.duckdb import MEMORY_MIB, DuckDbEngine
from navitas.fleet.stages import Fleet, brought_up_to_date
from navitas.fleet.store import Store

F = TypeVar("F", bound=Callable[..., Any])


def _spark(spill: Path, memory_mib: int) -> Engine:
    """UsageError where Spark is not installed."""
    warnings.filterwarnings("ignore", module=r"pyspark\.")  # as of versions of packages that are not used here
    try:
        from navitas.fleet.engine.spark import SparkEngine  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pyspark":
            raise
        raise UsageError("--engine spark needs the package pyspark", "pip install 'navitas[spark]'") from error
    return SparkEngine(spill, memory_mib=memory_mib)


ENGINES: dict[str, Callable[[Path, int], Engine]] = {
    "duckdb": lambda spill, memory_mib: DuckDbEngine(spill, memory_mib=memory_mib),
    "spark": _spark,
}
"""By name: what makes an engine from a folder to spill to and a bound of memory in MiB."""


def engine_options(function: F) -> F:
    """`STORE`, `--engine` and `--memory`."""
    decorators = (
        click.argument("store", type=STORE, metavar="STORE"),
        option("--engine", type=click.Choice(sorted(ENGINES)), default="duckdb", show_default=True, help="What computes."),
        option(
            "--memory",
            "memory_mib",
            type=click.IntRange(64, 1 << 22),
            default=MEMORY_MIB,
            show_default=True,
            metavar="MIB",
            help="What the engine may use.",
        ),
    )
    for decorate in reversed(decorators):
        function = decorate(function)
    return function


@contextmanager
def fleet_of(path: Path, engine: str, memory_mib: int) -> Iterator[Fleet]:
    """The fleet in a folder, brought up to date under a progress bar; the engine ends with the block. FleetError.

    If memory forced smaller groups of clients in SQL statements, a message at the end says so.
    """
    store = Store.open(path if engine == "duckdb" else path.absolute())  # a cluster's tasks run in folders of their own
    running = ENGINES[engine](store.work / "spill", memory_mib)
    try:
        with bar("summing up samples") as advance:
            fleet = brought_up_to_date(store, running, advance, _waiting)
        yield fleet
        for size, times in fleet.narrowed.items():
            note(f"note: {times:,} times {size} needed more memory, and were parted; --memory allows more")
    finally:
        running.close()


def _waiting(process: str) -> None:
    note(f"waiting for process {process or '?'}, which writes to the fleet's folder")
