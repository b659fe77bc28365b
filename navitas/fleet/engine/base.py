"""What an engine does for the stages, and the SQL that all engines share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa

from navitas.fleet.files import FleetError
from navitas.fleet.kernel import UnknownPackage
from navitas.fleet.units import FleetTask

Tables = Mapping[str, pa.Table | Sequence[Path]]
"""Names in a statement: tables in memory, or Parquet files of one schema."""


Work = TypeVar("Work", bound=FleetTask)


class Engine(Protocol):
    """Runs jobs and SQL; results are the same for every engine: integers exactly, sums to rounding."""

    buckets_at_once: int
    """Of how many buckets of clients a statement is best: each costs some time of its own, and memory for its buckets."""

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        """Do all of these in any order; `done` is told of each. FleetError when one fails, also for want of memory."""
        ...

    def query(self, sql: str, tables: Tables) -> pa.Table:
        """The result of a SELECT. `OutOfMemory` when it does not fit."""
        ...

    def close(self) -> None:
        """End (idempotent)."""
        ...


class OutOfMemory(Exception):
    """A statement needs more memory than it may have: ask about fewer clients at once."""


def did(task: FleetTask) -> None:
    """Run a task. FleetError, with its name, when memory does not suffice, or its samples name what is no package."""
    try:
        task.run()
    except MemoryError as error:
        raise FleetError(
            f"{task.name}: its samples need more memory than there is ({error or 'out of memory'})",
            "Run it where there is more; in a fleet of more buckets each needs less.",
        ) from error
    except UnknownPackage as error:
        raise FleetError(
            f"{task.name}: a sample names an app that packages.parquet has not: {error}",
            "Restore packages.parquet, or ingest the sources into a new folder.",
        ) from error


def statement(*names: str, **numbers: float) -> str:
    """SQL made of named parts (`sql/*.sql`), with numbers for the places in braces."""
    folder = resources.files("navitas.fleet") / "sql"
    text = "\n".join((folder / f"{name}.sql").read_text("utf-8") for name in names)
    return text.format_map({name: repr(float(value)) if isinstance(value, float) else value for name, value in numbers.items()})
