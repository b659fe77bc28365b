"""The engine of a cluster: Apache Spark, over a file system that all its machines share (`pip install navitas[spark]`)."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from navitas.fleet.engine.base import OutOfMemory, Tables, Work, did
from navitas.fleet.engine.spark_errors import named
from navitas.fleet.engine.spark_session import StatementSession
from navitas.fleet.files import FleetError
from navitas.fleet.units import FleetTask

_WAVE = 4
"""Tasks for each core before it is told how many are done."""
_SIGNS = re.compile(r"([][{}*?\\])")
T = TypeVar("T")


class SparkEngine:
    """Runs tasks and statements in a Spark session. Executors need navitas, and the fleet's folder under the same path.

    Spark is spoken to by a thread: a signal then interrupts who waits for it, but none of its messages.
    """

    buckets_at_once = 64

    def __init__(self, spill: Path, *, memory_mib: int, master: str | None = None) -> None:
        self._arguments = spill, memory_mib, master
        self._thread = ThreadPoolExecutor(1, "spark")
        starting = self._thread.submit(StatementSession, *self._arguments)
        try:
            self._session = starting.result()
        except BaseException:
            self._thread.shutdown()
            if starting.exception() is None:
                starting.result().close()
            raise

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        """As `Engine.run`: a partition for each task; `done` hears of them in waves."""
        size = _WAVE * self._session.cores
        for wave in (tasks[low : low + size] for low in range(0, len(tasks), size)):
            try:
                outcomes = self._asked(self._outcomes, wave)
            except OutOfMemory as error:
                raise FleetError(f"Spark has too little memory: {error}", "Give its driver more: --memory.") from error
            for task, outcome in zip(wave, outcomes, strict=True):
                if outcome is not None:
                    raise FleetError(*outcome)
                done(task)

    def query(self, sql: str, tables: Tables) -> pa.Table:
        """As `Engine.query`."""
        return self._asked(self._table, sql, tables)

    def close(self) -> None:
        """As `Engine.close`; a session that was there stays."""
        self._session.close()
        self._thread.shutdown()

    def _asked(self, work: Callable[..., T], *arguments: Any) -> T:
        """What Spark says; where its process has died, a new one is there for what is asked next."""
        try:
            return self._thread.submit(work, *arguments).result()
        except Exception as error:
            if not self._session.has_died():
                raise named(error) from error
            self._session.close()
            self._session = self._thread.submit(StatementSession, *self._arguments).result()
            raise OutOfMemory("Spark's process has ended") from error

    def _outcomes(self, tasks: Sequence[FleetTask]) -> list[tuple[str, str] | None]:
        return list(self._session.spark.sparkContext.parallelize(tasks, len(tasks)).map(_outcome).collect())

    def _table(self, sql: str, tables: Tables) -> pa.Table:
        spark = self._session.spark
        used = [name for name in tables if re.search(rf"\b{name}\b", sql)]
        for name in used:
            self._frame(tables[name]).createOrReplaceTempView(name)
        try:
            return spark.sql(sql).toArrow()
        finally:
            for name in used:
                spark.catalog.dropTempView(name)

    def _frame(self, table: pa.Table | Sequence[Path]) -> DataFrame:
        spark = self._session.spark
        if isinstance(table, pa.Table):
            return spark.createDataFrame(table)
        columns = from_arrow_schema(pq.read_schema(table[0]))
        return spark.read.schema(columns).parquet(*map(_pattern, table))


def _pattern(file: Path) -> str:
    """A file as Spark takes it, which takes paths for patterns."""
    return "file://" + _SIGNS.sub(r"\\\1", str(file.absolute()))


def _outcome(task: FleetTask) -> tuple[str, str] | None:
    """What went wrong with a task, as `FleetError` takes it."""
    try:
        did(task)
    except FleetError as error:
        return error.message, error.remedy
    return None
