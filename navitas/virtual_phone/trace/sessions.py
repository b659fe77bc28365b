"""Tracing sessions of the phone: any number of perfetto's and simpleperf's, each a process, and one of atrace's."""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, BinaryIO

from navitas.virtual_phone.kernel.live_kernel import Kernel
from navitas.virtual_phone.kernel.trace_log import Moment, TraceLog, now
from navitas.virtual_phone.process_table import ProcessTable
from navitas.virtual_phone.rail_monitor import RailMonitor
from navitas.virtual_phone.trace.ftrace_text import KINDS, ftrace_text
from navitas.virtual_phone.trace.perf_packets import sampled_processes
from navitas.virtual_phone.trace.perfetto_file import TraceSession, perfetto_file
from navitas.virtual_phone.trace.simpleperf_report import DATA_MAGIC, simpleperf_report
from navitas.virtual_phone.trace.stack_sampler import StackSampler

_DEFAULT_POLL_S = 1.0


class EndSignal(asyncio.Event):
    """Set by the signals on which a session ends in order."""

    def take(self, number: int) -> bool:
        """Take SIGINT and SIGTERM. Returns whether it was one of them."""
        if number not in (signal.SIGINT, signal.SIGTERM):
            return False
        self.set()
        return True


@dataclass(frozen=True, slots=True)
class PerfettoSession:
    """One `perfetto`. It records until it is ended or until its time is over, then writes its file.

    `file` stays open, so that one that is removed meanwhile is not created again.
    """

    _kernel: Kernel
    _monitor: RailMonitor
    _processes: ProcessTable
    _stacks: StackSampler
    _config: Any
    _file: BinaryIO
    hides_rails: bool
    ended: EndSignal = field(default_factory=EndSignal)

    async def run(self) -> int:
        """Record to the end. Returns the exit status."""
        with self._file:
            log = self._kernel.start_trace()
            session = TraceSession(self._config, log, {}, [now()])
            try:
                async with self._sampled(session):
                    await self._wait(session)
            finally:
                await asyncio.to_thread(self._kernel.stop_trace, log)
            session.moments.append(now())
            await asyncio.to_thread(log.settle)
            session.processes = _names(self._processes, log)
            session.process_uids = {pid: self._monitor.uid_of(pid) for pid in session.processes}
            self._file.write(await asyncio.to_thread(perfetto_file, session))
        return 0

    @asynccontextmanager
    async def _sampled(self, session: TraceSession) -> AsyncIterator[None]:
        """Sample stacks if the configuration requests them."""
        source = session.data_source("linux.perf")
        sampled = None if source is None else sampled_processes(source.perf_event_config)
        if sampled is None:
            yield
            return
        async with self._stacks.sampling(*sampled) as apps:
            yield
        session.stacks = apps.samples

    async def _wait(self, session: TraceSession) -> None:
        """Wait for the end, and read the rails meanwhile if requested."""
        duration_ms = self._config.duration_ms
        deadline = time.monotonic() + duration_ms / 1000 if duration_ms else float("inf")
        power = session.data_source("android.power")
        shown = power is not None and not self.hides_rails
        rails = shown and power.android_power_config.collect_power_rails
        breakdown = shown and power.android_power_config.collect_energy_estimation_breakdown
        period_s = (power.android_power_config.battery_poll_ms / 1000 if rails or breakdown else 0.0) or _DEFAULT_POLL_S
        while True:
            if rails:
                session.rails_uj.append((now(), self._monitor.rails_uj()))
            if breakdown:
                session.consumers.append((now(), self._monitor.consumers()))
            left_s = deadline - time.monotonic()
            if self.ended.is_set() or left_s <= 0:
                return
            try:
                await asyncio.wait_for(self.ended.wait(), min(period_s, left_s))
            except TimeoutError:
                continue


@dataclass(frozen=True, slots=True)
class SimpleperfSession:
    """One `simpleperf record`. It samples an app until it is ended or until its time is over, then writes its file."""

    _stacks: StackSampler
    _app: str
    _interval_ns: int
    _duration_s: float | None
    _file: BinaryIO
    ended: EndSignal = field(default_factory=EndSignal)

    async def run(self) -> int:
        """Record to the end. Returns the exit status."""
        with self._file:
            async with self._stacks.sampling(lambda name: name.partition(":")[0] == self._app, self._interval_ns) as apps:
                with suppress(TimeoutError):
                    await asyncio.wait_for(self.ended.wait(), self._duration_s)
            report = await asyncio.to_thread(simpleperf_report, apps.samples, self._app, self._interval_ns)
            self._file.write(DATA_MAGIC + report)
        return 0


class Atrace:
    """The kernel's only trace buffer, as `atrace` uses it."""

    def __init__(self, kernel: Kernel, processes: ProcessTable) -> None:
        self._kernel, self._processes = kernel, processes
        self._running: tuple[TraceLog, Moment, tuple[str, ...]] | None = None

    async def start(self, categories: tuple[str, ...]) -> None:
        """Start with an empty buffer."""
        await self._end()
        self._running = (self._kernel.start_trace(), now(), categories)

    async def stop(self) -> str:
        """Stop, and return the trace; empty if there was none."""
        ended = await self._end()
        if ended is None:
            return ""
        log, begin, categories = ended
        await asyncio.to_thread(log.settle)
        kinds = {kind for category in categories for kind in KINDS.get(category, ())}
        return await asyncio.to_thread(ftrace_text, log, begin, _names(self._processes, log), kinds)

    async def _end(self) -> tuple[TraceLog, Moment, tuple[str, ...]] | None:
        ended, self._running = self._running, None
        if ended is not None:
            await asyncio.to_thread(self._kernel.stop_trace, ended[0])
        return ended


def _names(processes: ProcessTable, log: TraceLog) -> dict[int, str]:
    """Return the names of the processes that ran. For an ended process, use the name of its first thread."""
    names = {thread.pid: thread.name for thread in log.recorded.threads.values() if thread.tid == thread.pid}
    return names | {process.pid: process.name for process in processes.all()}
