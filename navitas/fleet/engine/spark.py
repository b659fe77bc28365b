"""The engine of a cluster: Apache Spark, over a file system that all its machines share (`pip install navitas[spark]`)."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from navitas.fleet.engine.base import OutOfMemory, Tables, Work, did
from navitas.fleet.store import FleetError
from navitas.fleet.units import Task

_WAVE = 4
"""Tasks for each core before it is told how many are done."""
_SIGNS = re.compile(r"([][{}*?\\])")
_TOO_LARGE = ("OutOfMemory", "spark.driver.maxResultSize", "Java heap space")


class SparkEngine:
    """Runs tasks and statements in a Spark session: the one that is there, as in `spark-submit`, or one of its own.

    What is not told here comes from Spark's own settings (spark-defaults.conf); `memory_mib` is the driver's. Executors need
    navitas installed, and the fleet's folder under the same path.
    """

    def __init__(self, *, memory_mib: int, master: str | None = None) -> None:
        os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
        self._own = SparkSession.getActiveSession() is None
        builder = SparkSession.builder.appName("navitas fleet")
        if self._own:
            builder = builder.config("spark.driver.memory", f"{max(memory_mib, 512)}m").config("spark.ui.enabled", "false")
            builder = builder.master(master) if master else builder
        with _told():
            self._session = builder.getOrCreate()
        self._session.sparkContext.setLogLevel("OFF")
        self._cores = self._session.sparkContext.defaultParallelism
        self._session.conf.set("spark.sql.shuffle.partitions", str(2 * self._cores))

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        """As `Engine.run`: a partition for each task; `done` hears of them in waves."""
        size = _WAVE * self._cores
        for wave in (tasks[low : low + size] for low in range(0, len(tasks), size)):
            with _told():
                outcomes = self._session.sparkContext.parallelize(wave, len(wave)).map(_outcome).collect()
            for task, error in zip(wave, outcomes, strict=True):
                if error is not None:
                    raise FleetError(*error)
                done(task)

    def query(self, sql: str, tables: Tables) -> pa.Table:
        """As `Engine.query`."""
        with _told():
            for name, table in tables.items():
                self._frame(table).createOrReplaceTempView(name)
            try:
                return self._session.sql(sql).toArrow()
            finally:
                for name in tables:
                    self._session.catalog.dropTempView(name)

    def close(self) -> None:
        """As `Engine.close`; a session that was there stays."""
        if self._own:
            self._session.stop()

    def _frame(self, table: pa.Table | Sequence[Path]) -> DataFrame:
        if isinstance(table, pa.Table):
            return self._session.createDataFrame(table)
        return self._session.read.parquet(*map(_pattern, table))


def _pattern(file: Path) -> str:
    """A file as Spark takes it, which takes paths for patterns."""
    return "file://" + _SIGNS.sub(r"\\\1", str(file.absolute()))


def _outcome(task: Task) -> tuple[str, str] | None:
    """What went wrong with a task, as `FleetError` takes it."""
    try:
        did(task)
    except FleetError as error:
        return error.message, error.remedy
    return None


@contextmanager
def _told() -> Iterator[None]:
    """Spark's errors as ours."""
    try:
        yield
    except (PySparkException, RuntimeError, OSError) as error:
        raise _named(error) from error
    except Exception as error:  # py4j's errors have no root but this one
        if not type(error).__module__.startswith("py4j"):
            raise
        raise _named(error) from error


def _named(error: Exception) -> Exception:
    text = str(error)
    if any(sign in text for sign in _TOO_LARGE):
        return OutOfMemory(text.partition("\n")[0])
    lines = [line for line in text.splitlines() if line.strip()]
    return FleetError(
        f"Spark failed: {' '.join(lines[:2])[:500]}", "Look at Spark's own messages; --engine duckdb needs no Spark."
    )
