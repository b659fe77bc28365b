"""Processes inside the phone: coroutines that have a pid, can be signalled, and end with the phone."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.process_table import ProcessTable

_KILLED_STATUS = 128


@dataclass(frozen=True, slots=True, eq=False)
class PhoneJob:
    """One such process."""

    pid: int
    args: tuple[str, ...]
    task: asyncio.Task[int]
    signals: list[int] = field(default_factory=list)

    async def wait(self) -> int:
        """Wait for its end; the exit status, 128 and more when it was killed. Being cancelled leaves the job alone."""
        await asyncio.wait([self.task])
        if self.task.cancelled():
            return _KILLED_STATUS + (self.signals[0] if self.signals else 0)
        return self.task.result()


class JobTable:
    """All of a phone's jobs."""

    def __init__(self, processes: ProcessTable) -> None:
        self._processes = processes
        self._jobs: set[PhoneJob] = set()

    def start(
        self,
        args: tuple[str, ...],
        who: Identity,
        coroutine: Coroutine[Any, Any, int],
        *,
        on_signal: Callable[[int], bool] = lambda number: False,
    ) -> PhoneJob:
        """Run a coroutine as a process; a signal ends it, but 0 and those that `on_signal` deals with (never SIGKILL)."""
        signals: list[int] = []

        def send_signal(number: int) -> None:
            if number and (number == signal.SIGKILL or not on_signal(number)):
                signals.append(number)
                task.cancel()

        def end(_: object) -> None:
            coroutine.close()  # it never began when it was killed at once
            self._processes.remove(pid)
            self._jobs.discard(job)

        task = asyncio.create_task(coroutine)
        pid = self._processes.add_inner(args, who, send_signal)
        job = PhoneJob(pid, args, task, signals)
        self._jobs.add(job)
        task.add_done_callback(end)
        return job

    async def run(
        self,
        args: tuple[str, ...],
        who: Identity,
        coroutine: Coroutine[Any, Any, int],
        *,
        on_signal: Callable[[int], bool] = lambda number: False,
        started: Callable[[int], None] = lambda pid: None,
    ) -> int:
        """Run a coroutine as a process to its end; its exit status. `started` is told its pid; it ends when the caller does."""
        job = self.start(args, who, coroutine, on_signal=on_signal)
        started(job.pid)
        try:
            return await job.wait()
        finally:
            await self.stop([job])

    async def stop(self, jobs: list[PhoneJob] | None = None) -> None:
        """End jobs (all of them) and wait until they have."""
        tasks = [job.task for job in (self._jobs if jobs is None else jobs)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
