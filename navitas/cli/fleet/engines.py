"""The engine options of fleet commands, and the fleet that a command opens with them."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

import click

from navitas.base.errors import UsageError
from navitas.base.extra_libraries import install_extra
from navitas.base.owned_folder import owned_folder
from navitas.cli.fleet.dry_run import NO_STATE, STATE_REMEDY
from navitas.cli.habits.messages import note, warning
from navitas.cli.habits.option import gathered, option
from navitas.cli.habits.paths import STORE, TEXT
from navitas.cli.habits.progress import bar
from navitas.fleet import layout
from navitas.fleet.engine.base import Engine
from navitas.fleet.engine.duckdb import MEMORY_MIB, DuckDbEngine
from navitas.fleet.findings.hogs import Hogs, find_hogs
from navitas.fleet.period import Period
from navitas.fleet.stages import Fleet, bring_up_to_date
from navitas.fleet.store import Store, is_state_known


def _spark(spill: Path, memory_mib: int) -> Engine:
    """Raise `UsageError` if Spark is not installed."""
    warnings.filterwarnings("ignore", module=r"pyspark\.")  # Deprecations of features that Navitas does not use.
    try:
        from navitas.fleet.engine.spark import SparkEngine  # noqa: PLC0415
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pyspark":
            raise
        raise UsageError("--engine spark needs the package pyspark", install_extra("spark")) from error
    return SparkEngine(spill, memory_mib=memory_mib)


ENGINES: dict[str, Callable[[Path, int], Engine]] = {
    "duckdb": lambda spill, memory_mib: DuckDbEngine(spill, memory_mib=memory_mib),
    "spark": _spark,
}
"""Factories of engines by name. Arguments: a folder for temporary files, and a memory limit in MiB."""


@dataclass(frozen=True, slots=True)
class FleetChoice:
    """The store, engine, memory limit and period that a command line names."""

    path: Path
    engine: str
    memory_mib: int
    period: Period

    @property
    def title(self) -> str:
        """The fleet's name on pages."""
        return f"Fleet {self.path.resolve().name}{' (simulated)' if (self.path / layout.TRUTH_MODEL).exists() else ''}"


def _choice(store: Path, engine: str, memory_mib: int, since: str | None, until: str | None) -> FleetChoice:
    return FleetChoice(store, engine, memory_mib, Period.parse(since, until))


_MIB = click.IntRange(64, 1 << 22)
fleet_options = gathered(
    "choice",
    _choice,
    click.argument("store", type=STORE, metavar="STORE"),
    option("--engine", type=click.Choice(sorted(ENGINES)), default="duckdb", help="Query engine."),
    option("--memory", "memory_mib", type=_MIB, default=MEMORY_MIB, metavar="MIB", help="Memory limit of the engine."),
    option("--since", type=TEXT, metavar="DATE", help="Only samples from this day or time on (UTC)."),
    option("--until", type=TEXT, metavar="DATE", help="Only samples before this day or time (UTC)."),
)
"""`STORE`, `--engine`, `--memory`, `--since` and `--until`, as the keyword argument `choice`."""


@contextmanager
def fleet_of(choice: FleetChoice) -> Iterator[Fleet]:
    """The chosen fleet, brought up to date with a progress bar. The engine ends with the block. Raises FleetError.

    Prints a note at the end if groups of buckets were split for lack of memory.
    """
    # Tasks on a cluster have other working folders.
    path = choice.path if choice.engine == "duckdb" else choice.path.absolute()
    store = replace(Store.open(path), period=choice.period)
    with _spill_folder(store) as spill, closing(ENGINES[choice.engine](spill, choice.memory_mib)) as running:
        with bar("summing samples") as progress:
            fleet = bring_up_to_date(store, running, progress, _waiting)
        if not is_state_known(store):
            warning(f"{store.path}: {NO_STATE}", STATE_REMEDY)
        yield fleet
        for size, times in fleet.narrowed.items():
            note(f"note: {times:,} × {size} were split for lack of memory; --memory raises the limit")


def _spill_folder(store: Store) -> AbstractContextManager[Path]:
    """A local folder for an engine's temporary files."""
    return nullcontext(store.work / "spill") if store.snapshot is None else owned_folder("navitas-spill-")


def hogs_of(fleet: Fleet) -> Hogs:
    """The hogs of a fleet, with a progress bar. Raises `FleetError`."""
    with reading(fleet, "regressing apps together") as shown:
        return find_hogs(shown)


@contextmanager
def reading(fleet: Fleet, text: str) -> Iterator[Fleet]:
    """The fleet, with a progress bar while it reads samples."""
    with bar(text) as progress:
        yield replace(fleet, progress=progress)


def _waiting(process: str) -> None:
    note(f"waiting for process {process or '?'}, which is writing to the fleet's folder")
