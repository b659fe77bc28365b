"""Processes inside the phone: coroutines that have a pid, can be signalled, and end with the phone."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any

from navitas.device.virtual.identity import Identity
from navitas.device.virtual.processes import ProcessTable

_KILLED_STATUS = 128


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One such process."""

    pid: int
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
        self._jobs: set[Job] = set()

    def start(self, args: tuple[str, ...], who: Identity, coroutine: Coroutine[Any, Any, int]) -> Job:
        """Run a coroutine as a process; any signal but 0 ends it."""
        signals: list[int] = []

        def send_signal(number: int) -> None:
            if number:
                signals.append(number)
                task.cancel()

        def end(_: object) -> None:
            coroutine.close()  # it never began when it was killed at once
            self._processes.remove(pid)
            self._jobs.discard(job)

        task = asyncio.create_task(coroutine)
        pid = self._processes.add_inner(args, who, send_signal)
        job = Job(pid, task, signals)
        self._jobs.add(job)
        task.add_done_callback(end)
        return job

    async def stop(self, jobs: list[Job] | None = None) -> None:
        """End jobs (all of them) and wait until they have."""
        tasks = [job.task for job in (self._jobs if jobs is None else jobs)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
