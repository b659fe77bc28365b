"""The engine for one machine: DuckDB, with a limit on memory."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import duckdb
import pyarrow as pa

from navitas.fleet.engine.base import OutOfMemory, Tables, Work, named_tables
from navitas.fleet.engine.processes import TaskProcesses, process_folder, remove_folder
from navitas.fleet.files import FleetError, one_line
from navitas.fleet.remote_path import RemotePath

MEMORY_MIB = 1024
_AT_ONCE = 16
"""Objects that are fetched at once: most of the time is the store's answer."""


class DuckDbEngine:
    """Runs statements in an in-memory database. It spills to a folder of this process within `spill`."""

    buckets_at_once = 16

    def __init__(self, spill: Path, *, memory_mib: int = MEMORY_MIB, threads: int | None = None) -> None:
        threads = threads or os.cpu_count() or 1
        self._processes = TaskProcesses(threads)
        self._connection = duckdb.connect(config={"memory_limit": f"{memory_mib}MiB", "threads": threads})
        self._spill = process_folder(spill)
        with contextlib.suppress(OSError):  # On a read-only disk, results that fit into memory are still computed.
            self._spill.mkdir(parents=True, exist_ok=True)  # DuckDB creates only the last folder.
        self._connection.execute("SET temp_directory = ?", [str(self._spill)])
        self._connection.execute("SET preserve_insertion_order = false")

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        """As `Engine.run`: a task per core at a time."""
        self._processes.run(tasks, done)

    def query(self, sql: str, tables: Tables) -> pa.Table:
        cursor = self._connection.cursor()
        try:
            for name, table in named_tables(sql, tables).items():
                if isinstance(table, pa.Table):
                    cursor.register(name, table)
                else:
                    cursor.read_parquet(self._local(table)).create_view(name, replace=True)
            return cursor.sql(sql).to_arrow_table()
        except duckdb.OutOfMemoryException as error:
            raise OutOfMemory(str(error)) from error
        except (duckdb.InterruptException, RuntimeError) as error:
            if "interrupt" not in str(error).lower():
                raise
            raise KeyboardInterrupt from error  # DuckDB drops the signal's own exception.
        except (duckdb.Error, FileNotFoundError) as error:
            raise FleetError(
                f"a stage failed: {one_line(error)}", "Delete the folder work of the fleet, and try again."
            ) from error
        finally:
            cursor.close()

    def _local(self, files: Sequence[Path]) -> list[str]:
        """Names of the files, or of copies of those in an object store. Most statements read the same ones again."""
        with ThreadPoolExecutor(_AT_ONCE) as copying:
            names = copying.map(lambda file: file.copy_in(self._spill) if isinstance(file, RemotePath) else file, files)
            return [*map(str, names)]

    def close(self) -> None:
        self._processes.close()
        self._connection.close()
        remove_folder(self._spill)
