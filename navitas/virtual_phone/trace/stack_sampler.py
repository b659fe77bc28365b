"""Samples the stacks of apps while a profiler of the phone wants them. Their JVMs run async-profiler for it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from navitas.base.errors import BuildError, RecordingError, UsageError
from navitas.base.owned_folder import owned_folder
from navitas.capture.build import async_profiler
from navitas.capture.collect.runs.jvm_attach import load_agent
from navitas.virtual_phone.package import Package
from navitas.virtual_phone.package_manager import PackageManager
from navitas.virtual_phone.process_table import ProcessTable

if TYPE_CHECKING:
    from navitas.recording.parse.stack_samples import RawSamples

_log = logging.getLogger(__name__)

Wants = Callable[[str], bool]
"""Whether a profiler samples the process with this name."""


@dataclass(slots=True)
class SampledApps:
    """The processes that one profiler samples. Their samples, by CLOCK_MONOTONIC, are complete when it has ended."""

    wants: Wants
    interval_ns: int
    folder: Path
    samples: dict[int, RawSamples]


class StackSampler:
    """The profilers of a phone. An app's process is sampled by the first one only: a JVM has one async-profiler."""

    def __init__(self, processes: ProcessTable, packages: PackageManager) -> None:
        self._processes, self._packages = processes, packages
        self._profilers: list[SampledApps] = []

    def agent(self, package: Package) -> list[str]:
        """Return the argument of `java` with which a new process of an app is sampled from its start, if it is wanted."""
        for apps in self._profilers:
            if package.profileable and apps.wants(package.name):
                with suppress(BuildError):  # `sampling` has logged it
                    output = str(apps.folder / "%p.jfr")
                    return [async_profiler.agent_argument(async_profiler.find(), output, apps.interval_ns)]
        return []

    @asynccontextmanager
    async def sampling(self, wants: Wants, interval_ns: int) -> AsyncIterator[SampledApps]:
        """Sample processes each `interval_ns` of their threads' CPU time, also those that start within the context."""
        with owned_folder("navitas-stacks-") as folder:
            apps = SampledApps(wants, interval_ns, folder, {})
            self._profilers.append(apps)
            try:
                await self._change(apps, start=True)
                yield apps
            finally:
                self._profilers.remove(apps)
                await self._change(apps, start=False)
                apps.samples = await asyncio.to_thread(_read, folder)

    async def _change(self, apps: SampledApps, *, start: bool) -> None:
        """Start to sample the processes that run, or stop."""
        for process in self._processes.all():
            package = self._packages.get(process.who.package or "") if process.on_host else None
            output = apps.folder / f"{process.pid}.jfr"
            if package is None or not package.profileable or not apps.wants(process.name) or (not start and not output.exists()):
                continue
            try:
                options = async_profiler.start_options(str(output), apps.interval_ns) if start else "stop,quiet"
                await asyncio.to_thread(load_agent, process.pid, async_profiler.find(), options)
            except (BuildError, UsageError) as error:
                _log.error("the stacks of %s are not sampled: %s", process.name, error)


def _read(folder: Path) -> dict[int, RawSamples]:
    """Return the samples by process. One that was killed has none: its profiler writes the names of frames at the end."""
    from navitas.recording.parse.jfr.read_jfr import read_jfr  # noqa: PLC0415  # Slow, and most phones sample no stacks.

    samples = {}
    for path in sorted(folder.glob("*.jfr")):
        with suppress(RecordingError):
            samples[int(path.stem)] = read_jfr(path)
    return samples
