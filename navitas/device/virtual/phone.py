"""The virtual phone put together: files, kernel, processes, packages, log and services behind one adb daemon."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from navitas.device.virtual.battery import BatteryService
from navitas.device.virtual.files import FileTree, Node
from navitas.device.virtual.identity import Identity
from navitas.device.virtual.kernel_port import KernelPort
from navitas.device.virtual.logd import LogDaemon
from navitas.device.virtual.packages import PackageManager
from navitas.device.virtual.processes import ProcessTable
from navitas.device.virtual.properties import Properties
from navitas.device.virtual.shell.commands import load as load_commands
from navitas.device.virtual.shell.context import Streams
from navitas.device.virtual.shell.interpreter import Interpreter
from navitas.device.virtual.thermal import ThermalService
from navitas.errors import NavitasError

_log = logging.getLogger(__name__)

RAILS_PATH = "/sys/bus/iio/devices/iio:device0/energy_value"
_KILLED_STATUS = 128
_SYSTEM_SETTINGS = {"screen_brightness": "128", "screen_brightness_mode": "0", "screen_off_timeout": "60000"}


class Phone:
    """One phone under `root`; `start` and `stop` once each, everything on one event loop."""

    def __init__(
        self,
        root: Path,
        kernel: KernelPort,
        *,
        name: str = "default",
        model: str = "Virtual phone",
        voltage_v: float = 3.85,
        properties: dict[str, str] | None = None,
    ) -> None:
        load_commands()
        self.kernel = kernel
        self.files = FileTree(root)
        self.processes = ProcessTable(kernel)
        self.properties = Properties(name, model, properties or {})
        self.battery = BatteryService(voltage_v)
        self.thermal = ThermalService()
        self.settings: dict[str, dict[str, str]] = {"system": dict(_SYSTEM_SETTINGS), "secure": {}, "global": {}}
        self.logd = LogDaemon(self.processes.uid_of)
        self.packages = PackageManager(self.files, self.processes)
        self._jobs: set[asyncio.Task[int]] = set()
        self.files.process_node = self.processes.node
        for path, text in (("/proc/stat", kernel.proc_stat), ("/proc/uptime", kernel.uptime), (RAILS_PATH, kernel.energy_value)):
            self.files.add_node(path, _live(text, path))

    async def start(self) -> None:
        """Start kernel and log."""
        self.kernel.start()
        self.logd.start()

    async def stop(self) -> None:
        """End all jobs and processes, then log and kernel."""
        for task in self._jobs:
            task.cancel()
        await asyncio.gather(*self._jobs, return_exceptions=True)
        for process in self.processes.all():
            process.send_signal(signal.SIGKILL)
        self.logd.stop()
        self.kernel.stop()

    def environment(self, who: Identity) -> dict[str, str]:
        """Environment of a new shell."""
        return {
            "ANDROID_DATA": "/data",
            "ANDROID_ROOT": "/system",
            "EXTERNAL_STORAGE": "/sdcard",
            "HOME": "/",
            "HOSTNAME": self.properties.get("ro.product.device"),
            "LOGNAME": who.name,
            "PATH": "/product/bin:/apex/com.android.runtime/bin:/system/bin:/system/xbin:/vendor/bin",
            "SHELL": "/system/bin/sh",
            "TMPDIR": "/data/local/tmp",
            "USER": who.name,
        }

    async def run_shell(self, command: str, who: Identity, streams: Streams) -> int:
        """Run a command line in a new shell, to the end of all that holds its streams; its exit status."""
        shell = Interpreter(self, who)
        shell.pid, task = self.start_job(("sh", "-c", command), who, shell.run_text(command, streams))
        try:
            status = await task
            while shell.holding_streams:
                await asyncio.gather(shell.holding_streams.pop().task, return_exceptions=True)
        finally:
            held = [task, *(job.task for job in shell.holding_streams)]
            for job in held:
                job.cancel()
            await asyncio.gather(*held, return_exceptions=True)
        return status

    def start_job(
        self, args: tuple[str, ...], who: Identity, coroutine: Coroutine[Any, Any, int]
    ) -> tuple[int, asyncio.Task[int]]:
        """Run something as a process inside the phone; it ends with the phone at the latest."""
        received: list[int] = []

        def send_signal(number: int) -> None:
            if number:
                received.append(number)
                task.cancel()

        async def run() -> int:
            try:
                return await coroutine
            except asyncio.CancelledError:
                if received:
                    return _KILLED_STATUS + received[0]
                raise
            finally:
                coroutine.close()
                self.processes.remove(pid)

        pid = self.processes.add_inner(args, who, send_signal)
        task = asyncio.create_task(run())
        self._jobs.add(task)
        task.add_done_callback(self._jobs.discard)
        return pid, task


def _live(text: Callable[[], str], path: str) -> Node:
    """A kernel text as a node; when the kernel model has failed, reading is an input/output error."""

    def read() -> bytes:
        try:
            return text().encode()
        except NavitasError as error:
            _log.error("%s", error)
            raise OSError(errno.EIO, os.strerror(errno.EIO), path) from None

    return read
