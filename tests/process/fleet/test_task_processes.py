"""Tasks on large samples run in several processes."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import dataclass
from multiprocessing import parent_process
from pathlib import Path

import pyarrow as pa
import pytest

from navitas.fleet.engine.duckdb import DuckDbEngine
from navitas.fleet.engine.processes import LEAST_BYTES
from navitas.fleet.files import FleetError


@dataclass(frozen=True)
class _Modest:
    """A task that runs out of memory at first. It writes a line for each try. Arrow imports no pandas for it."""

    name: str
    file: Path
    fits_first: bool
    size_bytes: int = LEAST_BYTES

    def run(self) -> None:
        pa.array([0])
        assert parent_process() is None or "pandas" not in sys.modules
        with self.file.open("a") as file:
            file.write(f"{os.getpid()}\n")
        if not self.fits_first and len(self.file.read_text().splitlines()) == 1:
            raise MemoryError("Unable to allocate 9 GiB")


def test_units_that_do_not_fit_into_memory_together_run_one_by_one(tmp_path: Path) -> None:
    tasks = [_Modest(f"bucket {number}", tmp_path / str(number), number == 2) for number in range(3)]
    done: list[_Modest] = []
    engine = DuckDbEngine(tmp_path, threads=2)
    engine.run(tasks, done.append)
    engine.close()
    assert sorted(task.name for task in done) == ["bucket 0", "bucket 1", "bucket 2"]
    tries = [task.file.read_text().split() for task in tasks]
    assert [len(one) for one in tries] == [2, 2, 1]
    assert {one[0] for one in tries}.isdisjoint({str(os.getpid())}), "tasks run in other processes"
    assert {one[1] for one in tries[:2]} == {str(os.getpid())}


@dataclass(frozen=True)
class _Killed:
    name: str
    size_bytes: int = LEAST_BYTES

    def run(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_killed_process_is_reported(tmp_path: Path) -> None:
    with pytest.raises(FleetError, match="was killed, maybe for lack of memory"):
        DuckDbEngine(tmp_path, threads=2).run([_Killed("a"), _Killed("b")], lambda _: None)
