"""Runs tasks on all cores of this machine. Threads would wait for each other, because tasks are mostly short numpy calls."""

from __future__ import annotations

import contextlib
import os
import platform
import shutil
import signal
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from glob import escape
from multiprocessing import get_context
from pathlib import Path

import pyarrow as pa

from navitas.base.freed_memory import keep_freed_memory
from navitas.fleet.engine.base import Work, run_task
from navitas.fleet.files import FleetError
from navitas.fleet.schema import before_arrays
from navitas.fleet.units import FleetTask

_KEPT_BYTES = 32 << 20
LEAST_BYTES = 32 << 20
"""Least size of the samples for which processes are started. Each takes half a second to start."""


class TaskProcesses:
    """Processes that start with the first tasks on large samples, and run until they are closed."""

    def __init__(self, processes: int, remedy: str = "Run the command again; it continues.") -> None:
        """`remedy` is that of the error if a process is killed."""
        self._processes = processes
        self._remedy = remedy
        self._pool: ProcessPoolExecutor | None = None

    def run(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> None:
        """Run all tasks, and call `done` after each. Tasks that run out of memory run again alone at the end.

        Raises `FleetError` if a task fails, or if one does not fit into memory alone.
        """
        several = min(self._processes, len(tasks)) > 1 and sum(task.size_bytes for task in tasks) >= LEAST_BYTES
        for task in self._run_in_processes(tasks, done) if several else tasks:
            run_task(task)
            done(task)

    def close(self) -> None:
        """End the processes, after the tasks that they run (idempotent)."""
        if self._pool is not None:
            self._pool.shutdown(wait=True, cancel_futures=True)
            self._pool = None

    def _run_in_processes(self, tasks: Sequence[Work], done: Callable[[Work], None]) -> list[Work]:
        """Run tasks, and return those that ran out of memory."""
        if self._pool is None:
            self._pool = ProcessPoolExecutor(self._processes, get_context("spawn"), _begin)
        alone: list[Work] = []
        try:
            running = {self._pool.submit(_fits, task): task for task in tasks}
            for future in as_completed(running):
                if future.result():
                    done(running[future])
                else:
                    alone.append(running[future])
        except BrokenProcessPool as error:
            self.close()
            raise FleetError("a process of the computation was killed, maybe for lack of memory", self._remedy) from error
        except BaseException:
            self.close()
            raise
        return alone


def _begin() -> None:
    """Ignore Ctrl-C, so that tasks are finished, and keep freed memory: to get it again from the system costs much of a task.

    Do not import pandas.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    before_arrays()
    pa.set_memory_pool(pa.system_memory_pool())
    keep_freed_memory(_KEPT_BYTES, _KEPT_BYTES)


def _fits(task: FleetTask) -> bool:
    """Run a task, and return whether memory sufficed. Raises `FleetError` if it fails otherwise."""
    try:
        run_task(task)
    except FleetError as error:
        if isinstance(error.__cause__, MemoryError):
            return False
        raise
    return True


def process_folder(spill: Path) -> Path:
    """The folder of this process within the shared folder `spill`. It is not created.

    First removes those of processes of this machine that no longer run. Other machines and containers may share the store.
    """
    machine = f"{platform.node()}-"
    for folder in spill.glob(f"{escape(machine)}*/"):
        with contextlib.suppress(ValueError, PermissionError):
            try:
                os.kill(int(folder.name.removeprefix(machine)), 0)
            except ProcessLookupError:
                shutil.rmtree(folder, ignore_errors=True)
    return spill / f"{machine}{os.getpid()}"


def remove_folder(folder: Path) -> None:
    """Remove a process's folder, and the shared folder if it is then empty."""
    shutil.rmtree(folder, ignore_errors=True)
    with contextlib.suppress(OSError):  # Another process uses it, or it never existed.
        folder.parent.rmdir()
