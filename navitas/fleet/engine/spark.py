"""The engine for a cluster: Apache Spark, on a file system that all machines share. Needs the extra `spark`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql.pandas.types import from_arrow_schema

from navitas.base.errors import NavitasError
from navitas.fleet.engine.base import OutOfMemory, Tables, Work, named_tables, run_task
from navitas.fleet.engine.spark_session import StatementSession, converted
from navitas.fleet.files import FleetError, read_metadata, read_table
from navitas.fleet.remote_path import RemotePath
from navitas.fleet.units import FleetTask

_WAVE = 4
"""Tasks per core between two updates of the progress."""
_GLOB = re.compile(r"([][{}*?\\])")
T = TypeVar("T")


class SparkEngine:
    """Runs tasks and statements in a Spark session. Executors need navitas, and the fleet's folder under the same path.

    One thread does all calls of Spark. A signal then interrupts the waiting main thread, but never a message to Spark.
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
        """As `Engine.run`: a partition for each task. `done` is called after each wave of tasks."""
        size = _WAVE * self._session.cores
        for wave in (tasks[low : low + size] for low in range(0, len(tasks), size)):
            try:
                outcomes = self._call(self._outcomes, wave)
            except OutOfMemory as error:
                raise FleetError(f"Spark has too little memory: {error}", "Raise the memory of its driver: --memory.") from error
            for task, outcome in zip(wave, outcomes, strict=True):
                if outcome is not None:
                    raise FleetError(*outcome)
                done(task)

    def query(self, sql: str, tables: Tables) -> pa.Table:
        return self._call(self._table, sql, tables)

    def close(self) -> None:
        """As `Engine.close`. A session that existed before stays open."""
        self._session.close()
        self._thread.shutdown()

    def _call(self, work: Callable[..., T], *arguments: Any) -> T:
        """Call `work` in Spark's thread. If Spark's process died, start a new one, and raise `OutOfMemory`."""
        try:
            return self._thread.submit(work, *arguments).result()
        except Exception as error:
            if not self._session.has_died():
                raise converted(error) from error
            self._session.close()
            self._session = self._thread.submit(StatementSession, *self._arguments).result()
            raise OutOfMemory("Spark's process has ended") from error

    def _outcomes(self, tasks: Sequence[FleetTask]) -> list[tuple[str, str] | None]:
        return list(self._session.spark.sparkContext.parallelize(tasks, len(tasks)).map(_outcome).collect())

    def _table(self, sql: str, tables: Tables) -> pa.Table:
        spark = self._session.spark
        named = named_tables(sql, tables)
        for name, table in named.items():
            self._frame(table).createOrReplaceTempView(name)
        try:
            return spark.sql(sql).toArrow()
        finally:
            for name in named:
                spark.catalog.dropTempView(name)

    def _frame(self, table: pa.Table | Sequence[Path]) -> DataFrame:
        spark = self._session.spark
        if isinstance(table, pa.Table):
            return spark.createDataFrame(table)
        columns = from_arrow_schema(read_metadata(table[0]).schema.to_arrow_schema())
        if isinstance(table[0], RemotePath):
            # Workers reach the store as tasks do, without Hadoop's libraries for it.
            names = spark.createDataFrame([(str(file),) for file in table], "file string")
            return names.repartition(min(len(table), self._session.cores)).mapInArrow(_rows_of, columns)
        return spark.read.schema(columns).parquet(*map(_pattern, table))


def _rows_of(names: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The rows of files in an object store."""
    for batch in names:
        for name in batch["file"].to_pylist():
            yield from read_table(RemotePath.parse(name)).to_batches()


def _pattern(file: Path) -> str:
    """A file path with Spark's glob characters escaped."""
    return "file://" + _GLOB.sub(r"\\\1", str(file.absolute()))


def _outcome(task: FleetTask) -> tuple[str, str] | None:
    """Run a task, and return the arguments of its `FleetError`, if any."""
    try:
        run_task(task)
    except NavitasError as error:
        return error.message, error.remedy
    return None
