"""The interface of an engine, and the SQL that all engines share."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from importlib import resources
from pathlib import Path
from typing import Protocol, TypeVar

import pyarrow as pa

from navitas.fleet.files import FleetError
from navitas.fleet.regression.memberships import UnknownPackage
from navitas.fleet.units import FleetTask

Tables = Mapping[str, pa.Table | Sequence[Path]]
"""Tables by name, as in the statement: tables in memory, or Parquet files of one schema."""


Work = TypeVar("Work", bound=FleetTask)


class Engine(Protocol):
    """Runs tasks and SQL. All engines give the same results: integers exactly, sums up to rounding."""

    buckets_at_once: int
    """The best number of buckets of clients per statement. Each statement costs time, each bucket memory."""

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        """Run all tasks in any order, and call `done` after each. Raises `FleetError` if one fails, also for lack of memory."""
        ...

    def query(self, sql: str, tables: Tables) -> pa.Table:
        """The result of a SELECT. Raises `OutOfMemory`."""
        ...

    def close(self) -> None:
        """Release all resources (idempotent)."""
        ...


class OutOfMemory(Exception):
    """A statement needs more memory than allowed. Query fewer clients at once."""


def run_task(task: FleetTask) -> None:
    """Run a task. FleetError, with the task's name, if memory is short or a sample has an unknown package."""
    try:
        task.run()
    except MemoryError as error:
        raise FleetError(
            f"{task.name}: not enough memory for its samples ({error or 'out of memory'})",
            "Run it on a machine with more memory, or ingest into a new fleet with more --buckets.",
        ) from error
    except UnknownPackage as error:
        raise FleetError(
            f"{task.name}: a sample has an app that is not in packages.parquet: {error}",
            "Restore packages.parquet, or ingest the sources into a new folder.",
        ) from error


def named_tables(sql: str, tables: Tables) -> Tables:
    """The tables that a statement names. Others need not be fetched."""
    return {name: table for name, table in tables.items() if re.search(rf"\b{name}\b", sql)}


def statement(*names: str, **values: float | str) -> str:
    """SQL concatenated from files (`sql/*.sql`), with numbers or parts of SQL inserted for the names in braces."""
    folder = resources.files("navitas.fleet") / "sql"
    text = "\n".join((folder / f"{name}.sql").read_text("utf-8") for name in names)
    return text.format_map({name: repr(float(value)) if isinstance(value, float) else value for name, value in values.items()})
