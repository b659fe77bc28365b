"""Processes inside the phone: coroutines that have a pid, accept signals, and end with the phone."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from typing import Any

from navitas.virtual_phone.identity import Identity
from navitas.virtual_phone.process_table import ProcessTable

_NOT_ENDING = (signal.SIGSTOP, signal.SIGCONT)
_KILLED_STATUS = 128


@dataclass(frozen=True, slots=True, eq=False)
class PhoneJob:
    """A process inside the phone."""

    pid: int
    args: tuple[str, ...]
    task: asyncio.Task[int]
    signals: list[int] = field(default_factory=list)

    async def wait(self) -> int:
        """Wait until the job ends. Returns its exit status (128 and more: killed). Cancelling the wait does not end it."""
        await asyncio.wait([self.task])
        if self.task.cancelled():
            return _KILLED_STATUS + (self.signals[0] if self.signals else 0)
        return self.task.result()


class JobTable:
    """All jobs of a phone."""

    def __init__(self, processes: ProcessTable) -> None:
        self._processes = processes
        self._jobs: set[PhoneJob] = set()

    def start(
        self,
        args: tuple[str, ...],
        who: Identity,
        coroutine: Coroutine[Any, Any, int],
        *,
        group: int | None = None,
        on_signal: Callable[[int], bool] = lambda number: False,
    ) -> PhoneJob:
        """Run a coroutine as a process, of a group or (None) of its own.

        A signal ends it, except 0, those that only stop or continue a process, which do nothing here, and those that `on_signal`
        handles (never SIGKILL).
        """
        signals: list[int] = []

        def send_signal(number: int) -> None:
            if number and number not in _NOT_ENDING and (number == signal.SIGKILL or not on_signal(number)):
                signals.append(number)
                task.cancel()

        def end(_: object) -> None:
            coroutine.close()  # if it was killed before it began
            self._processes.remove(pid)
            self._jobs.discard(job)

        task = asyncio.create_task(coroutine)
        pid = self._processes.add_inner(args, who, send_signal, group)
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
        group: int | None = None,
        on_signal: Callable[[int], bool] = lambda number: False,
        started: Callable[[int], None] = lambda pid: None,
    ) -> int:
        """Run a coroutine as a process to its end; return its exit status. `started` gets its pid. It ends with its caller."""
        job = self.start(args, who, coroutine, group=group, on_signal=on_signal)
        started(job.pid)
        try:
            return await job.wait()
        finally:
            await self.stop([job])

    async def stop(self, jobs: list[PhoneJob] | None = None) -> None:
        """End the jobs, or all jobs, and wait until they have ended."""
        tasks = [job.task for job in (self._jobs if jobs is None else jobs)]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
